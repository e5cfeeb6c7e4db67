"""Weighted update: scale a uniform guess until it agrees with what is known (Algorithms 1 and 2 of the paper)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats

MAX_SWEEPS = 100
"""The paper's bound on the number of sweeps."""

Sweep = Callable[[Floats, Floats], None]
"""Scales vectors of answers, shape (2, ..., 2, queries), in place towards what is known of each query."""


@dataclass(frozen=True, slots=True)
class PairGrids:
    """The three grids that speak of a pair of attributes.

    Attributes:
        rows: The 1-D frequencies of the first attribute.
        columns: The 1-D frequencies of the second.
        cells: The 2-D frequencies.
        row_cells: The 2-D bin of each 1-D bin of the first attribute.
        column_cells: The same for the second.
    """

    rows: Floats
    columns: Floats
    cells: Floats
    row_cells: NDArray[np.intp]
    column_cells: NDArray[np.intp]


def response_matrix(start: Floats, grids: PairGrids, *, threshold: float) -> tuple[Floats, list[float]]:
    """Return the matrix scaled until every cell of the grids sums to its frequency (Algorithm 1), and each change.

    The paper's matrix has one element per pair of values. Within a pair of 1-D bins all its elements stay equal, so one
    element per pair of bins, started in proportion to the values it stands for, gives the same sums.

    Args:
        start: The first guess: the fraction of pairs of values that each element stands for.
        grids: What is known.
        threshold: The sweep in which the total change falls below this is the last.
    """
    matrix, changes = start.copy(), []
    inside_rows, inside_columns = (
        (buckets == np.arange(size)[:, None]).astype(float)
        for buckets, size in zip((grids.row_cells, grids.column_cells), grids.cells.shape, strict=True)
    )
    for _ in range(MAX_SWEEPS):
        before = matrix.copy()
        # one sweep of iterative proportional fitting: rows, columns, cells, each scaled to its known sum
        matrix *= scale(grids.rows, matrix.sum(axis=1))[:, None]
        matrix *= scale(grids.columns, matrix.sum(axis=0))
        sums = inside_rows @ matrix @ inside_columns.T
        matrix *= scale(grids.cells, sums)[np.ix_(grids.row_cells, grids.column_cells)]
        changes.append(float(np.abs(matrix - before).sum()))
        if changes[-1] < threshold:
            break
    return matrix + _unreached(start, grids, inside_rows @ matrix @ inside_columns.T), changes


def _unreached(start: Floats, grids: PairGrids, sums: Floats) -> Floats:
    """Return what is missing in cells where nothing was left to scale, spread evenly over their values.

    A query that holds such a cell gets its frequency, as in the paper; answers stay additive over disjoint ranges.
    """
    # multiplicative updates cannot leave zero: what such a cell should hold is added at the end
    missing = np.where(sums == 0, grids.cells, 0.0)
    values = np.zeros_like(sums)
    np.add.at(values, np.ix_(grids.row_cells, grids.column_cells), start)
    return start * (missing / values)[np.ix_(grids.row_cells, grids.column_cells)]


def scale(wanted: Floats, present: Floats) -> Floats:
    """Return wanted / present, and 1 where nothing is present to be scaled."""
    return np.divide(wanted, present, out=np.ones_like(present), where=present != 0)


def from_pairs(pairs: Floats, *, threshold: float) -> Floats:
    """Return the all-inside answers of lambda-dimensional queries from their pairs' both-inside answers (Algorithm 2).

    After each pair the vector is scaled back to a total of one. The paper's listing leaves this out, its authors'
    program has it, and without it the answers mean nothing: the elements with at most one attribute inside keep their
    first guess for ever.

    Args:
        pairs: Both-inside answers, shape (lambda, lambda, queries); entries above the diagonal are read.
        threshold: A query is done when its vector of 2^lambda answers changes by less than this in a sweep.
    """
    return iterate(pairs, _sweep_pairs, threshold=threshold)


def _sweep_pairs(vectors: Floats, pairs: Floats) -> None:
    for first, second in combinations(range(len(pairs)), 2):
        inside = _inside(vectors, first, second)
        others = tuple(range(inside.ndim - 1))
        present = inside.sum(axis=others)
        factor = scale(pairs[first, second], present)
        inside *= factor
        # the vector added up to one before; only the inside part changed, by (factor - 1) * present
        total = 1.0 + (factor - 1.0) * present
        vectors /= np.where(total == 0, 1.0, total)


def changes_from_pairs(pairs: Floats) -> Floats:
    """Return how much each query's vector of answers changes in each sweep of Algorithm 2, sweeps by queries."""
    dimensions, queries = pairs.shape[0], pairs.shape[-1]
    vectors = np.full((2,) * dimensions + (queries,), 0.5**dimensions)
    changes = np.empty((MAX_SWEEPS, queries))
    for number in range(MAX_SWEEPS):
        before = vectors.copy()
        _sweep_pairs(vectors, pairs)
        changes[number] = np.abs(vectors - before).sum(axis=tuple(range(dimensions)))
    return changes


def iterate(known: Floats, sweep: Sweep, *, threshold: float) -> Floats:
    """Return the all-inside answers after sweeps over vectors of 2^lambda answers, each query to its own end.

    Args:
        known: What is known of each query, lambda first and queries last.
        sweep: Called with the vectors, shape (2, ..., 2, queries), and what is known; scales the vectors in place.
        threshold: A query is done when its vector changes by less than this in a sweep.
    """
    dimensions, queries = known.shape[0], known.shape[-1]
    answers = np.empty(queries)
    indices = np.arange(queries)
    vectors = np.full((2,) * dimensions + (queries,), 0.5**dimensions)
    for _ in range(MAX_SWEEPS):
        before = vectors.copy()
        sweep(vectors, known)
        change = np.abs(vectors - before).sum(axis=tuple(range(dimensions)))
        answers[indices] = vectors[(1,) * dimensions]
        going = change >= threshold
        if not going.any():
            break
        # queries that are done leave, so that each stops at its own sweep as if it were alone
        if not going.all():
            vectors, known, indices = vectors[..., going], known[..., going], indices[going]
    return answers


def _inside(vectors: Floats, first: int, second: int) -> Floats:
    """Return the view of the vectors where both attributes are inside."""
    index: list[int | slice] = [slice(None)] * vectors.ndim
    index[first] = index[second] = 1
    return vectors[tuple(index)]
