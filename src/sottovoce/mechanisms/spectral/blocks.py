"""Blocks: the questions that a design chooses among, and the coefficients that each informs.

A question shows, of one or more attributes, the signs of a few Walsh functions each: randomised response over K cells
says which combination a record has. It informs every product of the functions shown, 2^k - 1 coefficients for k
functions, each with information ``tau^2`` per report, ``tau = (e^eps - 1) / (e^eps + K - 1)``. A **parity** shows less:
of two attributes with as many functions each, only the products of the first two, of the second two, and so on; so it
informs products of two attributes and nothing else.

Questions come in **blocks** that treat the functions of a band alike (see `patterns`), and so coefficients come in
**groups**: the functions of one band of an attribute, or the products of a band of one and a band of another. Products
of three attributes are in no group: no range over two attributes is made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from math import exp, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.patterns import (
    Leads,
    basis_count,
    lead_masses,
    pair_masses,
    parity_needs_whole,
    pattern_bases,
    pattern_bins,
)
from sottovoce.mechanisms.spectral.prior import PRIOR, Prior
from sottovoce.mechanisms.spectral.walsh import Axis
from sottovoce.mechanisms.spectral.workload import Workload, range_energy

Band = tuple[int, int]
"""An attribute, and the number of one of its bands."""

Group = tuple[Band, ...]
"""The coefficients of the products of one function of each band."""


class Block(NamedTuple):
    """The questions on the functions of one pattern of each attribute: every sign is shown, or only their parity."""

    patterns: tuple[tuple[int, Leads], ...]
    parity: bool = False

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return prod(basis_count(leads, whole) for (_, leads), whole in zip(self.patterns, self._whole, strict=True))

    @property
    def tables(self) -> list[tuple[tuple[int, ...], ...]]:
        """For each attribute the functions of its tables; there is a question for every way to choose one of each."""
        return [pattern_bases(leads, whole) for (_, leads), whole in zip(self.patterns, self._whole, strict=True)]

    @property
    def _whole(self) -> tuple[bool, ...]:
        if self.parity:
            return parity_needs_whole(self.patterns[0][1], self.patterns[1][1])
        return (False,) * len(self.patterns)

    @property
    def channel(self) -> str:
        """The channel by which plans ask it."""
        if not self.parity:
            return "grr"
        return "parity" if len(self.patterns[0][1]) == 1 else "xor"

    @property
    def shows(self) -> dict[Group, int]:
        """The groups that a question informs, and how many coefficients of each; attributes in rising order."""
        if self.parity:
            (first, leads), (second, others) = self.patterns
            return {((first, a), (second, b)): mass for (a, b), mass in pair_masses(leads, others).items()}
        # products within one attribute are Walsh functions again: 2^i of them fall in the band of the i-th lowest lead
        own = [[((attribute, lead), mass) for lead, mass in lead_masses(leads)] for attribute, leads in self.patterns]
        shown: dict[Group, int] = {(band,): mass for bands in own for band, mass in bands}
        for one, other in combinations(own, 2):
            shown |= {(a, b): mass * more for a, mass in one for b, more in other}
        return shown

    def cells(self, sizes: Sequence[int]) -> float:
        """Return how many different truths a question may have, on average over the block's questions."""
        if self.parity:
            return float(1 << len(self.patterns[0][1]))
        return prod(pattern_bins(sizes[attribute], leads) for attribute, leads in self.patterns)


@dataclass(frozen=True, slots=True)
class Groups:
    """All groups of coefficients that could be asked, by number: first single bands, then pairs of bands.

    Attributes:
        axes: The attributes.
        bands: The most bands of any attribute; numbers leave room for that many of each.
        variance: Each group's prior variance of a coefficient.
        weight: How much a coefficient of each group weighs in the workload; zero where there is none.
        coefficients: The number of coefficients of each group.
    """

    axes: tuple[Axis, ...]
    bands: int
    variance: Floats
    weight: Floats
    coefficients: Floats

    def number(self, group: Group) -> int:
        """Return the number of a group; of two bands, that of the lower attribute comes first."""
        if len(group) == 1:
            return group[0][0] * self.bands + group[0][1]
        (first, a), (second, b) = group
        return len(self.axes) * self.bands + (self.pair(first, second) * self.bands + a) * self.bands + b

    def pair(self, first: int, second: int) -> int:
        """Return the number of a pair of attributes among all, in the order of `itertools.combinations`."""
        return first * len(self.axes) - first * (first + 1) // 2 + second - first - 1

    def singles(self, values: Floats) -> Floats:
        """Return what is known by group as an array of attributes by bands."""
        return values[: len(self.axes) * self.bands].reshape(-1, self.bands)

    def pairs(self, values: Floats) -> Floats:
        """Return what is known by group as an array of pairs of attributes by bands by bands."""
        return values[len(self.axes) * self.bands :].reshape(-1, self.bands, self.bands)


