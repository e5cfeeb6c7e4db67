"""Moments: what reports on signs say of the means of Walsh functions and of their products.

All reports are pooled into two symmetric matrices over every function that was asked of any attribute, the constant
first: row 0 holds the means of single functions, the rest the means of products. One holds unbiased estimates, the
other their information (the inverse of the variance).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.design import Block


@dataclass(frozen=True, slots=True)
class Asked:
    """The functions that a design asks: for each attribute how many bands, and where its functions stand."""

    bands: tuple[int, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, attributes: int, blocks: Sequence[Block]) -> Asked:
        """Return what the blocks ask."""
        bands = [0] * attributes
        for block in blocks:
            for attribute, band in block.bands:
                bands[attribute] = max(bands[attribute], band + 1)
        return cls.full(bands)

    @classmethod
    def full(cls, bands: Sequence[int]) -> Asked:
        """Return what asks so many bands of each attribute."""
        starts = np.cumsum([1] + [(1 << own) - 1 for own in bands])
        return cls(tuple(bands), tuple(starts.tolist()))

    @property
    def size(self) -> int:
        """The number of functions of all attributes, and the constant."""
        return self.starts[-1]

    def places(self, attribute: int, band: int | None = None) -> NDArray[np.intp]:
        """Return where an attribute's functions stand: all that are asked, or those of one band."""
        if band is None:
            return np.arange(self.starts[attribute], self.starts[attribute + 1])
        first = self.starts[attribute] - 1 + (1 << band)
        return np.arange(first, first + (1 << band))


@dataclass(frozen=True, slots=True)
class Moments:
    """Unbiased estimates of the functions' joint moments, and their information; zero where nobody was asked."""

    estimate: Floats
    information: Floats

    def minus(self, part: Moments) -> Moments:
        """Return the moments of the reports that are here but not in ``part``."""
        information = np.maximum(self.information - part.information, 0.0)
        total = self.estimate * self.information - part.estimate * part.information
        return Moments(_divide(total, information), information)


def pool(
    asked: Asked, blocks: Sequence[Block], counts: Sequence[NDArray[Any]], attenuations: Sequence[float]
) -> Moments:
    """Return the moments of all reports.

    Args:
        asked: Where functions stand.
        blocks: The blocks asked.
        counts: For each block an array: one axis per band for its functions, the codes last.
        attenuations: For each block, the factor by which its channel shrinks the mean of a sign.
    """
    total, information = np.zeros((asked.size, asked.size)), np.zeros((asked.size, asked.size))
    for block, tally, kept in zip(blocks, counts, attenuations, strict=True):
        signs = code_signs(block)
        reports = tally.sum(axis=-1)
        for column, group in enumerate(block.shows):
            rows = asked.places(*group[0]) if len(group) == 2 else np.array([0])
            where = np.ix_(rows, asked.places(*group[-1]))
            others = tuple(axis for axis, band in enumerate(block.bands) if band not in group)
            total[where] += kept * (tally @ signs[:, column]).sum(axis=others)
            information[where] += kept**2 * reports.sum(axis=others)
    total, information = total + total.T, information + information.T
    return Moments(_divide(total, information), information)


def code_signs(block: Block) -> Floats:
    """Return the sign that each code shows of a product of functions, codes by what the block shows."""
    if block.parity:
        return np.array([[1.0], [-1.0]])
    bits = np.arange(block.cells)[:, None] >> np.arange(len(block.bands))[::-1] & 1
    signs = dict(zip(block.bands, 1.0 - 2.0 * bits.T, strict=True))
    return np.stack([np.prod([signs[band] for band in group], axis=0) for group in block.shows], axis=1)


def split(
    counts: Sequence[NDArray[np.int64]], parts: int, generator: np.random.Generator
) -> list[list[NDArray[np.int64]]]:
    """Return the counts dealt out at random: every report goes to one of the parts, all equally likely."""
    dealt: list[list[NDArray[np.int64]]] = [[] for _ in range(parts)]
    for left in counts:
        for number in range(parts):
            own = generator.binomial(left, 1 / (parts - number))
            dealt[number].append(own)
            left = left - own  # noqa: PLW2901 - what is left is dealt on
    return dealt


def _divide(total: Floats, information: Floats) -> Floats:
    return np.divide(total, information, out=np.zeros_like(total), where=information > 0)
