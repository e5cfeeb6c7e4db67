"""The ledger: what was drawn once is drawn for ever, what was spent adds up, and nothing of the answer stays."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.client.ledger import FILE, REPORT_LENGTH, Charge, Kept

ONE = Charge("c" * 64, Decimal(1), "to learn")
DAY = datetime.date(2030, 1, 1)


def twin(number: int, epsilon: str = "1") -> Charge:
    return Charge(f"{number:064x}", Decimal(epsilon))


def never() -> str:
    pytest.fail("it was drawn again")


class Clock:
    """A clock that is set by hand."""

    def __init__(self, day: datetime.date = DAY) -> None:
        self.day = day

    def __call__(self) -> datetime.date:
        return self.day


class TestDrawOnce:
    def test_of_many_that_draw_at_the_same_time_one_draws_and_all_get_its_report(self, tmp_path: Path) -> None:
        ledger = sv.Ledger(tmp_path)
        drawn = iter(range(1000))
        with ThreadPoolExecutor(8) as pool:
            kept = list(pool.map(lambda _: ledger.draw_once(ONE, lambda: f"report {next(drawn)}"), range(50)))
        assert set(kept) == {Kept("report 0")}

    def test_of_many_programs_that_draw_at_the_same_time_one_draws(self, tmp_path: Path) -> None:
        script = """
import os, sys
from decimal import Decimal
from sottovoce.client.ledger import Charge, Ledger
def draw():
    with open(sys.argv[1] + "/draws", "a") as file:
        file.write("x")
    return str(os.getpid())
sys.stdin.readline()
print(Ledger(sys.argv[1] + "/ledger.db").draw_once(Charge("c" * 64, Decimal(1)), draw).report)
"""
        programs = [
            subprocess.Popen(
                [sys.executable, "-c", script, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for _ in range(6)
        ]
        for program in programs:
            assert program.stdin is not None
            program.stdin.write("now\n")
            program.stdin.flush()
        said = {program.communicate()[0] for program in programs}
        assert len(said) == 1
        assert (tmp_path / "draws").read_text() == "x"

    def test_a_reservation_is_on_disk_before_the_draw_and_as_long_as_the_report(self, tmp_path: Path) -> None:
        ledger = sv.Ledger(tmp_path)
        copied = tmp_path / "copy.db"

        def draw() -> str:
            copied.write_bytes(ledger.path.read_bytes())  # what a power cut would leave
            return "report"

        ledger.draw_once(ONE, draw)
        length = "SELECT length(body) FROM reports"
        for path in (copied, ledger.path):
            with contextlib.closing(sqlite3.connect(path)) as connection, connection:
                assert connection.execute(length).fetchall() == [(REPORT_LENGTH,)]
        after = sv.Ledger(copied)
        assert after.draw_once(ONE, never) == Kept(None)
        assert after.spent == 1
        assert copied.stat().st_size == ledger.path.stat().st_size

    def test_a_draw_that_fails_is_never_made_again(self, tmp_path: Path) -> None:
        def fail() -> str:
            raise OSError("the power is gone")

        ledger = sv.Ledger(tmp_path)
        with pytest.raises(OSError, match="power"):
            ledger.draw_once(ONE, fail)
        assert sv.Ledger(tmp_path).draw_once(ONE, never) == Kept(None)

    def test_a_disk_that_is_full_draws_nothing(self, tmp_path: Path) -> None:
        """The limit of a file's size stands for the disk: no page can be added, whatever would be drawn."""
        script = """
import resource, signal, sys
from decimal import Decimal
from sottovoce.client.ledger import Charge, Ledger
from sottovoce.errors import DeliveryError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
ledger = Ledger(sys.argv[1], budget=1000)
size = ledger.path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
drawn = []
try:
    for number in range(1000):
        ledger.draw_once(Charge(f"{number:064x}", Decimal("0.01")), lambda: drawn.append(number) or "report")
except DeliveryError:
    print(number, len(drawn), len(ledger.entries()))
"""
        said = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True
        ).stdout
        reserved, drawn, kept = map(int, said.split())
        assert reserved == drawn == kept < 1000

    def test_each_collection_and_each_wave_has_its_own_report_and_a_collection_is_paid_once(
        self, tmp_path: Path
    ) -> None:
        ledger = sv.Ledger(tmp_path)
        assert ledger.draw_once(twin(1), lambda: "a") == Kept("a")
        assert ledger.draw_once(twin(2), lambda: "b") == Kept("b")
        assert ledger.draw_once(twin(2), lambda: "b7", wave=7, length=500) == Kept("b7")
        assert ledger.find(twin(2).collection, wave=7) == Kept("b7")
        assert ledger.find(twin(2).collection, wave=8) is None
        assert ledger.spent == 2


