"""What was counted of a pair, and how probable a table of its two attributes makes it: slope and curvature.

A count is Poisson about kept * frequency + chance, and a frequency is a product first * P * second of two vectors over
cells with the table P; the products of signs that a parity shows are normal. So a change of P moves all expected counts
linearly, and Fisher's information of any directions is a product of matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.loglinear import balance, score_sums
from sottovoce.mechanisms.spectral.observations import PairCounts, cell_sums
from sottovoce.mechanisms.spectral.patterns import spans

_FEW_UNASKED = 6  # products of two vectors in all, for each that was asked: up to there all at once are quicker
_FEW_ASKED = 2  # of them, for each part of a table that moves: up to there each is turned into directions, not sums


@dataclass(frozen=True, slots=True)
class _Counts:
    """Counts, each of one frequency; all arrays are alike.

    Attributes:
        of: The number of the frequency that each count is of.
        counts: What was counted; of a parity without what chance adds.
        kept: By how much a frequency of one is counted.
        noise: What chance adds; of a parity the reports, which are the variance.
    """

    of: NDArray[np.intp]
    counts: Floats
    kept: Floats
    noise: Floats

    @classmethod
    def joining(cls, parts: Sequence[tuple[NDArray[np.intp], Floats, Floats, Floats]]) -> _Counts:
        """Return all of these together."""
        joined = [np.concatenate([array.ravel() for array in column]) for column in zip(*parts, strict=True)]
        return cls(*joined) if joined else cls(np.zeros(0, np.intp), *([np.zeros(0)] * 3))

    def by_cell(self, frequency: Floats) -> tuple[Floats, Floats]:
        """Return the slope of the log probability by the frequency of each count, and its information."""
        occurs = self.noise > 0
        expected = np.where(occurs, self.kept * np.maximum(frequency[self.of], 0.0) + self.noise, 1.0)
        kept = np.where(occurs, self.kept, 0.0)
        return kept * (self.counts / expected - 1), kept**2 / expected

    def by_sign(self, frequency: Floats) -> tuple[Floats, Floats]:
        """Return the same of the products of signs that parities show."""
        weight = self.kept / np.maximum(self.noise, 1.0)
        return weight * (self.counts - self.kept * frequency[self.of]), weight * self.kept


@dataclass(frozen=True, slots=True)
class Expansion:
    """The log probability of what was counted of a pair, about a table, along some directions.

    Attributes:
        slope: Its slope.
        information: Minus its curvature, as Fisher has it.
    """

    slope: Floats
    information: Floats


class Pair:
    """All that was counted of a pair.

    Args:
        counts: What was counted.
        first: The sums of every Walsh function over the cells of the one attribute, functions by cells.
        second: The same of the other.
    """

    def __init__(self, counts: Sequence[PairCounts], first: Floats, second: Floats) -> None:
        cells: list[_Table] = []
        signs: list[_Table] = []
        for own in counts:
            products = [spans(functions) for functions in own.functions]
            if own.reports is None:
                vectors = cell_sums(products[0], first), cell_sums(products[1], second)
                across = vectors[0].shape[1], vectors[1].shape[1]
                counted, chance = (
                    array.transpose(0, 2, 1, 3).reshape(len(vectors[0]) * across[0], -1)
                    for array in (own.counts, own.chance)
                )
                kept = np.repeat(np.repeat(own.kept, across[0], axis=0), across[1], axis=1)
                flat = [vector.reshape(-1, vector.shape[-1]) for vector in vectors]
                cells.append((flat[0], flat[1], counted, kept, chance))
            else:
                for index in range(1, products[0].shape[1]):
                    vectors = first[products[0][:, index]], second[products[1][:, index]]
                    signs.append((*vectors, own.counts[..., index], own.kept, own.reports))
        # many questions share their cuts, so each vector and each product of two of them stands here once
        self._first, one = _distinct([part[0] for part in (*cells, *signs)], first.shape[1])
        self._second, other = _distinct([part[1] for part in (*cells, *signs)], second.shape[1])
        numbers = [rows[:, None] * len(self._second) + columns for rows, columns in zip(one, other, strict=True)]
        self._asked = np.unique(np.concatenate([np.zeros(0, np.intp), *(own.ravel() for own in numbers)]))
        numbers = [np.searchsorted(self._asked, own) for own in numbers]
        self._cells = _Counts.joining([(of, *part[2:]) for of, part in zip(numbers, cells, strict=False)])
        self._signs = _Counts.joining([(of, *part[2:]) for of, part in zip(numbers[len(cells) :], signs, strict=True)])

    def expand(
        self, joint: Floats, scores: tuple[Floats, Floats], moves: tuple[Floats, Floats] | None = None
    ) -> Expansion:
        """Return the log probability about a table, by the products of scores and by changes of the sums.

        Args:
            joint: The table.
            scores: The scores of rows and of columns, in whose products the interaction moves.
            moves: How the sums of rows and of columns move, by direction; left as they are if not given.

        Returns:
            Along the products of scores, then directions of rows, then of columns.
        """
        rows, columns = (-sums for sums in score_sums(joint, *scores))
        if moves is not None:
            none = [np.zeros((len(own), other.shape[1])) for own, other in ((rows, moves[1]), (columns, moves[0]))]
            rows, columns = np.hstack([rows, moves[0], none[0]]), np.hstack([columns, none[1], moves[1]])
        alpha, beta = balance(joint, rows, columns)
        frequency = (self._first @ joint @ self._second.T).ravel()[self._asked]
        slope, weight = np.zeros((2, len(frequency)))
        for own, found in (
            (self._cells, self._cells.by_cell(frequency)),
            (self._signs, self._signs.by_sign(frequency)),
        ):
            slope += np.bincount(own.of, found[0], len(frequency))
            weight += np.bincount(own.of, found[1], len(frequency))
        # the table moves by P (u v + alpha + beta), or without u v: sums of products of scores, of rows and of columns
        parts = self._parts(joint, scores)
        count = parts.shape[1] - len(alpha) - len(beta)
        turns = np.concatenate([np.eye(count, alpha.shape[1]), alpha, beta])
        few = len(parts) <= _FEW_ASKED * len(turns)
        if few:
            parts = parts @ turns
        slopes = slope @ parts
        parts *= np.sqrt(weight)[:, None]
        squares = parts.T @ parts  # of an array and itself: half the work of any other product
        return Expansion(slopes, squares) if few else Expansion(slopes @ turns, turns.T @ squares @ turns)

    def _parts(self, joint: Floats, scores: tuple[Floats, Floats]) -> Floats:
        """Return what every frequency has of every product of scores, of every row and of every column of a table."""
        first, second = self._first, self._second
        one, other = np.divmod(self._asked, len(second))
        count = scores[0].shape[1] * scores[1].shape[1]
        result = np.empty((len(one), count + sum(joint.shape)))
        np.multiply(first[one], (second @ joint.T)[other], out=result[:, count : count + len(joint)])
        np.multiply((first @ joint)[one], second[other], out=result[:, count + len(joint) :])
        left = (first[:, None, :] * scores[0].T) @ joint
        right = second[:, None, :] * scores[1].T
        if len(first) * len(second) <= _FEW_UNASKED * len(one):
            products = np.tensordot(left, right, ([2], [2]))[one, :, other]
            result[:, :count] = products.reshape(len(one), count)
            return result
        ends = np.searchsorted(one, np.arange(len(first) + 1)).tolist()
        for row, ends_of in zip(left, pairwise(ends), strict=True):
            part = slice(*ends_of)
            result[part, :count] = (row @ right[other[part]].transpose(0, 2, 1)).reshape(-1, count)
        return result


_Table = tuple[Floats, Floats, Floats, Floats, Floats]
"""Vectors over cells of the one attribute and of the other; then, of all their products: counts, kept and noise."""


def _distinct(vectors: Sequence[Floats], length: int) -> tuple[Floats, list[NDArray[np.intp]]]:
    """Return the distinct ones of vectors of some length, and which of them each was."""
    found, which = np.unique(np.concatenate([np.zeros((0, length)), *vectors]), axis=0, return_inverse=True)
    ends = np.cumsum([len(own) for own in vectors])
    return found, [np.asarray(own) for own in np.split(which.ravel(), ends[:-1])] if vectors else []
