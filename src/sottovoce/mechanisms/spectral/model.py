"""The mixture model: p(x) = sum over components of weight * product over attributes of a distribution of levels.

Every answer is a sum of products, so any query on any number of attributes costs microseconds, is never negative, adds
up over disjoint ranges and is 1 for everybody.

Its standard errors join two views of the fit's uncertainty: how much the answer itself moves when the fit is repeated
on perturbed moments, and how much answers of that size and number of attributes move in general. The first alone covers
too little, because a smooth fit's own bias is not in it; the second stands for that. How the two are joined was settled
by measuring coverage (benchmarks/coverage.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.model.joint import JointModel
from sottovoce.model.model import Model
from sottovoce.model.origin import Origin
from sottovoce.query.batch import Batch, Selection, SpanSelection

_REFERENCE_QUERIES, _MOST_DIMENSIONS = 100, 4
_OWN, _GENERAL, _MOST = 1.2, 0.4, 2.0  # the first also makes up for the small number of repeated fits


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """How the variance of an answer is put together, for whoever computes it elsewhere; see `MixtureModel.deviations`.

    Attributes:
        own: The weight of the variance of the answer itself over repeated fits.
        general: The weight of the variance that answers of its size and number of attributes have.
        most: That variance counts for at most so many times the answer's own,
        least: but never for less than this squared, which makes no answer surer than to one person.
        rates: How much answers on 1, 2, ... attributes vary, per root of p (1 - p); empty if never fitted again.
    """

    own: float
    general: float
    most: float
    least: float
    rates: tuple[float, ...]


class MixtureModel(JointModel):
    """Component weights, and for each attribute a distribution of its levels per component (components by levels).

    Factors are kept in a short float type, so that a model is the same after it was saved and read.
    """

    kind = "mixture"
    resampled = False

    def __init__(
        self,
        origin: Origin,
        *,
        weights: Floats,
        factors: list[NDArray[Any]],
        precision: Any = np.float32,
        repeated: Callable[[], Sequence[Model]] | None = None,
    ) -> None:
        super().__init__(origin)
        self._refit = repeated
        self._kept = [np.asarray(factor, dtype=precision) for factor in factors]
        self._given = weights  # kept as given, because a division does not repeat itself to the last digit
        self.weights = weights / weights.sum()
        self.weights[self.weights.argmax()] += 1 - self.weights.sum()  # everybody is one, to the last digit
        self.factors = [
            kept.astype(np.float64) / kept.sum(axis=1, keepdims=True, dtype=np.float64) for kept in self._kept
        ]

    def evaluate(self, batch: Batch) -> Floats:
        """Return the expected product of weights for every query of a batch."""
        products = np.repeat(self.weights[None, :], batch.count, axis=0)
        for attribute, selection in batch.selections.items():
            inside = selection.project(self.factors[attribute].T)
            if len(selection.queries) == batch.count:
                products *= inside
            else:
                products[selection.queries] *= inside
        return np.asarray(products.sum(axis=1))

    def deviations(self, batch: Batch, sums: Floats) -> Floats:
        """Return the standard error of each sum of the batch's answers; infinite if the fit was never repeated."""
        if not self.replicates:
            return np.full(len(sums), np.inf)
        again = np.array([replicate.evaluate(batch) for replicate in self.replicates])
        own = np.asarray((again @ sums.T).var(axis=0, ddof=1))
        general = own.copy()
        alone = np.flatnonzero(np.count_nonzero(sums, axis=1) == 1)
        if alone.size:
            query = np.abs(sums[alone]).argmax(axis=1)
            wide, least = sums[alone, query] ** 2 * self._general_variance(batch)[:, query]
            general[alone] = np.maximum(np.minimum(wide, _MOST * own[alone]), least)
        return np.asarray(np.sqrt(_OWN * own + _GENERAL * general))

    @property
    def error_rule(self) -> ErrorRule:
        """The numbers behind `deviations`."""
        rates = tuple(self._rates.tolist()) if self.replicates else ()
        return ErrorRule(_OWN, _GENERAL, _MOST, self._least, rates)

    def _general_variance(self, batch: Batch) -> Floats:
        """Return the variance that answers of a size and number of attributes have in general, and the least there is.

        An answer p varies as in a sample of ``1 / rate**2`` people; the least is one person's. Two rows, by query.
        """
        scale = np.ones(batch.count)
        for selection in batch.selections.values():
            scale[selection.queries] *= np.abs(selection.weights).max(axis=1)
        share = np.divide(np.abs(self.evaluate(batch)), scale, out=np.zeros(batch.count), where=scale > 0)
        rate = np.append(0.0, self._rates)[np.minimum(batch.dimensions(), len(self._rates))]
        wide = scale**2 * rate**2 * np.clip(share * (1 - share), 0.0, None)
        return np.stack([wide, (scale * self._least * (rate > 0)) ** 2])

    @property
    def _least(self) -> float:
        return math.sqrt(1 / _GENERAL) / max(1, self.origin.reports)

    @cached_property
    def _rates(self) -> Floats:
        """How much random ranges over 1 to 4 attributes move when the fit is repeated, per root of p (1 - p)."""
        generator = np.random.default_rng(0)
        rates = []
        for dimensions in range(1, min(_MOST_DIMENSIONS, len(self.factors)) + 1):
            batch = self._random_ranges(dimensions, generator)
            answers = self.evaluate(batch)
            spread = np.array([replicate.evaluate(batch) for replicate in self.replicates]).var(axis=0, ddof=1)
            rates.append(np.sqrt(spread.mean() / max(float((answers * (1 - answers)).mean()), 1e-12)))
        return np.array(rates)

    def _random_ranges(self, dimensions: int, generator: np.random.Generator) -> Batch:
        named: dict[int, list[int]] = {}
        for query in range(_REFERENCE_QUERIES):
            for attribute in generator.choice(len(self.factors), dimensions, replace=False).tolist():
                named.setdefault(attribute, []).append(query)
        selections: dict[int, Selection] = {}
        for attribute in sorted(named):
            levels = self.schema.sizes[attribute]
            ends = np.sort(generator.integers(0, levels, (len(named[attribute]), 2)), axis=1)
            spans = np.stack([ends[:, 0], ends[:, 1] + 1], axis=1).astype(np.float64)
            selections[attribute] = SpanSelection(np.array(named[attribute]), spans, levels)
        return Batch(_REFERENCE_QUERIES, selections)

    def draw_levels(self, count: int, generator: np.random.Generator) -> list[NDArray[np.intp]]:
        """Return the levels of that many people drawn from the model, one array per attribute."""
        components = generator.choice(len(self.weights), count, p=self.weights)
        levels = []
        for factor in self.factors:
            ends = np.cumsum(factor, axis=1)
            draws = generator.random(count) * ends[components, -1]
            own = np.empty(count, dtype=np.intp)
            for component in np.unique(components):
                where = np.flatnonzero(components == component)
                own[where] = np.searchsorted(ends[component], draws[where], side="right")
            levels.append(np.minimum(own, factor.shape[1] - 1))
        return levels

    def state(self) -> dict[str, Any]:
        """Return the weights and the factors."""
        return {"weights": self._given, "factors": self._kept}

    @classmethod
    def from_state(cls, origin: Origin, state: dict[str, Any]) -> MixtureModel:
        """Return the model that `state` describes."""
        precision = state["factors"][0].dtype
        return cls(origin, weights=state["weights"], factors=state["factors"], precision=precision)
