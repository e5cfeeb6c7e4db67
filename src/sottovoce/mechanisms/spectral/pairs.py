"""What was counted of a pair, and how probable a table of its two attributes makes it: slope and curvature.

A count is Poisson about kept * frequency + chance, and a frequency is a product first * P * second of two vectors over
cells with the table P; the products of signs that a parity shows are normal. So a change of P moves all expected counts
linearly, and Fisher's information of any directions is a product of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.loglinear import balance, score_sums
from sottovoce.mechanisms.spectral.observations import PairCounts, cell_sums
from sottovoce.mechanisms.spectral.patterns import spans

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
        asked = np.unique(np.concatenate([np.zeros(0, np.intp), *(own.ravel() for own in numbers)]))
        self._grids = _grids(asked, len(self._second))
        order = np.concatenate([np.zeros(0, np.intp), *(grid.products(len(self._second)) for grid in self._grids)])
        place = np.argsort(order)
        numbers = [place[np.searchsorted(asked, own)] for own in numbers]
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
        frequency = self._frequency(joint)
        slope, weight = np.zeros((2, len(frequency)))
        for own, found in (
            (self._cells, self._cells.by_cell(frequency)),
            (self._signs, self._signs.by_sign(frequency)),
        ):
            slope += np.bincount(own.of, found[0], len(frequency))
            weight += np.bincount(own.of, found[1], len(frequency))
        # the table moves by P (u v + alpha + beta), or without u v: sums of products of scores, of rows and of columns
        count = scores[0].shape[1] * scores[1].shape[1]
        turns = np.concatenate([np.eye(count, alpha.shape[1]), alpha, beta])
        few = len(frequency) <= _FEW_ASKED * len(turns)
        # summed are directions, or parts that are turned into directions at the end
        width = turns.shape[1] if few else len(turns)
        slopes, squares = np.zeros(width), np.zeros((width, width))
        root = np.sqrt(weight)[:, None]
        for part, moved in self._parts(joint, scores):
            along = moved @ turns if few else moved
            slopes += slope[part] @ along
            along *= root[part]
            squares += along.T @ along  # of an array and itself: half the work of any other product
        return Expansion(slopes, squares) if few else Expansion(slopes @ turns, turns.T @ squares @ turns)

    def _frequency(self, joint: Floats) -> Floats:
        """Return every frequency."""
        found = [self._first[grid.rows] @ joint @ self._second[grid.columns].T for grid in self._grids]
        return np.concatenate([np.zeros(0), *(own.ravel() for own in found)])

    def _parts(self, joint: Floats, scores: tuple[Floats, Floats]) -> Iterator[tuple[slice, Floats]]:
        """Yield, grid by grid, which frequencies its are, and what they have of the table's movable parts.

        These are every product of scores, every row, and every column.
        """
        count, rows = scores[0].shape[1] * scores[1].shape[1], len(joint)
        start = 0
        for grid in self._grids:
            first, second = self._first[grid.rows], self._second[grid.columns]
            found = np.empty((len(first), len(second), count + sum(joint.shape)))
            # one product of matrices for the grid: functions of all its rows by functions of all its columns
            left = ((first[:, None, :] * scores[0].T) @ joint).reshape(-1, joint.shape[1])
            right = (second[:, None, :] * scores[1].T).reshape(-1, joint.shape[1])
            products = (left @ right.T).reshape(len(first), -1, len(second), scores[1].shape[1])
            found[:, :, :count] = products.transpose(0, 2, 1, 3).reshape(len(first), len(second), count)
            np.multiply(first[:, None], second @ joint.T, out=found[:, :, count : count + rows])
            np.multiply((first @ joint)[:, None], second, out=found[:, :, count + rows :])
            yield slice(start, start + grid.size), found.reshape(grid.size, -1)
            start += grid.size


_Table = tuple[Floats, Floats, Floats, Floats, Floats]
"""Vectors over cells of the one attribute and of the other; then, of all their products: counts, kept and noise."""


@dataclass(frozen=True, slots=True)
class _Grid:
    """Vectors over both attributes' cells of which every product of two was asked, row by row.

    Attributes:
        rows: The numbers of vectors of the one attribute.
        columns: Those of the other.
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]

    @property
    def size(self) -> int:
        """How many products there are."""
        return len(self.rows) * len(self.columns)

    def products(self, width: int) -> NDArray[np.intp]:
        """Return the numbers of all products, if a row of all that could be asked has this width."""
        return (self.rows[:, None] * width + self.columns).ravel()


def _grids(asked: NDArray[np.intp], width: int) -> list[_Grid]:
    """Return the products asked, in order and without repetition, as grids: rows with the same columns together.

    Questions cut attributes into few sets of cells, so that hundreds of rows make some ten grids.
    """
    rows, columns = np.divmod(asked, max(width, 1))
    named, starts = np.unique(rows, return_index=True)
    alike: dict[bytes, list[int]] = {}
    for row, own in zip(named.tolist(), np.split(columns, starts[1:]), strict=False):
        alike.setdefault(own.tobytes(), []).append(row)
    return [_Grid(np.array(own), np.frombuffer(key, dtype=columns.dtype)) for key, own in alike.items()]


def _distinct(vectors: Sequence[Floats], length: int) -> tuple[Floats, list[NDArray[np.intp]]]:
    """Return the distinct ones of vectors of some length, and which of them each was."""
    found, which = np.unique(np.concatenate([np.zeros((0, length)), *vectors]), axis=0, return_inverse=True)
    ends = np.cumsum([len(own) for own in vectors])
    return found, [np.asarray(own) for own in np.split(which.ravel(), ends[:-1])] if vectors else []
