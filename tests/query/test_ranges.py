"""Ranges in the user's own values become weights, level by level; what is no range is refused with its number."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.query.ranges import ranges_to_batch
from tests.crowds import mixed_schema

SCHEMA = mixed_schema(4)


def weights(name: str, asked: object) -> np.ndarray:
    return ranges_to_batch(SCHEMA, [{name: asked}]).selections[SCHEMA.index(name)].weights[0]


def test_an_ordinal_range_has_a_one_for_each_integer_inside():
    np.testing.assert_array_equal(weights("age", (20, 22)), [0, 0, 1, 1, 1] + [0] * 8)
    np.testing.assert_array_equal(weights("age", (19.5, 22.5)), [0, 0, 1, 1, 1] + [0] * 8)


def test_a_numeric_range_has_a_fraction_for_a_part_covered_bin():
    np.testing.assert_allclose(weights("income", (4.5, 20.25)), [0.5, 1, 0.25] + [0] * 7)
    np.testing.assert_allclose(weights("income", (10, 11)), [0, 1 / 9] + [0] * 8)
    np.testing.assert_allclose(weights("income", (9, 9)), [0] * 10)


def test_a_category_has_a_one_wherever_it_is_in_the_list():
    np.testing.assert_array_equal(weights("region", ["east", "north", "east"]), [1, 0, 1])
    np.testing.assert_array_equal(weights("region", ()), [0, 0, 0])


def test_no_answer_is_in_no_range_but_can_be_listed():
    np.testing.assert_array_equal(weights("children", (-10, 10)), [1, 1, 1, 1, 1, 0])
    schema = sv.Schema([sv.Categorical("c", ["x", "y"], nullable=True)])
    np.testing.assert_array_equal(ranges_to_batch(schema, [{"c": ["y", None]}]).selections[0].weights, [[0, 1, 1]])


def test_a_batch_knows_which_query_names_what():
    batch = ranges_to_batch(SCHEMA, [{"age": (18, 20)}, {}, {"region": ["east"], "age": (20, 20)}])
    assert batch.count == 3
    assert batch.selections[0].queries.tolist() == [0, 2]
    assert batch.selections[2].queries.tolist() == [2]
    assert batch.dimensions().tolist() == [1, 0, 2]
    assert ranges_to_batch(SCHEMA, [{}, {}]).dimensions().tolist() == [0, 0]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"shoe": (1, 2)}, "query 1: unknown attribute 'shoe'; this collection has age, income, region, children"),
        ({5: (1, 2)}, "query 1: unknown attribute 5"),
        ({"age": (25, 20)}, r"query 1: age: the range \(25, 20\) is reversed; give \(low, high\)"),
        ({"age": (math.nan, 20)}, r"query 1: age: the range \(nan, 20\) holds NaN; use -inf and inf"),
        ({"income": (0, math.nan)}, r"query 1: income: the range .* holds NaN"),
        ({"age": ("20", "25")}, r"query 1: age: a bound is a number, got \('20', '25'\)"),
        ({"age": (True, 25)}, r"query 1: age: a bound is a number, got \(True, 25\)"),
        ({"age": (None, 25)}, r"query 1: age: a bound is a number, got \(None, 25\)"),
        ({"age": (0, 10**400)}, "query 1: age: a bound is too large for a float; use -inf and inf"),
        ({"age": 25}, r"query 1: age: a range is a pair \(low, high\), got 25"),
        ({"age": (1, 2, 3)}, r"query 1: age: a range is a pair \(low, high\)"),
        (
            {"region": "north"},
            "query 1: region: give a list of values out of 'north', .*, got 'north'",
        ),
        ({"region": 3}, "query 1: region: give a list of values"),
        ({"region": ["west"]}, "query 1: region: got 'west'; allowed are 'north'"),
        ({"region": [None]}, "query 1: region: got None"),
        (["age"], r"query 1: a query maps attribute names to ranges, got \['age'\]"),
        (None, "query 1: a query maps attribute names to ranges, got None"),
    ],
)
def test_a_query_that_cannot_be_is_refused_with_its_number(query: object, message: str) -> None:
    with pytest.raises(sv.QueryError, match=message):
        ranges_to_batch(SCHEMA, [{}, query])
