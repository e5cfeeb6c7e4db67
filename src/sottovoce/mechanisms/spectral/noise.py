"""How far chance moves what reports say: the exact variance of sums of measured coefficients, question by question.

What question q says of a coefficient c counts for n_q tau_q^2 / I_c in the pooled estimate (moments.py). So in a sum of
coefficients with weights F_c a report of q with code y counts for

    g_q(y) = tau_q sum_c F_c sign_c(y) / I_c        (c over what q shows, I_c the information of all questions),

and the sum's variance is n_q times that of g_q over the codes that were counted, added up over all questions. Two
coefficients of one question are correlated wherever people are not spread evenly, and this has all of that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.errors import ModelError
from sottovoce.mechanisms.spectral.moments import Asked, Shown, hadamard, pool
from sottovoce.mechanisms.spectral.patterns import spans
from sottovoce.mechanisms.spectral.walsh import Axis

Weights = Mapping[tuple[int, ...], Floats]
"""For an attribute or a pair the weights of its functions in every sum: sums by functions, or by those of either."""

_NUMBERS_AT_ONCE = 2**22


@dataclass(frozen=True, slots=True)
class _Side:
    """What the questions of a block show of an attribute or of a pair.

    Attributes:
        block: The number of the block.
        where: Where its products stand among all that the block shows.
        functions: Which functions of each attribute they are, by tables and products.
        inverse: One over the information on them, by tables and products.
    """

    block: int
    where: tuple[Any, ...]
    functions: tuple[NDArray[np.intp], ...]
    inverse: Floats


@dataclass(frozen=True)
class Noise:
    """What was asked and counted, for the variance of sums of coefficients.

    Attributes:
        blocks: What was asked.
        counts: For each block its counts, by tables of each attribute and combinations of signs.
        attenuations: For each block that of every question.
    """

    blocks: Sequence[Shown]
    counts: Sequence[NDArray[Any]]
    attenuations: Sequence[Floats]

    @cached_property
    def _asked(self) -> Asked:
        return Asked.of(1 + max(attribute for block in self.blocks for attribute in block.attributes), self.blocks)

    @cached_property
    def _inverse(self) -> Floats:
        """One over the information of every coefficient, nothing where nobody was asked."""
        information = pool(self._asked, self.blocks, self.counts, self.attenuations).information
        return np.divide(1.0, information, out=np.zeros_like(information), where=information > 0)

    @cached_property
    def _sides(self) -> dict[tuple[int, ...], list[_Side]]:
        """For an attribute or a pair what each block shows of it, for all that any block shows."""
        found: dict[tuple[int, ...], list[_Side]] = {}
        for number, block in enumerate(self.blocks):
            many, products = len(block.attributes), [spans(functions) for functions in block.functions]
            order = sorted(range(many), key=lambda index: block.attributes[index])  # as weights name them
            for members in (*(() if block.parity else combinations(order, 1)), *combinations(order, 2)):
                names = tuple(block.attributes[index] for index in members)
                functions = []
                for index in members:
                    own, shape = products[index][:, 1:], [1] * (many + 1 if block.parity else 2 * many)
                    shape[index], shape[many if block.parity else many + index] = own.shape
                    functions.append(own.reshape(shape))
                among = (0,) if block.parity else range(many)
                where = (..., *(slice(1, None) if block.parity or index in members else slice(0, 1) for index in among))
                starts = [self._asked.starts[name] - 1 for name in names]
                known = (0, starts[0] + functions[0]) if len(names) == 1 else tuple(map(np.add, starts, functions))
                inverse = self._inverse[known]
                found.setdefault(names, []).append(_Side(number, where, tuple(own - 1 for own in functions), inverse))
        return found

    @cached_property
    def _reports(self) -> list[Floats]:
        """For each block how many answered each question, at least one."""
        return [np.maximum(counts.sum(axis=-1), 1.0) for counts in self.counts]

    def variance(self, weights: Weights, count: int) -> Floats:
        """Return the variance of ``count`` sums of measured coefficients; those nobody was asked count for nothing."""
        result = np.zeros(count)
        sides: dict[int, list[tuple[tuple[int, ...], _Side]]] = {}
        for names in weights:
            for side in self._sides.get(names, []):
                sides.setdefault(side.block, []).append((names, side))
        for number, shown in sorted(sides.items()):
            block, counts, kept = self.blocks[number], self.counts[number], self.attenuations[number]
            step = max(1, _NUMBERS_AT_ONCE // counts.size)
            for start in range(0, count, step):
                part = slice(start, min(start + step, count))
                cells = (counts.shape[-1],) if block.parity else block.widths
                each = np.zeros((part.stop - start, *block.shape, *cells))
                for names, side in shown:
                    asked: tuple[Any, ...] = (slice(None), *side.functions)
                    each[side.where] = weights[names][part][asked] * side.inverse
                # g_q(y) = tau_q sum_c F_c sign_c(y) / I_c for all codes y at once (design/intervals.md, Direct answers)
                each = hadamard(each.reshape(len(each), *block.shape, -1) * kept[..., None])
                weighted = counts * each
                # n_q times the variance of g_q over the codes that were counted
                spread = np.einsum("...y,...y->...", weighted, each)
                spread -= weighted.sum(axis=-1) ** 2 / self._reports[number]
                result[part] += spread.reshape(len(spread), -1).sum(axis=1)
        return result

    def state(self) -> dict[str, Any]:
        """Return short arrays that say the same: what each block asks, and all counts and attenuations in a row."""
        heads = [
            [int(block.parity), len(block.attributes), *(number for part in _shapes(block) for number in part)]
            for block in self.blocks
        ]
        functions = [np.concatenate([own.ravel() for own in block.functions]) for block in self.blocks]
        both = [part for pair in zip(heads, functions, strict=True) for part in pair]
        return {
            "noise_blocks": np.concatenate(both).astype(np.float32),
            "noise_counts": np.concatenate([own.ravel() for own in self.counts]).astype(np.float32),
            "noise_kept": np.concatenate([own.ravel() for own in self.attenuations]).astype(np.float32),
        }

    @classmethod
    def from_state(cls, axes: Sequence[Axis], state: Mapping[str, Any]) -> Noise:
        """Return what `state` says, if it can be of these attributes."""
        named = state["noise_blocks"].astype(np.intp)
        counts, kept = (state[name].astype(np.float64) for name in ("noise_counts", "noise_kept"))
        if (counts < 0).any() or (kept < 0).any():
            raise ModelError("the counts and attenuations that direct answers need are never below zero")
        sizes = [axis.size for axis in axes]
        blocks, by_block, attenuations = [], [], []
        while named.size:
            (parity, many), named = named[:2], named[2:]
            head, named = named[: 3 * many].reshape(many, 3), named[3 * many :]
            tables = []
            for attribute, rows, columns in head.tolist():
                own, named = named[: rows * columns], named[rows * columns :]
                if not 0 <= attribute < len(axes) or own.min() < 1 or own.max() >= 1 << axes[attribute].bands:
                    raise ModelError("direct answers need functions that the attributes do not have")
                tables.append([tuple(row) for row in own.reshape(rows, columns).tolist()])
            questions = int(np.prod(head[:, 1]))
            codes = 1 << int(head[0, 2] if parity else head[:, 2].sum())
            if questions * codes > counts.size or questions > kept.size:
                raise ModelError("direct answers need counts of every question that they name")
            block = Shown.of(head[:, 0].tolist(), tables, sizes, parity=bool(parity))
            blocks.append(block)
            by_block.append(counts[: questions * codes].reshape(*block.shape, codes))
            attenuations.append(kept[:questions].reshape(block.shape))
            counts, kept = counts[questions * codes :], kept[questions:]
        if counts.size or kept.size or not blocks:
            raise ModelError("direct answers need the questions of all counts")
        return cls(blocks, by_block, attenuations)


def _shapes(block: Shown) -> list[tuple[int, int, int]]:
    """Return for each attribute its number, how many tables it has and how many functions a table lists."""
    return [(attribute, *own.shape) for attribute, own in zip(block.attributes, block.functions, strict=True)]
