"""Tables of people become levels: any dataframe, or a dict of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sottovoce.errors import RecordError
from sottovoce.schema.schema import Schema


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


def column_arrays(schema: Schema, table: object) -> dict[str, NDArray[Any]]:
    """Return the schema's columns of any kind of table as arrays, of which rows can be taken."""
    return dict(zip(schema.names, _columns(schema, table), strict=True))


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
        # through Arrow's own texts: of dictionary columns with missing values `asarray` makes wrong values, and a
        # cast by older pandas makes texts such as 'nan' of them
        return np.array(series.to_arrow().cast(pa.large_string()).to_pylist(), dtype=object)
    try:
        return np.asarray(series)
    except ValueError as error:
        raise RecordError(f"{name}: a column is one value per row: {error}") from error
