"""Files in and out: tables read in batches of bounded size, and results that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from sottovoce._files import whole_file
from sottovoce._types import Progress
from sottovoce.cli.faults import as_values, fault_words, find_faults
from sottovoce.cli.sniffing import STANDARD_INPUT, Written, open_text
from sottovoce.errors import RecordError, SottovoceError
from sottovoce.schema.frames import missing_columns
from sottovoce.schema.schema import Schema

ROWS_AT_ONCE = 2**18
"""The most rows of a table held in memory at a time."""

_BYTES_AT_ONCE = 2**21
"""The part of a CSV file read at a time; Arrow holds up to 32 parts that were read ahead."""

_SUFFIXES = (".csv", ".parquet")
_TEXTS = (".csv", ".tsv", ".txt")


@contextmanager
def replacing(path: Path, *, inputs: Sequence[Path] = ()) -> Iterator[Path]:
    """Yield a temporary path that becomes ``path`` when all went well and is removed when it did not."""
    if any(path.exists() and source.exists() and path.samefile(source) for source in inputs):
        raise SottovoceError(f"{str(path)!r} is read and would be overwritten; give --out another name")
    if path.is_dir():
        raise SottovoceError(f"{str(path)!r} is a directory; --out is the name of a file")
    with whole_file(path) as part:
        yield part


def suffix_of(path: Path) -> str:
    """Return ``.csv`` or ``.parquet``; another kind of table is refused."""
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise SottovoceError(f"{str(path)!r}: a table is a file that ends in {' or '.join(_SUFFIXES)}")
    return suffix


def holds_text(path: Path) -> bool:
    """Return whether a table of records is text, as opposed to Parquet; another kind of table is refused."""
    named = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    if path == STANDARD_INPUT or named.suffix.lower() in _TEXTS:
        return True
    if named == path and path.suffix.lower() == ".parquet":
        return False
    raise SottovoceError(
        f"{str(path)!r}: a table is a file that ends in {', '.join(_TEXTS)} (and .gz, if compressed) or .parquet, or "
        "- for standard input"
    )


def read_records(
    path: Path, schema: Schema, progress: Progress, *, tell: Callable[[str], None] = lambda note: None
) -> Iterator[pa.Table]:
    """Yield a table of records in parts.

    Only the columns that the schema names are read. In a file of text they are read as the schema has them, and an
    empty field is "no answer"; a column with a text that stands for no value stays text, to be refused.

    Args:
        path: A file of text or Parquet.
        schema: Which columns are read, and as what.
        progress: Told the fraction read, from 0 to 1.
        tell: Told in a sentence what was guessed of a file of text: its encoding, its separator.
    """
    if not holds_text(path):
        with path.open("rb") as raw, _named(path):
            wanted = wanted_columns(schema, pq.ParquetFile(raw).schema_arrow.names)
        yield from read_parquet(path, wanted, progress)
        return
    with _named(path), open_text(path) as (raw, written):
        if written.note:
            tell(f"{path}: {written.note}")
        wanted = wanted_columns(schema, written.columns)
        convert = pc.ConvertOptions(
            include_columns=wanted, column_types=dict.fromkeys(wanted, pa.string()), strings_can_be_null=False
        )
        by_name = {attribute.name: attribute for attribute in schema.attributes}
        for part in _text_parts(raw, path, written, convert, progress):
            yield pa.table(
                {
                    name: as_values(by_name[name], part.column(name), decimal_comma=written.separator == ";")
                    if name in by_name
                    else part.column(name)
                    for name in wanted
                }
            )


def read_text_columns(path: Path, progress: Progress) -> Iterator[pa.Table]:
    """Yield all columns of a table in parts, their values as texts; columns of lists, in Parquet, are left out."""
    if not holds_text(path):
        with path.open("rb") as raw, _named(path):
            fields = [field for field in pq.ParquetFile(raw).schema_arrow if not pa.types.is_nested(field.type)]
        for part in read_parquet(path, [field.name for field in fields], progress):
            yield pa.table({name: part.column(name).cast(pa.string()).fill_null("") for name in part.column_names})
        return
    with _named(path), open_text(path) as (raw, written):
        convert = pc.ConvertOptions(column_types=dict.fromkeys(written.columns, pa.string()), strings_can_be_null=False)
        yield from _text_parts(raw, path, written, convert, progress)


def wanted_columns(schema: Schema, found: Sequence[str]) -> list[str]:
    """Return the columns of a table that a schema needs: its attributes, a multiple choice as one column or several."""
    whole = {member.name: name for name, members in schema.choices.items() if name in found for member in members}
    wanted = [name if name in found else whole.get(name, name) for name in schema.names]
    missing = [name for name in dict.fromkeys(wanted) if name not in found]
    if missing:
        raise RecordError(missing_columns(missing, found))
    return list(dict.fromkeys(wanted))


def _text_parts(
    raw: IO[bytes], path: Path, written: Written, convert: pc.ConvertOptions, progress: Progress
) -> Iterator[pa.Table]:
    size = max(1, path.stat().st_size) if path != STANDARD_INPUT else None
    ragged: list[pc.InvalidRow] = []

    def remember(row: pc.InvalidRow) -> str:
        ragged.append(row)
        return "error"

    try:
        reader = pc.open_csv(
            raw,
            read_options=pc.ReadOptions(
                block_size=_BYTES_AT_ONCE,
                encoding="utf8" if written.encoding.startswith("utf-8") else written.encoding,
                use_threads=False,
            ),
            parse_options=pc.ParseOptions(delimiter=written.separator, invalid_row_handler=remember),
            convert_options=convert,
        )
        for number, batch in enumerate(reader, start=1):
            yield pa.Table.from_batches([batch])
            if size is not None:
                progress(min(1.0, number * _BYTES_AT_ONCE / size))
    except pa.ArrowInvalid as error:
        if ragged:
            where = "" if ragged[0].number is None else f"row {ragged[0].number - 1} (from 1, without the header): "
            raise RecordError(
                f"{where}{ragged[0].actual_columns} fields where the header names {ragged[0].expected_columns}: "
                f"{ragged[0].text[:80]!r}; put a field that holds {written.separator!r} in quotes"
            ) from error
        raise


def read_all(path: Path, schema: Schema) -> pa.Table:
    """Return a whole table of records; one without rows, or with a value that is not allowed, is refused."""
    parts, rows = [], 0
    for part in read_records(path, schema, lambda fraction: None):
        faults = find_faults(schema, part, rows + 1)
        if faults:
            raise RecordError(f"{str(path)!r}: {fault_words(faults)}")
        parts.append(part)
        rows += part.num_rows
    if not rows:
        raise RecordError(f"{str(path)!r} has no rows: there is nobody to report")
    return pa.concat_tables(parts, promote_options="permissive")


def read_csv(path: Path, convert: pc.ConvertOptions, progress: Progress) -> Iterator[pa.Table]:
    """Yield a CSV file in parts.

    Args:
        path: The file; its first line names the columns.
        convert: Which columns are read, and as which types.
        progress: Told the fraction read, from 0 to 1.

    Raises:
        RecordError: If the file is empty, or a line does not have its columns.
    """
    size = max(1, path.stat().st_size)
    with path.open("rb") as raw, _named(path):
        if not raw.read(1):
            raise RecordError("the file is empty; its first line names the columns")
        raw.seek(0)
        reader = pc.open_csv(raw, read_options=pc.ReadOptions(block_size=_BYTES_AT_ONCE), convert_options=convert)
        for number, batch in enumerate(reader, start=1):
            yield pa.Table.from_batches([batch])
            progress(min(1.0, number * _BYTES_AT_ONCE / size))


def read_parquet(path: Path, columns: Sequence[str], progress: Progress) -> Iterator[pa.Table]:
    """Yield some columns of a Parquet file in parts, its metadata with each.

    Args:
        path: The file.
        columns: Their names.
        progress: Told the fraction read, from 0 to 1.

    Raises:
        RecordError: If a column is missing, or the file is no Parquet.
    """
    with path.open("rb") as raw, _named(path):
        file = pq.ParquetFile(raw)
        missing = [name for name in columns if name not in file.schema_arrow.names]
        if missing:
            raise RecordError(f"no column {', '.join(missing)}; it has {', '.join(file.schema_arrow.names)}")
        total, done = max(1, file.metadata.num_rows), 0
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=list(columns)):
            done += batch.num_rows
            yield pa.Table.from_batches([batch]).replace_schema_metadata(file.schema_arrow.metadata)
            progress(done / total)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Give errors about a table's content the name of its file."""
    try:
        yield
    except (pa.ArrowException, RecordError) as error:
        raise RecordError(f"{str(path)!r}: {error}") from error
