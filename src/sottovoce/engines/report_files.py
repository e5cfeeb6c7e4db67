"""Report files: the Parquet layout of reports, how many of them are written in bounded memory, and what a footer tells.

A file has the columns ``question`` and ``code`` in the smallest unsigned types that hold the plan's, and it may have
``id`` (16 bytes). The plan's fingerprint stands in the schema's metadata under ``sottovoce.plan``. Codes of alphabets
up to 65,536 are kept as a dictionary and packed to bits, which makes one to two bytes a report; larger ones stand as
they are.
"""

from __future__ import annotations

import glob
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sottovoce._files import unfinished
from sottovoce._types import Paths
from sottovoce.client.bulk import randomize
from sottovoce.client.report import PLAN_KEY
from sottovoce.errors import RecordError, TallyError
from sottovoce.plan.plan import Plan, require_plan
from sottovoce.plan.refusals import NO_PLAN, WRONG_TYPE

ROWS_PER_GROUP = 2**20
"""Reports are packed together and written this many at a time."""

ROWS_PER_FILE = 2**24

DICTIONARY_LIMIT = 2**16
"""The largest alphabet that is kept as a dictionary."""


@dataclass(frozen=True, slots=True)
class ReportFile:
    """What the footer of a file says, without reading a report.

    Attributes:
        path: Where it is.
        rows: How many rows it has.
        plan: The fingerprint in its metadata, None if it has none.
        types: The types of question, code and id as far as there are such columns.
    """

    path: str
    rows: int
    plan: str | None
    types: tuple[tuple[str, pa.DataType], ...]

    @property
    def has_ids(self) -> bool:
        """Whether there is a column of ids."""
        return "id" in dict(self.types)

    @property
    def fits(self) -> bool:
        """Whether question and code are integers, and the id, if there is one, bytes or text."""
        types = dict(self.types)
        integers = all(name in types and pa.types.is_integer(types[name]) for name in ("question", "code"))
        return integers and ("id" not in types or is_bytes(types["id"]) or is_text(types["id"]))


def is_bytes(kind: pa.DataType) -> bool:
    """Return whether ids of this type are bytes."""
    return bool(pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind) or pa.types.is_large_binary(kind))


def is_text(kind: pa.DataType) -> bool:
    """Return whether ids of this type are text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def find_files(paths: Paths) -> list[str]:
    """Return the files that paths, directories and patterns such as ``reports/**/*.parquet`` name, each once."""
    given = [paths] if isinstance(paths, str | os.PathLike) else paths
    if not isinstance(given, Iterable) or not all(isinstance(each, str | os.PathLike) for each in given):
        raise TallyError(f"files of reports are named by a path, a pattern, or a list of them, got {paths!r}")
    found: dict[str, None] = {}
    for path in (os.fspath(each) for each in given):
        if os.path.isdir(path):
            matches = glob.glob(os.path.join(glob.escape(path), "**", "*.parquet"), recursive=True)
        else:
            matches = [path] if os.path.exists(path) else glob.glob(path, recursive=True)
        if not matches:
            raise TallyError(f"there is no file of reports at {path!r}")
        found |= dict.fromkeys(os.path.realpath(match) for match in sorted(matches) if os.path.isfile(match))
    return list(found)


def inspect_files(paths: Paths) -> list[ReportFile]:
    """Return what the footers of all these files say; one that is not Parquet is an error that names it."""
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(_inspect, find_files(paths)))


def _inspect(path: str) -> ReportFile:
    try:
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
    except (OSError, pa.ArrowException) as error:
        raise TallyError(f"{path!r} is not a file of reports, or damaged: {error}") from error
    stamp = (schema.metadata or {}).get(PLAN_KEY)
    types = tuple(
        (name, schema.field(name).type) for name in ("question", "code", "id") if schema.names.count(name) == 1
    )
    return ReportFile(path, metadata.num_rows, stamp and stamp.decode(errors="replace"), types)


def admit_files(files: Iterable[ReportFile], *, assume_plan: bool) -> tuple[list[ReportFile], Counter[str]]:
    """Return the files worth reading, and how many rows the others' footers already refuse, by reason."""
    admitted, refused = [], Counter[str]()
    for file in files:
        if file.plan is None and not assume_plan:
            refused[NO_PLAN] += file.rows
        elif not file.fits:
            refused[WRONG_TYPE] += file.rows
        else:
            admitted.append(file)
    return admitted, +refused


