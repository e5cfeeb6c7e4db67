"""Which plans a collection takes in."""

from __future__ import annotations

import sqlite3

import msgspec
import pytest

import sottovoce as sv
from sottovoce.plan.plan import Plan
from sottovoce.service.store.joining import require_joins
from sottovoce.testing.mechanism_cases import reshared
from tests.collectors import make_plan
from tests.crowds import normal_crowd, square_schema


@pytest.fixture(scope="module")
def rounds() -> list[Plan]:
    """A first round and two designs of the second."""
    first = sv.Plan.create(square_schema(2, 16), epsilon=1, users=1000, mechanism="ahdg")
    crowd = normal_crowd(300, attributes=2, levels=16, seed=1)
    return [first, *(first.next_round(sv.simulate(first, crowd, seed=seed, users=200)) for seed in (1, 2))]


def known(*plans: Plan) -> sqlite3.Connection:
    """Return a database that keeps some plans of one collection."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE plans (collection INTEGER, fingerprint TEXT, document BLOB)")
    rows = [(1, plan.fingerprint, plan.to_json()) for plan in plans]
    connection.executemany("INSERT INTO plans VALUES (?, ?, ?)", rows)
    return connection


def test_rounds_join_in_any_order_and_again(rounds: list[Plan]) -> None:
    first, second, _ = rounds
    for held, new in (((), first), ((first,), second), ((second,), first), ((first, second), second)):
        require_joins(known(*held).execute, new, 1)


def test_a_plan_with_other_shares_joins() -> None:
    require_joins(known(make_plan()).execute, reshared(make_plan()), 1)


def test_another_design_of_a_round_does_not_join(rounds: list[Plan]) -> None:
    first, second, other = rounds
    with pytest.raises(sv.StoreError, match="one design of each round"):
        require_joins(known(first, second).execute, other, 1)


def test_a_plan_that_only_claims_its_parent_does_not_join(rounds: list[Plan]) -> None:
    first, second, _ = rounds
    dearer = msgspec.structs.replace(second, epsilon=sv.Plan.create(square_schema(2, 16), epsilon=2, users=1).epsilon)
    assert dearer.collection == first.collection
    with pytest.raises(sv.StoreError, match="do not add"):
        require_joins(known(first).execute, dearer, 1)
