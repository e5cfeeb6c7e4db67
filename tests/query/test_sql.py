"""SQL text: what is on the whitelist is read as it stands, and all else is refused with its offset."""

from __future__ import annotations

import re

import pytest

import sottovoce as sv
from sottovoce.query.expression import And, Between, Compare, Constant, In, IsNull, Not, Or
from sottovoce.query.sql import MAX_LENGTH, parse_sql


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("age >= 30", Compare("age", ">=", 30, 0)),
        ("-2.5 < income", Compare("income", ">", -2.5, 7)),
        ("region != 'it''s'", Compare("region", "<>", "it's", 0)),
        ('"the rooms" BETWEEN 1 AND 1e3', Between("the rooms", 1, 1000.0, 0)),
        ("age IN (1, -(2))", In("age", (1, -2), 0)),
        ("age IS NOT NULL", Not(IsNull("age", 0))),
        (
            "age = 1 OR a > 2 AND b < 3",
            Or(Compare("age", "=", 1, 0), And(Compare("a", ">", 2, 11), Compare("b", "<", 3, 21))),
        ),
        ("(age = 1 OR TRUE) AND FALSE", And(Or(Compare("age", "=", 1, 1), Constant(True)), Constant(False))),
        ("NOT age = 1 AND TRUE", And(Not(Compare("age", "=", 1, 4)), Constant(True))),
    ],
)
def test_a_text_is_read_with_the_places_of_its_attributes(text: str, expression: object) -> None:
    assert parse_sql(text) == expression


@pytest.mark.parametrize(
    ("text", "offset", "said"),
    [
        ("", None, "empty"),
        ("   \n", None, "empty"),
        ("abs(age) > 1", 1, "a function"),
        ("age > now()", 7, "a function"),
        ("age IN (SELECT 1)", 1, "IN with query"),
        ("(SELECT 1) > 0", 9, "a subquery"),
        ("EXISTS (SELECT 1)", 16, "a function"),
        ("age", 1, "a bare column"),
        ("age > 1 AND income", 13, "a bare column"),
        ("NOT region", 5, "a bare column"),
        ("age > income", 1, "a comparison of two columns"),
        ("age = NULL", 1, "a comparison with NULL (write IS NULL)"),
        ("NULL < age", 8, "a comparison with NULL"),
        ("age IN (1, NULL)", 1, "NULL where a literal should stand"),
        ("age BETWEEN NULL AND 0", 1, "NULL where a literal should stand"),
        ("age + 1 > 2", 1, "ADD where an attribute should stand"),
        ("age > 1 + 1", 7, "ADD where a literal should stand"),
        ("crowd.age > 1", 1, "a qualified name"),
        ("region LIKE 'n%'", 1, "LIKE"),
        ("age > 1; age > 2", 8, ";"),
        ("age > 1 age < 2", 9, "not understood"),
        ("age > 1 AND", 9, "not understood"),
        ("age > 1)", 8, "not understood"),
        ("region = 'north", 10, "a quote or comment that does not end"),
        ("age > 1 -- all of them", 7, "a comment"),
        ("! age > 1", 1, "! is not understood"),
        ("age > TRUE", 1, "BOOLEAN where a literal should stand"),
        ("1 < 2", 1, "a literal where an attribute should stand"),
        ("CASE WHEN age > 1 THEN TRUE END", 11, "a function"),
        ("age IS TRUE", 1, "IS is not understood"),
        ("age BETWEEN SYMMETRIC 2 AND 1", 1, "BETWEEN with symmetric"),
        ("SELECT age", 1, "not understood"),
        ("DROP TABLE crowd", 1, "not understood"),
    ],
)
def test_what_is_no_predicate_is_refused_with_its_offset(text: str, offset: int | None, said: str) -> None:
    with pytest.raises(sv.QueryError, match=re.escape(said)) as refusal:
        parse_sql(text)
    if offset is not None:
        assert re.match(rf"at character {offset}\b", str(refusal.value))


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (5, "text or an expression"),
        (None, "text or an expression"),
        (sv.col("age"), "text or an expression"),
        ("x" * (MAX_LENGTH + 1), "characters"),
    ],
)
def test_what_is_no_text_or_too_long_a_text_is_refused(where: object, said: str) -> None:
    with pytest.raises(sv.QueryError, match=re.escape(said)):
        parse_sql(where)
