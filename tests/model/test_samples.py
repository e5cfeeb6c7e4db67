"""Made-up people come in the user's own types, and as the kind of table asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sottovoce as sv
from sottovoce.model.samples import FRAMES, make_table, to_frame
from sottovoce.schema.frames import encode
from tests.crowds import mixed_crowd, mixed_schema


def tables() -> dict[str, object]:
    """Return the same crowd as every kind of table."""
    crowd = mixed_crowd(200, seed=1)
    children = [None if value != value else int(value) for value in crowd["children"].tolist()]  # noqa: PLR0124
    frame = pd.DataFrame(crowd)
    arrow = pa.table({**crowd, "children": children})
    return {
        "dict of arrays": crowd,
        "dict of lists": {**{name: column.tolist() for name, column in crowd.items()}, "children": children},
        "dict of Arrow arrays": {name: arrow.column(name).combine_chunks() for name in arrow.column_names},
        "dict of series": {name: pl.Series(arrow.column(name).to_pylist()) for name in arrow.column_names},
        "pandas": frame,
        "pandas nullable": frame.astype({"children": "Int8", "region": "string", "age": "Int64"}),
        "pandas categorical": frame.astype({"region": "category"}),
        "pandas odd index": frame.set_index(np.arange(200)[::-1]),
        "polars": pl.from_arrow(arrow),
        "polars categorical": pl.from_arrow(arrow).with_columns(pl.col("region").cast(pl.Categorical)),
        "polars enum": pl.from_arrow(arrow).with_columns(pl.col("region").cast(pl.Enum(["east", "north", "south"]))),
        "arrow": arrow,
        "arrow chunks": pa.concat_tables([arrow.slice(0, 50), arrow.slice(50)]),
        "arrow dictionary": arrow.set_column(2, "region", arrow.column("region").dictionary_encode()),
    }


class TestMadeUpPeople:
    @pytest.mark.parametrize("frame", FRAMES)
    def test_levels_become_people_who_have_these_levels(self, frame: str):
        schema, generator = mixed_schema(4), np.random.default_rng(1)
        levels = [generator.integers(0, size, 300) for size in schema.sizes]
        people = to_frame(make_table(schema, levels, generator), frame)
        for given, found in zip(levels, encode(schema, people), strict=True):
            np.testing.assert_array_equal(found, given)

    def test_numbers_are_spread_within_their_bin_and_never_reach_the_next(self):
        schema = sv.Schema([sv.Numeric("income", edges=[0, 1e-300, 1, 1e9])])
        levels = np.repeat([0, 1, 2], 500)
        values = make_table(schema, [levels], np.random.default_rng(1)).column("income").to_numpy()
        assert len(np.unique(values[1000:])) == 500
        np.testing.assert_array_equal(encode(schema, {"income": values})[0], levels)
