"""The model of every mechanism that knows pairs of attributes: answers of any dimension come from those of its pairs.

For each pair it holds a matrix of frequencies over blocks of levels; levels within a block are taken as alike. A query
on two attributes is a sum over the matrix; on one, the mean over the matrices that know it; on more, the paper's
Algorithm 2 or maximum entropy, from the pairs' answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.errors import QueryError
from sottovoce.estimation import max_entropy, weighted_update
from sottovoce.mechanisms.direct_answers import HIDDEN, DirectAnswers
from sottovoce.mechanisms.raw_grids import RawGrid, grids_from_state, grids_state
from sottovoce.model.answer import INTERVAL_NOTE
from sottovoce.model.fitted import Spread
from sottovoce.model.model import Model
from sottovoce.model.origin import Origin
from sottovoce.query.batch import Batch, chunks

ESTIMATORS = ("max_entropy", "weighted_update")
"""How answers on more than two attributes are made from pairs: the appendix's method, or Algorithm 2."""

Pair = tuple[int, int]

MAX_DIMENSIONS = 20
"""Answers to more attributes than this would need vectors of over a million numbers for every query."""


class PairwiseModel(Model):
    """Matrices of frequencies for all pairs of attributes.

    Args:
        origin: What the model says of itself: schema, plan, reports.
        estimator: How answers on more than two attributes are made from pairs, one of `ESTIMATORS`.
        blocks: For each attribute the block of every level; within a block people are spread evenly.
        matrices: For each pair of attributes the frequency of every pair of blocks.
        raw: Estimates before they were made consistent, for direct answers; none for a model without.
    """

    kind = "pairwise"

    def __init__(
        self,
        origin: Origin,
        *,
        estimator: str,
        blocks: list[NDArray[np.intp]],
        matrices: Mapping[Pair, Floats],
        raw: Sequence[RawGrid] = (),
    ) -> None:
        super().__init__(origin)
        self.estimator = estimator
        self.blocks = blocks
        self.matrices = dict(matrices)
        self.raw = list(raw)
        self._averages = [_block_average(block) for block in blocks]
        self._singles = [self._single(attribute) for attribute in range(len(blocks))]

    def _single(self, attribute: int) -> Floats:
        known = [
            matrix.sum(axis=1 - pair.index(attribute)) for pair, matrix in self.matrices.items() if attribute in pair
        ]
        return np.asarray(np.mean(known, axis=0))

    def state(self) -> dict[str, Any]:
        """Return the estimator, blocks and matrices, and the raw grids."""
        return {**self.replicate_state(), **grids_state(self.raw)}

    def replicate_state(self) -> dict[str, Any]:
        """Return the estimator, blocks and matrices: a replicate gives no direct answers."""
        return {"estimator": self.estimator, "blocks": self.blocks, "matrices": list(self.matrices.values())}

    @classmethod
    def from_state(cls, origin: Origin, state: dict[str, Any]) -> PairwiseModel:
        """Return the model that `state` describes."""
        pairs = list(combinations(range(len(origin.schema.attributes)), 2))
        matrices = dict(zip(pairs, state["matrices"], strict=True))
        raw = grids_from_state(state)
        return cls(origin, estimator=state["estimator"], blocks=state["blocks"], matrices=matrices, raw=raw)

    def evaluate(self, batch: Batch) -> Floats:
        """Return the expected product of weights for every query of a batch."""
        answers = np.ones(batch.count)
        dimensions = batch.dimensions()
        reduced = {
            attribute: _Reduced(batch.count, selection.queries, selection.project(self._averages[attribute]))
            for attribute, selection in batch.selections.items()
        }
        for number in np.unique(dimensions[dimensions > 0]).tolist():
            queries = np.flatnonzero(dimensions == number)
            if number > MAX_DIMENSIONS:
                raise QueryError(
                    f"a query names {number} attributes; {self.origin.mechanism} answers at most {MAX_DIMENSIONS}"
                )
            for part in chunks(len(queries), 2**number):
                answers[queries[part]] = self._answer(number, queries[part], reduced)
        return answers

    @property
    def interval_note(self) -> str:
        """What the intervals include, and what not."""
        return (
            f"{INTERVAL_NOTE} Of this mechanism's own error they include what its cells may hide, and leave out part "
            "of what smoothing the cells does and of what is assumed about more than two attributes; on comparisons of "
            "groups they hold far less often than their level says."
        )

    def bias(self, batch: Batch, sums: Floats) -> Floats:
        """Return what blocks may hide, whose levels are taken as alike: half the spread of the weights within them.

        It is scaled by the other attributes' weights where those are larger than a fraction's, as a mean's are.
        """
        hidden, sizes = np.zeros(batch.count), np.ones((len(self.blocks), batch.count))
        for attribute, selection in batch.selections.items():
            squares = selection.weights**2
            typical = squares @ self._averages[attribute] @ self._singles[attribute]
            sizes[attribute, selection.queries] = np.maximum(typical, np.minimum(squares.max(axis=1), 1.0))
        for attribute, selection in batch.selections.items():
            average = self._averages[attribute]
            spread = np.maximum(selection.weights**2 @ average - (selection.weights @ average) ** 2, 0.0)
            others = np.delete(sizes, attribute, axis=0).prod(axis=0)[selection.queries]
            hidden[selection.queries] += others * HIDDEN * (spread @ self._singles[attribute] ** 2)
        return np.asarray(np.sqrt(sums**2 @ hidden))

    @cached_property
    def direct(self) -> DirectAnswers:
        """What the reports themselves say of attributes that were asked together."""
        return DirectAnswers(self.raw, self._averages, self._singles, self.matrices)

    def spread(self, batch: Batch, sums: Floats) -> Spread:
        """Return the errors of sums of answers, and what the reports themselves say; a model of grids knows no more."""
        direct, error = self.direct.answer(batch, sums)
        return replace(super().spread(batch, sums), direct=direct, direct_error=error)

    def _answer(self, dimensions: int, queries: NDArray[np.intp], reduced: Mapping[int, _Reduced]) -> Floats:
        """Return the answers to queries that all name the same number of attributes."""
        if dimensions == 1:
            answers = np.empty(len(queries))
            for attribute, weights in reduced.items():
                own = weights.names(queries)
                answers[own] = weights.of(queries[own]) @ self._singles[attribute]
            return answers
        quadrants = self._quadrants(dimensions, queries, reduced)
        if dimensions == 2:
            return np.asarray(quadrants[0, 1, 1, 1])
        threshold = 1.0 / max(1, self.origin.reports)
        if self.estimator == "weighted_update":
            return weighted_update.from_pairs(quadrants[:, :, 1, 1], threshold=threshold)
        return max_entropy.from_quadrants(quadrants, threshold=threshold)

    def _quadrants(self, dimensions: int, queries: NDArray[np.intp], reduced: Mapping[int, _Reduced]) -> Floats:
        """Return the four answers of every pair of a query's attributes: outside or inside each of the two."""
        named = np.array([weights.names(queries) for weights in reduced.values()])
        indices = dict(zip(reduced, np.cumsum(named, axis=0) - 1, strict=True))
        quadrants = np.zeros((dimensions, dimensions, 2, 2, len(queries)))
        for first, second in combinations(reduced, 2):
            own = np.flatnonzero(reduced[first].names(queries) & reduced[second].names(queries))
            if not own.size:
                continue
            matrix = self.matrices[first, second]
            rows, columns = reduced[first].of(queries[own]), reduced[second].of(queries[own])
            both = np.einsum("qc,qc->q", rows @ matrix, columns)
            one, other = rows @ matrix.sum(axis=1), columns @ matrix.sum(axis=0)
            four = np.array([[matrix.sum() - one - other + both, other - both], [one - both, both]])
            quadrants[indices[first][own], indices[second][own], :, :, own] = np.moveaxis(four, -1, 0)
        return quadrants


class _Reduced:
    """One attribute's weights averaged over blocks, and which queries name it."""

    def __init__(self, count: int, queries: NDArray[np.intp], weights: Floats) -> None:
        self.rows = np.full(count, -1)
        self.rows[queries] = np.arange(len(queries))
        self.weights = weights

    def names(self, queries: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which of the queries name the attribute."""
        return self.rows[queries] >= 0

    def of(self, queries: NDArray[np.intp]) -> Floats:
        """Return the weights of queries that all name it."""
        return np.asarray(self.weights[self.rows[queries]])


def _block_average(blocks: NDArray[np.intp]) -> Floats:
    """Return the matrix that averages weights over levels into weights over blocks."""
    member = blocks[:, None] == np.arange(int(blocks.max()) + 1)
    return np.asarray(member / member.sum(axis=0))
