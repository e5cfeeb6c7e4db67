"""Direct answers of mechanisms made of grids: what the reports themselves say, unbiased.

A model of grids is smoothed: made non-negative, consistent, scaled. Beside it stands the raw estimate y of every cell.
With M_c the model's mass in cell c and f_c the mean of a query's weights within it, by the model, the direct answer is

    model + sum over cells of f_c (y_c - M_c)  =  sum over cells of f_c y_c.

At a single attribute several grids look: its finest bins are estimated by weighted least squares from all of them.
Weights of a pair of attributes are a constant, a function of each attribute, and what is left, which adds up to nothing
over every row and column of cells. The constant needs no report, the functions are answered as single attributes are,
and what is left by the pair's own grid, or by least squares from all grids of its hierarchy. Since the cells of a grid
are about equally noisy, these parts do not share noise, and no other weights would have less. Since frequencies add up
to one, which raw estimates of local hashing do not, weights of a grid are taken less their mean and the mean added.

The variance is that of the channels (`sottovoce.channels.support`), added up over grids. Which people stand where
within a cell nobody was asked: if weights differ there, the model's mean may be off by half their standard deviation,
independently from cell to cell, as in the model's own intervals (`PairwiseModel.bias`); that is added.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.raw_grids import RawGrid
from sottovoce.query.batch import Batch

HIDDEN = 0.25
"""The square of how many standard deviations of a query's weights within a cell their mean there may be off by."""


@dataclass(frozen=True, slots=True)
class _Part:
    """How weights of the same attributes are answered.

    Attributes:
        weights: Of the cells of each grid, by number.
        hidden: What cells hide: the variance of weights within them, times the square of their masses, added up.
        known: What needs no report.
    """

    weights: dict[int, Floats]
    hidden: float = 0.0
    known: float = 0.0


@dataclass(frozen=True, slots=True)
class _Single:
    """How one attribute is answered from all grids that look at it.

    Attributes:
        members: The finest bins by blocks: the model's distribution of blocks within each.
        masses: The model's mass of every finest bin.
        shares: For each grid (by number) the matrix from weights of finest bins to weights of its own bins.
    """

    members: Floats
    masses: Floats
    shares: dict[int, Floats]


@dataclass(frozen=True, slots=True)
class _Pair:
    """How a pair of attributes is answered from its grid.

    Attributes:
        rows: The matrix that adds blocks of the first attribute up into the grid's bins.
        columns: The same for the second.
        within: The model's distribution of pairs of blocks within each cell.
        masses: The model's mass of every cell.
    """

    rows: Floats
    columns: Floats
    within: Floats
    masses: Floats

    def means(self, blocks: Floats) -> Floats:
        """Return the mean in every cell of weights of pairs of blocks."""
        return np.asarray(self.rows @ (self.within * blocks) @ self.columns.T)


@dataclass(frozen=True, slots=True)
class _Hierarchy:
    """How a pair of attributes is answered from all combinations of the depths of two trees.

    With Z the matrix (nodes by leaves) of a depth of a tree, N the sum of Z' Z over its depths and S = Z N^-1, leaves
    fit the estimates of all nodes best (least squares) if weights F of leaves weigh the nodes at two depths by S F S',
    each side of its own tree: the normal matrix of all combinations is the Kronecker product of the two trees'. Both
    roots together hold everybody.

    Attributes:
        shares: For each grid the matrices S of its two depths.
        roots: The same of both roots.
    """

    shares: dict[int, tuple[Floats, Floats]]
    roots: tuple[Floats, Floats]

    @classmethod
    def of(cls, grids: Mapping[int, RawGrid]) -> _Hierarchy | None:
        """Return how the grids, by number, answer; None if a combination of depths other than the roots is missing."""
        shares: list[dict[bytes, Floats]] = []
        for axis in (0, 1):
            depths = {grid.bins[axis].tobytes(): grid.bins[axis] for grid in grids.values()}
            holding = {key: _cell_sums(bins, int(bins.max()) + 1) for key, bins in depths.items()}
            inverse = np.linalg.inv(np.sum([own.T @ own for own in holding.values()], axis=0))
            shares.append({key: own @ inverse for key, own in holding.items()})
        first, second = shares
        roots = [next((share for share in own.values() if len(share) == 1), None) for own in shares]
        if roots[0] is None or roots[1] is None or len(grids) != len(first) * len(second) - 1:
            return None
        own = {
            number: (first[grid.bins[0].tobytes()], second[grid.bins[1].tobytes()]) for number, grid in grids.items()
        }
        return cls(own, (roots[0], roots[1]))

    def part(self, leaves: Floats) -> _Part:
        """Return the weights of nodes that answer weights of pairs of leaves."""
        weights = {number: rows @ leaves @ columns.T for number, (rows, columns) in self.shares.items()}
        rows, columns = self.roots
        return _Part(weights, known=float((rows @ leaves @ columns.T).sum()))


