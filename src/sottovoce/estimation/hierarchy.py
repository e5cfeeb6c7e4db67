"""Hierarchies of intervals: what a query is made of, and estimates of all nodes brought into agreement.

A tree is given by its depths, the root first: for each, the level at which every node starts. Nodes nest, and at the
last depth every level is a node.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats

Starts = Sequence[NDArray[np.intp]]
"""For every depth of a tree, the first level of each node."""


def starts_of(bins: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first level of each node, given the node of every level."""
    return np.flatnonzero(np.diff(bins, prepend=-1))


def decompose(weights: Floats, starts: Starts) -> list[Floats]:
    """Return the fewest nodes that make up each query: for every depth, the weight of each node, queries by nodes.

    A node is taken where all its levels weigh the same and its parent's do not. What weighs nothing is left out.

    Args:
        weights: Of each level in each query, queries by levels.
        starts: The tree.

    Example:
        >>> tree = [np.array([0]), np.array([0, 2]), np.arange(4)]
        >>> [part.tolist() for part in decompose(np.array([[0.0, 1.0, 1.0, 1.0]]), tree)]
        [[[0.0]], [[0.0, 1.0]], [[0.0, 1.0, 0.0, 0.0]]]
    """
    covered = np.zeros(weights.shape, dtype=bool)
    parts = []
    for start in starts:
        low = np.minimum.reduceat(weights, start, axis=1)
        # all levels of a node weigh the same exactly where the least is the largest
        alike = low == np.maximum.reduceat(weights, start, axis=1)
        parts.append(np.where(alike & ~covered[:, start], low, 0.0))
        covered |= np.repeat(alike, np.diff(start, append=weights.shape[1]), axis=1)
    return parts


def infer(estimates: Sequence[Floats], starts: Starts) -> Floats:
    """Return the leaves that fit independent estimates of all nodes best, in the sense of least squares.

    The constrained inference of Hay et al. (VLDB 2010), for trees of any shape and estimates that all have the same
    variance: upwards, a node's own estimate is averaged with the sum of its children's; downwards, what a parent has
    more than its children is shared out among them. Both in proportion to variances.

    Args:
        estimates: For every depth, the estimates of the nodes along the first axis; further axes are other trees.
        starts: The tree.
    """
    combined, variances = [estimates[-1]], [np.ones(len(starts[-1]))]
    for depth in range(len(starts) - 2, -1, -1):
        first = np.searchsorted(starts[depth + 1], starts[depth])
        below = np.add.reduceat(variances[0], first)
        # inverse-variance weights of a node's own estimate (variance 1) and its children's sum (variance below)
        trust = _along(below / (1.0 + below), estimates[depth])
        children = np.add.reduceat(combined[0], first, axis=0)
        combined.insert(0, trust * estimates[depth] + (1.0 - trust) * children)
        variances.insert(0, below / (1.0 + below))
    settled = combined[0]
    for depth in range(1, len(starts)):
        first = np.searchsorted(starts[depth], starts[depth - 1])
        parents = np.repeat(np.arange(len(first)), np.diff(first, append=len(starts[depth])))
        missing = settled - np.add.reduceat(combined[depth], first, axis=0)
        # of a sum that must change, each child takes a part in proportion to its variance: least squares
        part = variances[depth] / np.add.reduceat(variances[depth], first)[parents]
        settled = combined[depth] + missing[parents] * _along(part, combined[depth])
    return settled


def infer_2d(estimates: Sequence[Sequence[Floats]], rows: Starts, columns: Starts) -> Floats:
    """Return the leaves of a 2-D hierarchy that fit the estimates of all pairs of nodes best, rows by columns.

    The inference is run along the first attribute for every node of the second, then along the second for every leaf of
    the first. The two commute, so the order does not matter, and together they are the least-squares solution.

    Args:
        estimates: ``estimates[i][j]`` for the nodes at depth i of the first tree and depth j of the second.
        rows: The first tree.
        columns: The second tree.
    """
    by_column_depth = [infer([row[depth] for row in estimates], rows).T for depth in range(len(columns))]
    return infer(by_column_depth, columns).T


def _along(vector: Floats, like: Floats) -> Floats:
    """Return a vector along the first axis, to be multiplied with ``like``."""
    return vector.reshape(-1, *(1,) * (like.ndim - 1))
