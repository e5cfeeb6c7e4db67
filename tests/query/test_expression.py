"""Expressions: predicates as values, written as the SQL that they are."""

from __future__ import annotations

import math

import pytest

import sottovoce as sv
from sottovoce.query.expression import And, Compare, Not, Or, sql_name
from sottovoce.query.sql import parse_sql


@pytest.mark.parametrize("values", ["north", 5])
def test_isin_takes_a_list(values: object) -> None:
    with pytest.raises(sv.QueryError, match="isin takes a list"):
        sv.col("region").isin(values)


def test_python_forms_are_not_combined_by_and() -> None:
    with pytest.raises(TypeError, match="combine predicates with &"):
        bool(sv.col("age") > 1)
    with pytest.raises(TypeError):
        (sv.col("age") > 1) & True


@pytest.mark.parametrize(
    "text",
    [
        "age >= 30 AND (income < 5 OR NOT (region IN ('north', 'it''s')))",
        '"the rooms" BETWEEN 1 AND 2 OR age IS NULL',
        "NOT (age <> 1)",
        '"select" > 3',
        '"with ""quotes""" = 1',
    ],
)
def test_an_expression_is_written_as_the_sql_that_it_is(text: str) -> None:
    assert str(parse_sql(text)) == text


def test_signs_build_the_predicates_they_stand_for() -> None:
    age, rooms = sv.col("age"), sv.col("rooms")
    assert [each.operator for each in (age == 1, age != 1, age < 1, age <= 1, age > 1, age >= 1)] == [
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
    ]
    one, other = Compare("age", ">", 1), Compare("rooms", "=", 2)
    assert ((age > 1) & (rooms == 2)) == And(one, other)
    assert (~(age > 1) | (rooms == 2)) == Or(Not(one), other)


def test_either_within_both_keeps_its_parentheses() -> None:
    a, b, c = (sv.col(name) > 1 for name in "abc")
    assert str((a | b) & c) == "(a > 1 OR b > 1) AND c > 1"
    assert str((a & b) | c) == "a > 1 AND b > 1 OR c > 1"
    assert str(~(a | b) & c) == "NOT (a > 1 OR b > 1) AND c > 1"


@pytest.mark.parametrize("name", ["age", "the rooms", 'say "hi"', "select", "IF", "9lives", "naïve", "between", "a.b"])
def test_any_name_is_written_so_that_it_is_read_back(name: str) -> None:
    assert parse_sql(f"{sql_name(name)} > 1").name == name


@pytest.mark.parametrize("value", [3, -2.5, 1e300, math.inf, -math.inf, "it's", ""])
def test_any_value_is_written_so_that_it_is_read_back(value: object) -> None:
    assert parse_sql(str(sv.col("age") == value)).value == value


def test_a_column_is_no_key_as_comparing_it_gives_a_predicate() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        {sv.col("age")}