def coefficient_groups(
    axes: Sequence[Axis], workload: Workload, *, most: float = float("inf"), prior: Prior = PRIOR
) -> Groups:
    """Return the groups of all bands that a block of at most ``most`` questions could ask, with prior and weight.

    Args:
        axes: The attributes.
        workload: Which queries are to be answered well, and how much each pair of attributes matters.
        most: The most questions of a block; a finer band than it allows is in no group.
        prior: How large coefficients are believed to be.
    """
    # a block asks 2^band questions in its finest band, so finer bands than most allows are never asked
    bands = max(min(axis.bands, int(min(most, 1 << 20)).bit_length()) for axis in axes)
    count = len(axes)
    energy, single, pair = np.zeros((count, 1 + bands)), np.ones((count, bands)), np.ones((count, bands))
    for row, axis in enumerate(axes):
        own = min(bands, axis.bands)
        energy[row, : 1 + own] = range_energy(axis, workload.widths)[: 1 + own]
        single[row, :own], pair[row, :own] = prior.single(axis)[:own], prior.pair(axis)[:own]
    # a range over one attribute is one over two whose other range is everything: energy[0] of the other
    alone = prior.single_weight * workload.pairs @ energy[:, 0] if count > 1 else np.ones(1)
    first, second = np.triu_indices(count, 1)
    sizes = 2.0 ** np.arange(bands)
    # the mean square of a product of two independent ranges' coefficients is the product of their mean squares
    weights = workload.pairs[first, second][:, None, None] * _outer(energy[first, 1:], energy[second, 1:])
    return Groups(
        axes=tuple(axes),
        bands=bands,
        variance=np.concatenate([single.ravel(), _outer(pair[first], pair[second]).ravel()]),
        weight=np.concatenate([(alone[:, None] * energy[:, 1:]).ravel(), weights.ravel()]),
        coefficients=np.concatenate([np.tile(sizes, count), np.tile(np.outer(sizes, sizes).ravel(), len(first))]),
    )


def _outer(left: Floats, right: Floats) -> Floats:
    return np.asarray(left[:, :, None] * right[:, None, :])


@dataclass(frozen=True, slots=True)
class Candidates:
    """Blocks that may be asked, and what each informs, as a sparse matrix of blocks by groups.

    Attributes:
        groups: The groups of coefficients.
        blocks: The blocks.
        questions: The number of questions of each block.
        rows: For each entry, the index of its block,
        columns: the number of its group,
        gains: and how much a report gives: coefficients seen times squared attenuation.
    """

    groups: Groups
    blocks: list[Block]
    questions: Floats
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    gains: Floats

    @classmethod
    def of(cls, groups: Groups, epsilon: Decimal, blocks: Iterable[Block]) -> Candidates:
        """Return these blocks as candidates.

        Args:
            groups: The groups of coefficients.
            epsilon: The privacy of one answer; it fixes how much of a sign is left after the noise.
            blocks: What may be asked.
        """
        empty = cls(groups, [], np.zeros(0), np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0))
        return empty.plus(blocks, epsilon)

    def plus(self, blocks: Iterable[Block], epsilon: Decimal) -> Candidates:
        """Return the candidates with more blocks."""
        own, rows, columns, gains = list(blocks), [], [], []
        sizes = [axis.size for axis in self.groups.axes]
        for index, block in enumerate(own, start=len(self.blocks)):
            # information per report on each coefficient shown: a sign has mean tau times the true one
            gain = attenuation(float(epsilon), block.cells(sizes)) ** 2
            for group, mass in block.shows.items():
                rows.append(index)
                columns.append(self.groups.number(group))
                gains.append(gain * mass)
        return Candidates(
            self.groups,
            [*self.blocks, *own],
            np.append(self.questions, [float(block.questions) for block in own]),
            np.append(self.rows, np.array(rows, np.intp)),
            np.append(self.columns, np.array(columns, np.intp)),
            np.append(self.gains, gains),
        )

    def restrict(self, kept: NDArray[np.intp]) -> Candidates:
        """Return the candidates at the given indices, which rise."""
        index = np.full(len(self.blocks), -1)
        index[kept] = np.arange(len(kept))
        among = index[self.rows] >= 0
        return replace(
            self,
            blocks=[self.blocks[number] for number in kept.tolist()],
            questions=self.questions[kept],
            rows=index[self.rows][among],
            columns=self.columns[among],
            gains=self.gains[among],
        )

    def by_block(self, values: Floats) -> Floats:
        """Return the sum of the entries' values for each block."""
        return np.asarray(np.bincount(self.rows, values, len(self.blocks)), dtype=np.float64)

    def by_group(self, values: Floats) -> Floats:
        """Return the sum of the entries' values for each group."""
        return np.asarray(np.bincount(self.columns, values, len(self.groups.weight)), dtype=np.float64)


def attenuation(epsilon: float, cells: float) -> float:
    """Return what randomised response over so many cells leaves of a difference: (e^eps - 1) / (e^eps + cells - 1)."""
    return (exp(epsilon) - 1) / (exp(epsilon) + cells - 1)