class DirectAnswers:
    """Direct answers to sums of products of weights.

    Args:
        grids: The raw grids.
        averages: For each attribute, the matrix (levels by blocks) that averages weights over blocks.
        singles: For each attribute, the model's mass of every block.
        matrices: For each pair, that of every pair of blocks.
    """

    def __init__(
        self,
        grids: Sequence[RawGrid],
        averages: Sequence[Floats],
        singles: Sequence[Floats],
        matrices: Mapping[tuple[int, int], Floats],
    ) -> None:
        self.grids, self._averages = list(grids), list(averages)
        self._masses = [np.maximum(single, 0.0) for single in singles]
        self._matrices = {pair: np.maximum(matrix, 0.0) for pair, matrix in matrices.items()}
        self._sizes = [np.count_nonzero(average, axis=0) for average in averages]
        self._numbers: dict[tuple[int, ...], list[int]] = {}
        for number, grid in enumerate(self.grids):
            self._numbers.setdefault(grid.attributes, []).append(number)

    def answer(self, batch: Batch, sums: Floats) -> tuple[Floats, Floats]:
        """Return the direct answer to each sum of a batch's queries, and its standard error; NaN where there is none.

        Args:
            batch: The queries.
            sums: What each sum (row) takes of every query.
        """
        answers, errors = np.full(len(sums), np.nan), np.full(len(sums), np.nan)
        named, rows = _named(batch), _rows(batch)
        for row, amounts in enumerate(sums):
            products: dict[tuple[int, ...], list[int]] = {}
            for query in np.flatnonzero(amounts).tolist():
                products.setdefault(named[query], []).append(query)
            found = self._sum(batch, rows, amounts, products)
            if found is not None:
                answers[row], errors[row] = found[0], math.sqrt(found[1])
        return answers, errors

    def _sum(
        self,
        batch: Batch,
        rows: Mapping[int, NDArray[np.intp]],
        amounts: Floats,
        products: Mapping[tuple[int, ...], list[int]],
    ) -> tuple[float, float] | None:
        """Return one sum's direct answer and variance; None if it has attributes that were not asked together."""
        value, hidden = 0.0, 0.0
        weights: dict[int, Floats] = {}
        for attributes, queries in products.items():
            own = [batch.selections[index].weights[rows[index][queries]] for index in attributes]
            part = self._part(attributes, amounts[queries], own)
            if part is None:
                return None
            value += part.known
            hidden += part.hidden
            for number, of_cells in part.weights.items():
                weights[number] = weights.get(number, 0.0) + of_cells
        variance = HIDDEN * hidden
        for number, of_cells in weights.items():
            grid = self.grids[number]
            mean = float(of_cells.mean())
            value += mean + float(((of_cells - mean) * grid.estimates).sum())
            variance += grid.support.variance(of_cells - mean, grid.estimates, grid.reports)
        return value, variance

    def _part(self, attributes: tuple[int, ...], amounts: Floats, levels: list[Floats]) -> _Part | None:
        """Return how a sum of products of weights of the same attributes is answered; None if they were not asked."""
        numbers = self._numbers.get(attributes, [])
        if not attributes:
            return _Part({}, known=float(amounts.sum()))
        if len(attributes) == 1:
            single = self._singles[attributes[0]]
            return None if single is None else self._one(attributes[0], single, amounts @ levels[0])
        if len(numbers) == 1:
            return self._two(attributes, amounts, levels)
        hierarchy = self._hierarchies.get(attributes)
        if hierarchy is None:
            return None
        known, rows, columns, left = _additive(self._blocks(attributes, amounts, levels))
        part = hierarchy.part(left)
        return self._with_functions(replace(part, known=part.known + known), attributes, (rows, columns))

    def _blocks(self, pair: tuple[int, ...], amounts: Floats, levels: list[Floats]) -> Floats:
        """Return the mean of a sum of products of weights in every pair of blocks."""
        first, second = (own @ self._averages[index] for own, index in zip(levels, pair, strict=True))
        return np.asarray((first.T * amounts) @ second)

    def _one(self, attribute: int, single: _Single, levels: Floats) -> _Part:
        """Return how weights of one attribute's levels are answered, and what bins hide."""
        average = self._averages[attribute]
        means = single.members @ (levels @ average)
        spread = single.members @ (levels**2 @ average) - means**2
        hidden = float(single.masses**2 @ np.maximum(spread, 0.0))
        return _Part(self._along(attribute, single, means), hidden=hidden)

    def _along(self, attribute: int, single: _Single, finest: Floats) -> dict[int, Floats]:
        """Return the weights of cells, by grid, that answer weights of one attribute's finest bins."""
        found = {}
        for number, share in single.shares.items():
            grid = self.grids[number]
            along = np.expand_dims(share @ finest, tuple(np.flatnonzero(np.array(grid.attributes) != attribute)))
            found[number] = np.broadcast_to(along, grid.estimates.shape)
        return found

    def _two(self, pair: tuple[int, ...], amounts: Floats, levels: list[Floats]) -> _Part:
        """Return how a sum of products of weights is answered by a pair's grid and others, and what its cells hide."""
        (number,) = self._numbers[pair]
        grid, own = self.grids[number], self._pairs[number]
        means = own.means(self._blocks(pair, amounts, levels))
        squares = [
            np.einsum("kx,lx->klx", each, each) @ self._averages[index]
            for each, index in zip(levels, pair, strict=True)
        ]
        spread = own.means(np.einsum("k,l,kli,klj->ij", amounts, amounts, *squares, optimize=True)) - means**2
        hidden = float((own.masses**2 * np.maximum(spread, 0.0)).sum())
        known, rows, columns, left = _additive(means)
        of_blocks = [along[bins] for along, bins in zip((rows, columns), grid.bins, strict=True)]
        return self._with_functions(_Part({number: left}, hidden, known), pair, of_blocks)

    def _with_functions(self, part: _Part, pair: tuple[int, ...], of_blocks: Sequence[Floats]) -> _Part:
        """Return a part and a function of each attribute of a pair, given by the attribute's blocks."""
        weights = dict(part.weights)
        for attribute, blocks in zip(pair, of_blocks, strict=True):
            single = self._singles[attribute]
            assert single is not None  # the pair's grid looks at it
            for number, along in self._along(attribute, single, single.members @ blocks).items():
                weights[number] = weights.get(number, 0.0) + along
        return replace(part, weights=weights)

    @cached_property
    def _hierarchies(self) -> dict[tuple[int, ...], _Hierarchy]:
        """How each pair is answered that was asked in a hierarchy, if every combination of its depths was."""
        found = {
            pair: _Hierarchy.of({number: self.grids[number] for number in numbers})
            for pair, numbers in self._numbers.items()
            if len(pair) == 2 and len(numbers) > 1
        }
        return {pair: hierarchy for pair, hierarchy in found.items() if hierarchy is not None}

    @cached_property
    def _pairs(self) -> dict[int, _Pair]:
        """How each pair is answered, by the number of its grid."""
        return {number: self._pair(grid) for number, grid in enumerate(self.grids) if len(grid.attributes) == 2}

    def _pair(self, grid: RawGrid) -> _Pair:
        first, second = grid.attributes
        rows, columns = (_cell_sums(bins, size) for bins, size in zip(grid.bins, grid.estimates.shape, strict=True))
        masses = rows @ self._matrices[first, second] @ columns.T
        even = np.outer(self._sizes[first], self._sizes[second])
        blocks = np.where((masses > 0)[np.ix_(*grid.bins)], self._matrices[first, second], even)
        return _Pair(rows, columns, blocks / (rows @ blocks @ columns.T)[np.ix_(*grid.bins)], masses)

    @cached_property
    def _singles(self) -> list[_Single | None]:
        """How each attribute is answered by itself; None if no grid looks at it."""
        return [self._single(attribute) for attribute in range(len(self._masses))]

    def _single(self, attribute: int) -> _Single | None:
        """Return the weighted least-squares weights of all grids that look at an attribute.

        With Z the matrix (bins by finest bins) that says what a grid's bin holds, and v the variance of a bin, which
        adds that of all its cells, the estimate is N^-1 sum Z' y / v, N = sum Z' Z / v; so weights f of the finest bins
        weigh the grid's bins by Z N^-1 f / v.
        """
        looking = [
            (number, grid, grid.attributes.index(attribute))
            for number, grid in enumerate(self.grids)
            if attribute in grid.attributes
        ]
        if not looking:
            return None
        kinds, finest = np.unique([grid.bins[axis] for _, grid, axis in looking], axis=1, return_inverse=True)
        holding = {}
        for (number, grid, axis), bins in zip(looking, kinds, strict=True):
            others = grid.estimates.size / grid.estimates.shape[axis]
            holding[number] = (
                _cell_sums(bins, grid.estimates.shape[axis]),
                others * grid.support.rare_variance(grid.reports),
            )
        normal = sum(bins.T @ bins / variance for bins, variance in holding.values())
        inverse = np.linalg.inv(np.asarray(normal))
        inside = _cell_sums(finest.ravel(), kinds.shape[1])
        masses = inside @ self._masses[attribute]
        blocks = np.where((masses > 0)[finest.ravel()], self._masses[attribute], self._sizes[attribute])
        return _Single(
            members=inside * blocks / (inside @ blocks)[:, None],
            masses=masses,
            shares={number: bins @ inverse / variance for number, (bins, variance) in holding.items()},
        )


