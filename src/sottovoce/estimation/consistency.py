"""Consistency among grids that share attributes, by optimally weighted averages (section 4.2 of the paper).

Every grid that involves an attribute gives its own noisy distribution of that attribute. Their average, weighted by the
inverse of its variance, is better than any of them; each grid is then shifted to agree with it. Where buckets hold
different numbers of cells the averages need not add up to one; they are then moved so that they do, the least certain
the most. So a later attribute does not undo an earlier one, and the result is the weighted least-squares solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.estimation.norm_sub import norm_sub


@dataclass(frozen=True, slots=True)
class Grid:
    """Estimated frequencies of the cells of one grid.

    Attributes:
        attributes: The attributes along the axes of ``frequencies``.
        frequencies: The estimate of every cell.
        variance: The variance of one cell's estimate; infinite where nobody reported.
        buckets: For each axis, the bucket of every bin: the interval of the attribute that all grids can tell apart.
    """

    attributes: tuple[int, ...]
    frequencies: Floats
    variance: float
    buckets: tuple[NDArray[np.intp], ...]


def post_process(grids: Sequence[Grid], *, rounds: int) -> list[Grid]:
    """Return the grids made non-negative and consistent: the two steps in turn, ending with non-negativity."""
    # the two projections do not commute; non-negativity comes last, as models take frequencies for probabilities
    settled = [_with_norm_sub(grid) for grid in grids]
    for _ in range(rounds):
        settled = [_with_norm_sub(grid) for grid in make_consistent(settled)]
    return settled


def make_consistent(grids: Sequence[Grid]) -> list[Grid]:
    """Return the grids shifted so that all agree on every attribute's buckets and on a total of one."""
    frequencies = [grid.frequencies.copy() for grid in grids]
    for attribute in sorted({attribute for grid in grids for attribute in grid.attributes}):
        involved = [index for index, grid in enumerate(grids) if attribute in grid.attributes]
        _agree(attribute, [grids[index] for index in involved], [frequencies[index] for index in involved])
    return [replace(grid, frequencies=settled) for grid, settled in zip(grids, frequencies, strict=True)]


def _agree(attribute: int, grids: Sequence[Grid], frequencies: Sequence[Floats]) -> None:
    """Shift ``frequencies`` in place so that all give one distribution of the attribute."""
    sums, cells, buckets = [], [], []
    for grid, estimate in zip(grids, frequencies, strict=True):
        axis = grid.attributes.index(attribute)
        along = np.moveaxis(estimate, axis, 0).reshape(estimate.shape[axis], -1)
        count = int(grid.buckets[axis].max()) + 1
        sums.append(np.bincount(grid.buckets[axis], weights=along.sum(axis=1), minlength=count))
        cells.append(np.bincount(grid.buckets[axis], minlength=count) * along.shape[1])
        buckets.append(grid.buckets[axis])
    # the sum of k cells with independent noise has k times a cell's variance
    variances = np.array([grid.variance for grid in grids])[:, None] * np.array(cells)
    weights = 1.0 / variances
    if not weights.any():
        return
    spread = 1.0 / weights.sum(axis=0)
    # the weighted mean with weights 1/variance is the linear unbiased estimate of least variance (section 4.3)
    agreed = (weights * np.array(sums)).sum(axis=0) * spread
    # Lagrange: the correction to a total of one goes to each bucket in proportion to its variance
    agreed += spread * ((1.0 - agreed.sum()) / spread.sum())
    for grid, estimate, total, number, bucket in zip(grids, frequencies, sums, cells, buckets, strict=True):
        # spread evenly over a bucket's cells, which share its noise alike
        shift = ((agreed - total) / number)[bucket]
        np.moveaxis(estimate, grid.attributes.index(attribute), -1)[...] += shift


def _with_norm_sub(grid: Grid) -> Grid:
    return replace(grid, frequencies=norm_sub(grid.frequencies))
