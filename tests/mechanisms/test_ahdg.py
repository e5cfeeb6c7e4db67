"""AHDG: a second round designed from the first, on people not yet asked."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.mechanisms.ahdg import _equal_masses
from sottovoce.simulation.rounds import simulate_rounds
from tests.crowds import fraction_inside, mixed_crowd, mixed_schema, normal_crowd, square_schema

PEOPLE = 100_000


def plan_for(people: int = PEOPLE, **options: object) -> sv.Plan:
    return sv.Plan.create(square_schema(3, 64), epsilon=1, users=people, mechanism="ahdg", **options)


def test_the_first_round_asks_every_attribute_and_the_second_segments_and_pairs() -> None:
    first = plan_for()
    assert [family.channel for family in first.families] == ["square_wave"] * 3
    tally = sv.simulate(first, normal_crowd(20_000, attributes=3, levels=64, seed=1), seed=1)
    second = first.next_round(tally)
    assert [family.attributes for family in second.families] == [(0,), (1,), (2,)] * 2 + [(0, 1), (0, 2), (1, 2)]
    assert second.questions.shares[:3].sum() == 0, "nobody is asked the first round's questions any more"
    assert second.audit().epsilon <= 1


def test_bins_are_narrow_where_people_are() -> None:
    """Seed 1: Normal over [-6, 6] in 64 levels has nearly all its people in the middle third."""
    first = plan_for(g2=4)
    second = first.next_round(sv.simulate(first, normal_crowd(PEOPLE, attributes=3, levels=64, seed=1), seed=1))
    edges = second.questions[6].tables[0].edges
    assert edges is not None
    assert len(edges) == 5
    assert all(22 < edge < 42 for edge in edges[1:-1])


def test_cuts_of_equal_mass_are_between_levels_and_at_least_two_parts() -> None:
    even = np.full(16, 1 / 16)
    np.testing.assert_array_equal(_equal_masses(even, np.zeros(1, dtype=np.intp), 4), [0, 4, 8, 12])
    np.testing.assert_array_equal(_equal_masses(even, np.array([0, 8]), 2), [0, 4, 8, 12])
    spike = np.eye(16)[0]
    assert len(_equal_masses(spike, np.zeros(1, dtype=np.intp), 4)) >= 2
    np.testing.assert_array_equal(_equal_masses(np.array([0.5, 0.5]), np.zeros(1, dtype=np.intp), 8), [0, 1])


def test_two_rounds_are_more_exact_than_hdg_where_most_levels_are_empty() -> None:
    """Seeds 0 to 2, a million people, queries in the middle of the range: the error is well below HDG's."""
    crowd = normal_crowd(PEOPLE, attributes=3, levels=64, seed=1)
    generator = np.random.default_rng(2)
    queries = []
    for _ in range(60):
        low, width = generator.integers(20, 38, 2), generator.integers(4, 24, 2)
        names = generator.permutation(list("abc"))[:2]
        queries.append({str(n): (int(a), int(min(63, a + b))) for n, a, b in zip(names, low, width, strict=True)})
    truth = np.array([fraction_inside(crowd, query) for query in queries])
    errors: dict[str, float] = {}
    for mechanism in ("ahdg", "hdg"):
        plan = sv.Plan.create(square_schema(3, 64), epsilon=1, users=10**6, mechanism=mechanism)
        for seed in range(3):
            tally = simulate_rounds(plan, crowd, seed=seed, users=10**6)
            model = sv.fit(tally.plan, tally)
            errors.setdefault(mechanism, []).append(np.abs(model.answer_ranges(queries) - truth).mean())
    assert np.mean(errors["ahdg"]) < 0.8 * np.mean(errors["hdg"])
    assert max(errors["ahdg"]) < min(errors["hdg"])


def test_categories_and_missing_answers_take_part_in_both_rounds() -> None:
    plan = sv.Plan.create(mixed_schema(4), epsilon=2, users=20_000, mechanism="ahdg")
    tally = simulate_rounds(plan, mixed_crowd(20_000, seed=1), seed=1)
    model = sv.fit(tally.plan, tally)
    assert model.marginal("region", "children").sum() == pytest.approx(1)
    truth = np.mean(mixed_crowd(20_000, seed=1)["region"] == "north")
    assert model.answer_ranges([{"region": ["north"]}])[0] == pytest.approx(truth, abs=0.1)


def test_questions_of_the_second_round_without_reports_do_not_break_the_fit() -> None:
    plan = plan_for()
    first = sv.simulate(plan, normal_crowd(2000, attributes=3, levels=64, seed=1), seed=1)
    second = plan.next_round(first)
    tally = sv.simulate(second, normal_crowd(2, attributes=3, levels=64, seed=1), seed=1)
    tally.merge(first)
    model = sv.fit(second, tally)
    assert np.isfinite(model.answer_ranges([{"a": (10, 40), "b": (5, 30)}])).all()


def test_without_reports_of_the_second_round_attributes_are_independent() -> None:
    """As they are when the plan of the first is fitted: its tally says nothing of pairs."""
    plan = plan_for()
    tally = sv.simulate(plan, normal_crowd(2000, attributes=3, levels=64, seed=1), seed=1)
    second = plan.next_round(tally)
    counted = sv.Tally(second)
    counted.merge(tally)
    ranges = [{"a": (10, 40), "b": (5, 30)}, {"c": (30, 35)}]
    alone, both = sv.fit(plan, tally).answer_ranges(ranges), sv.fit(second, counted).answer_ranges(ranges)
    np.testing.assert_allclose(both, alone, atol=1e-9)


@pytest.mark.parametrize(
    ("options", "said"),
    [({"first": 1.0}, "first is a fraction"), ({"segments": 0}, "segments is from 1"), ({"g2": 1}, "g2 is at least 2")],
)
def test_options_are_checked(options: dict[str, float], said: str) -> None:
    with pytest.raises(sv.PlanError, match=said):
        plan_for(**options)
