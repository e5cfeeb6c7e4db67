"""``sottovoce randomize``: one report for every row, whole files or none, and the row of a wrong record."""

from __future__ import annotations

import signal
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.cli import files, randomize
from sottovoce.client.report import PLAN_KEY
from sottovoce.simulation.population import people
from tests.cli.calls import fail, run, succeed


@pytest.mark.parametrize("reports", ["reports.csv", "reports.parquet"])
def test_ctrl_c_leaves_no_part_of_a_file_and_keeps_the_old_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, reports: str
) -> None:
    monkeypatch.setattr(files, "ROWS_AT_ONCE", 1_000)
    Path(reports).write_text("what was there before", encoding="utf-8")
    before = sorted(path.name for path in folder.iterdir())
    calls = 0

    def interrupted(plan: sv.Plan, table: pa.Table, *, wave: int | None) -> pa.Table:
        nonlocal calls
        calls += 1
        if calls == 3:
            assert any(path.name.endswith(".part") for path in folder.iterdir()), "the writing has begun"
            signal.raise_signal(signal.SIGINT)
        return sv.randomize(plan, table, wave=wave)

    monkeypatch.setattr(randomize, "randomize", interrupted)
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        result = run("randomize", "plan.json", "people.parquet", "--out", reports)
    finally:
        signal.signal(signal.SIGINT, usual)
    assert calls == 3
    assert result.exit_code == 1
    assert "Aborted!" in result.stderr
    assert sorted(path.name for path in folder.iterdir()) == before
    assert Path(reports).read_text(encoding="utf-8") == "what was there before"


@pytest.mark.usefixtures("folder")
def test_a_bad_record_leaves_an_empty_directory_and_says_where_it_was() -> None:
    crowd = people(3_000, seed=5).to_pydict()
    crowd["age"][2_000] = 10_000
    pq.write_table(pa.table(crowd), "odd.parquet")
    assert "'odd.parquet': row 2001, column age: got 10000; " in fail(
        "randomize", "plan.json", "odd.parquet", "--out", "reports"
    )
    assert list(Path("reports").iterdir()) == []


@pytest.mark.parametrize("out", ["reports.csv", "reports.parquet"])
def test_a_file_of_reports_names_its_plan_and_holds_no_attribute(folder: Path, out: str) -> None:
    plan = sv.Plan.load("plan.json")
    said = succeed("randomize", "plan.json", "people.csv", "--out", out)
    assert said == {"reports": out, "rows": 3_000, "plan": plan.fingerprint}
    if out.endswith(".csv"):
        table = pc.read_csv(out)
        assert table.column_names == ["question", "code", "plan"]
        assert table.column("plan").unique().to_pylist() == [plan.fingerprint]
    else:
        table = pq.read_table(out)
        assert table.column_names == ["question", "code"]
        assert table.schema.metadata[PLAN_KEY] == plan.fingerprint.encode()
    assert table.num_rows == 3_000


def test_a_wrong_record_in_a_later_part_is_found_within_its_rows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "ROWS_AT_ONCE", 1_000)
    crowd = people(3_000, seed=5).to_pydict()
    crowd["age"][1_500] = 10_000
    pq.write_table(pa.table(crowd), "odd.parquet")
    for out in ("reports.csv", "reports.parquet"):
        assert "row 1501, column age: got 10000; " in fail("randomize", "plan.json", "odd.parquet", "--out", out)
        assert not Path(out).exists()


def test_the_same_table_gives_other_reports_each_time(folder: Path) -> None:
    for out in ("one.parquet", "two.parquet"):
        succeed("randomize", "plan.json", "people.parquet", "--out", out)
    # The codes of 3,000 people agree by chance in less than one of 10^100 runs.
    assert not pq.read_table("one.parquet").equals(pq.read_table("two.parquet"))


def test_ids_in_a_directory_are_all_different(folder: Path) -> None:
    succeed("randomize", "plan.json", "people.csv", "--out", "reports", "--ids")
    ids = pq.read_table("reports").column("id").to_pylist()
    assert len(set(ids)) == len(ids) == 3_000
    assert "one per row of people.csv" in run("randomize", "plan.json", "people.csv", "--out", "more").output
    assert "id" not in pq.read_table("more").column_names
