"""Norm-Sub against a literal reading of the paper's text (section 4.2)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sottovoce.estimation.norm_sub import norm_sub

estimates = arrays(float, st.integers(1, 12), elements=st.floats(-2, 2))


def literal(estimates: list[float]) -> list[float]:
    """Negative estimates become 0; the positive ones share the difference to 1 alike; again until none is negative."""
    while True:
        estimates = [max(each, 0.0) for each in estimates]
        positive = [each for each in estimates if each > 0]
        average = (sum(positive) - 1) / len(positive)
        estimates = [each - average if each > 0 else each for each in estimates]
        if all(each >= 0 for each in estimates):
            return estimates


@given(estimates)
def test_it_does_what_the_paper_says(frequencies: np.ndarray):
    if (frequencies > 0).any():
        np.testing.assert_allclose(norm_sub(frequencies), literal(frequencies.tolist()), atol=1e-12)


@given(estimates)
def test_the_result_is_a_distribution_in_the_same_order(frequencies: np.ndarray):
    before = frequencies.copy()
    settled = norm_sub(frequencies)
    assert (settled >= 0).all()
    assert settled.sum() == pytest.approx(1)
    order = np.argsort(frequencies, kind="stable")
    if (frequencies > 0).any():
        assert (np.diff(settled[order]) >= -1e-12).all()
    np.testing.assert_array_equal(frequencies, before)


@given(estimates)
def test_a_distribution_stays_as_it_is(frequencies: np.ndarray):
    settled = norm_sub(frequencies)
    np.testing.assert_allclose(norm_sub(settled), settled, atol=1e-12)


def test_nothing_positive_says_nothing():
    np.testing.assert_array_equal(norm_sub(np.array([-1.0, 0.0, -0.5, 0.0])), [0.25] * 4)
    assert norm_sub(np.zeros((2, 3))).shape == (2, 3)
