"""Raw grids: what the reports on each grid of a model say by themselves, kept beside it for direct answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.channels import Support


@dataclass(frozen=True, slots=True)
class RawGrid:
    """The estimates of one grid's cells as the reports give them.

    Attributes:
        attributes: The attributes along its axes, one or two.
        bins: For each axis, the bin of every block of the model.
        estimates: The unbiased estimate of every cell.
        reports: How many reports it counts for, at least two.
        support: How its channel makes noise.
    """

    attributes: tuple[int, ...]
    bins: tuple[NDArray[np.intp], ...]
    estimates: Floats
    reports: float
    support: Support

    def noise(self) -> list[float]:
        """Return what a file holds of its noise: the reports, and how often one supports cells."""
        return [self.reports, self.support.own, self.support.foreign, self.support.beside, self.support.shared]


def grids_state(grids: Sequence[RawGrid]) -> dict[str, Any]:
    """Return what a model's file holds of its raw grids; nothing if it has none."""
    if not grids:
        return {}
    return {
        "grids": [list(grid.attributes) for grid in grids],
        "bins": [list(grid.bins) for grid in grids],
        "raw": [grid.estimates for grid in grids],
        "noise": np.array([grid.noise() for grid in grids]),
    }


def grids_from_state(state: Mapping[str, Any]) -> list[RawGrid]:
    """Return the raw grids that `grids_state` describes; none in a file of an older version."""
    if "grids" not in state:
        return []
    rows = zip(state["grids"], state["bins"], state["raw"], state["noise"].tolist(), strict=True)
    return [
        RawGrid(tuple(attributes), tuple(bins), raw, reports, Support(*often))
        for attributes, bins, raw, (reports, *often) in rows
    ]