class TestForgetting:
    def test_once_it_is_acknowledged_the_mark_stays_and_the_answer_is_nowhere_on_disk(self, tmp_path: Path) -> None:
        ledger = sv.Ledger(tmp_path)
        ledger.draw_once(ONE, lambda: '{"code":4711}')
        assert b"4711" in ledger.path.read_bytes()
        ledger.acknowledge(ONE.collection)
        assert ledger.draw_once(ONE, never) == Kept(None, acknowledged=True)
        assert all(b"4711" not in path.read_bytes() for path in tmp_path.iterdir())
        assert ledger.spent == 1

    def test_what_was_never_drawn_cannot_be_acknowledged(self, tmp_path: Path) -> None:
        ledger = sv.Ledger(tmp_path)
        ledger.acknowledge(ONE.collection)
        assert ledger.find(ONE.collection) is None

    def test_the_ledger_is_readable_by_its_owner_alone(self, tmp_path: Path) -> None:
        ledger = sv.Ledger(tmp_path / "new" / FILE)
        assert (tmp_path / "new").stat().st_mode & 0o077 == 0
        assert ledger.path.stat().st_mode & 0o077 == 0


class TestBudget:
    def test_of_twenty_twins_the_device_answers_four(self, tmp_path: Path) -> None:
        ledger = sv.Ledger(tmp_path)
        for number in range(4):
            ledger.draw_once(twin(number), lambda: "report")
        for number in range(4, 20):
            with pytest.raises(sv.BudgetError, match="you spent 4 of 4 in the last 365 days"):
                ledger.draw_once(twin(number), never)
        assert ledger.spent == 4

    def test_what_is_refused_leaves_no_trace(self, tmp_path: Path) -> None:
        ledger = sv.Ledger(tmp_path, budget="0.5")
        with pytest.raises(sv.BudgetError):
            ledger.draw_once(ONE, never)
        assert ledger.entries() == []
        assert ledger.find(ONE.collection) is None

    def test_a_collection_that_was_paid_for_is_found_when_the_budget_is_gone(self, tmp_path: Path) -> None:
        ledger = sv.Ledger(tmp_path, budget=1)
        ledger.draw_once(ONE, lambda: "report")
        assert ledger.draw_once(ONE, never) == Kept("report")
        assert ledger.cost(ONE).refusal is None

    def test_it_says_what_was_spent_on_what_and_on_which_day(self, tmp_path: Path) -> None:
        clock = Clock()
        ledger = sv.Ledger(tmp_path, clock=clock)
        ledger.draw_once(ONE, lambda: "report")
        clock.day = DAY + datetime.timedelta(days=3)
        ledger.draw_once(twin(1, "0.25"), lambda: "report")
        told = [(entry.purpose, entry.epsilon, entry.day) for entry in ledger.entries()]
        assert told == [("to learn", Decimal(1), "2030-01-01"), ("", Decimal("0.25"), "2030-01-04")]

    def test_what_was_spent_is_free_again_after_the_period_and_is_not_asked_again(self, tmp_path: Path) -> None:
        clock = Clock()
        ledger = sv.Ledger(tmp_path, budget=1, period=30, clock=clock)
        ledger.draw_once(ONE, lambda: "report")
        clock.day = DAY + datetime.timedelta(days=29)
        with pytest.raises(sv.BudgetError):
            ledger.draw_once(twin(1), never)
        clock.day = DAY + datetime.timedelta(days=30)
        ledger.draw_once(twin(1), lambda: "report")
        assert ledger.draw_once(ONE, never) == Kept("report")

    def test_a_clock_that_is_set_back_gives_nothing_back(self, tmp_path: Path) -> None:
        clock = Clock()
        ledger = sv.Ledger(tmp_path, budget=1, clock=clock)
        ledger.draw_once(ONE, lambda: "report")
        clock.day = DAY - datetime.timedelta(days=4000)
        with pytest.raises(sv.BudgetError):
            ledger.draw_once(twin(1), never)
        assert ledger.spent == 1
        clock.day = DAY + datetime.timedelta(days=365)
        ledger.draw_once(twin(1), lambda: "report")
        clock.day = DAY  # the first is not free again because the second is now "in the future"
        assert ledger.spent == 1
        assert [entry.day for entry in ledger.entries()] == ["2030-01-01", "2031-01-01"]

    @pytest.mark.parametrize("wrong", [-1, "much", None, True, float("nan"), float("inf"), 1001])
    def test_a_budget_that_is_none_is_refused(self, tmp_path: Path, wrong: object) -> None:
        with pytest.raises(sv.BudgetError, match="budget is a number from 0 to 1000"):
            sv.Ledger(tmp_path, budget=wrong)  # type: ignore[arg-type]
        if wrong is not None:
            with pytest.raises(sv.BudgetError, match="device_budget"):
                sv.Ledger(tmp_path, device_budget=wrong)  # type: ignore[arg-type]

    @pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "year"])
    def test_a_period_that_is_none_is_refused(self, tmp_path: Path, wrong: object) -> None:
        with pytest.raises(sv.BudgetError, match="period, in days, is an integer"):
            sv.Ledger(tmp_path, period=wrong)  # type: ignore[arg-type]


