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
    def _spans(self) -> list[list[NDArray[np.intp]]]:
        """For each block all products of the functions of each attribute's tables."""
        return [[spans(functions) for functions in block.functions] for block in self.blocks]

    def variance(self, weights: Weights, count: int) -> Floats:
        """Return the variance of ``count`` sums of measured coefficients; those nobody was asked count for nothing."""
        result = np.zeros(count)
        for block, products, counts, kept in zip(self.blocks, self._spans, self.counts, self.attenuations, strict=True):
            sizes = (2,) if block.parity else (1, 2)
            names = [own for own in weights if set(own) <= set(block.attributes) and len(own) in sizes]
            if not names:
                continue
            step = max(1, _NUMBERS_AT_ONCE // counts.size)
            for start in range(0, count, step):
                part = slice(start, start + step)
                shown = self._shown(block, products, {own: weights[own][part] for own in names})
                # g_q(y) = tau_q sum_c F_c sign_c(y) / I_c for all codes y at once (design/intervals.md, Direct answers)
                each = hadamard(shown * kept[..., None])
                total = (counts * each).sum(axis=-1)
                # n_q times the variance of g_q over the codes that were counted
                spread = (counts * each**2).sum(axis=-1) - total**2 / np.maximum(counts.sum(axis=-1), 1)
                result[part] += spread.reshape(len(spread), -1).sum(axis=1)
        return result

    def _shown(self, block: Shown, spread: list[NDArray[np.intp]], weights: Weights) -> Floats:
        """Return the weights over information of all products that a block's questions show: sums, tables, products."""
        many, count = len(spread), len(next(iter(weights.values())))
        if block.parity:
            names = tuple(sorted(block.attributes))
            first, second = (spread[block.attributes.index(name)][:, 1:] for name in names)
            found = self._over(names, weights[names], first[:, None], second[None])
            if block.attributes != names:
                found = found.swapaxes(1, 2)
            return np.concatenate([np.zeros((*found.shape[:-1], 1)), found], axis=-1)
        result = np.zeros((count, *block.shape, *block.widths))
        order = sorted(range(many), key=lambda index: block.attributes[index])  # as weights name them
        for members in (*combinations(order, 1), *combinations(order, 2)):
            names = tuple(block.attributes[index] for index in members)
            if names not in weights:
                continue
            functions = []
            for index in members:
                shape = [1] * (2 * many)
                shape[index], shape[many + index] = len(spread[index]), block.widths[index] - 1
                functions.append(spread[index][:, 1:].reshape(shape))
            where = tuple(slice(1, None) if index in members else slice(0, 1) for index in range(many))
            result[(slice(None),) * (1 + many) + where] = self._over(names, weights[names], *functions)
        return result.reshape(count, *block.shape, -1)

    def _over(self, names: tuple[int, ...], weights: Floats, *functions: NDArray[np.intp]) -> Floats:
        """Return weights over information of functions, or of products of two, in every sum."""
        starts = [self._asked.starts[name] - 1 for name in names]
        if len(names) == 1:
            return np.asarray(weights[:, functions[0] - 1] * self._inverse[0, starts[0] + functions[0]])
        return np.asarray(
            weights[:, functions[0] - 1, functions[1] - 1]
            * self._inverse[starts[0] + functions[0], starts[1] + functions[1]]
        )

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
