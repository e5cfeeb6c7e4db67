"""Maximum entropy: the flattest answers to all 2^lambda sub-queries that agree with all four quadrants of each pair.

Solved by iterative proportional fitting, which converges to the maximum-entropy solution (appendix of the paper).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from sottovoce._types import Floats
from sottovoce.estimation.weighted_update import iterate, scale


def from_quadrants(quadrants: Floats, *, threshold: float) -> Floats:
    """Return the all-inside answers of lambda-dimensional queries from the quadrants of their pairs.

    Args:
        quadrants: Shape (lambda, lambda, 2, 2, queries), entries above the diagonal read: the answers with the first
            and the second attribute outside (0) or inside (1). Negative ones count as zero.
        threshold: A query is done when its vector of 2^lambda answers changes by less than this in a sweep.
    """
    wanted = np.maximum(quadrants, 0.0)
    totals = wanted.sum(axis=(2, 3), keepdims=True)
    wanted = np.divide(wanted, totals, out=np.full_like(wanted, 0.25), where=totals > 0)

    def sweep(vectors: Floats, active: Floats) -> None:
        dimensions = len(active)
        for first, second in combinations(range(dimensions), 2):
            others = tuple(axis for axis in range(dimensions) if axis not in (first, second))
            # scaling by wanted / present is the I-projection onto one pair's constraints (Csiszar, 1975)
            factors = scale(active[first, second], vectors.sum(axis=others))
            vectors *= np.expand_dims(factors, others)

    return iterate(wanted, sweep, threshold=threshold)
