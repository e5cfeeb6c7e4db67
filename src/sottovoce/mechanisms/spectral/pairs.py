"""What was counted of a pair, and how probable a table of its two attributes makes it: slope and curvature.

A count is Poisson about kept * frequency + chance, and a frequency is a product first * P * second of two vectors over
cells with the table P; the products of signs that a parity shows are normal. So a change of P moves all expected counts
linearly, and Fisher's information of any directions is a product of matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.loglinear import balance, score_sums
from sottovoce.mechanisms.spectral.observations import PairCounts, cell_sums
from sottovoce.mechanisms.spectral.patterns import spans


@dataclass(frozen=True, slots=True)
class _Part:
    """Frequencies that are products of every first vector with every second one; arrays are first by second.

    Attributes:
        first: Vectors over the cells of the one attribute.
        second: Vectors over the cells of the other.
        counts: What was counted; of a parity without what chance adds.
        kept: By how much a frequency of one is counted.
        chance: What chance adds; None of a parity.
        reports: Of a parity the reports, which are the variance; None of others.
    """

    first: Floats
    second: Floats
    counts: Floats
    kept: Floats
    chance: Floats | None
    reports: Floats | None

    def slopes(self, frequency: Floats) -> tuple[Floats, Floats]:
        """Return the slope of the log probability by each frequency, and its information."""
        if self.chance is None:
            assert self.reports is not None
            weight = self.kept / np.maximum(self.reports, 1.0)
            return weight * (self.counts - self.kept * frequency), weight * self.kept
        occurs = self.chance > 0
        expected = np.where(occurs, self.kept * np.maximum(frequency, 0.0) + self.chance, 1.0)
        kept = np.where(occurs, self.kept, 0.0)
        return kept * (self.counts / expected - 1), kept**2 / expected


@dataclass(frozen=True, slots=True)
class Expansion:
    """The log probability of what was counted of a pair, about a table, along some directions.

    Attributes:
        slope: Its slope.
        information: Minus its curvature, as Fisher has it.
    """

    slope: Floats
    information: Floats


class Pair:
    """All that was counted of a pair.

    Args:
        counts: What was counted.
        first: The sums of every Walsh function over the cells of the one attribute, functions by cells.
        second: The same of the other.
    """

    def __init__(self, counts: Sequence[PairCounts], first: Floats, second: Floats) -> None:
        self._shape = first.shape[1], second.shape[1]
        self._parts: list[_Part] = []
        for own in counts:
            products = [spans(functions) for functions in own.functions]
            if own.reports is not None:
                for index in range(1, products[0].shape[1]):
                    vectors = first[products[0][:, index]], second[products[1][:, index]]
                    self._parts.append(_Part(*vectors, own.counts[..., index], own.kept, None, own.reports))
                continue
            vectors = cell_sums(products[0], first), cell_sums(products[1], second)
            cells = vectors[0].shape[1], vectors[1].shape[1]
            by_cell = [
                array.transpose(0, 2, 1, 3).reshape(len(vectors[0]) * cells[0], -1)
                for array in (own.counts, own.chance)
            ]
            kept = np.repeat(np.repeat(own.kept, cells[0], axis=0), cells[1], axis=1)
            flat = [vector.reshape(-1, vector.shape[-1]) for vector in vectors]
            self._parts.append(_Part(flat[0], flat[1], by_cell[0], kept, by_cell[1], None))

    def expand(
        self, joint: Floats, scores: tuple[Floats, Floats], moves: tuple[Floats, Floats] | None = None
    ) -> Expansion:
        """Return the log probability about a table, by the products of scores and by changes of the sums.

        Args:
            joint: The table.
            scores: The scores of rows and of columns, in whose products the interaction moves.
            moves: How the sums of rows and of columns move, by direction; left as they are if not given.

        Returns:
            Along the products of scores, then directions of rows, then of columns.
        """
        rows, columns = (-sums for sums in score_sums(joint, *scores))
        if moves is not None:
            none = [np.zeros((len(own), other.shape[1])) for own, other in ((rows, moves[1]), (columns, moves[0]))]
            rows, columns = np.hstack([rows, moves[0], none[0]]), np.hstack([columns, none[1], moves[1]])
        alpha, beta = balance(joint, rows, columns)
        moved, slopes, weights = [np.zeros((0, alpha.shape[1]))], [np.zeros(0)], [np.zeros(0)]
        for part in self._parts:
            slope, weight = part.slopes(part.first @ joint @ part.second.T)
            moved.append(_moved(part, joint, scores, alpha, beta))
            slopes.append(slope.ravel())
            weights.append(weight.ravel())
        matrix, weight = np.concatenate(moved), np.concatenate(weights)
        return Expansion(matrix.T @ np.concatenate(slopes), (matrix.T * weight) @ matrix)


def _moved(part: _Part, joint: Floats, scores: tuple[Floats, Floats], alpha: Floats, beta: Floats) -> Floats:
    """Return how every frequency moves along every direction: P (u v + alpha + beta), or without u v, summed up."""
    first, second = part.first, part.second
    onward, back = joint @ second.T, first @ joint
    found = (first[:, None, :] * onward.T[None]).reshape(-1, len(joint)) @ alpha
    found += (back[:, None, :] * second[None]).reshape(-1, joint.shape[1]) @ beta
    counts = scores[0].shape[1], scores[1].shape[1]
    left = (first[:, None, :] * scores[0].T).reshape(-1, len(joint)) @ joint
    right = (second[:, None, :] * scores[1].T).reshape(-1, joint.shape[1])
    direct = (left @ right.T).reshape(len(first), counts[0], len(second), counts[1]).transpose(0, 2, 1, 3)
    found[:, : counts[0] * counts[1]] += direct.reshape(len(found), -1)
    return found
