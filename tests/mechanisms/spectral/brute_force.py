"""What the parts of the fit are compared with: every level and every answer of a channel, counted one by one."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.channels import make_channel
from sottovoce.mechanisms.spectral.blocks import Block
from sottovoce.mechanisms.spectral.moments import Shown
from sottovoce.mechanisms.spectral.observations import Observations, PairCounts, observations
from sottovoce.mechanisms.spectral.patterns import Leads, spans
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs
from sottovoce.plan.bin_maps import BinMap, walsh_bits, walsh_cosets


def shown(sizes: tuple[int, ...], *patterns: tuple[int, Leads], parity: bool = False) -> Shown:
    """Return what the questions of a block show, of attributes of these sizes."""
    return Shown.of([attribute for attribute, _ in patterns], Block(patterns, parity).tables, sizes, parity=parity)


def expected_counts(block: Shown, joint: Floats, epsilon: str, reports: Floats | float) -> tuple[Floats, Floats]:
    """Return the expected counts of so many reports on each question, and the attenuation of each."""
    levels = np.indices(joint.shape).reshape(joint.ndim, -1)
    counts, kept = np.zeros((*block.shape, block.combinations)), np.zeros(block.shape)
    occurs, asked = block.occurring(), np.broadcast_to(reports, block.shape)
    for question in np.ndindex(block.shape):
        maps = [
            BinMap(walsh=(joint.shape[attribute], *functions[index].tolist()))
            for attribute, functions, index in zip(block.attributes, block.functions, question, strict=True)
        ]
        shape = tuple(own.bins for own in maps)
        channel = make_channel("xor" if block.parity else "grr", prod(shape), Decimal(epsilon), "", shape)
        bins = [own.array()[levels[attribute]] for own, attribute in zip(maps, block.attributes, strict=True)]
        people = np.bincount(np.ravel_multi_index(bins, shape), joint.ravel(), channel.cells)
        counts[question][occurs[question]] = asked[question] * people @ channel.probabilities()
        kept[question] = float(channel.attenuation)
    return counts, kept


def cosets(size: int, functions: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the combination of signs that every level has in a table, as a number."""
    own: Any = (size, *functions.tolist())
    return np.array(walsh_cosets(own))[BinMap(walsh=own).array()]


def pair_counts(own: PairCounts, both: Floats) -> Floats:
    """Return the counts that are expected of a pair if its levels have a given table."""
    expected = np.zeros_like(own.counts)
    for tables in np.ndindex(own.kept.shape):
        chosen = [functions[index] for functions, index in zip(own.functions, tables, strict=True)]
        if own.reports is None:
            cells = [np.eye(1 << len(row))[:, cosets(size, row)] for row, size in zip(chosen, both.shape, strict=True)]
            expected[tables] = own.kept[tables] * (cells[0] @ both @ cells[1].T) + own.chance[tables]
        else:  # the means of all products of functions
            signs = [
                walsh_signs(size, walsh_bits(size))[:, spans(row[None])[0]]
                for row, size in zip(chosen, both.shape, strict=True)
            ]
            expected[tables] = own.kept[tables] * np.einsum("xk,xy,yk->k", signs[0], both, signs[1])
    return expected


def scaled_table(interaction: Floats, rows: Floats, columns: Floats) -> Floats:
    """Return the table with these sums and this interaction, by so many sweeps that no error is left."""
    joint = np.exp(interaction)
    for _ in range(300):
        joint *= (rows / joint.sum(axis=1))[:, None]
        joint *= columns / joint.sum(axis=0)
    return np.asarray(joint)


def marginal(joint: Floats, *attributes: int) -> Floats:
    """Return the table of some attributes, in rising order."""
    return np.asarray(joint.sum(axis=tuple(axis for axis in range(joint.ndim) if axis not in attributes)))


def questions_on_pairs(axes: list[Axis]) -> list[Shown]:
    """Return questions that show both levels of every pair; of a single attribute its level."""
    sizes = tuple(axis.size for axis in axes)
    whole = [(index, tuple(range(axis.bands))) for index, axis in enumerate(axes)]
    chosen = list(combinations(whole, 2)) if len(axes) > 1 else [(whole[0],)]
    return [shown(sizes, *patterns) for patterns in chosen]


def seen_of(axes: list[Axis], joint: Floats, reports: float, epsilon: str = "3") -> Observations:
    """Return what so many reports on every pair say, were there no chance in them."""
    blocks = questions_on_pairs(axes)
    counts, kept = zip(*(expected_counts(block, joint, epsilon, reports) for block in blocks), strict=True)
    return observations(len(axes), blocks, counts, kept)
