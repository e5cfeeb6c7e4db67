"""The schema: records, JSON and TOML."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from tests.crowds import mixed_schema

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
texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Zl", "Zp")), max_size=10)
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
            ("[]", r"it lists .attributes., each with a type \(ordinal, numeric, .*choices\)"),
            ('{"attributes": []}', "at least one attribute, got none"),
            ('{"attributes": [{"type": "ordinal", "name": "a", "low": 0}]}', "missing required field `high`"),
            (
                '{"attributes": [{"type": "fuzzy", "name": "a"}]}',
                r"attribute 1 \(a\): there is no type 'fuzzy'; the types are ordinal, .*, boolean",
            ),
            ('{"attributes": [{"type": "ordinal", "name": "a", "low": 9, "high": 0}]}', "high must be above low"),
            (
                '{"attributes": [{"type": "ordinal", "name": "a", "low": 0, "hi": 9}]}',
                r"attribute 1 \(a\): an attribute of type ordinal has no hi; it may have name, low, high",
            ),
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
            (["age"], r"a list of attributes \(Ordinal, .*Choices\), got 'age'"),
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
            ({"age": 20, "income": 1}, "region: no answer was given"),
            ({"age": 20, "income": 1, "region": "east", "shoe": 44}, r"unknown attributes \['shoe'\]; .*age, income"),
            ([20, 1, "east"], "a record maps attribute names to values, got list"),
            (None, "a record maps attribute names to values, got NoneType"),
            ("age", "a record maps attribute names to values, got str"),
        ],
    )  # fmt: skip
    def test_a_record_that_does_not_fit_is_refused(self, record: object, message: str):
        with pytest.raises(sv.RecordError, match=message):
            mixed_schema(3).levels(record)
