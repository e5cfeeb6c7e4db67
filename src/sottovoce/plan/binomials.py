"""Binomial distributions cut where next to nothing is left, with a bound of what was cut."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOG_TAIL = 60.0
"""To either side, less than e^-60 lies beyond where a count is followed."""


def binomial(number: int, chance: float) -> tuple[int, NDArray[np.float64]]:
    """Return the first count that is followed, and bounds on the probabilities of that and of those after it.

    By Bernstein's inequality what lies further off than t, to one side, has a probability of at most e^-L where
    t^2 = 2 L (variance + t / 3). Divided by their sum, the others are no smaller than they are.

    Args:
        number: How many draws there are.
        chance: The probability of each, below 1.

    Example:
        >>> binomial(2, 0.5)[1].tolist()
        [0.25, 0.5, 0.25]
    """
    import numpy as np

    mean, variance = number * chance, number * chance * (1 - chance)
    reach = LOG_TAIL / 3 + math.sqrt(LOG_TAIL**2 / 9 + 2 * LOG_TAIL * variance)
    start, end = max(0, math.floor(mean - reach)), min(number, math.ceil(mean + reach))
    if chance <= 0:
        return 0, np.ones(1)
    counts = np.arange(start, end, dtype=np.float64)
    steps = np.log((number - counts) / (counts + 1)) + math.log(chance / (1 - chance))
    logarithms = np.append(0.0, np.cumsum(steps))
    chances = np.exp(logarithms - logarithms.max())
    return start, chances / chances.sum()
