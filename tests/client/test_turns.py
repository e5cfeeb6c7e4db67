"""The turn: drawn once, each wave as likely, kept between waves, and silence in all others."""

from __future__ import annotations

import datetime
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.client.turns import TURN_LENGTH, Turn, draw_turn
from tests.chances import assert_drawn_from
from tests.collectors import running
from tests.crowds import mixed_schema

FIRST = datetime.date(2027, 1, 4)
RECORD = {"age": 30, "income": 50_000.0, "region": "south"}
SCHEMA = sv.Schema(
    [sv.Ordinal("age", 0, 119), sv.Numeric("income", 0, 200_000), sv.Categorical("region", ["n", "south"])]
)


def weekly(waves: int = 3) -> sv.Plan:
    return sv.Plan.create(SCHEMA, users=9_000, waves=waves, lifetime=1, first_wave=FIRST, wave_days=7, mechanism="hdg")


def test_turns_are_drawn_by_wave_and_share() -> None:
    """System randomness: a correct draw fails less than once in 10^9 runs."""
    plan = sv.Plan.create(mixed_schema(2), users=9_000, waves=5, lifetime=1, mechanism="hdg")
    counts = np.bincount([draw_turn(plan).question for _ in range(20_000)], minlength=len(plan.questions))
    assert_drawn_from(counts, plan.questions.shares / plan.questions.shares.sum())


def test_a_turn_takes_as_many_bytes_whatever_it_is() -> None:
    assert len(Turn(2**22 - 1).to_json()) <= TURN_LENGTH
    assert Turn.from_json(Turn(5).to_json()) == Turn(5)
    with pytest.raises(sv.DeliveryError, match="silent in all waves"):
        Turn.from_json(None)


def test_without_a_ledger_a_client_has_one_turn_and_reports_its_question() -> None:
    plan = weekly()
    client = sv.Client(plan)
    assert client.turn == client.turn
    report = client.report(RECORD)
    assert report.question // plan.questions.per_wave + 1 == client.turn
    assert sv.Tally(plan).add(report) == 1
    assert {sv.Client(plan).turn for _ in range(100)} == {1, 2, 3}
    drawn = Counter(client.draw(RECORD).question // plan.questions.per_wave for _ in range(300))
    assert set(drawn) == {0, 1, 2}
    with pytest.raises(sv.PlanError, match="no waves"):
        _ = sv.Client(plan.one_wave).turn


def test_a_device_reports_in_its_own_wave_and_never_again(tmp_path: Path) -> None:
    plan, days, sent = weekly(), [FIRST], []
    ledger = sv.Ledger(tmp_path / "ledger.db", clock=lambda: days[-1])
    with running([plan], str(tmp_path / "c.db"), minimum_reports=1) as collector:
        for week in range(4):  # the fourth is after the last wave
            days.append(FIRST + datetime.timedelta(days=7 * week + 2))
            programs = [sv.Client.from_url(collector.url(plan), ledger=ledger) for _ in range(2)]
            sent += [program.send(RECORD) for program in programs]
        turn = sv.Client(plan, ledger=ledger).turn
        reports = [report for report in sent if report is not None]
        assert len(reports) == 1
        assert sent.index(reports[0]) == 2 * (turn - 1)
        assert reports[0].question // plan.questions.per_wave + 1 == turn
        assert collector.total(plan) == 1
    assert float(ledger.spent) == 1
    assert len(ledger.entries()) == 1


def test_a_device_that_joins_after_its_turn_or_misses_it_is_silent(tmp_path: Path) -> None:
    plan = weekly(waves=2)
    silent = 0
    with running([plan], str(tmp_path / "c.db"), minimum_reports=1) as collector:
        for device in range(20):
            late = sv.Ledger(tmp_path / f"{device}.db", clock=lambda: FIRST + datetime.timedelta(days=8))
            client = sv.Client.from_url(collector.url(plan), ledger=late)
            silent += client.send(RECORD) is None
        assert 0 < silent < 20  # all or none by chance: once in 500,000 runs
        assert collector.total(plan) == 20 - silent


def test_what_was_drawn_in_its_turn_is_sent_later_if_it_was_not_acknowledged(tmp_path: Path) -> None:
    plan, database = sv.Plan.create(SCHEMA, users=9_000, waves=2, lifetime=1, mechanism="hdg"), str(tmp_path / "c.db")
    ledger = sv.Ledger(tmp_path / "ledger.db")
    with running([plan], database) as collector:
        client = sv.Client.from_url(collector.url(plan), ledger=ledger)
    turn = client.turn
    with pytest.raises(sv.DeliveryError, match="cannot reach"):
        client.send(RECORD, wave=turn)
    kept = ledger.find(plan.collection, wave=turn)
    assert kept is not None
    with running([plan], database) as collector:
        again = sv.Client.from_url(collector.url(plan), ledger=ledger)
        report = again.send({**RECORD, "age": 99}, wave=3 - turn)
        assert report is not None
        assert report.to_json() == kept.report
        assert again.send(RECORD, wave=turn) is None
        assert collector.total(plan) == 1
        with pytest.raises(sv.PlanError, match="does not say when"):
            again.send(RECORD)
        with pytest.raises(sv.PlanError, match="wave is an integer from 1 to 2"):
            again.send(RECORD, wave=3)
