"""Scores: numbers given to an attribute's levels, in whose products the dependence of two attributes is described.

Of an ordered attribute the first is its normal score, the mean of a standard normal variable over the part of it that a
level stands for: two attributes that go together as a bivariate normal do, whatever their own shapes, then have one
number for their dependence. Further ones are cosines of the rank, finer and finer. Without order every value has a
score of its own, and so has "no answer". Scores follow where people are, not the values, so that money and minutes are
alike, and they are scaled to their prior standard deviations.

Many levels are joined into cells: dependence is smooth, and rare values of a long list tell little of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.belief import BELIEF, Belief
from sottovoce.mechanisms.spectral.walsh import Axis

_MOST_CELLS = 64  # of an ordered attribute, "no answer" left aside
_MOST_VALUES = 20  # of one without order: those with the most people, and all others together
_LEAST_SHARE = 1e-3  # of people at a value, for the size of its own score
_LEAST_CELL = 1e-9  # of people in a cell: what is nobody to the counts must not divide by nothing
_REACH = 4.0  # normal scores are cut there


@dataclass(frozen=True, slots=True)
class Cells:
    """The levels of an attribute joined into cells.

    Attributes:
        of: The cell of every level.
        count: How many cells there are.
    """

    of: NDArray[np.intp]
    count: int

    @classmethod
    def joining(cls, axis: Axis, levels: Floats) -> Cells:
        """Return the cells of an attribute with this distribution of levels."""
        if axis.ordered:
            values = axis.size - axis.nullable
            count = min(values, _MOST_CELLS)
            own = np.arange(values) * count // values
            return cls(np.concatenate([own, [count]]) if axis.nullable else own, count + axis.nullable)
        if axis.size <= _MOST_VALUES:
            return cls(np.arange(axis.size), axis.size)
        rank = np.argsort(np.argsort(-levels, kind="stable"), kind="stable")
        return cls(np.minimum(rank, _MOST_VALUES - 1), _MOST_VALUES)

    def sums(self, levels: Floats) -> Floats:
        """Return sums over the levels of every cell; levels come first."""
        result = np.zeros((self.count, *levels.shape[1:]))
        np.add.at(result, self.of, levels)
        return result

    def within(self, levels: Floats) -> Floats:
        """Return the distribution of levels within every cell: levels by cells."""
        result = np.zeros((len(self.of), self.count))
        result[np.arange(len(self.of)), self.of] = np.maximum(levels, _LEAST_CELL)
        return np.asarray(result / result.sum(axis=0))


def scores(axis: Axis, cells: Floats, *, most: int, belief: Belief = BELIEF) -> Floats:
    """Return the scores of an attribute's cells, cells by scores; over people each has the mean zero.

    Args:
        axis: The attribute.
        cells: The distribution of people over its cells.
        most: How many scores an ordered attribute has at most.
        belief: How large they are.
    """
    count = len(cells)
    values = count - (axis.ordered and axis.nullable)
    columns: list[Floats] = []
    own = belief.value_score * np.diag(np.maximum(cells, _LEAST_SHARE) ** -0.5)
    if axis.ordered:
        if axis.nullable:
            columns.append(own[:, -1])
        ranked = np.zeros((count, min(most, values - 1)))
        ranked[:values] = _ranked(cells[:values] / cells[:values].sum(), ranked.shape[1], belief.score_decay)
        columns.extend(ranked.T)
    else:
        columns.extend(own.T)
    result = np.stack(columns, axis=1) if columns else np.zeros((count, 0))
    return np.asarray(result - cells @ result)


def _ranked(people: Floats, count: int, decay: float) -> Floats:
    """Return the normal score and cosines of the rank, of prior standard deviations 1, 2^-decay, 3^-decay, ..."""
    if not count:
        return np.zeros((len(people), 0))
    normal = NormalDist()
    ends = np.clip(np.concatenate([[0.0], np.cumsum(people)]), _LEAST_CELL, 1 - _LEAST_CELL)
    density = np.array([normal.pdf(normal.inv_cdf(end)) for end in ends.tolist()])
    middle = (ends[:-1] + ends[1:]) / 2
    narrow = np.diff(ends) < 1e-7
    # the mean of a normal variable between two of its quantiles; of next to nothing, the quantile itself
    first = np.where(
        narrow,
        [normal.inv_cdf(rank) for rank in middle.tolist()],
        -np.diff(density) / np.where(narrow, 1.0, np.diff(ends)),
    )
    first = np.clip(first, -_REACH, _REACH)
    first -= people @ first
    first /= np.sqrt(max(float(people @ first**2), 1e-12))
    found = [first]
    for number in range(2, count + 1):
        wave = np.sqrt(2) * np.cos(np.pi * number * middle)
        wave -= people @ wave + (people @ (wave * first)) * first
        found.append(number**-decay * wave)
    return np.stack(found, axis=1)


def unit_scores(cells: Floats, given: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Return functions of the cell that span the scores, uncorrelated and of variance 1, and which score each adds.

    Args:
        cells: The distribution of people over cells.
        given: Scores, cells by scores; each function adds one of them to those before.
    """
    root = np.sqrt(cells)[:, None]
    orthogonal, triangle = np.linalg.qr(given * root)
    size = np.abs(np.diag(triangle))
    # what the scores before it already span: the last value of a list follows from the others
    kept = np.flatnonzero(size > 1e-6 * np.linalg.norm(given * root, axis=0).max(initial=1e-300))
    signs = np.where(np.diag(triangle) < 0, -1.0, 1.0)
    return (orthogonal * signs)[:, kept] / root, kept
