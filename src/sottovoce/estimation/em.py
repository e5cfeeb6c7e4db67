"""Expectation maximisation: the distribution that makes the counted codes most likely, for any channel's table.

With smoothing (EMS) every sweep ends by averaging each cell with its neighbours, one to two to one, which keeps
spikes of noise from growing. Reference: Li et al., SIGMOD 2020, section 5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats

MAX_SWEEPS = 10_000
"""Likelihoods flatten out long before; this bounds the time on tables of thousands of cells."""


def maximum_likelihood(
    table: Floats, counts: NDArray[np.int64], *, threshold: float, smoothing: bool = False
) -> Floats:
    """Return the distribution over cells that a number of expectation-maximisation sweeps reach from the uniform one.

    Every sweep raises the likelihood, which is concave, so the limit is its maximum. With smoothing the limit is where
    a sweep and the average over neighbours undo each other, and the likelihood may also fall a little on the way.

    Args:
        table: The probability of every code given the cell, cells by codes.
        counts: How often each code was reported; uniform is returned if never.
        threshold: The sweep in which the log-likelihood changes by less than this is the last.
        smoothing: Whether every sweep ends with an average over neighbouring cells.

    Example:
        >>> table = np.array([[0.75, 0.25], [0.25, 0.75]])
        >>> maximum_likelihood(table, np.array([60, 40]), threshold=1e-9).round(3)
        array([0.7, 0.3])
    """
    estimate = np.full(len(table), 1.0 / len(table))
    seen = np.flatnonzero(counts)
    if not seen.size:
        return estimate
    # codes nobody reported add nothing to the log-likelihood, sum of count * log(expected)
    table, weights = np.ascontiguousarray(table[:, seen]), counts[seen].astype(float)
    backwards = np.ascontiguousarray(table.T)
    likelihood = -np.inf
    for _ in range(MAX_SWEEPS):
        expected = estimate @ table
        before, likelihood = likelihood, float(weights @ np.log(expected))
        if abs(likelihood - before) < threshold:
            break
        # E and M step at once: p(cell) times the mean over reports of P(code | cell) / P(code)
        estimate = estimate * ((weights / expected) @ backwards)
        if smoothing:
            estimate = smooth(estimate)
        estimate /= estimate.sum()
    return estimate


def smooth(frequencies: Floats) -> Floats:
    """Return every cell's average with its neighbours, weighted one to two to one; at an end with its only neighbour.

    Example:
        >>> smooth(np.array([0.0, 1.0, 0.0, 0.0])).round(3)
        array([0.333, 0.5  , 0.25 , 0.   ])
    """
    total = 2 * frequencies
    total[1:] += frequencies[:-1]
    total[:-1] += frequencies[1:]
    # 1 + 2 + 1 inside; an end has one neighbour less
    weights = np.full(len(frequencies), 4.0)
    weights[0] -= 1
    weights[-1] -= 1
    return np.asarray(total / weights)
