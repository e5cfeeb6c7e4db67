"""A batch of queries: for each attribute, which queries name it, and the weights of its levels in each.

A predicate on one attribute is a vector of weights over its levels: 1 inside, 0 outside, a fraction for a part-covered
bin. A query is one such vector per attribute it names; what it asks for is the expected product of the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Selection:
    """What one attribute contributes: the queries that name it, and their weights, queries by levels."""

    queries: NDArray[np.intp]
    weights: Floats


@dataclass(frozen=True, slots=True)
class Batch:
    """``count`` queries; an attribute that is not among the selections is named by none of them."""

    count: int
    selections: dict[int, Selection]

    @classmethod
    def of(cls, weights: Mapping[int, Floats]) -> Batch:
        """Return the batch in which every query names every attribute given, by weights queries by levels."""
        count = len(next(iter(weights.values())))
        return cls(count, {place: Selection(np.arange(count), weights[place]) for place in sorted(weights)})

    def dimensions(self) -> NDArray[np.intp]:
        """Return how many attributes each query names."""
        named = [selection.queries for selection in self.selections.values()]
        return np.bincount(np.concatenate(named), minlength=self.count) if named else np.zeros(self.count, np.intp)


def span_weights(spans: Floats, levels: int) -> Floats:
    """Return the weights of stretches (rows of start, stop) of the axis of levels; level i is from i to i + 1.

    Example:
        >>> span_weights(np.array([[0.5, 2.0]]), 4)
        array([[0.5, 1. , 0. , 0. ]])
    """
    left = np.arange(levels)
    low, high = spans[:, :1], spans[:, 1:]
    return np.asarray(np.clip(np.minimum(high, left + 1) - np.maximum(low, left), 0.0, 1.0))


def chunks(count: int, levels: int, *, limit: int = 2**23) -> Iterator[slice]:
    """Yield stretches of ``count`` queries whose weights over ``levels`` levels stay within ``limit`` numbers."""
    step = max(1, limit // max(1, levels))
    for start in range(0, count, step):
        yield slice(start, min(count, start + step))
