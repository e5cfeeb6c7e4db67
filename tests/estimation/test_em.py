"""Expectation maximisation against what a maximum of the likelihood must be."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.channels import GRR, SquareWave
from sottovoce.estimation.em import maximum_likelihood, smooth


@given(ones=st.integers(30, 70))
def test_two_cells_have_a_closed_form(ones):
    table = np.array([[0.8, 0.2], [0.2, 0.8]])
    estimate = maximum_likelihood(table, np.array([ones, 100 - ones]), threshold=1e-12)
    np.testing.assert_allclose(estimate[0], (ones / 100 - 0.2) / 0.6, atol=1e-4)


@given(counts=st.lists(st.integers(0, 200), min_size=8, max_size=8).filter(any))
@settings(max_examples=20, deadline=None)
def test_no_move_towards_any_cell_makes_the_codes_likelier(counts):
    """At the maximum of a concave likelihood, its slope towards every cell is at most zero, and zero within it."""
    table = SquareWave.design(6, Decimal(1)).probabilities()
    counted = np.array(counts)
    assert table.shape == (6, 8)
    estimate = maximum_likelihood(table, counted, threshold=1e-13)
    slope = table @ (counted / (estimate @ table)) / counted.sum() - 1
    assert slope.max() < 2e-3
    assert np.abs(slope * estimate).max() < 2e-3


def test_an_interior_maximum_is_the_unbiased_estimate():
    channel = GRR.design(4, Decimal(1))
    counts = np.array([300, 250, 230, 220])
    np.testing.assert_allclose(
        maximum_likelihood(channel.probabilities(), counts, threshold=1e-12), channel.estimate(counts), atol=1e-5
    )


def test_without_reports_it_is_uniform():
    table = GRR.design(5, Decimal(1)).probabilities()
    assert maximum_likelihood(table, np.zeros(5, dtype=int), threshold=1e-9) == pytest.approx(0.2)


def test_smoothing_averages_one_to_two_to_one_and_keeps_what_is_even():
    np.testing.assert_allclose(smooth(np.array([1.0, 2.0, 3.0])), [4 / 3, 2, 8 / 3])
    np.testing.assert_allclose(smooth(np.full(5, 0.2)), 0.2)
    np.testing.assert_allclose(smooth(np.array([0.25, 0.75])), [1.25 / 3, 1.75 / 3])


def test_with_smoothing_the_result_is_where_a_sweep_and_the_average_undo_each_other():
    table = SquareWave.design(16, Decimal(1)).probabilities()
    counts = np.random.default_rng(1).multinomial(20_000, np.eye(16)[5] @ table)
    found = maximum_likelihood(table, counts, threshold=1e-10, smoothing=True)
    swept = found * (table @ (counts / (found @ table)))
    np.testing.assert_allclose(smooth(swept / swept.sum()) / smooth(swept / swept.sum()).sum(), found, atol=1e-6)
    sharp = maximum_likelihood(table, counts, threshold=1e-10)
    assert found.max() < sharp.max()
    assert found.sum() == pytest.approx(1)
