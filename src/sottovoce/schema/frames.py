"""Tables of people become levels: any dataframe, or a dict of arrays."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sottovoce.errors import RecordError
from sottovoce.schema.attributes import Categorical
from sottovoce.schema.missing import is_absent
from sottovoce.schema.schema import Schema, chosen


def encode(schema: Schema, table: object) -> list[NDArray[np.unsignedinteger[Any]]]:
    """Return one array of levels per attribute for a pandas, polars or Arrow table, or a dict of arrays.

    Columns that the schema does not name are left alone; a missing column is an error. A multiple choice is one column
    of lists, or a column of yes and no for each choice.
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
    whole = {name: members for name, members in schema.choices.items() if name in columns}
    split = {name: array for name in whole for name, array in _chosen(name, whole[name], columns[name]).items()}
    missing = [name for name in schema.names if name not in columns and name not in split]
    if missing:
        raise RecordError(missing_columns(missing, [str(name) for name in columns]))
    return [_array(name, columns[name]) if name in columns else split[name] for name in schema.names]


def missing_columns(missing: Sequence[str], found: Sequence[str]) -> str:
    """Return what to say about columns that are not there: those that are, and which of them may be meant."""
    words = f"there is no column {', '.join(map(repr, missing))}; the columns are {', '.join(map(repr, found))}"
    folded = {name.casefold().strip(): name for name in found}
    near = [
        f"{name!r} may be {folded[close[0]]!r}"
        for name in missing
        if (close := difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.75))
    ]
    return words + (f"; {', '.join(near)}: rename it" if near else "")


def _chosen(name: str, members: tuple[Categorical, ...], column: Any) -> dict[str, NDArray[Any]]:
    """Return a column of yes and no for each choice, given one of lists, or of texts that list with ; or | or ,."""
    series = nw.from_native(column, series_only=True, pass_through=True)
    values = series.to_list() if isinstance(series, nw.Series) else list(column)
    rows = [chosen(name, members, listed_choices(value, [str(member.title) for member in members])) for value in values]
    return {member.name: np.array([row[member.name] for row in rows], dtype=object) for member in members}


def listed_choices(value: object, titles: Sequence[str]) -> object:
    """Return the list that a text makes of choices: all of it if it is one, else what ; or | or , separates."""
    if is_absent(value):
        return None
    if isinstance(value, np.ndarray):
        return value.tolist()
    if not isinstance(value, str) or value in titles:
        return [value] if isinstance(value, str) else value
    separator = next((mark for mark in ";|," if mark in value), ";")
    return [part.strip() for part in value.split(separator) if part.strip()]


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
