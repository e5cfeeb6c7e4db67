"""Descent by L-BFGS, one step at a time: how far to go is the caller's choice."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import repeat

import numpy as np

from sottovoce._types import Floats

_MEMORY = 10  # steps that are remembered, as is usual
_SHORTEST = 1e-6  # of a step, in parts of the one that the curvature so far suggests


def descend(function: Callable[[Floats], tuple[float, Floats]], point: Floats) -> Iterator[Floats]:
    """Yield the points of a descent, one per step, without end.

    Args:
        function: Returns the value and the gradient at a point.
        point: Where to start; directions should be scaled so that the function bends about alike along all of them.
    """
    value, gradient = function(point)
    pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=_MEMORY)
    while True:
        direction = _direction(gradient, pairs)
        slope, length = gradient @ direction, 1.0
        while True:
            next_point = point - length * direction
            next_value, next_gradient = function(next_point)
            # Armijo's rule: at least a ten-thousandth of the decrease that the slope promises
            if next_value <= value - 1e-4 * length * slope:
                break
            length *= 0.4
            if length < _SHORTEST:
                yield from repeat(point)  # no way leads further down: this is the minimum, to the last digit
        step, change = next_point - point, next_gradient - gradient
        # a pair without positive curvature would make the inverse Hessian indefinite
        if step @ change > 1e-10:
            pairs.append((step, change, float(1 / (step @ change))))
        point, value, gradient = next_point, next_value, next_gradient
        yield point


def _direction(gradient: Floats, pairs: deque[tuple[Floats, Floats, float]]) -> Floats:
    """Return the two-loop recursion's approximation of the inverse Hessian times the gradient."""
    direction, factors = gradient.copy(), []
    for step, change, scale in reversed(pairs):
        factors.append(scale * (step @ direction))
        direction -= factors[-1] * change
    last = pairs[-1] if pairs else None
    # the usual first guess of the inverse Hessian: (s.y) / (y.y) times the identity
    direction *= 1 / (last[2] * (last[1] @ last[1])) if last else 1 / (np.linalg.norm(gradient) + 1e-12)
    for (step, change, scale), factor in zip(pairs, reversed(factors), strict=True):
        direction += step * (factor - scale * (change @ direction))
    return direction
