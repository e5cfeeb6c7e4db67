"""Queries as weights: ranges in the user's own values, level by level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.query.batch import chunks, span_weights
from sottovoce.query.ranges import ranges_to_batch
from tests.crowds import mixed_schema

SCHEMA = mixed_schema(4)


def weights(name: str, asked: object) -> np.ndarray:
    return ranges_to_batch(SCHEMA, [{name: asked}]).selections[SCHEMA.position(name)].weights[0]


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


@given(st.floats(0, 20), st.floats(0, 20), st.floats(0, 20), st.integers(1, 20))
def test_neighbouring_stretches_add_up(one: float, two: float, three: float, levels: int):
    start, middle, stop = sorted((one, two, three))
    left, right, whole = span_weights(np.array([[start, middle], [middle, stop], [start, stop]]), levels)
    np.testing.assert_allclose(left + right, whole, atol=1e-12)
    assert whole.sum() == pytest.approx(min(stop, levels) - min(start, levels))


def test_a_batch_knows_which_query_names_what():
    batch = ranges_to_batch(SCHEMA, [{"age": (18, 20)}, {}, {"region": ["east"], "age": (20, 20)}])
    assert batch.count == 3
    assert batch.selections[0].queries.tolist() == [0, 2]
    assert batch.selections[2].queries.tolist() == [2]
    assert batch.dimensions().tolist() == [1, 0, 2]
    assert ranges_to_batch(SCHEMA, [{}, {}]).dimensions().tolist() == [0, 0]


@given(st.integers(0, 1000), st.integers(1, 500), st.integers(1, 3000))
def test_parts_cover_all_queries_once_within_the_limit(count: int, levels: int, limit: int):
    parts = list(chunks(count, levels, limit=limit))
    assert [place for part in parts for place in range(part.start, part.stop)] == list(range(count))
    assert all((part.stop - part.start) * levels <= max(limit, levels) for part in parts)
