"""Files of tallies: altered ones and bombs are refused, and at little cost."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.errors import TallyError
from tests.raw_http import memory

SCHEMA = sv.Schema([sv.Ordinal("age", 0, 15), sv.Ordinal("hours", 0, 15)])
PLAN = sv.Plan.create(SCHEMA, epsilon=1, users=1_000)
KEY = b"sottovoce.tally"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    people = {"age": np.arange(3_000) % 16, "hours": np.arange(3_000) % 7}
    tally = sv.Tally(PLAN)
    tally.add(sv.randomize(PLAN, people))
    tally.save(tmp_path / "tally.parquet")
    assert sv.Tally.load(tmp_path / "tally.parquet") == tally
    return tmp_path / "tally.parquet"


def test_counts_of_one_question_reversed_are_refused(saved: Path) -> None:
    table = pq.read_table(saved)
    first = np.asarray(table.column("question")) == 0
    counts = np.asarray(table.column("count")).copy()
    assert counts[first][0] != counts[first][-1]
    counts[first] = counts[first][::-1]
    pq.write_table(table.set_column(2, "count", pa.array(counts)), saved)
    with pytest.raises(TallyError, match="does not give its digest"):
        sv.Tally.load(saved)


def test_what_was_refused_cannot_be_changed_either(saved: Path) -> None:
    table = pq.read_table(saved)
    head = json.loads(table.schema.metadata[KEY])
    head["refused"] = {"malformed": 9}
    pq.write_table(table.replace_schema_metadata({KEY: json.dumps(head)}), saved)
    with pytest.raises(TallyError, match="does not give its digest"):
        sv.Tally.load(saved)


def test_a_file_that_lacks_the_plan_it_names_is_refused(saved: Path) -> None:
    table = pq.read_table(saved)
    head = json.loads(table.schema.metadata[KEY])
    head["plan"] = "0" * 64
    del head["digest"]
    pq.write_table(table.replace_schema_metadata({KEY: json.dumps(head)}), saved)
    with pytest.raises(TallyError, match="does not hold the plan that it names"):
        sv.Tally.load(saved)


def test_a_tally_of_an_older_version_has_no_digest_and_is_read(saved: Path) -> None:
    table = pq.read_table(saved)
    head = json.loads(table.schema.metadata[KEY])
    del head["digest"]
    pq.write_table(table.replace_schema_metadata({KEY: json.dumps(head)}), saved)
    assert sv.Tally.load(saved).total == 3_000


@pytest.mark.parametrize("rows", ["the same", "rising"])
def test_a_bomb_is_refused_at_little_cost(saved: Path, rows: str) -> None:
    head = pq.read_schema(saved).metadata
    number = 30_000_000
    with pq.ParquetWriter(
        saved,
        pa.schema([(name, pa.int64()) for name in ("question", "code", "count")], metadata=head),
        compression="zstd",
        use_dictionary=False,
        column_encoding={"question": "DELTA_BINARY_PACKED", "code": "DELTA_BINARY_PACKED", "count": "PLAIN"},
    ) as writer:
        for start in range(0, number, 1_000_000):
            codes = np.arange(start, start + 1_000_000) if rows == "rising" else np.zeros(1_000_000, np.int64)
            zeros = np.zeros(1_000_000, np.int64)
            writer.write_table(pa.table({"question": zeros, "code": codes, "count": zeros + 1}), 1_000_000)
    assert saved.stat().st_size < 12 * 2**20
    before = memory()
    with pytest.raises(TallyError, match="rows"):
        sv.Tally.load(saved)
    assert memory() - before < 200 * 2**20
