"""What will be asked of the model, and how much every Walsh function weighs in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs

_RESOLUTION = 128  # ranges are enumerated over at most so many cells


@dataclass(frozen=True, slots=True)
class Workload:
    """What will be asked of the model: ranges of given widths (fractions of a domain; all if None), pairs by weight."""

    pairs: Floats
    widths: tuple[float, ...] | None = None

    @classmethod
    def all_ranges(cls, attributes: int) -> Workload:
        """Return the workload of all ranges over all pairs, alike."""
        return cls((np.ones((attributes, attributes)) - np.eye(attributes)) / max(1, attributes * (attributes - 1) / 2))


def range_energy(axis: Axis, widths: tuple[float, ...] | None = None) -> Floats:
    """Return the mean squared weight, over ranges, of the constant and then of one function of each band.

    A width that comes to the whole domain, about which nobody need be asked, is taken as a cell less.
    """
    cells = min(1 << axis.bands, _RESOLUTION)
    known = cells.bit_length() - 1
    starts, stops = np.triu_indices(cells + 1, k=1)
    if widths is not None:
        wanted = np.isin(stops - starts, [min(max(1, round(width * cells)), cells - 1) for width in widths])
        starts, stops = starts[wanted], stops[wanted]
    # the weight of a function in a range is the difference of its running sums at the two ends
    prefix = np.concatenate([np.zeros((1, cells)), np.cumsum(walsh_signs(cells, known), axis=0)]) / cells
    squares = ((prefix[stops] - prefix[starts]) ** 2).mean(axis=0)
    energy = [squares[0]] + [squares[1 << band : 2 << band].mean() for band in range(known)]
    while len(energy) <= axis.bands:
        energy.append(energy[-1] / 4)  # the exact law for bands finer than every end of a range
    if not axis.ordered:
        sizes = 2.0 ** np.arange(axis.bands)
        energy[1:] = [np.array(energy[1:]) @ sizes / sizes.sum()] * axis.bands
    return np.array(energy)
