"""The largest epsilon that keeps a central promise: it keeps it, and a hundredth more would not."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.cli.central import MAX_EPSILON, largest_epsilon
from tests.cli.calls import fail, run, succeed
from tests.crowds import mixed_schema

DELTA = 1e-9


def central(epsilon: Decimal, users: int) -> float:
    plan = sv.Plan.create(mixed_schema(), epsilon=epsilon, users=users, mechanism="hdg")
    return plan.audit().shuffled(users=users, delta=DELTA).epsilon


@pytest.mark.parametrize(("users", "promised"), [(2_000, 0.1), (20_000, 0.05)])
def test_it_keeps_the_promise_and_a_hundredth_more_does_not(users: int, promised: float) -> None:
    about = {"users": users, "mechanism": "hdg"}
    found = largest_epsilon(mixed_schema(), about, promised, DELTA)
    assert Decimal("0.01") <= found < MAX_EPSILON
    assert central(found, users) <= promised < central(found + Decimal("0.01"), users)


def test_it_is_never_more_than_clients_take_by_themselves() -> None:
    assert largest_epsilon(mixed_schema(), {"users": 10**8, "mechanism": "hdg"}, 0.5, DELTA) == MAX_EPSILON == 2


def test_a_promise_that_no_epsilon_keeps_is_refused() -> None:
    with pytest.raises(sv.SottovoceError, match=r"no epsilon of 0\.01 or more keeps a central epsilon of 0\.0001"):
        largest_epsilon(mixed_schema(), {"users": 20, "mechanism": "hdg"}, 0.0001, DELTA)


def test_the_command_makes_that_plan(folder: Path) -> None:
    asked = ("plan", "schema.toml", "--users", 3_000, "--mechanism", "hdg", "--delta", "1e-9", "--out", "new.json")
    said = succeed(*asked, "--central", 0.1)
    plan = sv.Plan.load("new.json")
    assert plan.epsilon == largest_epsilon(plan.schema, {"users": 3_000, "mechanism": "hdg"}, 0.1, 1e-9)
    assert said["central"] == {"epsilon": plan.audit().shuffled(users=3_000, delta=1e-9).epsilon, "delta": 1e-9}
    assert "give --epsilon, or --central together with --delta" in run(*asked).output
    assert "no epsilon of 0.01" in fail(*asked, "--central", 1e-9)
