"""Groups: means and quantiles by group as of the people in them, bands of equal share, and what could be chance."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.model.groups import Compared, _holm, gap_words, group_words, groups_of
from tests.oracle import SCHEMA, TableModel, kinds, make_model

MODEL = make_model(2)


def people_in(region: str | None) -> list[tuple[float, float]]:
    """Return age and share of everybody of a region who told their age."""
    kept = [kind for kind in kinds(MODEL) if kind.values["region"] == region and kind.values["age"] is not None]
    return [(kind.values["age"], kind.share) for kind in kept]


def test_means_by_group_are_those_of_the_people_in_it() -> None:
    found = MODEL.mean_by("age", "region")
    assert list(found) == ["north", "it's", "east", None]
    for region, mean in found.items():
        ages, shares = zip(*people_in(region), strict=True)
        assert float(mean) == pytest.approx(np.average(ages, weights=shares))
        assert float(MODEL.mean("age", where=_where(region))) == pytest.approx(float(mean))


def test_quantiles_by_group_are_those_asked_one_by_one() -> None:
    for region, median in MODEL.quantile_by("income", "region").items():
        assert float(median) == pytest.approx(float(MODEL.quantile("income", 0.5, where=_where(region))))
        low, high = median.interval
        assert low <= median <= high


def test_groups_given_a_condition_are_fractions_of_those_for_whom_it_holds() -> None:
    whole = MODEL.answer("age > 1").fraction
    plain, given = MODEL.group_by("region", where="age > 1"), MODEL.group_by("region", given="age > 1")
    for label, answer in given.items():
        assert answer.fraction == pytest.approx(plain[label].fraction / whole)
    assert sum(answer.fraction for answer in given.values()) == pytest.approx(1)


def test_bands_cover_all_values_once_and_hold_about_equal_shares() -> None:
    schema = sv.Schema([sv.Ordinal("age", 0, 99), sv.Categorical("sex", ["f", "m"])])
    plan = sv.Plan.create(schema, epsilon=4, users=10_000, mechanism="uniform")
    model = sv.fit(plan, sv.simulate(plan, {"age": np.arange(100), "sex": ["f", "m"] * 50}, seed=1))
    groups = groups_of(model, "age")
    assert [group.label for group in groups] == [(0, 19), (20, 39), (40, 59), (60, 79), (80, 99)]
    assert sum(group.share for group in groups) == pytest.approx(1)
    assert [group.label for group in groups_of(model, "age", bands=2)] == [(0, 49), (50, 99)]


def test_a_comparison_tells_a_large_difference_and_leaves_a_small_one() -> None:
    """Age decides the rooms, and nothing else decides anything; the oracle's errors are 0.01 for every fraction."""
    table = np.ones(SCHEMA.sizes)
    for age in range(SCHEMA.sizes[0]):
        for rooms in range(SCHEMA.sizes[3]):
            table[age, :, :, rooms] = age % 3 == rooms
    model = TableModel(table / table.sum(), error=0.0005)
    comparison = model.compare_groups("age")
    told = {line.what for line in comparison.told}
    assert any("the rooms" in what for what in told)
    assert not any("region" in what or "income" in what for what in told)
    assert f"{len(comparison.told)} can be told from chance" in comparison.summary()
    assert "could be chance" in comparison._repr_html_()
    assert [row["told"] for row in comparison.rows()] == [line.told for line in comparison.lines]


def test_a_comparison_needs_groups_and_other_attributes() -> None:
    with pytest.raises(sv.QueryError, match="makes the groups"):
        MODEL.compare_groups("region", names=["region"])
    with pytest.raises(sv.QueryError, match="unknown attribute 'shoe'"):
        MODEL.compare_groups("shoe")


def test_holm_allows_for_every_test_looked_at() -> None:
    assert _holm([0.001, 0.04, 0.5], 0.1) == [True, True, False]
    assert _holm([0.04, 0.04, 0.5], 0.1) == [False, False, False]
    assert _holm([], 0.1) == []


def test_the_smallest_difference_shrinks_with_the_error_and_is_of_two_attributes() -> None:
    rough, fine = (
        TableModel(MODEL.table, error=error).smallest_difference("age", "region") for error in (0.002, 0.001)
    )
    assert 0 < fine < rough
    with pytest.raises(sv.QueryError, match="got age twice"):
        MODEL.smallest_difference("age", "age")


def test_groups_and_gaps_read_well() -> None:
    assert [group_words(label) for label in ("north", (30, 49), None)] == ["north", "30 to 49", "no answer"]
    share = MODEL.answer("age > 0")
    gap = sv.Estimate(0.123, interval=(0.1, 0.15), level=0.9)
    assert gap_words(Compared("age", "north", share, gap, 0.0, True)) == "+12.3 (+10.0 to +15.0) points"


def _where(region: str | None) -> str:
    return "region IS NULL" if region is None else "region = '{}'".format(region.replace("'", "''"))
