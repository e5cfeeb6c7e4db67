"""Rounds of one collection: what a later plan may be."""

from __future__ import annotations

import msgspec
import pytest

import sottovoce as sv
from sottovoce.plan.rounds import check_parent, continues, is_last_round, next_round
from tests.crowds import normal_crowd, square_schema


@pytest.fixture(scope="module")
def rounds() -> tuple[sv.Plan, sv.Plan]:
    first = sv.Plan.create(square_schema(2, 16), epsilon=1, users=1000, mechanism="ahdg")
    tally = sv.simulate(first, normal_crowd(200, attributes=2, levels=16, seed=1), seed=1)
    return first, next_round(first, tally)


def test_a_later_round_has_the_earlier_questions_first_and_asks_them_of_nobody(
    rounds: tuple[sv.Plan, sv.Plan],
) -> None:
    first, second = rounds
    assert continues(second, first)
    assert not continues(first, second)
    for question in first.questions:
        same = second.questions[question.index]
        assert (same.attributes, same.tables, same.channel, same.share) == (*_of(question), 0)


def test_a_round_is_the_last_by_its_number_and_where_there_is_only_one(rounds: tuple[sv.Plan, sv.Plan]) -> None:
    first, _ = rounds
    assert [is_last_round(plan) for plan in rounds] == [False, True]
    assert is_last_round(sv.Plan.create(first.schema, epsilon=1, users=1000, mechanism="hdg"))
    assert is_last_round(sv.Plan.create(first.schema, users=1000, mechanism="ahdg", waves=2, lifetime=1))


def _of(question: object) -> tuple[object, ...]:
    return question.attributes, question.tables, question.channel


def test_plans_of_other_collections_do_not_continue_each_other(rounds: tuple[sv.Plan, sv.Plan]) -> None:
    first, second = rounds
    other = sv.Plan.create(square_schema(2, 16), epsilon=2, users=1000, mechanism="ahdg")
    assert not continues(second, other)
    altered = msgspec.structs.replace(second, families=second.families[1:])
    assert not continues(altered, first)
    dearer = msgspec.structs.replace(second, epsilon=other.epsilon)
    assert dearer.collection == first.collection, "a plan may name any parent"
    assert not continues(dearer, first)


@pytest.mark.parametrize("parent", ["", "ab", "G" * 64, 5, None])
def test_a_parent_is_a_collection(parent: object) -> None:
    with pytest.raises(sv.PlanError, match="64 hexadecimal digits"):
        check_parent(parent)
    check_parent("0f" * 32)
    check_parent(msgspec.UNSET)


def test_a_next_round_needs_a_tally(rounds: tuple[sv.Plan, sv.Plan]) -> None:
    with pytest.raises(sv.PlanError, match="designed from a Tally of this one, got str"):
        rounds[0].next_round("x")
