"""The schema: records, tables of every make, JSON and TOML."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.schema.frames import encode
from tests.crowds import mixed_crowd, mixed_schema, records

names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12)
ordinals = st.builds(
    lambda name, low, width, **more: sv.Ordinal(name, low, low + width, **more),
    names,
    st.integers(-(2**52), 2**52),
    st.integers(1, 2**20 - 1),
    nullable=st.booleans(),
    clip=st.booleans(),
)
edges = st.lists(st.floats(-1e300, 1e300), min_size=3, max_size=9, unique=True).map(sorted)
numerics = st.one_of(
    st.builds(sv.Numeric, names, st.floats(-1e6, 0), st.floats(1, 1e6), bins=st.integers(2, 99), clip=st.booleans()),
    st.builds(sv.Numeric, names, edges=edges, nullable=st.booleans()),
)
texts = st.text(st.characters(codec="utf-8"), max_size=10)
categoricals = st.builds(
    sv.Categorical, names, st.lists(texts, min_size=2, max_size=9, unique=True), nullable=st.booleans()
)
schemas = st.lists(
    st.one_of(ordinals, numerics, categoricals), min_size=1, max_size=5, unique_by=lambda attribute: attribute.name
).map(sv.Schema)


class TestForms:
    @given(schemas)
    def test_json_and_toml_give_the_schema_back(self, schema: sv.Schema):
        assert sv.Schema.from_json(schema.to_json()) == schema
        assert sv.Schema.from_toml(schema.to_toml()) == schema
        assert sv.Schema.from_json(schema.to_json()).to_json() == schema.to_json()

    @pytest.mark.parametrize("suffix", ["json", "toml", "txt"])
    def test_files_give_the_schema_back(self, suffix: str, tmp_path):
        path = tmp_path / f"schema.{suffix}"
        mixed_schema(4).save(path)
        assert sv.Schema.load(path) == mixed_schema(4)

    def test_a_person_can_write_the_toml(self):
        text = """
            [[attributes]]
            type = "ordinal"
            name = "age"
            low = 0
            high = 119
            [[attributes]]
            type = "numeric"
            name = "income"
            low = 0
            high = 200000
            nullable = true
            [[attributes]]
            type = "categorical"
            name = "region"
            values = ["north", "south"]
        """
        assert sv.Schema.from_toml(text).sizes == (120, 65, 2)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "not a schema"),
            ("{", "not a schema"),
            ("[]", "not a schema: Expected `object`"),
            ('{"attributes": []}', "at least one attribute, got none"),
            ('{"attributes": [{"type": "ordinal", "name": "a", "low": 0}]}', "missing required field `high`"),
            ('{"attributes": [{"type": "fuzzy", "name": "a"}]}', "Invalid value 'fuzzy'"),
            ('{"attributes": [{"type": "ordinal", "name": "a", "low": 9, "high": 0}]}', "high must be above low"),
            ('{"attributes": [{"type": "ordinal", "name": "a", "low": 0, "hi": 9}]}', "unknown field `hi`"),
            ('{"attributes": [], "more": 1}', "not a schema|at least one"),
        ],
    )
    def test_a_text_that_is_no_schema_is_refused(self, text: str, message: str):
        with pytest.raises(sv.SchemaError, match=message):
            sv.Schema.from_json(text)

    def test_a_file_that_cannot_be_read_is_refused(self, tmp_path):
        with pytest.raises(sv.SchemaError, match="cannot read the schema"):
            sv.Schema.load(tmp_path / "nowhere.toml")
        (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
        with pytest.raises(sv.SchemaError, match="cannot read the schema"):
            sv.Schema.load(tmp_path / "bad.toml")
        (tmp_path / "bad.toml").write_text("attributes = ")
        with pytest.raises(sv.SchemaError, match="not a schema"):
            sv.Schema.load(tmp_path / "bad.toml")

    @pytest.mark.parametrize(
        ("attributes", "message"),
        [
            ([], "at least one attribute, got none"),
            ([sv.Ordinal("a", 0, 1), sv.Ordinal("a", 0, 2)], "names must differ, got a more than once"),
            (["age"], "a list of Ordinal, Numeric and Categorical, got 'age'"),
            (None, "a list of Ordinal, Numeric and Categorical, got None"),
            (sv.Ordinal("a", 0, 1), "a list of Ordinal, Numeric and Categorical, got Ordinal"),
        ],
    )
    def test_impossible_schemas_are_refused(self, attributes: object, message: str):
        with pytest.raises(sv.SchemaError, match=message):
            sv.Schema(attributes)


class TestRecords:
    def test_a_record_becomes_a_level_per_attribute(self):
        record = {"children": None, "region": "east", "age": 20, "income": 90}
        assert mixed_schema(4).levels(record) == (2, 9, 2, 5)
        assert mixed_schema(4).levels({name: record[name] for name in ("region", "age", "income")}) == (2, 9, 2, 5)

    @pytest.mark.parametrize(
        ("record", "message"),
        [
            ({"age": 20, "income": 1}, "region: got None; no answer was given"),
            ({"age": 20, "income": 1, "region": "east", "shoe": 44}, r"unknown attributes \['shoe'\]; .*age, income"),
            ([20, 1, "east"], "a record maps attribute names to values, got list"),
            (None, "a record maps attribute names to values, got NoneType"),
            ("age", "a record maps attribute names to values, got str"),
        ],
    )  # fmt: skip
    def test_a_record_that_does_not_fit_is_refused(self, record: object, message: str):
        with pytest.raises(sv.RecordError, match=message):
            mixed_schema(3).levels(record)


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
            ({"a": [1]}, "the table has no column b; it has a"),
            (pd.DataFrame({"x": [1]}), "the table has no column a, b; it has x"),
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