def write_reports(
    plan: Plan,
    tables: Iterable[object],
    directory: str | Path,
    *,
    ids: bool = False,
    rows_per_file: int = ROWS_PER_FILE,
) -> list[Path]:
    """Randomise tables of records, a part at a time, into files of reports; return the files.

    Memory holds one of the tables and at most a million reports. The directory must hold no Parquet file yet, since two
    draws from the same people tell more about them than one; whatever goes wrong, no file of this call remains.

    Args:
        plan: The plan to answer.
        tables: Tables of records, as `randomize` takes them.
        directory: Where to write; made if it is not there.
        ids: Give every report an id of 128 random bits, so that it is counted once however often it is sent.
        rows_per_file: About how many reports go into a file.
    """
    require_plan(plan)
    if not isinstance(tables, Iterable) or isinstance(tables, str | Mapping):
        raise RecordError(f"write_reports takes several tables, got {type(tables).__name__}: wrap one in [ ]")
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    if any(directory.glob("*.parquet")):
        raise RecordError(
            f"{str(directory)!r} holds reports already; give an empty directory, and randomise people once"
        )
    output = _Output(plan, directory, rows_per_file)
    try:
        for table in tables:
            reports = randomize(plan, table)
            output.add(with_ids(reports) if ids else reports)
        output.close()
    except BaseException:
        output.discard()
        raise
    return output.files


def with_ids(reports: pa.Table) -> pa.Table:
    """Return reports with a column of ids, 128 random bits each from the operating system."""
    random = pa.py_buffer(secrets.token_bytes(16 * reports.num_rows))
    ids = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), reports.num_rows, [None, random])
    return reports.append_column("id", ids)


class _Output:
    """Files of reports that are being written: full row groups, and a new file when one is full."""

    def __init__(self, plan: Plan, directory: Path, rows_per_file: int) -> None:
        self.directory, self.rows_per_file = directory, rows_per_file
        small = int(plan.questions.codes.max()) <= DICTIONARY_LIMIT
        self.dictionary = ["question", "code"] if small else ["question"]
        self.files: list[Path] = []
        self.pending: list[pa.Table] = []
        self.writer: pq.ParquetWriter | None = None
        self.part = Path()
        self.written = 0

    def add(self, reports: pa.Table) -> None:
        self.pending.append(reports)
        while sum(table.num_rows for table in self.pending) >= ROWS_PER_GROUP:
            table = pa.concat_tables(self.pending)
            self.pending = [table.slice(ROWS_PER_GROUP)]
            self._write(table.slice(0, ROWS_PER_GROUP))

    def _write(self, group: pa.Table) -> None:
        if self.writer is None:
            self.files.append(self.directory / f"reports-{len(self.files):05}.parquet")
            self.part = unfinished(self.files[-1])
            self.writer = pq.ParquetWriter(self.part, group.schema, use_dictionary=self.dictionary)
        self.writer.write_table(group.combine_chunks(), row_group_size=ROWS_PER_GROUP)
        self.written += group.num_rows
        if self.written >= self.rows_per_file:
            self._finish()

    def _finish(self) -> None:
        if self.writer is not None:
            self.writer.close()
            self.part.replace(self.files[-1])
        self.writer, self.written = None, 0

    def close(self) -> None:
        rest = pa.concat_tables(self.pending) if self.pending else None
        if rest is not None and rest.num_rows:
            self._write(rest)
        self._finish()
        if not self.files:
            raise RecordError("the tables have no rows: there is nobody to report")

    def discard(self) -> None:
        self._finish()
        for file in self.files:
            file.unlink(missing_ok=True)
