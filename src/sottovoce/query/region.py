"""Regions: what a predicate selects of one attribute, as intervals of the axis of levels.

Level i is the interval from i to i + 1, so a region of whole levels has integer ends, and part of a numeric bin is part
of its interval. Regions of one attribute combine exactly; only then do they become weights.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sottovoce._types import Floats
from sottovoce.query.batch import span_weights

Region = tuple[tuple[float, float], ...]
"""Disjoint intervals, in order, none empty."""


def interval(start: float, stop: float) -> Region:
    """Return the region of one interval; nothing if it is empty."""
    return ((float(start), float(stop)),) if start < stop else ()


def intersect(first: Region, second: Region) -> Region:
    """Return what is in both regions.

    Example:
        >>> intersect(((0, 4), (6, 9)), ((3, 7),))
        ((3, 4), (6, 7))
    """
    both = [(max(a, c), min(b, d)) for a, b in first for c, d in second]
    return tuple(sorted((start, stop) for start, stop in both if start < stop))


def unite(first: Region, second: Region) -> Region:
    """Return what is in either region.

    Example:
        >>> unite(((0, 4),), ((3, 7), (9, 10)))
        ((0, 7), (9, 10))
    """
    joined: list[tuple[float, float]] = []
    for start, stop in sorted((*first, *second)):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], stop)
        else:
            joined.append((start, stop))
    return tuple(joined)


def complement(region: Region, stop: float) -> Region:
    """Return what the region leaves out of the interval from 0 to ``stop``."""
    ends = [0.0, *(end for piece in region for end in piece), float(stop)]
    return tuple((low, high) for number, (low, high) in enumerate(pairwise(ends)) if number % 2 == 0 and low < high)


def region_weights(region: Region, levels: int) -> Floats:
    """Return the weight of every level: the part of its interval that the region covers."""
    if not region:
        return np.zeros(levels)
    return np.asarray(span_weights(np.array(region), levels).sum(axis=0))
