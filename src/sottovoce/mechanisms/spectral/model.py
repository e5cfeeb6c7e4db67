"""The mixture model: p(x) = sum over components of weight * product over attributes of a distribution of levels.

Every answer is a sum of products, so any query on any number of attributes costs microseconds, is never negative, adds
up over disjoint ranges and is 1 for everybody.

How far an answer may be off follows in closed form from a few small tables that the fit leaves (`posterior`, and
docs/design/intervals.md): nothing is fitted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.errors import ModelError
from sottovoce.mechanisms.spectral.direct import Direct, measured_by_band, model_moments
from sottovoce.mechanisms.spectral.doubt import Doubt
from sottovoce.mechanisms.spectral.fitting import Answers, Fitted
from sottovoce.mechanisms.spectral.moments import Asked
from sottovoce.mechanisms.spectral.noise import Noise
from sottovoce.mechanisms.spectral.posterior import Posterior
from sottovoce.mechanisms.spectral.walsh import Axis
from sottovoce.model.fitted import Spread
from sottovoce.model.joint import JointModel
from sottovoce.model.origin import Origin
from sottovoce.query.batch import Batch, Selection
from sottovoce.query.functional import Functional, imputed


@dataclass(frozen=True, slots=True)
class Known:
    """What a fit leaves behind for intervals and direct answers, in short float types.

    Attributes:
        doubt: What remains unknown.
        bands: How many bands of each attribute were asked.
        measured: By bands of all attributes the variance of measured coefficients; 0 if nobody was asked.
        residual: Measured minus model of every coefficient of an asked band or pair of bands, the upper triangle row by
            row.
        noise: How far chance moves what was measured.
    """

    doubt: Doubt
    bands: NDArray[Any]
    measured: NDArray[np.float32]
    residual: NDArray[np.float32]
    noise: Noise

    @classmethod
    def of(cls, answers: Answers, fitted: Fitted) -> Known:
        """Return what is kept of a fit.

        Args:
            answers: What was asked and counted.
            fitted: What was fitted to it.
        """
        asked, moments = answers.asked, answers.moments
        own = fitted.mixture
        residual = moments.estimate - model_moments(answers.axes, asked, own.weights, own.factors)
        measured = measured_by_band(answers.axes, asked, moments.information).astype(np.float32)
        bands = np.array(asked.bands)
        where = _where_measured(answers.axes, bands, measured)
        return cls(fitted.doubt.rounded(), bands, measured, residual[where].astype(np.float32), answers.noise)

    def unpack(self, axes: Sequence[Axis]) -> tuple[Floats, Floats]:
        """Return residuals of all functions of all attributes, asked or not, and what was measured, by bands."""
        whole = Asked.full([axis.bands for axis in axes])
        own = [whole.indices(index)[: (1 << int(bands)) - 1] for index, bands in enumerate(self.bands)]
        asked = np.concatenate([[0], *own]).astype(np.intp)
        rows, columns = _where_measured(axes, self.bands, self.measured)
        matrix = np.zeros((whole.size, whole.size))
        matrix[asked[rows], asked[columns]] = matrix[asked[columns], asked[rows]] = self.residual
        return matrix, self.measured.astype(np.float64)

    def state(self) -> dict[str, Any]:
        """Return the arrays that say the same."""
        return {
            "bands": self.bands,
            "measured": self.measured,
            "residual": self.residual,
            **self.doubt.state(),
            **self.noise.state(),
        }

    @classmethod
    def from_state(cls, axes: Sequence[Axis], state: dict[str, Any]) -> Known:
        """Return what `state` says, if it can be of these attributes."""
        bands, measured = state["bands"], state["measured"]
        most = np.array([axis.bands for axis in axes])
        width = 1 + int(most.sum())
        if bands.shape != most.shape or (bands < 0).any() or (bands > most).any() or measured.shape != (width, width):
            raise ModelError("direct answers need to know which bands of every attribute were asked")
        if state["residual"].shape != _where_measured(axes, bands, measured)[0].shape:
            raise ModelError("direct answers need what was measured beyond the model of every coefficient asked")
        return cls(
            Doubt.from_state(axes, state),
            state["bands"],
            state["measured"],
            state["residual"],
            Noise.from_state(axes, state),
        )


def _where_measured(axes: Sequence[Axis], bands: NDArray[Any], measured: NDArray[Any]) -> tuple[NDArray[np.intp], ...]:
    """Return where, in the upper triangle of all functions asked, somebody was asked."""
    starts = np.cumsum([1, *(axis.bands for axis in axes)])
    of = [np.repeat(start + np.arange(own), 1 << np.arange(own)) for start, own in zip(starts, bands, strict=False)]
    rows = np.concatenate([[0], *of]).astype(np.intp)
    return np.nonzero(np.triu(measured[np.ix_(rows, rows)] > 0))


class MixtureModel(JointModel):
    """Component weights, and for each attribute a distribution of its levels per component (components by levels).

    Factors are kept in a short float type, so that a model is the same after it was saved and read.

    Args:
        origin: What the model says of itself: schema, plan, reports.
        weights: Of the components; they need not sum to one.
        factors: For each attribute its distributions, components by levels; rows need not sum to one.
        precision: The float type in which factors are kept.
        known: What a fit leaves behind for intervals and direct answers; a model without it has no posterior.
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
        known: Known | None = None,
    ) -> None:
        super().__init__(origin)
        self._known = known
        self._kept = [np.asarray(factor, dtype=precision) for factor in factors]
        self._given = weights  # kept as given, because a division does not repeat itself to the last digit
        self.weights = weights / weights.sum()
        self.weights[self.weights.argmax()] += 1 - self.weights.sum()  # everybody is one, to the last digit
        self.factors = [
            kept.astype(np.float64) / kept.sum(axis=1, keepdims=True, dtype=np.float64) for kept in self._kept
        ]

    @property
    def known(self) -> Known | None:
        """What the fit left behind for intervals; None in a model that has none."""
        return self._known

    @property
    def posterior(self) -> Posterior | None:
        """What knows the error of answers; None in a model that does not."""
        return self._posterior

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
        """Return the standard error of each sum of the batch's answers; infinite if the model does not know it."""
        return self.spread(batch, sums).error

    def spread(self, batch: Batch, sums: Floats) -> Spread:
        """Return errors of sums of answers, their evidence, and what the reports themselves say."""
        if self._posterior is None or self._direct is None:
            return Spread.unknown(len(sums))
        products = {index: (own.queries, own.weights) for index, own in batch.selections.items()}
        found = self._posterior.spread(batch.count, products, sums)
        shift, variance = self._direct.spread(batch.count, products, sums)
        # never surer than if everybody had answered openly (design/intervals.md, The interval)
        least = self._sampling(batch, sums)
        asked = np.isfinite(variance)
        return Spread(
            error=np.sqrt(np.maximum(found.variance, least)),
            evidence=found.evidence,
            direct=np.where(asked, sums @ self.evaluate(batch) + shift, np.nan),
            direct_error=np.where(asked, np.sqrt(np.maximum(np.where(asked, variance, 0.0), least)), np.nan),
        )

    def imputed(self, functional: Functional, index: int, tilt: Floats | None = None) -> Functional:
        """Return it with whoever did not answer as those who did: errors are of everybody's products (posterior.py).

        Args:
            functional: The influence function of a mean or of a share below somewhere.
            index: The attribute's number; one that may have no answer.
            tilt: By how much people at each of its levels count besides; evenly unless given.
        """
        everybody = self.weights @ self.factors[index]
        return imputed(functional, index, everybody, np.ones(len(everybody)) if tilt is None else tilt)

    @cached_property
    def _posterior(self) -> Posterior | None:
        """What knows the error of answers, from what the fit left."""
        if self._known is None:
            return None
        return Posterior(self._axes, self.weights, self.factors, self._known.doubt)

    @cached_property
    def _direct(self) -> Direct | None:
        """What knows what the reports themselves say."""
        if self._known is None:
            return None
        return Direct(self._axes, self.weights, self.factors, *self._known.unpack(self._axes), self._known.noise)

    @property
    def _axes(self) -> list[Axis]:
        return [Axis.of(attribute) for attribute in self.schema.attributes]

    def _sampling(self, batch: Batch, sums: Floats) -> Floats:
        """Return the variance that each sum would have if everybody had answered openly: nobody knows it better."""
        squares = Batch(batch.count, {index: _squared(own) for index, own in batch.selections.items()})
        alone = np.count_nonzero(sums, axis=1) == 1
        # Var(product) = E product^2 - (E product)^2, over people; of a sum of several it is left to the posterior
        spread = np.maximum(self.evaluate(squares) - self.evaluate(batch) ** 2, 0.0)
        return np.where(alone, sums**2 @ spread, 0.0) / max(1, self.origin.reports)

    def draw_levels(self, count: int, generator: np.random.Generator) -> list[NDArray[np.intp]]:
        """Return the levels of that many people drawn from the model, one array per attribute."""
        components = generator.choice(len(self.weights), count, p=self.weights)
        levels = []
        for factor in self.factors:
            ends = np.cumsum(factor, axis=1)
            # inverse transform: the level is where the running sum of its component passes a uniform number
            draws = generator.random(count) * ends[components, -1]
            own = np.empty(count, dtype=np.intp)
            for component in np.unique(components):
                where = np.flatnonzero(components == component)
                own[where] = np.searchsorted(ends[component], draws[where], side="right")
            levels.append(np.minimum(own, factor.shape[1] - 1))
        return levels

    def state(self) -> dict[str, Any]:
        """Return the weights and the factors, and what intervals need."""
        state: dict[str, Any] = {"weights": self._given, "factors": self._kept}
        return state | (self._known.state() if self._known is not None else {})

    @classmethod
    def from_state(cls, origin: Origin, state: dict[str, Any]) -> MixtureModel:
        """Return the model that `state` describes; one of a version without functions' errors has no intervals."""
        precision = state["factors"][0].dtype
        axes = [Axis.of(attribute) for attribute in origin.schema.attributes]
        known = Known.from_state(axes, state) if "functions" in state else None
        return cls(origin, weights=state["weights"], factors=state["factors"], precision=precision, known=known)


def _squared(selection: Selection) -> Selection:
    return Selection(selection.queries, selection.weights**2)
