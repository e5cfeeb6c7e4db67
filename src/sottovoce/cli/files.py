"""Files in and out: tables read in batches of bounded size, and results that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from sottovoce._files import whole_file
from sottovoce._types import Progress
from sottovoce.errors import RecordError, SottovoceError
from sottovoce.schema.attributes import Categorical
from sottovoce.schema.schema import Schema

ROWS_AT_ONCE = 2**18
"""The most rows of a table held in memory at a time."""

_BYTES_AT_ONCE = 2**21
"""The part of a CSV file read at a time; Arrow holds up to 32 parts that were read ahead."""

_NULLS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
_SUFFIXES = (".csv", ".parquet")


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


def read_records(path: Path, schema: Schema, progress: Progress) -> Iterator[pa.Table]:
    """Yield a table of records in parts; ``progress`` is told the fraction read.

    Only the columns that the schema names are read. In a CSV file they are read as the schema's types, and an empty
    field is "no answer".
    """
    if suffix_of(path) == ".parquet":
        yield from read_parquet(path, schema.names, progress)
        return
    values = {
        value for attribute in schema.attributes if isinstance(attribute, Categorical) for value in attribute.values
    }
    types = {
        attribute.name: pa.string() if isinstance(attribute, Categorical) else pa.float64()
        for attribute in schema.attributes
    }
    convert = pc.ConvertOptions(
        include_columns=list(schema.names),
        column_types=types,
        null_values=[null for null in _NULLS if null not in values],
        strings_can_be_null=True,
    )
    yield from read_csv(path, convert, progress)


def read_all(path: Path, schema: Schema) -> pa.Table:
    """Return a whole table of records; one without rows is refused."""
    parts = list(read_records(path, schema, lambda fraction: None))
    if not any(part.num_rows for part in parts):
        raise RecordError(f"{str(path)!r} has no rows: there is nobody to report")
    return pa.concat_tables(parts)


def read_csv(path: Path, convert: pc.ConvertOptions, progress: Progress) -> Iterator[pa.Table]:
    """Yield a CSV file in parts; ``progress`` is told the fraction read."""
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
    """Yield some columns of a Parquet file in parts, its metadata with each; ``progress`` is told the fraction."""
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
