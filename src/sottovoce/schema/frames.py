"""Tables of people <-> levels: any dataframe in, and made-up people out as the kind of table asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.errors import ModelError, QueryError, RecordError
from sottovoce.schema.attributes import Categorical, Numeric, Ordinal
from sottovoce.schema.schema import AnyAttribute, Schema

FRAMES = ("pandas", "polars", "arrow")


def encode(schema: Schema, table: object) -> list[NDArray[np.unsignedinteger[Any]]]:
    """Return one array of levels per attribute for a pandas, polars or Arrow table, or a dict of arrays.

    Columns that the schema does not name are left alone; a missing column is an error.
    """
    columns = _columns(schema, table)
    for name, column in zip(schema.names, columns, strict=True):
        if column.ndim != 1:
            raise RecordError(f"{name}: a column is one value per row, got an array of {column.ndim} dimensions")
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise RecordError(f"columns differ in length: {sorted(lengths)}")
    return [attribute.levels(column) for attribute, column in zip(schema.attributes, columns, strict=True)]


def _columns(schema: Schema, table: object) -> list[NDArray[Any]]:
    columns: Mapping[str, Any]
    if isinstance(table, Mapping):
        columns = table
    else:
        try:
            native: Any = table  # which overload fits depends on the dataframe libraries installed
            columns = nw.from_native(native, eager_only=True).to_dict(as_series=True)
        except TypeError as error:
            raise RecordError(
                f"a table is a pandas, polars or Arrow table, or a dict of arrays, got {type(table).__name__}"
            ) from error
    missing = [name for name in schema.names if name not in columns]
    if missing:
        raise RecordError(f"the table has no column {', '.join(missing)}; it has {', '.join(map(str, columns))}")
    return [_array(name, columns[name]) for name in schema.names]


def _array(name: str, column: Any) -> NDArray[Any]:
    """Return a column as an array, strings as objects in which a missing one is None."""
    if isinstance(column, pa.Array):
        column = pa.chunked_array([column])
    series = nw.from_native(column, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and series.dtype in (nw.String, nw.Categorical, nw.Enum):
        # through Arrow text: dictionary columns with missing values come out of `asarray` with wrong values
        return np.array(series.cast(nw.String).to_arrow().to_pylist(), dtype=object)
    try:
        return np.asarray(series)
    except ValueError as error:
        raise RecordError(f"{name}: a column is one value per row: {error}") from error


def make_table(schema: Schema, levels: Sequence[NDArray[np.intp]], generator: np.random.Generator) -> pa.Table:
    """Return people with these levels: integers, texts, and numbers spread evenly within their bin."""
    columns = {
        attribute.name: _column(attribute, column, generator)
        for attribute, column in zip(schema.attributes, levels, strict=True)
    }
    return pa.table(columns)


def _column(attribute: AnyAttribute, levels: NDArray[np.intp], generator: np.random.Generator) -> pa.Array:
    missing = levels == attribute.null_level if attribute.accepts_null else np.zeros(len(levels), dtype=bool)
    present = np.where(missing, 0, levels)
    if isinstance(attribute, Categorical):
        indices = pa.array(present.astype(np.int32), mask=missing)
        return pa.DictionaryArray.from_arrays(indices, list(attribute.values)).cast(pa.string())
    if isinstance(attribute, Ordinal):
        return pa.array(present.astype(np.int64) + attribute.low, mask=missing)
    return pa.array(_within(attribute, present, generator), mask=missing)


def _within(attribute: Numeric, levels: NDArray[np.intp], generator: np.random.Generator) -> Floats:
    boundaries = np.array(attribute.boundaries)
    low, high = boundaries[levels], boundaries[levels + 1]
    drawn = low + (high - low) * generator.random(len(levels))
    return np.asarray(np.minimum(drawn, np.nextafter(high, low)))


def to_frame(table: pa.Table, frame: str) -> Any:
    """Return an Arrow table as the kind of table asked for."""
    if frame not in FRAMES:
        raise QueryError(f"frame is one of {', '.join(FRAMES)}, got {frame!r}")
    if frame == "arrow":
        return table
    try:
        if frame == "polars":
            import polars

            return polars.from_arrow(table)
        import pandas
    except ImportError as error:
        raise ModelError(
            f'{frame} is not installed: run "pip install {frame}", or ask for frame="arrow", which needs no more'
        ) from error
    integers = {pa.int64(): pandas.Int64Dtype()}
    frames = {
        name: table.select([name]).to_pandas(types_mapper=integers.get if table.column(name).null_count else None)[name]
        for name in table.column_names
    }
    return pandas.DataFrame(frames)
