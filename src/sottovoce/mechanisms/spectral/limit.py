"""The limit: the least error that any locally private scheme could have under the design's own prior.

Given what a report says, a record's likelihood ratio lies between a and e^epsilon a and has mean 1, so its variance,
the information of a report summed over all orthonormal coefficients, is at most ``kappa = sinh^2(epsilon / 2)``.
Spreading n kappa over the coefficients so that the expected error is least is **water-filling**. A domain of few levels
allows less, because a report can only single out a whole number of levels: `domain_limit`. Proofs are in
docs/design/limit.md.
"""

from __future__ import annotations

from math import exp, sinh

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.blocks import Groups
from sottovoce.mechanisms.spectral.design import expected_error, slopes

_GAP = 1e-3  # the domain's limit is found to that part of itself
_MOST_STEPS = 4000


def kappa(epsilon: float) -> float:
    """Return the most information that a report can carry, over all coefficients together.

    Example:
        >>> [round(kappa(epsilon), 4) for epsilon in (0.5, 1, 2, 4)]
        [0.0638, 0.2715, 1.3811, 13.1541]
    """
    return sinh(epsilon / 2) ** 2


def water_filling(groups: Groups, epsilon: float, users: float) -> Floats:
    """Return the information on a coefficient of each group that makes the expected error least.

    The sum over all coefficients is at most ``users * kappa``, and none gets more than ``users``. Where it is between
    those bounds, a coefficient's slope is the same as any other's: the level of the water, found by halving.

    Args:
        groups: The groups of coefficients, with prior and weight.
        epsilon: The privacy of one answer.
        users: How many people report.
    """
    weight, variance = groups.weight, groups.variance
    low, high = -100.0, 100.0
    for _ in range(200):
        level = (low + high) / 2
        # w (v / (1 + v I))^2 = e^level solved for I (design/limit.md, Designs), between its bounds 0 and n
        filled = np.clip((np.sqrt(weight / exp(level)) * variance - 1) / variance, 0.0, users)
        if groups.coefficients @ filled > users * kappa(epsilon):
            low = level
        else:
            high = level
    return np.asarray(filled)


def limit(groups: Groups, epsilon: float, users: float) -> float:
    """Return the expected squared error of water-filling: no design has less.

    Args:
        groups: The groups of coefficients, with prior and weight.
        epsilon: The privacy of one answer.
        users: How many people report.
    """
    return expected_error(groups, water_filling(groups, epsilon, users))


def domain_limit(groups: Groups, epsilon: float, users: float) -> float:
    """Return the same for one attribute of N levels, of which a report can single out 1, 2, 3, ... but no part.

    A code that singles out s levels, f = s/N of the domain, carries ``(e^eps - 1)^2 f (1 - f) / (1 + f (e^eps - 1))^2``
    over all coefficients, and on any one at most ``f / (1 - f)`` of that. The best mixture over s is found by the
    method of Frank and Wolfe; what is returned is its lower bound.

    Args:
        groups: The groups of coefficients of one attribute.
        epsilon: The privacy of one answer.
        users: How many people report.

    Raises:
        ValueError: If there are several attributes.
    """
    if len(groups.axes) != 1:
        raise ValueError(f"the limit of a domain is computed for one attribute, got {len(groups.axes)}")
    levels = 1 << groups.axes[0].bands
    # f = s / N for s up to half the levels: of a code for more and one for the rest, the latter carries more
    part = np.arange(1, levels // 2 + 1) / levels
    # information on one coefficient: f / (1 - f) of (e^eps - 1)^2 f (1 - f) / (1 + f (e^eps - 1))^2
    each = ((exp(epsilon) - 1) * part / (1 + part * (exp(epsilon) - 1))) ** 2
    known, best = np.zeros(len(groups.weight)), 0.0
    for _ in range(_MOST_STEPS):
        slope, error = slopes(groups, known), expected_error(groups, known)
        corner = users * _best_corner(groups.coefficients, slope, part, each)
        # the error is convex, so it lies above its tangent: error - gap is a lower bound (Frank and Wolfe)
        gap = float(groups.coefficients @ (slope * (corner - known)))
        best = max(best, error - gap)
        if gap < _GAP * error:
            break
        known = known + _step(groups, known, corner - known) * (corner - known)
    return best


def _best_corner(coefficients: Floats, slope: Floats, part: Floats, each: Floats) -> Floats:
    """Return the information of the code that saves most: all it can on the steepest coefficients."""
    order = np.argsort(-slope, kind="stable")
    before = np.cumsum(coefficients[order]) - coefficients[order]
    room = np.clip((1 / part - 1)[:, None] - before, 0, coefficients[order])  # coefficients that can have all of it
    chosen = int((each * (room @ slope[order])).argmax())
    result = np.zeros(len(slope))
    result[order] = each[chosen] * room[chosen] / coefficients[order]
    return result


def _step(groups: Groups, known: Floats, direction: Floats) -> float:
    """Return how far to go, by halving: until the error no longer falls."""
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        falls = groups.coefficients @ (slopes(groups, known + middle * direction) * direction) > 0
        low, high = (middle, high) if falls else (low, middle)
    return low


def query_limit(indicators: NDArray[np.bool_], epsilon: float, users: float) -> float:
    """Return the least mean squared error that unbiased answers to queries can have, for the distribution of a crowd.

    ``(trace sqrt G)^2 / (n kappa)``, G being the mean outer product of the centred queries in L2 of the crowd. Its
    eigenvalues are those of the covariance of the queries' indicators over people, divided by the number of queries.

    Args:
        indicators: Queries by people: whether each person counts.
        epsilon: The privacy of each person.
        users: How many people report.
    """
    # (trace sqrt G)^2 / (n kappa), design/limit.md, Queries
    centred = indicators - indicators.mean(axis=1, keepdims=True)
    gram = centred @ centred.T / (centred.shape[1] * len(centred))
    return float(np.sqrt(np.clip(np.linalg.eigvalsh(gram), 0, None)).sum() ** 2 / (users * kappa(epsilon)))
