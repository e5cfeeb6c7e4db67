"""Tables: of every make, they become the levels of their records, and levels become tables again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sottovoce as sv
from sottovoce.schema.frames import encode
from tests.crowds import mixed_crowd, mixed_schema, records


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


class TestTables:
    @pytest.mark.parametrize("kind", list(tables()))
    def test_every_kind_of_table_agrees_with_its_records(self, kind: str):
        schema = mixed_schema(4)
        expected = [schema.levels(record) for record in records(mixed_crowd(200, seed=1))]
        assert list(zip(*(column.tolist() for column in encode(schema, tables()[kind])), strict=True)) == expected

    @pytest.mark.parametrize("make", [lambda c: {"c": c}, lambda c: pa.table({"c": c})])
    def test_a_dictionary_with_missing_values_keeps_them(self, make):
        column = pa.array(["x", None, "y", None, "x"]).dictionary_encode()
        schema = sv.Schema([sv.Categorical("c", ["y", "x"], nullable=True)])
        assert encode(schema, make(column))[0].tolist() == [1, 2, 0, 2, 1]

    def test_missing_texts_of_every_kind_are_no_answer(self):
        schema = sv.Schema([sv.Categorical("c", ["x", "y"], nullable=True)])
        for column in (
            ["x", None],
            np.array(["x", np.nan], dtype=object),
            ["x", pd.NA],
            pd.Series(["x", pd.NA], dtype="string"),
            pd.Series(["x", None], dtype="category"),
            pl.Series(["x", None]),
        ):
            assert encode(schema, {"c": column})[0].tolist() == [0, 2]

    def test_other_columns_are_left_alone(self):
        table = {**mixed_crowd(3, seed=1), "notes": ["a", "b", "c"]}
        assert len(encode(mixed_schema(2), table)) == 2

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            ({"a": [1]}, "there is no column 'b'; the columns are 'a'"),
            (pd.DataFrame({"x": [1]}), "there is no column 'a', 'b'; the columns are 'x'"),
            ({"a": [1, 2], "b": [1]}, r"columns differ in length: \[1, 2\]"),
            ({"a": np.zeros((2, 2)), "b": [1, 2]}, "a: a column is one value per row, got an array of 2 dimensions"),
            ({"a": 5, "b": 5}, "a: a column is one value per row, got an array of 0 dimensions"),
            ({"a": [1, [2, 3]], "b": [1, 2]}, "a: a column is one value per row"),
            ([1, 2], "a table is a pandas, polars or Arrow table, or a dict of arrays, got list"),
            (None, "or a dict of arrays, got NoneType"),
            ("people.csv", "or a dict of arrays, got str"),
            (np.zeros((2, 2)), "or a dict of arrays, got ndarray"),
        ],
    )
    def test_what_is_no_table_is_refused(self, table: object, message: str):
        schema = sv.Schema([sv.Ordinal("a", 0, 9), sv.Ordinal("b", 0, 9)])
        with pytest.raises(sv.RecordError, match=message):
            encode(schema, table)
