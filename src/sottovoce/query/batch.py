"""A batch of queries: for each attribute, which queries name it, and the weights of its levels in each.

A predicate on one attribute is a vector of weights over its levels: 1 inside, 0 outside, a fraction for a part-covered
bin. A query is one such vector per attribute it names; what it asks for is the expected product of the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats


@dataclass(frozen=True)
class Selection:
    """What one attribute contributes: the queries that name it, and their weights, queries by levels."""

    queries: NDArray[np.intp]
    weights: Floats

    def project(self, columns: Floats) -> Floats:
        """Return the weighted sums over levels of each column of an array (levels by columns)."""
        return np.asarray(self.weights @ columns)


class SpanSelection(Selection):
    """The same for intervals of the axis of levels (rows of start, stop): sums over them are differences of totals.

    Args:
        queries: The queries that name the attribute, by their numbers.
        spans: For each of them the interval of the axis of levels, (start, stop).
        levels: How many levels the attribute has.
    """

    def __init__(self, queries: NDArray[np.intp], spans: Floats, levels: int) -> None:
        object.__setattr__(self, "queries", queries)
        object.__setattr__(self, "spans", spans)
        object.__setattr__(self, "levels", levels)

    spans: Floats
    levels: int

    @cached_property
    def weights(self) -> Floats:
        """The weights, queries by levels."""
        return span_weights(self.spans, self.levels)

    def project(self, columns: Floats) -> Floats:
        """Return the weighted sums over levels of each column, from running totals."""
        totals = np.zeros((self.levels + 1, columns.shape[1]))
        np.cumsum(columns, axis=0, out=totals[1:])
        low, high = self.spans[:, 0], self.spans[:, 1]
        return _between(totals, high) - _between(totals, low)


@dataclass(frozen=True, slots=True)
class Batch:
    """``count`` queries; an attribute that is not among the selections is named by none of them."""

    count: int
    selections: dict[int, Selection]

    @classmethod
    def of(cls, weights: Mapping[int, Floats]) -> Batch:
        """Return the batch in which every query names every attribute given, by weights queries by levels."""
        count = len(next(iter(weights.values())))
        return cls(count, {index: Selection(np.arange(count), weights[index]) for index in sorted(weights)})

    def dimensions(self) -> NDArray[np.intp]:
        """Return how many attributes each query names."""
        named = [selection.queries for selection in self.selections.values()]
        return np.bincount(np.concatenate(named), minlength=self.count) if named else np.zeros(self.count, np.intp)


def span_weights(spans: Floats, levels: int) -> Floats:
    """Return the weights of intervals (rows of start, stop) of the axis of levels; level i is from i to i + 1.

    Example:
        >>> span_weights(np.array([[0.5, 2.0]]), 4)
        array([[0.5, 1. , 0. , 0. ]])
    """
    left = np.arange(levels)
    low, high = spans[:, :1], spans[:, 1:]
    return np.asarray(np.clip(np.minimum(high, left + 1) - np.maximum(low, left), 0.0, 1.0))


def _between(totals: Floats, positions: Floats) -> Floats:
    """Return running totals at positions on the axis of levels, linear within a level."""
    whole = positions.astype(np.intp)
    result = totals[whole]
    part = positions - whole
    within = np.flatnonzero(part)
    if within.size:
        start = whole[within]
        result[within] += part[within, None] * (totals[start + 1] - totals[start])
    return result


def chunks(count: int, levels: int, *, limit: int = 2**19) -> Iterator[slice]:
    """Yield slices of many queries, so that the weights of each slice fit in memory.

    Args:
        count: How many queries there are.
        levels: How many numbers the weights of one query are.
        limit: The most numbers of a slice; one query is always taken.
    """
    step = max(1, limit // max(1, levels))
    for start in range(0, count, step):
        yield slice(start, min(count, start + step))
