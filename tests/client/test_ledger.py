"""The ledger: what was drawn once is found again, whatever happens, and is nobody else's to read."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.client.ledger import Ledger, Spent

COLLECTION = "c" * 64


def test_of_many_that_draw_at_the_same_time_one_report_is_kept(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    drawn = iter(range(1000))
    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(lambda _: ledger.draw_once("c" * 64, lambda: f"report {next(drawn)}"), range(50)))
    assert len(set(kept)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["c" * 64 + ".json"]


def test_a_damaged_record_of_what_was_spent_leads_to_no_second_draw(tmp_path: Path) -> None:
    (tmp_path / f"{'c' * 64}.json").write_text("{")
    with pytest.raises(sv.DeliveryError, match="nothing is drawn again"):
        Ledger(tmp_path).draw_once("c" * 64, lambda: pytest.fail("it was drawn"))


def test_what_was_spent_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    Ledger(tmp_path / "spent").draw_once("c" * 64, lambda: "report")
    assert (tmp_path / "spent").stat().st_mode & 0o077 == 0
    assert (tmp_path / "spent" / f"{'c' * 64}.json").stat().st_mode & 0o077 == 0


def test_an_acknowledged_report_is_kept_as_it_was_drawn_and_as_private(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    drawn = ledger.draw_once(COLLECTION, lambda: "report")
    assert drawn == Spent("report", acknowledged=False)
    ledger.acknowledge(COLLECTION, drawn)
    again = Ledger(tmp_path).draw_once(COLLECTION, lambda: pytest.fail("it was drawn again"))
    assert again == Spent("report", acknowledged=True)
    assert (tmp_path / f"{COLLECTION}.json").stat().st_mode & 0o077 == 0


def test_a_draw_that_fails_marks_nothing_as_answered(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)

    def fail() -> str:
        raise sv.RecordError("age: got 99")

    with pytest.raises(sv.RecordError):
        ledger.draw_once(COLLECTION, fail)
    assert ledger.find(COLLECTION) is None
    assert ledger.draw_once(COLLECTION, lambda: "report").report == "report"


def test_each_collection_has_its_own_report(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    kept = [ledger.draw_once(collection * 64, lambda name=collection: f"report {name}") for collection in "ab"]
    assert [spent.report for spent in kept] == ["report a", "report b"]


def test_a_persons_own_data_is_where_the_ledger_is_kept_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_data_path", lambda name, **_: tmp_path / name)
    assert Ledger().directory == tmp_path / "sottovoce" / "answered"