def _named(batch: Batch) -> list[tuple[int, ...]]:
    """Return which attributes each query names."""
    named: list[list[int]] = [[] for _ in range(batch.count)]
    for index in sorted(batch.selections):
        for query in batch.selections[index].queries.tolist():
            named[query].append(index)
    return [tuple(indices) for indices in named]


def _rows(batch: Batch) -> dict[int, NDArray[np.intp]]:
    """Return, for each attribute, the row of its weights that belongs to each query that names it."""
    rows = {}
    for index, selection in batch.selections.items():
        rows[index] = np.zeros(batch.count, dtype=np.intp)
        rows[index][selection.queries] = np.arange(len(selection.queries))
    return rows


def _additive(weights: Floats) -> tuple[float, Floats, Floats, Floats]:
    """Return the mean of a matrix, a function of its rows, one of its columns, and what is left: they add up to it."""
    mean = float(weights.mean())
    rows, columns = weights.mean(axis=1) - mean, weights.mean(axis=0) - mean
    return mean, rows, columns, weights - mean - rows[:, None] - columns


def _cell_sums(bins: NDArray[np.intp], count: int) -> Floats:
    """Return the matrix (bins by blocks) that adds blocks up into bins."""
    return np.asarray(np.arange(count)[:, None] == bins, dtype=np.float64)
