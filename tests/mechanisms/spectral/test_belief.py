"""The belief about a model's own error: a grid of variances, and quantiles and kernels over it."""

from __future__ import annotations

import numpy as np
import pytest

from sottovoce.mechanisms.spectral.belief import BELIEF


def test_the_grid_is_even_in_the_logarithm_and_ends_at_one() -> None:
    steps = np.diff(np.log(BELIEF.grid))
    assert np.allclose(steps, steps[0])
    assert (BELIEF.grid[0], BELIEF.grid[-1]) == pytest.approx((BELIEF.least, 1.0))


def test_a_kernel_spreads_each_variance_over_its_neighbours_and_loses_nothing() -> None:
    kernel = BELIEF.kernel(0.7)
    np.testing.assert_allclose(kernel.sum(axis=0), 1)
    assert (kernel.argmax(axis=0) == np.arange(BELIEF.points)).all()


def test_quantiles_rise_with_the_level_and_lie_where_the_probability_is() -> None:
    weights = np.exp(BELIEF.around(0.01, 0.5))
    posterior = (weights / weights.sum())[None]
    low, middle, high = (BELIEF.quantile(posterior, level)[0] for level in (0.1, 0.5, 0.9))
    assert low < middle < high
    assert middle == pytest.approx(0.01, rel=0.1)
    assert np.log(high / low) == pytest.approx(2 * 1.2816 * 0.5, rel=0.25)
