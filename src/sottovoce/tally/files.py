"""The file of a tally: a head that says what was counted under which plans, and rows that nothing else can be."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sottovoce.errors import SottovoceError, TallyError
from sottovoce.plan.plan import Plan

FILE_KEY = b"sottovoce.tally"
"""Where the head stands in the metadata of the file's schema."""

ROWS_AT_LEAST = 2**20
"""So many rows any file of a tally may have, and one more for each of its bytes: beyond, it is not what it says."""


class Head(msgspec.Struct, forbid_unknown_fields=True):
    """What a tally's file says beside its counts: its plans, and what each question got under each of them."""

    plan: str
    plans: dict[str, str]
    totals: dict[str, list[int]]
    refused: dict[str, int]
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a tally's file holds, each part by itself as it should be; whether they go together is not known yet.

    Attributes:
        head: What it says of itself.
        plans: Its plans by the fingerprints that it states.
        columns: Questions, codes and counts.
        totals: What each question got under each plan.
    """

    head: Head
    plans: dict[str, Plan]
    columns: list[NDArray[Any]]
    totals: dict[str, NDArray[np.int64]]


_DAMAGED = (OSError, pa.ArrowException, msgspec.MsgspecError, KeyError, ValueError, OverflowError, TypeError)


def read_tally(path: str | Path) -> Kept:
    """Return what the file of a tally holds; TallyError for one that is none, or was damaged."""
    try:
        with pq.ParquetFile(path) as file:
            table = read_rows(file, Path(path).stat().st_size)
        head = msgspec.json.decode((table.schema.metadata or {})[FILE_KEY], type=Head)
        if head.digest and head.digest != digest_of(head, table.to_batches()):
            raise TallyError("its content does not give its digest")
        plans = {fingerprint: Plan.from_json(text) for fingerprint, text in head.plans.items()}
        if head.plan not in plans:
            raise TallyError("it does not hold the plan that it names")
        columns = [integers(table.column(name)) for name in ("question", "code", "count")]
        totals = {key: np.array(numbers, dtype=np.int64) for key, numbers in head.totals.items()}
    except (*_DAMAGED, SottovoceError) as error:
        raise TallyError(
            f"{str(path)!r} is not a tally, or damaged: {error}; sottovoce tally makes one of a file of reports"
        ) from error
    return Kept(head, plans, columns, totals)


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
