"""What is believed of dependence and errors: a grid of variances, kernels and quantiles over it, every constant."""

from __future__ import annotations

import numpy as np
import pytest

from sottovoce.mechanisms.spectral.belief import BELIEF, Belief


def test_the_grid_is_even_in_the_logarithm_from_the_least_to_the_most() -> None:
    steps = np.diff(np.log(BELIEF.grid))
    assert np.allclose(steps, steps[0])
    assert (BELIEF.grid[0], BELIEF.grid[-1]) == pytest.approx((BELIEF.least, BELIEF.most))
    assert len(BELIEF.grid) == BELIEF.points


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


def test_quantiles_of_variances_lie_where_the_probability_does() -> None:
    sure = np.eye(BELIEF.points)
    np.testing.assert_allclose(BELIEF.quantile(sure, 0.5), BELIEF.grid)


def test_quantiles_move_smoothly_between_the_variances_considered() -> None:
    """The probability moves from one variance to its neighbour; no quantile jumps by a tenth of their distance."""
    parts = np.linspace(0, 1, 41)
    posterior = np.zeros((41, BELIEF.points))
    posterior[:, 3], posterior[:, 4] = 1 - parts, parts
    moved = np.diff(np.log(BELIEF.quantile(posterior, 0.65)))
    assert (moved > 0).all()
    assert moved.max() < 0.1 * np.log(BELIEF.grid[4] / BELIEF.grid[3])


def test_a_prior_around_a_centre_falls_by_one_half_at_one_spread() -> None:
    step = np.log(BELIEF.grid[4] / BELIEF.grid[3])
    around = BELIEF.around(float(BELIEF.grid[3]), float(step))
    assert around[3] == pytest.approx(0)
    assert (around[2], around[4], around[5]) == pytest.approx((-0.5, -0.5, -2.0))


def test_every_constant_is_explained() -> None:
    explained = " ".join((Belief.__doc__ or "").replace(":", " ").replace(",", " ").split()).split()
    assert set(Belief.__dataclass_fields__) <= set(explained)
