"""What the paper's analysis expects of an error: noise, sampling, and what a grid cannot tell (sections 2.2, 4.5, 4.6).

All errors are squared and expected. The **noise** of a frequency oracle grows a little with the frequency itself; the
**sampling** error comes from asking about a cell only one of m groups of people; the **non-uniformity** error comes
from cells that a query cuts, whose levels are taken as alike. What is left, the estimation error of queries on more
than two attributes, depends on the data and has no formula.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.channels.channel import FrequencyOracle


def support_variance(own: float, foreign: float, *, people: float, frequency: float = 0.0) -> float:
    """Return the variance of an estimated frequency, whatever the oracle (section 4.5, first part; appendix A.10).

    Args:
        own: The chance that a report supports the cell of its own sender: the paper's p.
        foreign: The chance that it supports another cell: the paper's p'.
        people: How many report, n/m in the paper.
        frequency: The cell's true frequency.

    Example:
        >>> round(support_variance(0.5, 0.25, people=1000, frequency=0.1), 7)
        0.0031
    """
    # f p (1 - p) + (1 - f) q (1 - q), over n (p - q)^2: people are as they are, and only their noise is random
    distance = own - foreign
    return (foreign * (1 - foreign) + frequency * distance * (1 - own - foreign)) / (people * distance**2)


def grr_variance(cells: int, epsilon: float, *, people: float, frequency: float = 0.0) -> float:
    """Return the variance of randomised response over so many cells (equation 3, with the frequency's term).

    Args:
        cells: How many cells the question tells apart.
        epsilon: The privacy of one answer.
        people: How many people answer.
        frequency: The true frequency of the cell; 0 leaves its term out.

    Example:
        >>> growth = math.exp(1)
        >>> math.isclose(grr_variance(16, 1.0, people=100), (16 - 2 + growth) / ((growth - 1) ** 2 * 100))
        True
    """
    # p = e^eps / (e^eps + K - 1), q = 1 / (e^eps + K - 1)
    growth = math.exp(epsilon)
    whole = growth + cells - 1
    return support_variance(growth / whole, 1 / whole, people=people, frequency=frequency)


def olh_variance(epsilon: float, *, people: float, frequency: float = 0.0) -> float:
    """Return the variance of optimised local hashing, and of unary encoding (equation 4, with the frequency's term).

    The term is the frequency over the people: 4 e^eps / (n (e^eps - 1)^2) + f / n.

    Args:
        epsilon: The privacy of one answer.
        people: How many people answer.
        frequency: The true frequency of the cell; 0 leaves its term out.

    Example:
        >>> growth = math.exp(1)
        >>> math.isclose(olh_variance(1.0, people=100), 4 * growth / ((growth - 1) ** 2 * 100))
        True
    """
    # p = 1/2, q = 1 / (e^eps + 1): optimised local hashing with g = e^eps + 1
    return support_variance(0.5, 1 / (math.exp(epsilon) + 1), people=people, frequency=frequency)


def channel_variance(channel: FrequencyOracle, *, people: float, frequency: float = 0.0) -> float:
    """Return the variance of a channel's own estimate of a cell: that of its integers, not of a formula's e^epsilon.

    Args:
        channel: The channel, with its integers.
        people: How many people answer.
        frequency: The true frequency of the cell.
    """
    support = channel.support()
    return support_variance(support.own, support.foreign, people=people, frequency=frequency)


def sampling_variance(frequency: float, *, people: int, groups: int) -> float:
    """Return how far a cell's frequency in one of ``groups`` equal groups is from that in all people, squared.

    Section 4.5, second part: (m - 1) / (n - 1) f (1 - f), for groups drawn without replacement.

    Args:
        frequency: The true frequency of the cell among all.
        people: How many people there are, at least two.
        groups: Into how many groups of the same size they are dealt.

    Example:
        >>> sampling_variance(0.5, people=101, groups=5)
        0.01
    """
    return (groups - 1) / (people - 1) * frequency * (1 - frequency)


def uniform_guess(weights: Floats, blocks: NDArray[np.intp]) -> Floats:
    """Return the part of every block that a query covers, its levels taken as alike.

    Args:
        weights: The weight of each level: 1 inside the query, 0 outside.
        blocks: The block of each level.

    Example:
        >>> uniform_guess(np.array([0.0, 1.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
        array([0.5, 1. ])
    """
    return np.asarray(np.bincount(blocks, weights=weights) / np.bincount(blocks))


@dataclass(frozen=True, slots=True)
class ErrorParts:
    """The expected squared error of one query on one grid, taken apart (section 4.5).

    Attributes:
        noise: Of the frequency oracle, its cells taken as independent.
        sampling: Of asking one group for everybody.
        non_uniformity: Of the cells that the query cuts; not random, so it is the square of a bias.
    """

    noise: float
    sampling: float
    non_uniformity: float

    @property
    def total(self) -> float:
        """All three together; they do not depend on each other."""
        return self.noise + self.sampling + self.non_uniformity


def decompose_error(
    distribution: Floats,
    query: Sequence[Floats],
    blocks: Sequence[NDArray[np.intp]],
    *,
    channel: FrequencyOracle,
    people: int,
    groups: int,
) -> ErrorParts:
    """Return the parts of a query's error on one grid, before any post-processing.

    Args:
        distribution: The true frequency of every combination of levels, an axis for each attribute of the grid.
        query: For each attribute the weight of every level.
        blocks: For each attribute the bin of every level.
        channel: What the grid is asked through, its cells all combinations of bins.
        people: How many take part, in all groups.
        groups: How many groups they are divided into.
    """
    cells, covered, truth = distribution, np.ones(()), distribution
    for axis, (weights, bins) in enumerate(zip(query, blocks, strict=True)):
        cells = np.add.reduceat(cells, np.flatnonzero(np.diff(bins, prepend=-1)), axis=axis)
        covered = np.multiply.outer(covered, uniform_guess(weights, bins))
    for weights in reversed(query):
        truth = truth @ weights
    # what the grid would answer without noise: each cell's frequency times the part of it that is covered
    guess = float((covered * cells).sum())
    own = people / groups
    noise = sum(
        weight**2 * channel_variance(channel, people=own, frequency=frequency)
        for weight, frequency in zip(covered.ravel().tolist(), cells.ravel().tolist(), strict=True)
    )
    # the variance over people of what each adds to the answer; groups drawn without replacement have m - 1 of n - 1
    spread = float((covered**2 * cells).sum()) - guess**2
    return ErrorParts(noise, (groups - 1) / (people - 1) * spread, (guess - float(truth)) ** 2)


def guideline_error_1d(granularity: float, *, epsilon: float, people: float, alpha: float) -> float:
    """Return what the guideline for 1-D grids is made to lower (section 4.6): half of all cells' noise, (alpha / g)^2.

    It is least at the cube root of n1 (e^eps - 1)^2 alpha^2 / (m1 e^eps); the paper's g1 has 2 m1 there instead, and
    is lower by the cube root of two. `guideline_1d` is the paper's.

    Args:
        granularity: How many cells the grid has.
        epsilon: The privacy of each person.
        people: How many report on the grid, n1/m1.
        alpha: The constant of non-uniformity.
    """
    # a range of half the domain holds g / 2 cells, and cuts cells at its two ends
    return granularity / 2 * olh_variance(epsilon, people=people) + (alpha / granularity) ** 2


def guideline_error_2d(granularity: float, *, epsilon: float, people: float, alpha: float) -> float:
    """Return what the guideline for 2-D grids minimises (section 4.6): a quarter of all noise, and (2 alpha / g)^2.

    Args:
        granularity: How many bins the grid has along each attribute.
        epsilon: The privacy of each person.
        people: How many report on the grid, n2/m2.
        alpha: The constant of non-uniformity.
    """
    return (granularity / 2) ** 2 * olh_variance(epsilon, people=people) + (2 * alpha / granularity) ** 2
