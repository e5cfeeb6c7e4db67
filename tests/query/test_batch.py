"""Batches: stretches of levels give by running totals what their weights give by multiplication."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.query.batch import Batch, Selection, SpanSelection, chunks, span_weights


@pytest.mark.parametrize("levels", [1, 2, 13, 64])
def test_sums_over_stretches_are_weights_times_columns(levels):
    generator = np.random.default_rng(1)
    ends = np.sort(generator.uniform(0, levels, (50, 2)), axis=1)
    whole = np.sort(generator.integers(0, levels + 1, (50, 2)), axis=1).astype(float)
    spans = np.concatenate([ends, whole, [[0, levels], [0, 0], [levels, levels]]])
    columns = generator.standard_normal((levels, 5))
    selection = SpanSelection(np.arange(len(spans)), spans, levels)
    np.testing.assert_array_equal(selection.weights, span_weights(spans, levels))
    np.testing.assert_allclose(selection.project(columns), selection.weights @ columns, atol=1e-12)
    plain = Selection(selection.queries, selection.weights)
    np.testing.assert_allclose(selection.project(columns), plain.project(columns), atol=1e-12)


def test_a_batch_counts_the_attributes_of_each_query():
    spans = np.array([[0.0, 2.0], [1.0, 3.0]])
    batch = Batch(4, {0: SpanSelection(np.array([0, 2]), spans, 4), 3: SpanSelection(np.array([2, 3]), spans, 4)})
    assert batch.dimensions().tolist() == [1, 0, 2, 1]
    assert Batch(2, {}).dimensions().tolist() == [0, 0]


@given(st.floats(0, 20), st.floats(0, 20), st.floats(0, 20), st.integers(1, 20))
def test_neighbouring_stretches_add_up(one: float, two: float, three: float, levels: int):
    start, middle, stop = sorted((one, two, three))
    left, right, whole = span_weights(np.array([[start, middle], [middle, stop], [start, stop]]), levels)
    np.testing.assert_allclose(left + right, whole, atol=1e-12)
    assert whole.sum() == pytest.approx(min(stop, levels) - min(start, levels))


@given(st.integers(0, 1000), st.integers(1, 500), st.integers(1, 3000))
def test_parts_cover_all_queries_once_within_the_limit(count: int, levels: int, limit: int):
    parts = list(chunks(count, levels, limit=limit))
    assert [index for part in parts for index in range(part.start, part.stop)] == list(range(count))
    assert all((part.stop - part.start) * levels <= max(limit, levels) for part in parts)
