"""Made-up people: levels become a table in the user's own types, as the kind of table asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sottovoce._checks import check_choice
from sottovoce._types import Floats
from sottovoce.errors import ModelError, QueryError
from sottovoce.schema.attributes import Categorical, Numeric, Ordinal
from sottovoce.schema.schema import AnyAttribute, Schema

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    Frame: TypeAlias = pd.DataFrame | pl.DataFrame | pa.Table

FRAMES = ("pandas", "polars", "arrow")


def make_table(schema: Schema, levels: Sequence[NDArray[np.intp]], generator: np.random.Generator) -> pa.Table:
    """Return people with these levels: integers, texts, and numbers spread evenly within their bin.

    Args:
        schema: What the levels mean.
        levels: One array for each attribute, all as long as there are people.
        generator: Where numbers within their bins come from.
    """
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
        return pa.array(np.array(attribute.integers, dtype=np.int64)[present], mask=missing)
    return pa.array(_within(attribute, present, generator), mask=missing)


def _within(attribute: Numeric, levels: NDArray[np.intp], generator: np.random.Generator) -> Floats:
    boundaries = np.array(attribute.boundaries)
    low, high = boundaries[levels], boundaries[levels + 1]
    drawn = low + (high - low) * generator.random(len(levels))
    return np.asarray(np.minimum(drawn, np.nextafter(high, low)))


def to_frame(table: pa.Table, frame: str) -> Frame:
    """Return an Arrow table as the kind of table asked for.

    Raises:
        QueryError: If there is no such kind.
        ModelError: If it is not installed.
    """
    if check_choice("frame", frame, FRAMES, error=QueryError) == "arrow":
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
