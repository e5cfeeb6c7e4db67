"""What was counted of single attributes and of pairs: numbers that are Poisson about kept * frequency + chance.

Of n reports on a question with K cells that occur, randomised response leaves a part tau that shows the true cell and
spreads the rest evenly, so a cell of frequency f is reported n tau f + n (1 - tau) / K times. Summed over the other
attributes of a question, and over questions, that stays a sum of the same form, so all that is known of an attribute or
a pair is a list of (vector of levels, count, kept, chance). A parity shows only sums and differences of such cells; its
products of signs are taken as normal about kept * mean.

Questions on three or more attributes are counted with each of their pairs. They then count each attribute too often,
which the list of that attribute takes back: m attributes have m - 1 pairs each, so their own counts stand there with
the weight 2 - m (the approximation of Bethe). Of two attributes the pair has it all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.moments import Shown, hadamard, sylvester

Functions = NDArray[np.intp]
"""Tables by the Walsh functions that they list."""


@dataclass(frozen=True, slots=True)
class SingleCounts:
    """What the questions of one family say of one attribute.

    Attributes:
        functions: The attribute's tables.
        counts: How often each of their cells was reported, tables by cells.
        kept: How many reports show the true cell, by table.
        chance: How many are reported by chance, tables by cells.
        weight: How often the family counts here if its pairs count too.
    """

    functions: Functions
    counts: Floats
    kept: Floats
    chance: Floats
    weight: float


@dataclass(frozen=True, slots=True)
class PairCounts:
    """What the questions of one family say of two attributes; arrays are by tables of both, then by cells of both.

    Attributes:
        functions: The tables of the one, and of the other.
        counts: How often each cell was reported; of a parity the sums of counts with the signs of every product.
        kept: How many reports show the truth, by table and table.
        chance: How many are reported by chance; of a parity nothing, as counts are given without.
        reports: Of a parity the number of reports, by table and table; None of others.
    """

    functions: tuple[Functions, Functions]
    counts: Floats
    kept: Floats
    chance: Floats
    reports: Floats | None = None


@dataclass(frozen=True, slots=True)
class Observations:
    """All that was counted, by attribute and by pair."""

    single: list[list[SingleCounts]]
    pair: dict[tuple[int, int], list[PairCounts]]


def observations(
    attributes: int, blocks: Sequence[Shown], counts: Sequence[NDArray[Any]], attenuations: Sequence[Floats | float]
) -> Observations:
    """Return what was counted of every attribute and of every pair.

    Args:
        attributes: How many attributes there are.
        blocks: What the questions of every family show.
        counts: For each family its counts: tables of each attribute, then combinations of signs.
        attenuations: For each family the part of its reports that show the truth, by question or for all.
    """
    found = Observations([[] for _ in range(attributes)], {})
    for block, tally, given in zip(blocks, counts, attenuations, strict=True):
        reports = tally.sum(axis=-1).astype(np.float64)
        kept = np.broadcast_to(np.asarray(given, dtype=np.float64), block.shape)
        occurs = block.occurring()
        chance = np.where(occurs, ((1 - kept) * reports)[..., None] / occurs.sum(axis=-1, keepdims=True), 0.0)
        if block.parity:
            _add_parity(found, block, tally - chance, kept * reports, reports)
        else:
            whole = (*block.shape, *block.widths)
            _add_cells(found, block, tally.reshape(whole).astype(np.float64), kept * reports, chance.reshape(whole))
    return found


def _add_cells(found: Observations, block: Shown, counts: Floats, kept: Floats, chance: Floats) -> None:
    many = len(block.attributes)
    for index, attribute in enumerate(block.attributes):
        others = tuple(axis for axis in range(many) if axis != index)
        cells = (*others, *(many + axis for axis in others))
        own = counts.sum(axis=cells), kept.sum(axis=others), chance.sum(axis=cells)
        found.single[attribute].append(SingleCounts(block.functions[index], *own, weight=2.0 - many))
    for members in combinations(range(many), 2):
        one, other = sorted(members, key=lambda index: block.attributes[index])
        others = tuple(axis for axis in range(many) if axis not in members)
        cells = (*others, *(many + axis for axis in others))
        summed = [array.sum(axis=cells) for array in (counts, chance)]
        by_table = kept.sum(axis=others)
        if one > other:
            summed, by_table = [array.transpose(1, 0, 3, 2) for array in summed], by_table.T
        found.pair.setdefault((block.attributes[one], block.attributes[other]), []).append(
            PairCounts((block.functions[one], block.functions[other]), summed[0], by_table, summed[1])
        )


def _add_parity(found: Observations, block: Shown, counts: Floats, kept: Floats, reports: Floats) -> None:
    first, second = block.attributes
    functions = block.functions
    signed = hadamard(counts)
    if first > second:
        first, second, functions = second, first, functions[::-1]
        signed, kept, reports = signed.swapaxes(0, 1), kept.T, reports.T
    found.pair.setdefault((first, second), []).append(
        PairCounts((functions[0], functions[1]), signed, kept, np.zeros_like(signed), reports)
    )


def cell_sums(products: Functions, means: Floats) -> Floats:
    """Return the sums of some functions of the level over the cells of every table: tables, cells, functions.

    Args:
        products: Tables by all products of the Walsh functions that they list (`spans`).
        means: The sums over all levels of every Walsh function times each of these functions, the constant first.

    Example:
        >>> from sottovoce.mechanisms.spectral.patterns import spans
        >>> from sottovoce.mechanisms.spectral.walsh import walsh_signs
        >>> levels = np.array([[0.1], [0.2], [0.3], [0.4]])
        >>> cell_sums(spans(np.array([[1, 2]])), walsh_signs(4, 2).T @ levels)[0, :, 0]
        array([0.1, 0.2, 0.3, 0.4])
    """
    # the indicator of a cell is the mean over all products of its table's functions of their signs there
    cells = products.shape[1]
    return np.asarray(sylvester(cells) @ means[products] / cells)
