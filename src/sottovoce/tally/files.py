"""The file of a tally: a head that says what was counted under which plans, and rows that nothing else can be."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sottovoce.errors import TallyError

ROWS_AT_LEAST = 2**20
"""So many rows any file of a tally may have, and one more for each of its bytes: beyond, it is not what it says."""


class Head(msgspec.Struct, forbid_unknown_fields=True):
    """What a tally's file says beside its counts: its plans, and what each question got under each of them."""

    plan: str
    plans: dict[str, str]
    totals: dict[str, list[int]]
    refused: dict[str, int]
    digest: str = ""


def read_rows(file: pq.ParquetFile, size: int) -> pa.Table:
    """Return a tally's rows, read in parts: each pair once, in order, and no more than a file of ``size`` bytes has."""
    if file.metadata.num_rows > ROWS_AT_LEAST + size:
        raise TallyError(f"{file.metadata.num_rows} rows in {size} bytes: no tally is that dense")
    if file.schema_arrow.names != ["question", "code", "count"]:
        raise TallyError(f"its columns are {', '.join(file.schema_arrow.names[:9])}, not question, code and count")
    parts, last = [], (-1, -1)
    for batch in file.iter_batches(2**16):
        questions, codes = (integers(batch.column(name)) for name in ("question", "code"))
        if not len(questions):
            continue
        same = questions[1:] == questions[:-1]
        rising = (questions[1:] > questions[:-1]) | (same & (codes[1:] > codes[:-1]))
        if (int(questions[0]), int(codes[0])) <= last or not rising.all():
            raise TallyError("its rows are not each pair once, in order")
        last = int(questions[-1]), int(codes[-1])
        parts.append(batch)
    return pa.Table.from_batches(parts, schema=file.schema_arrow)


def digest_of(head: Head, batches: list[pa.RecordBatch]) -> str:
    """Return the SHA-256 of a tally's head, without digest, and its columns as 64-bit little-endian integers."""
    made = hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(head, digest="")))
    for name in ("question", "code", "count"):
        for batch in batches:
            made.update(integers(batch.column(name)).astype("<i8").tobytes())
    return made.hexdigest()


def integers(column: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """Return a column of integers as an array; TallyError for any other."""
    if not pa.types.is_integer(column.type) or column.null_count:
        raise TallyError(f"question and code are integers, got a column of {column.type}")
    return np.asarray(column)
