"""Files of reports counted by DuckDB, whatever their columns' types."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.engines.duckdb import count_with_duckdb
from sottovoce.engines.report_files import inspect_files
from tests.engines.report_cases import good_reports, small_plan, stamped


def test_files_whose_columns_have_different_types_are_counted_together(tmp_path: Path) -> None:
    """DuckDB takes the first file's types for a whole list: the narrowest comes first here."""
    plan, expected = small_plan(), sv.Tally(small_plan())
    for number, kind in enumerate((pa.int8(), pa.uint64(), pa.int32(), pa.uint8())):
        table = stamped(plan, {"question": pa.array([0, 1, 2], kind), "code": pa.array([1, 0, 1], kind)})
        pq.write_table(table, tmp_path / f"{number}.parquet")
        expected.add(table)
    tally = count_with_duckdb(plan, inspect_files(tmp_path))
    assert (tally, tally.total) == (expected, 12)


def test_an_id_is_one_id_in_bytes_and_in_text_and_files_without_ids_are_counted_beside(tmp_path: Path) -> None:
    plan = small_plan()
    reports = good_reports(plan, 6, seed=1)
    ids = [bytes([0xA0 + index]) * 16 for index in range(6)]
    pq.write_table(reports.append_column("id", pa.array(ids, pa.binary(16))), tmp_path / "bytes.parquet")
    again = pa.array([one.hex() for one in ids[:4]], pa.string())
    pq.write_table(reports.slice(0, 4).append_column("id", again), tmp_path / "text.parquet")
    pq.write_table(reports.slice(0, 5), tmp_path / "without.parquet")
    tally = count_with_duckdb(plan, inspect_files(tmp_path))
    assert (tally.total, tally.refused) == (6 + 5, {"duplicate": 4})


def test_no_files_are_an_empty_tally() -> None:
    assert count_with_duckdb(small_plan(), []) == sv.Tally(small_plan())


def test_where_duckdb_is_missing_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(sv.SottovoceError, match=r"pip install 'sottovoce\[duckdb\]'"):
        count_with_duckdb(small_plan(), [])
