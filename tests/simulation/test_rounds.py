"""Collections of several rounds: everybody answers once, rounds stay in one collection, and tallies of rounds add."""

from __future__ import annotations

import functools

import msgspec
import numpy as np
import pytest

import sottovoce as sv
from sottovoce.client.ledger import Charge, Ledger
from sottovoce.simulation.forecasting import forecast_plan
from sottovoce.simulation.rounds import simulate_rounds
from tests.crowds import normal_crowd, square_schema

PEOPLE = 4000


@pytest.fixture(scope="module")
def crowd() -> dict[str, np.ndarray]:
    return normal_crowd(PEOPLE, attributes=2, levels=16, seed=1)


def plan_of(mechanism: str = "ahdg") -> sv.Plan:
    return sv.Plan.create(square_schema(2, 16), epsilon=1, users=PEOPLE, mechanism=mechanism)


def test_every_row_reports_once_in_one_of_the_rounds(crowd: dict[str, np.ndarray]) -> None:
    tally = simulate_rounds(plan_of(), crowd, seed=1)
    assert tally.total == PEOPLE
    first, second = (int(tally.totals_by_plan[key].sum()) for key in (plan_of().fingerprint, tally.plan.fingerprint))
    assert (first, second) == (PEOPLE // 5, PEOPLE - PEOPLE // 5)
    assert tally == simulate_rounds(plan_of(), crowd, seed=1)
    assert simulate_rounds(plan_of(), crowd, seed=2) != tally
    assert simulate_rounds(plan_of(), crowd, seed=1, users=1000).total == 1000


def test_one_round_is_simulated_as_ever(crowd: dict[str, np.ndarray]) -> None:
    assert simulate_rounds(plan_of("hdg"), crowd, seed=3) == sv.simulate(plan_of("hdg"), crowd, seed=3)


def test_a_later_round_stays_in_the_collection_and_its_file_says_so(crowd, tmp_path) -> None:
    first = plan_of()
    second = first.next_round(sv.simulate(first, crowd, seed=1))
    assert (first.round, second.round) == (1, 2)
    assert second.parent == second.collection == first.collection
    assert second.fingerprint != first.fingerprint
    second.save(tmp_path / "plan.json")
    assert sv.Plan.load(tmp_path / "plan.json") == second
    assert "parent" not in msgspec.json.decode(first.to_json())
    with pytest.raises(sv.PlanError, match="64 hexadecimal digits"):
        msgspec.structs.replace(second, parent="another").check()


def test_tallies_of_rounds_add_in_any_order_and_are_kept(crowd, tmp_path) -> None:
    first = plan_of()
    one = sv.simulate(first, crowd, seed=1)
    second = first.next_round(one)
    two = sv.simulate(second, crowd, seed=2)
    forth, back = (sv.Tally(plan) for plan in (second, first))
    for tally in (one, two):
        forth.merge(tally)
    for tally in (two, one):
        back.merge(tally)
    assert forth == back
    assert forth.plan == back.plan == second
    assert forth.total == 2 * PEOPLE
    forth.save(tmp_path / "tally.parquet")
    assert sv.Tally.load(tmp_path / "tally.parquet") == forth
    assert forth.question_weights.sum() <= forth.total


def test_two_designs_of_one_round_do_not_add(crowd) -> None:
    first = plan_of()
    plans = [first.next_round(sv.simulate(first, crowd, seed=seed, users=200)) for seed in (1, 2)]
    one, other = (sv.simulate(plan, crowd, seed=1) for plan in plans)
    assert plans[0].collection == plans[1].collection
    with pytest.raises(sv.TallyError, match="two designs of one round do not add"):
        one.merge(other)


def test_a_tally_is_fitted_by_the_plan_of_its_last_round(crowd) -> None:
    tally = simulate_rounds(plan_of(), crowd, seed=1)
    with pytest.raises(sv.ModelError, match=r"of round 2 .* that of round 1; .*fit\(tally\.plan, tally\)"):
        sv.fit(plan_of(), tally)
    assert sv.fit(tally.plan, tally).origin.collection == plan_of().collection


def test_rounds_end_and_need_the_tally_of_their_own(crowd) -> None:
    first = plan_of()
    tally = sv.simulate(first, crowd, seed=1)
    second = first.next_round(tally)
    with pytest.raises(sv.PlanError, match="round 2 of 2, the last"):
        second.next_round(sv.simulate(second, crowd, seed=1))
    with pytest.raises(sv.PlanError, match="another collection or round"):
        first.next_round(sv.simulate(second, crowd, seed=1))
    with pytest.raises(sv.PlanError, match="hdg asks everything in one round; those of more rounds are: ahdg"):
        plan_of("hdg").next_round(sv.simulate(plan_of("hdg"), crowd, seed=1))


def test_a_device_that_answered_one_round_answers_no_other(crowd, tmp_path) -> None:
    first = plan_of()
    second = first.next_round(sv.simulate(first, crowd, seed=1))
    ledger, drawn = Ledger(tmp_path / "ledger"), []

    def draw(plan: sv.Plan) -> str:
        drawn.append(plan.fingerprint)
        return sv.Client(plan).draw({"a": 3, "b": 4}).to_json()

    for plan in (first, second):
        ledger.draw_once(Charge(plan.collection, plan.epsilon), functools.partial(draw, plan))
    assert drawn == [first.fingerprint]


def test_of_a_later_rounds_plan_the_whole_collection_is_simulated(crowd: dict[str, np.ndarray]) -> None:
    first = plan_of()
    second = first.next_round(sv.simulate(first, crowd, seed=1))
    assert simulate_rounds(second, crowd, seed=3) == simulate_rounds(first, crowd, seed=3)
    assert forecast_plan(second, 500).users == 500
