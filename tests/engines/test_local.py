"""Files of reports counted by numpy and Arrow, a part at a time."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.engines import local
from sottovoce.engines.local import count_with_numpy
from sottovoce.engines.report_files import inspect_files
from tests.engines.report_cases import good_reports, small_plan, write_duplicates


def test_what_is_read_in_many_small_parts_is_counted_as_in_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one id the smallest row counts, also where its rows stand in different parts."""
    plan = small_plan()
    write_duplicates(plan, tmp_path)
    files = [file for file in inspect_files(tmp_path) if file.fits]
    whole = count_with_numpy(plan, files)
    monkeypatch.setattr(local, "ROWS_AT_ONCE", 3)
    in_parts = count_with_numpy(plan, files)
    assert in_parts == whole
    assert in_parts.refused == whole.refused
    assert whole.refused["duplicate"] == 7


def test_it_counts_where_duckdb_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = small_plan()
    monkeypatch.setitem(sys.modules, "duckdb", None)
    pq.write_table(good_reports(plan, 50, seed=1), tmp_path / "a.parquet")
    assert sv.tally_parquet(plan, tmp_path, engine="numpy").total == 50


def test_rows_of_another_plan_neither_count_nor_hide_a_good_row_with_their_id(tmp_path: Path) -> None:
    plan = small_plan()
    good = good_reports(plan, 4, seed=1).append_column("id", pa.array(["a", "b", "c", "d"]))
    pq.write_table(good, tmp_path / "z-good.parquet")
    pq.write_table(good.replace_schema_metadata({"sottovoce.plan": "f" * 64}), tmp_path / "a-other.parquet")
    tally = count_with_numpy(plan, inspect_files(tmp_path))
    assert (tally.total, tally.refused) == (4, {"wrong plan": 4})


def test_no_files_are_an_empty_tally() -> None:
    tally = count_with_numpy(small_plan(), [])
    assert (tally, tally.refused) == (sv.Tally(small_plan()), {})
