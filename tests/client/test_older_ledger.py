"""Ledgers of older versions are taken over: nobody is asked again, and their files, which hold answers, go."""

from __future__ import annotations

import datetime
import json
import os
from decimal import Decimal
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.client.ledger import Charge, Kept
from sottovoce.client.older_ledger import read

DAY = datetime.date(2030, 6, 1)


def write(directory: Path, name: str, content: str) -> None:
    path = directory / f"{name}.json"
    path.write_text(content)
    seconds = datetime.datetime(2030, 5, 1, tzinfo=datetime.UTC).timestamp()
    os.utime(path, (seconds, seconds))


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """Return a directory as an older version left it: one report sent, one not, and one file that is damaged."""
    write(tmp_path, "a" * 64, json.dumps({"report": '{"code":4711}', "acknowledged": True}))
    write(tmp_path, "b" * 64, json.dumps({"report": '{"code":4712}', "acknowledged": False}))
    write(tmp_path, "c" * 64, "{")
    write(tmp_path, "settings", "{}")
    return tmp_path


def test_what_was_answered_is_known_and_its_files_are_gone(older: Path) -> None:
    ledger = sv.Ledger(older, clock=lambda: DAY)
    assert ledger.find("a" * 64) == Kept(None, acknowledged=True)
    assert ledger.find("b" * 64) == Kept('{"code":4712}')
    assert ledger.find("c" * 64) == Kept(None)
    assert {path.name for path in older.iterdir()} == {"ledger.db", "settings.json"}
    assert b"4711" not in ledger.path.read_bytes()


def test_it_counts_as_the_largest_epsilon_until_the_plan_is_seen_again(older: Path) -> None:
    ledger = sv.Ledger(older, budget=6, clock=lambda: DAY)
    assert ledger.spent == 6
    assert {(entry.day, entry.epsilon) for entry in ledger.entries()} == {("2030-05-01", None)}
    ledger.draw_once(Charge("a" * 64, Decimal("0.5"), "to learn"), lambda: pytest.fail("it was drawn again"))
    assert ledger.spent == Decimal("4.5")
    assert ledger.entries()[0].purpose == "to learn"


def test_files_that_an_older_version_writes_later_are_taken_over_too_and_change_no_answer(older: Path) -> None:
    sv.Ledger(older)
    write(older, "a" * 64, json.dumps({"report": "another", "acknowledged": False}))
    ledger = sv.Ledger(older)
    assert ledger.find("a" * 64) == Kept(None, acknowledged=True)
    assert read(older) == []
