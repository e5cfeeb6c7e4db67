"""Norm-Sub: make noisy frequencies non-negative and add up to one (section 4.2 of the paper)."""

from __future__ import annotations

import numpy as np

from sottovoce._types import Floats


def norm_sub(frequencies: Floats) -> Floats:
    """Return non-negative frequencies that add up to one.

    Negative estimates become zero and the excess is taken from the positive ones alike, until none is negative. This is
    the paper's procedure; it is nearly, not always, the closest such vector.

    Example:
        >>> norm_sub(np.array([0.75, 0.5, -0.25]))
        array([0.625, 0.375, 0.   ])
    """
    settled = np.maximum(frequencies, 0.0)
    while True:
        positive = settled > 0
        # all estimates are noise below zero: nothing is known, so uniform
        if not positive.any():
            return np.full_like(settled, 1.0 / settled.size)
        # projection onto the simplex subtracts one number from all that stay positive; found by repetition
        settled[positive] -= (settled.sum() - 1.0) / np.count_nonzero(positive)
        if (settled >= 0).all():
            return settled
        np.maximum(settled, 0.0, out=settled)
