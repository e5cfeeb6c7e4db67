"""A schema proposed from the texts of a table."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.cli.faults import as_values
from sottovoce.schema.frames import encode
from sottovoce.schema.proposal import outwards, propose
from sottovoce.schema.schema import Schema


@pytest.mark.parametrize(
    ("texts", "document"),
    [
        (["TRUE", "false"] * 9, {"type": "boolean"}),
        (["0", "1", ""] * 9, {"type": "boolean", "nullable": True}),
        ([str(age) for age in range(18, 94)] * 2, {"type": "ordinal", "low": 10, "high": 100, "clip": True}),
        (["1", "5", "2"] * 9, {"type": "ordinal", "low": 1, "high": 5, "clip": True}),
        (["2", "4", "40"] * 9, {"type": "integers", "values": [2, 4, 40]}),
        (["1250.5", "80.25"] * 9, {"type": "numeric", "low": 0.0, "high": 2000.0, "bins": 64, "clip": True}),
        (["2026-11-16", "2026-01-02T10:00"] * 9, {"type": "date", "by": "month"}),
        (["1991-11-16", "2026-01-02"] * 9, {"type": "date", "by": "year", "low": 1990, "high": 2030, "clip": True}),
        (
            ["Never", "always", "Often"] * 9,
            {"type": "ordered", "values": ["Never", "rarely", "sometimes", "Often", "always"]},
        ),
        (["bus;bike", "bus", "car", ""] * 9, {"type": "choices", "choices": ["bike", "bus", "car"]}),
        (["south", "north", "NA"] * 9, {"type": "categorical", "values": ["north", "south"], "nullable": True}),
        (
            ["a"] * 500 + ["b"] * 500 + ["c", "d"],
            {"type": "categorical", "values": ["a", "b", "other"], "other": "other"},
        ),
    ],
)
def test_kinds_ranges_and_categories_are_proposed(texts: list[str], document: dict[str, Any]) -> None:
    proposal = propose("x", Counter(texts))
    assert proposal.document == {"type": document["type"], "name": "x", **document}
    schema = Schema.from_json(json.dumps({"attributes": [proposal.document]}))
    column: Any = pa.chunked_array([texts])
    if "choices" not in document:
        column = as_values(schema.attributes[0], column, decimal_comma=False)
    assert all(len(levels) == len(texts) for levels in encode(schema, {"x": column}))


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["same"] * 30, "everybody says the same"),
        ([""] * 30, "everybody says the same, or nothing"),
        ([str(number) for number in range(1000, 1100)], "identifier"),
        ([f"text {number}" for number in range(100)], "free text"),
    ],
)
def test_what_cannot_be_asked_is_left_out_with_a_reason(texts: list[str], why: str) -> None:
    proposal = propose("x", Counter(texts))
    assert proposal.document is None
    assert why in proposal.remarks[0]


def test_what_is_read_off_the_data_says_so() -> None:
    assert "known without it" in propose("age", Counter({"34": 2, "71": 1})).remarks[0]
    assert "rare values are lumped" in propose("x", Counter({"a": 500, "b": 500, "c": 1})).remarks[0]


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_a_rounded_range_holds_the_range(low: float, width: float) -> None:
    rounded = outwards(low, low + width)
    slack = 1e-9 * (1 + abs(low) + width)
    assert rounded[0] <= low + slack
    assert rounded[1] >= low + width - slack
    assert rounded[1] - rounded[0] <= 3.1 * width + slack


def test_a_text_not_listed_is_other() -> None:
    region = sv.Categorical("region", ["north", "other"], other="other")
    assert [region.level(text) for text in ("north", "somewhere", "other")] == [0, 1, 1]
    with pytest.raises(sv.RecordError, match=r"^region: allowed are 'north', 'other'$"):
        region.level(True)