class TestProfiles:
    def test_two_people_on_a_device_answer_and_spend_apart(self, tmp_path: Path) -> None:
        first = sv.Ledger(tmp_path)
        second = first.open_profile()
        assert first.draw_once(ONE, lambda: "mine") == Kept("mine")
        assert second.draw_once(ONE, lambda: "yours") == Kept("yours")
        assert first.find(ONE.collection) == Kept("mine")
        first.acknowledge(ONE.collection)
        assert second.find(ONE.collection) == Kept("yours")
        assert [first.spent, second.spent] == [Decimal(1)] * 2
        assert sv.Ledger(tmp_path).of_profile(2).find(ONE.collection) == Kept("yours")

    def test_all_profiles_together_spend_no_more_than_twice_a_budget(self, tmp_path: Path) -> None:
        ledger = sv.Ledger(tmp_path)
        for _ in range(4):  # somebody who opens a profile for every two twins
            own = ledger.open_profile()
            for number in range(2):
                own.draw_once(twin(number), lambda: "report")
        for each in (ledger, own, ledger.open_profile()):
            with pytest.raises(sv.BudgetError, match="all people on this device spent 8 of 8"):
                each.draw_once(twin(3), never)

    @pytest.mark.parametrize("number", [0, 3, -1, "2", True])
    def test_a_profile_that_was_not_opened_is_refused(self, tmp_path: Path, number: object) -> None:
        ledger = sv.Ledger(tmp_path)
        ledger.open_profile()
        with pytest.raises(sv.BudgetError, match="profiles 1 to 2"):
            ledger.of_profile(number)  # type: ignore[arg-type]


class TestFiles:
    def test_a_damaged_ledger_leads_to_no_draw(self, tmp_path: Path) -> None:
        (tmp_path / FILE).write_bytes(os.urandom(5000))
        with pytest.raises(sv.DeliveryError, match="cannot be used"):
            sv.Ledger(tmp_path)

    def test_a_ledger_of_a_newer_version_is_left_alone(self, tmp_path: Path) -> None:
        sv.Ledger(tmp_path)
        with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
            connection.execute("PRAGMA user_version = 99")
        with pytest.raises(sv.DeliveryError, match="newer version"):
            sv.Ledger(tmp_path)

    def test_a_place_that_cannot_be_written_is_said_to_be(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(sv.DeliveryError, match="cannot keep a ledger"):
            sv.Ledger(tmp_path / "file" / FILE)

    def test_a_persons_own_data_is_where_the_ledger_is_kept_unless_told_otherwise(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("platformdirs.user_data_path", lambda name, **_: tmp_path / name)
        older = tmp_path / "sottovoce" / "answered"
        older.mkdir(parents=True)
        (older / f"{ONE.collection}.json").write_text(json.dumps({"report": "old", "acknowledged": False}))
        ledger = sv.Ledger()
        assert ledger.path == tmp_path / "sottovoce" / FILE
        assert ledger.find(ONE.collection) == Kept("old")
