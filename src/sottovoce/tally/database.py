"""A table of counts, as databases give it, read into exact integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sottovoce.errors import TallyError
from sottovoce.plan.refusals import REASONS

NAMES = ("reason", "question", "code", "count")
"""The columns of the counting statement, in its order."""

_EXACT = 2**53


def read_counts(table: object) -> pa.Table:
    """Return reason, question, code and count as Arrow columns; reasons are null where there is no such column.

    Args:
        table: A pandas, polars or Arrow table or a dict of arrays, its names in any case, or rows of four values in the
            order of the counting statement, as a database cursor gives them.
    """
    columns = _columns(table)
    missing = [name for name in NAMES[1:] if name not in columns]
    if missing:
        raise TallyError(f"a table of counts has the columns {', '.join(NAMES)}, this one lacks {', '.join(missing)}")
    read = {name: _integers(name, columns[name]) for name in NAMES[1:]}
    reason = columns.get("reason", pa.nulls(len(read["count"]), pa.string())).cast(pa.string())
    unknown = set(reason.unique().to_pylist()) - {None, *REASONS}
    if unknown:
        raise TallyError(f"unknown reasons {sorted(unknown)}; known are {', '.join(REASONS)}")
    if read["count"].null_count or pc.any(pc.less(read["count"], 0)).as_py():
        raise TallyError("a count is an integer of at least 0; some are null or negative")
    return pa.table({"reason": reason, **read})


def _columns(table: object) -> dict[str, pa.ChunkedArray]:
    import narwhals.stable.v1 as nw

    if isinstance(table, Sequence) and not isinstance(table, str | bytes):
        if any(not isinstance(row, Sequence) or len(row) != len(NAMES) for row in table):
            raise TallyError(f"rows of counts hold {', '.join(NAMES)}, in this order")
        table = {name: [row[index] for row in table] for index, name in enumerate(NAMES)}
    try:
        native: Any = pa.table(dict(table)) if isinstance(table, Mapping) else table
        arrow = nw.from_native(native, eager_only=True).to_arrow()
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise TallyError(
            f"counts are a table, a dict of arrays or rows, got {type(table).__name__}: {error}"
        ) from error
    return {str(name).lower(): arrow.column(name) for name in arrow.column_names}


def _integers(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as integers; what databases call decimal, and a float that lost nothing, are integers too."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_null(kind):
        return column.cast(pa.int64()) if pa.types.is_null(kind) else column
    try:
        if pa.types.is_floating(kind):
            column = pc.if_else(pc.is_nan(column), None, column)
            if pc.any(pc.greater_equal(pc.abs(column), _EXACT)).as_py():
                raise TallyError(f"{name} is a float column and may have lost digits; fetch integers, or Arrow")
            return column.cast(pa.int64())
        if pa.types.is_decimal(kind):
            return column.cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise TallyError(f"{name} is a column of integers: {error}") from error
    raise TallyError(f"{name} is a column of integers, got {kind}")
