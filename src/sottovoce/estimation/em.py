"""Expectation maximisation: the distribution that makes the counted codes most likely, for any channel's table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats

MAX_SWEEPS = 10_000
"""Likelihoods flatten out long before; this bounds the time on tables of thousands of cells."""


def maximum_likelihood(table: Floats, counts: NDArray[np.int64], *, threshold: float) -> Floats:
    """Return the distribution over cells that a number of expectation-maximisation sweeps reach from the uniform one.

    Every sweep raises the likelihood, which is concave, so the limit is its maximum.

    Args:
        table: The probability of every code given the cell, cells by codes.
        counts: How often each code was reported; uniform is returned if never.
        threshold: The sweep in which the log-likelihood rises by less than this is the last.

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
        if likelihood - before < threshold:
            break
        # E and M step at once: p(cell) times the mean over reports of P(code | cell) / P(code)
        estimate = estimate * ((weights / expected) @ backwards)
        estimate /= estimate.sum()
    return estimate
