"""The small version of an experiment: less of everything, and the same question."""

from __future__ import annotations

import pytest

from sottovoce.experiments.experiment import Experiment, quick
from sottovoce.experiments.methods import granularities


def example(**changes: object) -> Experiment:
    return Experiment(**({"name": "an-example", "paper": "", "summary": "", "axis": "epsilon"} | changes))


def test_a_quick_version_keeps_both_ends_and_some_between() -> None:
    fast = quick(example(epsilons=(0.2, 0.4, 0.6, 0.8, 1.0), volumes=(0.1, 0.9)))
    assert fast.epsilons == (0.2, 0.6, 1.0)
    assert fast.volumes == (0.1, 0.9)
    assert fast.repeats == 1


def test_a_quick_version_asks_fewer_people_about_less_and_with_fewer_queries() -> None:
    experiment = example(attributes=(3, 10), dimensions=(2, 4, 10), queries=200)
    fast = quick(experiment)
    assert fast.users[0] * 10 < experiment.users[0]
    assert fast.queries * 2 < experiment.queries
    assert max(fast.attributes) < 10
    assert fast.dimensions == (2, 4), "no query names more attributes than there are"


def test_levels_stay_the_axis_where_they_are_the_axis() -> None:
    levels = tuple(2**power for power in range(4, 11))
    assert len(quick(example(axis="levels", levels=levels)).levels) > 1
    assert len(quick(example(levels=levels)).levels) == 1


def test_methods_that_are_named_are_thinned_and_all_of_them_stay_all() -> None:
    fast = quick(example(methods=granularities(64)))
    assert fast.methods is not None
    assert fast.methods[0].label == "HDG"
    assert 1 < len(fast.methods) < len(granularities(64))
    assert quick(example()).methods is None


@pytest.mark.parametrize("settings", [{"users": (10**6, 10**7)}, {"epsilons": tuple(range(1, 11))}])
def test_a_table_of_granularities_is_quick_as_it_is(settings: dict[str, object]) -> None:
    experiment = example(measure="granularity", **settings)
    assert quick(experiment) == experiment
