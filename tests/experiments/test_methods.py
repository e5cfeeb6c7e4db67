"""Which methods are compared, and what each is asked."""

from __future__ import annotations

import pytest

import sottovoce as sv
from sottovoce.experiments.methods import HDG, every_method, granularities, most_queries, most_repeats, with_estimator
from sottovoce.experiments.specs import Method, QuerySpec
from sottovoce.plan.registry import MECHANISMS


def test_the_guideline_is_checked_against_every_pair_of_powers_of_two() -> None:
    labels = [method.label for method in granularities(64)]
    assert labels[0] == "HDG"
    assert len(labels) == len(set(labels)) == 1 + 21
    assert {"HDG(64,64)", "HDG(2,2)", "HDG(16,4)"} <= set(labels)


def test_every_mechanism_of_the_registry_is_a_method_with_a_label_of_its_own() -> None:
    methods = every_method()
    assert list(dict.fromkeys(method.mechanism for method in methods)) == list(MECHANISMS)
    assert len({method.label for method in methods}) == len(methods)
    assert [method.mechanism for method in every_method(("tdg", "hdg"))] == ["tdg", "hdg"]
    with pytest.raises(sv.ExperimentError, match=r"unknown mechanism magic; known are .*hdg"):
        every_method(("hdg", "magic"))


def test_hio_is_asked_fewer_queries_the_more_intervals_each_is_made_of() -> None:
    hio = every_method(("hio",))[0]
    counts = [most_queries(hio, QuerySpec(dimension=dimension), 64) for dimension in (2, 4, 6, 8)]
    assert None not in counts
    assert counts == sorted((count or 0 for count in counts), reverse=True)
    assert counts[0] > counts[2] > counts[3] == 0
    assert most_queries(hio, QuerySpec(dimension=6), 1024) < counts[2]
    assert most_queries(HDG, QuerySpec(dimension=8), 1024) is None


def test_an_estimator_is_set_where_there_is_the_choice_and_it_was_not_made() -> None:
    assert dict(with_estimator(HDG, "max_entropy").options)["estimator"] == "max_entropy"
    made = HDG.with_option("estimator", "weighted_update")
    assert with_estimator(made, "max_entropy") == made
    uniform = Method(label="Uni", mechanism="uniform")
    assert with_estimator(uniform, "max_entropy") == uniform


def test_two_baselines_come_as_the_paper_has_them_and_as_they_are_by_default() -> None:
    shown = {method.label: (method.mechanism, dict(method.options)) for method in every_method(("lhio", "msw", "hdg"))}
    assert shown == {
        "LHIO": ("lhio", {"nonnegative": True}),
        "LHIO, linear": ("lhio", {}),
        "MSW": ("msw", {"smoothing": True}),
        "MSW, EM": ("msw", {}),
        "HDG": ("hdg", {}),
    }


def test_hio_gets_fewer_repeats_and_one_where_there_are_many_attributes() -> None:
    hio, hdg = every_method(("hio", "hdg"))
    assert [most_repeats(hio, attributes, 10) for attributes in (6, 7, 8, 10)] == [5, 5, 1, 1]
    assert [most_repeats(hdg, attributes, 10) for attributes in (6, 10)] == [10, 10]
    assert most_repeats(hio, 6, 3) == 3
