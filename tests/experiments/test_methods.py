"""Which methods are compared, and what each is asked."""

from __future__ import annotations

from sottovoce.experiments.methods import granularities


def test_the_guideline_is_checked_against_every_pair_of_powers_of_two() -> None:
    labels = [method.label for method in granularities(64)]
    assert labels[0] == "HDG"
    assert len(labels) == len(set(labels)) == 1 + 21
    assert {"HDG(64,64)", "HDG(2,2)", "HDG(16,4)"} <= set(labels)
