from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.engines import report_files
from tests.engines.report_cases import crowd_for, huge_plan, small_plan


def test_many_tables_become_few_whole_files_that_say_their_plan(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(report_files, "ROWS_PER_GROUP", 1000)
    plan = small_plan()
    tables = (crowd_for(plan, 700, seed=seed) for seed in range(10))
    files = sv.write_reports(plan, tables, tmp_path / "new" / "reports", rows_per_file=3000)
    assert [pq.read_metadata(file).num_rows for file in files] == [3000, 3000, 1000]
    assert sorted((tmp_path / "new" / "reports").iterdir()) == files
    schema = pq.read_schema(files[0])
    assert schema.names == ["question", "code"]
    assert schema.types == [pa.uint8(), pa.uint8()]
    assert schema.metadata[b"sottovoce.plan"].decode() == plan.fingerprint
    assert sv.tally_parquet(plan, files).total == 7000


def test_ids_are_sixteen_bytes_and_all_differ(tmp_path: Path) -> None:
    plan = small_plan()
    files = sv.write_reports(plan, [crowd_for(plan, 2000, seed=1)], tmp_path, ids=True)
    table = pq.read_table(files)
    assert table.schema.field("id").type == pa.binary(16)
    assert len(set(table.column("id").to_pylist())) == 2000
    tally = sv.tally_parquet(plan, tmp_path)
    assert (tally.total, tally.refused) == (2000, {})


def test_reports_of_small_alphabets_take_at_most_two_bytes(tmp_path: Path) -> None:
    plan = small_plan()
    (file,) = sv.write_reports(plan, [crowd_for(plan, 200_000, seed=1)], tmp_path)
    assert file.stat().st_size / 200_000 < 2


def test_codes_of_a_large_alphabet_survive(tmp_path: Path) -> None:
    plan = huge_plan()
    records = {"a": np.arange(3000), "b": np.arange(3000)}
    sv.write_reports(plan, [records], tmp_path)
    tallies = [sv.tally_parquet(plan, tmp_path, engine=engine) for engine in ("duckdb", "numpy")]
    assert tallies[0] == tallies[1]
    assert tallies[0].total == 3000
    assert int(tallies[0].pairs(1)[0].max()) > 2**32


def test_nobody_is_randomised_twice_into_one_place(tmp_path: Path) -> None:
    plan = small_plan()
    sv.write_reports(plan, [crowd_for(plan, 10, seed=1)], tmp_path)
    with pytest.raises(sv.RecordError, match="holds reports already"):
        sv.write_reports(plan, [crowd_for(plan, 10, seed=1)], tmp_path)


def test_an_error_midway_leaves_no_file(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(report_files, "ROWS_PER_GROUP", 100)
    plan = small_plan()

    def tables() -> Iterator[object]:
        yield crowd_for(plan, 1050, seed=1)
        yield {"age": [1000], "income": [1.0], "region": ["north"]}

    with pytest.raises(sv.RecordError, match="age"):
        sv.write_reports(plan, tables(), tmp_path, rows_per_file=500)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(sv.RecordError, match="no rows"):
        sv.write_reports(plan, [], tmp_path)


def test_memory_does_not_grow_with_the_number_of_tables(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(report_files, "ROWS_PER_GROUP", 5000)
    plan = small_plan()

    def peak(tables: int, folder: Path) -> float:
        tracemalloc.start()
        sv.write_reports(plan, (crowd_for(plan, 5000, seed=seed) for seed in range(tables)), folder)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most + pa.default_memory_pool().max_memory()

    peak(2, tmp_path / "warm")
    assert peak(40, tmp_path / "many") < 1.5 * peak(4, tmp_path / "few")
