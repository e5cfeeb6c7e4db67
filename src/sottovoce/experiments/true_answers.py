"""True answers: how many people each query holds, counted exactly and quickly.

One or two attributes are read off running sums of joint histograms. More are counted by bits: for every bound that
occurs, which people lie below it, eight to a byte; a query is then a few bitwise operations over all people.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Integers
from sottovoce.experiments.queries import QuerySet

PEOPLE_AT_ONCE = 2**17
"""Bits are made for so many people at a time: 16 kB for every bound."""


def count_inside(records: NDArray[Any], levels: int, queries: QuerySet) -> Integers:
    """Return how many people each query holds.

    Args:
        records: Levels, attributes by people.
        levels: How many levels every attribute has.
        queries: What is asked.
    """
    if queries.dimension > 2:
        return _by_bits(records, queries)
    counts = np.zeros(len(queries), dtype=np.int64)
    named, member = np.unique(queries.attributes, axis=0, return_inverse=True)
    for number, attributes in enumerate(named):
        own = member.ravel() == number
        sums = _running_sums(records[attributes], levels)
        counts[own] = _box(sums, queries[own])
    return counts


def _running_sums(records: NDArray[Any], levels: int) -> Integers:
    """Return how many people lie below each combination of bounds, both from 0 to ``levels``."""
    shape = (levels,) * len(records)
    cells = np.ravel_multi_index(tuple(records), shape)
    sums = np.bincount(cells, minlength=levels ** len(records)).reshape(shape)
    for axis in range(len(records)):
        sums = np.cumsum(sums, axis=axis)
    return np.pad(sums, [(1, 0)] * len(records))


def _box(sums: Integers, queries: QuerySet) -> Integers:
    below, above = queries.lows, queries.highs + 1
    if queries.dimension == 1:
        return np.asarray(sums[above[:, 0]] - sums[below[:, 0]])
    (left, low), (right, high) = below.T, above.T
    return np.asarray(sums[right, high] - sums[left, high] - sums[right, low] + sums[left, low])


def _by_bits(records: NDArray[Any], queries: QuerySet) -> Integers:
    bounds = np.stack([queries.lows, queries.highs + 1])
    keys = np.stack([np.broadcast_to(queries.attributes, bounds.shape), bounds], axis=-1)
    distinct, indices = np.unique(keys.reshape(-1, 2), axis=0, return_inverse=True)
    indices = indices.reshape(bounds.shape)
    counts = np.zeros(len(queries), dtype=np.int64)
    for start in range(0, records.shape[1], PEOPLE_AT_ONCE):
        people = records[:, start : start + PEOPLE_AT_ONCE]
        below = np.stack([np.packbits(people[attribute] < bound) for attribute, bound in distinct])
        for number in range(len(queries)):
            outside_low, inside_high = below[indices[0, number]], below[indices[1, number]]
            inside = np.bitwise_and.reduce(inside_high & ~outside_low, axis=0)
            counts[number] += int(np.bitwise_count(inside).sum())
    return counts
