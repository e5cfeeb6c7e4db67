"""``sottovoce tally``: reports are counted once, tallies add, and refusals are said by reason."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.cli import tally
from sottovoce.client.report import PLAN_KEY
from tests.cli.calls import fail, run, succeed


def test_tallies_and_reports_add(folder: Path) -> None:
    for name in ("one", "two"):
        succeed("randomize", "plan.json", "people.csv", "--out", f"{name}.parquet")
    succeed("tally", "plan.json", "one.parquet", "--out", "first.parquet")
    assert succeed("tally", "plan.json", "first.parquet", "two.parquet", "--out", "both.parquet")["total"] == 6_000
    together = succeed("tally", "plan.json", "one.parquet", "two.parquet", "--out", "together.parquet")
    assert together["total"] == 6_000
    assert sv.Tally.load("both.parquet") == sv.Tally.load("together.parquet")


def test_a_tally_may_be_brought_up_to_date_in_place(folder: Path) -> None:
    succeed("randomize", "plan.json", "people.csv", "--out", "reports.parquet")
    succeed("tally", "plan.json", "reports.parquet", "--out", "tally.parquet")
    assert succeed("tally", "plan.json", "tally.parquet", "reports.parquet", "--out", "tally.parquet")["total"] == 6_000


def test_refusals_are_shown_by_reason(folder: Path) -> None:
    succeed("plan", "schema.toml", "--epsilon", "2", "--users", 3_000, "--out", "other.json")
    succeed("randomize", "plan.json", "people.csv", "--out", "reports.parquet")
    succeed("randomize", "other.json", "people.csv", "--out", "others.csv")
    shown = run("tally", "plan.json", "reports.parquet", "others.csv", "--out", "tally.parquet").output
    assert "3,000 reports counted, 3,000 refused" in shown
    assert re.search(r"wrong plan +3,000", shown)
    message = fail("tally", "plan.json", "others.csv", "--out", "none.parquet")
    assert "3,000 wrong plan" in message
    assert not Path("none.parquet").exists()


@pytest.mark.usefixtures("folder")
def test_reports_that_name_no_plan_count_when_it_is_assumed() -> None:
    succeed("randomize", "plan.json", "people.csv", "--out", "reports.parquet")
    pq.write_table(pq.read_table("reports.parquet").replace_schema_metadata(None), "bare.parquet")
    assert "3,000 no plan" in fail("tally", "plan.json", "bare.parquet", "--out", "x")
    assert succeed("tally", "plan.json", "bare.parquet", "--assume-plan", "--out", "x")["total"] == 3_000


def test_a_csv_file_of_two_plans_reports_is_counted_by_row(folder: Path) -> None:
    other = sv.Plan.create(sv.Schema.load("schema.toml"), epsilon=2, users=3_000, mechanism="hdg")
    other.save("other.json")
    for plan in ("plan", "other"):
        succeed("randomize", f"{plan}.json", "people.csv", "--out", f"{plan}.csv")
    mixed = pa.concat_tables([pc.read_csv(f"{plan}.csv").slice(0, 1_000) for plan in ("plan", "other", "plan")])
    pc.write_csv(mixed, "mixed.csv")
    said = succeed("tally", "plan.json", "mixed.csv", "--out", "tally.parquet")
    assert (said["total"], said["refused"]) == (2_000, {"wrong plan": 1_000})


def test_csv_and_parquet_files_of_the_same_reports_count_alike(folder: Path) -> None:
    succeed("randomize", "plan.json", "people.csv", "--out", "reports.csv")
    reports = pc.read_csv("reports.csv")
    plan = sv.Plan.load("plan.json")
    table = reports.select(["question", "code"]).replace_schema_metadata({PLAN_KEY: plan.fingerprint})
    pq.write_table(table, "reports.parquet")
    for kind in ("csv", "parquet"):
        succeed("tally", "plan.json", f"reports.{kind}", "--out", f"from_{kind}.parquet")
    assert sv.Tally.load("from_csv.parquet") == sv.Tally.load("from_parquet.parquet")


def test_a_tally_of_another_collection_is_refused_and_the_plan_is_not_overwritten(folder: Path) -> None:
    succeed("randomize", "plan.json", "people.csv", "--out", "reports.parquet")
    succeed("tally", "plan.json", "reports.parquet", "--out", "tally.parquet")
    schema = sv.Schema([sv.Ordinal("age", 0, 9), sv.Ordinal("hours", 0, 9)])
    sv.Plan.create(schema, epsilon=1, users=3_000).save("other.json")
    fail("tally", "other.json", "tally.parquet", "--out", "x.parquet")
    assert not Path("x.parquet").exists()
    assert "would be overwritten" in fail("tally", "plan.json", "tally.parquet", "--out", "plan.json")


def test_without_duckdb_numpy_counts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[str] = []

    def spy(plan: sv.Plan, files: object, *, assume_plan: bool, engine: str) -> sv.Tally:
        used.append(engine)
        return sv.tally_parquet(plan, files, assume_plan=assume_plan, engine=engine)

    monkeypatch.setattr(tally, "tally_parquet", spy)
    succeed("randomize", "plan.json", "people.csv", "--out", "reports.parquet")
    for present, engine in ((True, "duckdb"), (False, "numpy")):
        monkeypatch.setattr(tally.importlib.util, "find_spec", lambda name, present=present: present or None)
        assert succeed("tally", "plan.json", "reports.parquet", "--out", "tally.parquet")["total"] == 3_000
        assert used.pop() == engine
