"""Raking: weights for levels that bring the marginals of a distribution to known ones, one attribute after another.

Reference: Deming and Stephan, "On a least squares adjustment of a sampled frequency table", 1940.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import QueryError

ROUNDS = 200
TOLERANCE = 1e-9
"""When the largest difference to a known fraction is below this, or after so many rounds, it is done."""

Floats = NDArray[np.float64]
Cells = tuple[NDArray[np.intp], Floats]
"""For every level its cell, and for every cell its known fraction."""


def rake(
    marginal: Callable[[int, Mapping[int, Floats]], Floats], known: Mapping[int, Cells], sizes: Sequence[int]
) -> dict[int, Floats]:
    """Return weights per level, by attribute, under which every known cell has its fraction.

    Args:
        marginal: (attribute, weights) -> the attribute's marginal if levels counted by the weights.
        known: For each attribute the cell of every level and the fraction of every cell.
        sizes: How many levels each attribute has.
    """
    weights = {place: np.ones(sizes[place]) for place in known}
    for _ in range(ROUNDS):
        worst = 0.0
        for place, (cell_of, fractions) in known.items():
            present = np.bincount(cell_of, marginal(place, weights), minlength=len(fractions))
            if np.any((present <= 0) & (fractions > 0)):
                raise QueryError("the model sees nobody where a known fraction is above 0: join it with its neighbours")
            worst = max(worst, float(np.abs(present - fractions).max()))
            weights[place] = (
                weights[place] * np.where(fractions > 0, fractions / np.maximum(present, 1e-300), 0)[cell_of]
            )
        if worst < TOLERANCE:
            return weights
    if worst > 1e-4:
        raise QueryError(
            f"no weights bring all marginals to what is known: after {ROUNDS} rounds one is still off by {worst:.2g}; "
            "calibrate to fewer attributes, or to broader bands"
        )
    return weights
