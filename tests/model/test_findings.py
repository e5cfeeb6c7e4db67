"""Findings: true differences are found and chance ones are not, and intervals allow for the choice."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.model.findings import every_pair, find

SCHEMA = sv.Schema(
    [
        sv.Categorical("team", ["red", "blue", "green"]),
        sv.Ordinal("hours", 0, 9, nullable=True),
        sv.Categorical("remote", ["no", "yes"]),
        sv.Ordinal("shoe", 36, 45),
    ]
)
PEOPLE = 30_000


def collect(*, apart: bool) -> sv.Model:
    """Return a model of people whose hours and place depend on their team, unless columns are shuffled apart."""
    generator = np.random.default_rng(7)
    team = generator.integers(0, 3, PEOPLE)
    hours = np.clip(generator.poisson(np.array([2.0, 4.0, 6.0])[team]), 0, 9)
    remote = generator.random(PEOPLE) < np.array([0.2, 0.5, 0.8])[team]
    if apart:
        team, hours = generator.permutation(team), generator.permutation(hours)
    table = {
        "team": np.array(["red", "blue", "green"])[team],
        "hours": np.where(generator.random(PEOPLE) < 0.1, np.nan, hours),
        "remote": np.where(remote, "yes", "no"),
        "shoe": generator.integers(36, 46, PEOPLE),
    }
    plan = sv.Plan.create(SCHEMA, epsilon=4, users=PEOPLE)
    return sv.fit(plan, sv.simulate(plan, table, seed=2))


@pytest.fixture(scope="module")
def model() -> sv.Model:
    return collect(apart=False)


def test_groups_are_made_by_categories_where_there_are_any(model: sv.Model) -> None:
    assert every_pair(model) == [
        ("hours", "team"),
        ("remote", "team"),
        ("shoe", "team"),
        ("hours", "remote"),
        ("shoe", "hours"),
        ("shoe", "remote"),
    ]


def test_what_differs_is_found_once_for_each_pair_with_its_sign_and_truth(model: sv.Model) -> None:
    found = find(model)
    assert found.pairs == 6
    assert found.lines == 3 + 3 + 3 + 1 + 3 + 1
    assert {(one.name, one.by) for one in found.chosen} == {("hours", "team"), ("remote", "team"), ("hours", "remote")}
    sides = {("hours", "red"): -1, ("hours", "green"): 1, ("remote", "red"): -1, ("remote", "green"): 1}
    truths = {"hours": 2.95, "remote": 0.45}  # of an outer team less both others; hours above 9 are 9
    for one in found.chosen:
        if one.by == "team":
            side = sides[one.name, str(one.group)]
            assert one.gap.interval[0] <= side * truths[one.name] <= one.gap.interval[1]
        assert one.gap.interval[0] > 0 or one.gap.interval[1] < 0
        assert float(one.inside) - float(one.outside) == pytest.approx(float(one.gap))


def test_intervals_are_as_wide_as_the_choice_asks_for(model: sv.Model) -> None:
    found = find(model, rate=0.05)
    lines = {("hours", "team"): 3, ("remote", "team"): 3, ("hours", "remote"): 1}
    assert len(found.chosen) == 3
    for one in found.chosen:
        assert one.gap.level == pytest.approx(1 - 3 * 0.05 / (6 * lines[one.name, one.by]))
        assert one.chance <= 3 * 0.05 / 6
    assert [one.chance for one in found.chosen] == sorted(one.chance for one in found.chosen)


def test_fewer_are_chosen_at_a_stricter_level(model: sv.Model) -> None:
    found = find(model, most=1)
    assert found.chosen[0].gap.level > find(model).chosen[0].gap.level
    assert len(found.chosen) == 1


def test_only_the_pairs_that_are_named_are_compared(model: sv.Model) -> None:
    found = find(model, pairs=[("shoe", "team"), ("remote", "hours"), ("shoe", "team")])
    assert (found.pairs, found.lines) == (2, 3 + 3)
    assert [(one.name, one.by) for one in found.chosen] == [("remote", "hours")]
    (row,) = found.rows()
    assert row["value"] == "yes"
    assert isinstance(row["group"], list)


def test_nothing_is_found_among_columns_shuffled_apart() -> None:
    """A finding here has a chance of at most one in ten; the seed is fixed."""
    assert [one for one in find(collect(apart=True)).chosen if "team" in {one.name, one.by}] == []


def test_what_cannot_be_compared_is_refused_by_name(model: sv.Model) -> None:
    with pytest.raises(sv.QueryError, match="unknown attribute 'size'"):
        find(model, pairs=[("size", "team")])
    with pytest.raises(sv.QueryError, match="got team twice"):
        find(model, pairs=[("team", "team")])
    with pytest.raises(sv.QueryError, match="how many findings"):
        find(model, most=0)
    with pytest.raises(sv.QueryError, match="rate"):
        find(model, rate=1.5)
