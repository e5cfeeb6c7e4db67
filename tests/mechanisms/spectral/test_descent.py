"""Descent: it goes down at every step, ends where the gradient is nothing, and leaves how far to the caller."""

from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.mechanisms.spectral.descent import descend


def quadratic(seed, size, condition):
    """Return half a squared distance, its gradient and its minimum; it bends by 1 to so much."""
    generator = np.random.default_rng(seed)
    turned = np.linalg.qr(generator.standard_normal((size, size)))[0]
    matrix, target = (turned * np.geomspace(1, condition, size)) @ turned.T, generator.standard_normal(size)

    def function(point):
        off = matrix @ (point - target)
        return 0.5 * float((point - target) @ off), off

    return function, target


def valley(point):
    """Rosenbrock's function: a curved valley, with the minimum at (1, 1)."""
    x, y = point
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2, np.array(
        [-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)],
    )


@given(st.integers(0, 10**6), st.integers(1, 12), st.floats(1, 100))
def test_a_quadratic_is_solved(seed, size, condition):
    function, target = quadratic(seed, size, condition)
    point = next(islice(descend(function, np.zeros(size)), 150, None))
    np.testing.assert_allclose(point, target, atol=1e-4)


def test_the_end_of_a_curved_valley_is_found():
    point = next(islice(descend(valley, np.array([-1.2, 1.0])), 150, None))
    np.testing.assert_allclose(point, 1, atol=1e-6)


@pytest.mark.parametrize(
    ("function", "start"),
    [(valley, np.array([-1.2, 1.0])), (quadratic(3, 30, 1000.0)[0], np.zeros(30))],
    ids=["valley", "quadratic"],
)
def test_every_step_goes_down_by_part_of_what_the_slope_promises(function, start):
    points = [start, *islice(descend(function, start), 15)]
    for before, after in pairwise(points):
        (value, gradient), (next_value, _) = function(before), function(after)
        promised = gradient @ (before - after)
        assert promised > 0
        assert next_value <= value - 1e-4 * promised * (1 - 1e-9)


def test_the_start_is_left_as_it_is_and_steps_are_made_only_when_asked_for():
    calls = []

    def function(point):
        calls.append(point.copy())
        return quadratic(1, 3, 5.0)[0](point)

    start = np.zeros(3)
    points = descend(function, start)
    assert not calls
    next(points)
    asked = len(calls)
    next(points)
    assert len(calls) > asked
    np.testing.assert_array_equal(start, 0)


def test_a_descent_that_starts_at_the_minimum_stays_there():
    function, target = quadratic(2, 4, 10.0)
    for point in islice(descend(function, target), 5):
        np.testing.assert_allclose(point, target, atol=1e-9)


def test_a_hump_in_the_way_does_not_turn_the_descent_round():
    """The function bends down between its two minima, where a step's curvature is negative."""

    def function(point):
        return float((point**4 / 4 - point**2 / 2).sum()), point**3 - point

    point = next(islice(descend(function, np.array([0.05, -0.1])), 60, None))
    np.testing.assert_allclose(point, [1, -1], atol=1e-6)
