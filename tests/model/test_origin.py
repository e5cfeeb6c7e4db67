"""The origin: what was asked, how, and how many answered, whichever plan of the collection they answered."""

from __future__ import annotations

from decimal import Decimal

import sottovoce as sv
from sottovoce.model.origin import Origin
from tests.crowds import mixed_crowd, mixed_schema


def test_a_model_names_the_plan_it_answers_and_counts_only_what_was_counted() -> None:
    plan = sv.Plan.create(mixed_schema(2), epsilon="0.50", users=100, mechanism="hdg")
    tally = sv.simulate(plan, mixed_crowd(60, seed=1), seed=1)
    tally.refused["wrong plan"] += 7
    assert Origin.of(plan, tally) == Origin(mixed_schema(2), "hdg", Decimal("0.5"), plan.collection, 60)
    assert sv.fit(plan, tally).origin == Origin.of(plan, tally)


def test_plans_of_one_collection_give_models_of_one_origin() -> None:
    first, second = (
        sv.Plan.create(mixed_schema(2), epsilon=1, users=100, mechanism="hdg", expires=day)
        for day in ("2030-01-01", "2031-01-01")
    )
    tally = sv.simulate(first, mixed_crowd(30, seed=1), seed=1)
    tally.merge(sv.simulate(second, mixed_crowd(40, seed=2), seed=2))
    assert first.fingerprint != second.fingerprint
    assert Origin.of(first, tally) == Origin.of(second, tally)
    assert Origin.of(first, tally).reports == 70
