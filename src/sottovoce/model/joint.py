"""Models of whole records: they draw made-up people, and can be reweighted to what is publicly known of the crowd.

A model joins by subclassing `JointModel`: its `evaluate` must take weights of any size, and `draw_levels` must draw
from the same distribution. Sampling and calibration follow from those two.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sottovoce._checks import check_integer
from sottovoce._types import Floats
from sottovoce.errors import ModelError, QueryError
from sottovoce.model.calibration import Cells, KnownShares, known_cells, rake
from sottovoce.model.evaluation import expectations
from sottovoce.model.files import pack
from sottovoce.model.fitted import Spread
from sottovoce.model.model import Model
from sottovoce.model.samples import make_table
from sottovoce.query.batch import Batch, Selection
from sottovoce.query.functional import Functional

Levels = list[NDArray[np.intp]]

MAX_SAMPLE = 10**9
"""The most people that one call draws."""


class JointModel(Model):
    """A distribution over whole records."""

    joint = True

    @abstractmethod
    def draw_levels(self, count: int, generator: np.random.Generator) -> Levels:
        """Return the levels of that many people drawn from the model, one array per attribute."""

    def _draw_table(self, count: int, seed: int) -> pa.Table:
        count = check_integer("how many to draw", count, error=QueryError, least=0, most=MAX_SAMPLE)
        generator = np.random.default_rng(check_integer("seed", seed, error=QueryError, least=0))
        return make_table(self.schema, self.draw_levels(count, generator), generator)

    def calibrate(self, known: Mapping[str, KnownShares]) -> CalibratedModel:
        """Return the model reweighted so that some marginals are what is publicly known of the population.

        For crowds in which some kinds of people took part more than others. It helps as far as those who took part
        are like those of the same kind who did not.

        Args:
            known: For each of some attributes, its true distribution: a dict from values to fractions, or from
                (low, high), both included, for bands of an ordered attribute; or a fraction for every level. They add
                up to one over all values. Where "no answer" is not listed, as many as in the model keep giving none.
        """
        if not isinstance(known, Mapping) or not known:
            raise QueryError(f"calibrate takes a dict from attribute names to known distributions, got {known!r}")
        cells: dict[int, Cells] = {}
        for name, fractions in known.items():
            index = self.attribute_index(name)
            attribute = self.schema.attributes[index]
            cells[index] = known_cells(attribute, fractions, self.marginal(name))
        return self.reweighted(rake(self._tilted_marginal, cells, self.schema.sizes))

    def reweighted(self, weights: Mapping[int, Floats]) -> CalibratedModel:
        """Return the model in which each level of some attributes counts by a weight."""
        return CalibratedModel(self, weights)

    def _tilted_marginal(self, index: int, weights: Mapping[int, Floats]) -> Floats:
        """Return an attribute's marginal if levels counted by the weights."""
        joint = expectations(self, [index], weights)
        return np.asarray(joint / joint.sum())


class CalibratedModel(JointModel):
    """Another model in which people count by weights: of any record, the product of its levels' weights."""

    def __init__(self, base: JointModel, weights: Mapping[int, Floats]) -> None:
        super().__init__(base.origin)
        self.base, self.caveats = base, base.caveats
        self.weights = {index: np.asarray(weights[index], dtype=np.float64) for index in sorted(weights)}
        for index, vector in self.weights.items():
            if vector.shape != (self.schema.sizes[index],) or not np.isfinite(vector).all() or vector.min() < 0:
                raise ModelError(f"weights of {self.schema.names[index]} are one number of at least 0 for each level")
        self._total = float(base.evaluate(self._tilt(Batch(1, {})))[0])

    @property
    def kind(self) -> str:  # type: ignore[override]
        """The kind of the model that was reweighted."""
        return self.base.kind

    @property
    def interval_note(self) -> str:
        """What the intervals include, and what not."""
        return (
            f"{self.base.interval_note} The known marginals are taken as exact, and the weights that follow as given."
        )

    def evaluate(self, batch: Batch) -> Floats:
        """Return the expected product of weights for every query of a batch."""
        return np.asarray(self.base.evaluate(self._tilt(batch)) / self._total)

    def deviations(self, batch: Batch, sums: Floats) -> Floats:
        """Return the standard error of each sum: that of a ratio of two expectations under the model itself."""
        return self.spread(batch, sums).error

    def spread(self, batch: Batch, sums: Floats) -> Spread:
        """Return errors and evidence of each sum, to first order; no direct answers, which know nothing of weights."""
        everybody = Batch(batch.count + 1, batch.selections)
        values = sums @ self.evaluate(batch)
        errors = np.hstack([sums, -values[:, None]]) / self._total
        found = self.base.spread(self._tilt(everybody), errors)
        return replace(Spread.unknown(len(sums)), error=found.error, evidence=found.evidence)

    def imputed(self, functional: Functional, index: int, tilt: Floats | None = None) -> Functional:
        """Return the functional whose error the model that was reweighted works out, with all weights.

        Args:
            functional: The influence function of a mean or of a share below somewhere.
            index: The attribute's number; one that may have no answer.
            tilt: By how much people at each of its levels count besides; evenly unless given.
        """
        own = self.weights.get(index, np.ones(self.schema.sizes[index]))
        return self.base.imputed(functional, index, own if tilt is None else own * tilt)

    def draw_levels(self, count: int, generator: np.random.Generator) -> Levels:
        """Return people drawn from the model that was reweighted, each kept with a chance that follows its weight."""
        kept: Levels = [np.zeros(0, np.intp) for _ in self.schema.sizes]
        while len(kept[0]) < count:
            drawn = self.base.draw_levels(2 * (count - len(kept[0])) + 64, generator)
            chance = np.ones(len(drawn[0]))
            for index, vector in self.weights.items():
                chance *= (vector / vector.max())[drawn[index]]
            chosen = generator.random(len(chance)) < chance
            kept = [np.concatenate([old, new[chosen]]) for old, new in zip(kept, drawn, strict=True)]
        return [column[:count] for column in kept]

    def reweighted(self, weights: Mapping[int, Floats]) -> CalibratedModel:
        """Return the model reweighted once more."""
        both = dict(self.weights)
        for index, vector in weights.items():
            both[index] = both.get(index, np.ones(1)) * vector
        return CalibratedModel(self.base, both)

    def state(self) -> dict[str, Any]:
        """Return the state of the model that was reweighted."""
        return self.base.state()

    @classmethod
    def from_state(cls, origin: Any, state: dict[str, Any]) -> CalibratedModel:
        """Raise: a calibrated model is read as the model it reweights, with its weights."""
        raise ModelError("a calibrated model is read from its file by load_model")

    def document(self) -> dict[str, Any]:
        """Return what a model file holds: the model that was reweighted, and the weights."""
        weights = {str(index): pack(vector) for index, vector in self.weights.items()}
        return {**self.base.document(), "calibration": weights}

    def _tilt(self, batch: Batch) -> Batch:
        """Return the batch with the weights of levels multiplied into every query."""
        selections = dict(batch.selections)
        for index, vector in self.weights.items():
            rows = np.tile(vector, (batch.count, 1))
            if index in selections:
                rows[selections[index].queries] *= selections[index].weights
            selections[index] = Selection(np.arange(batch.count), rows)
        return Batch(batch.count, dict(sorted(selections.items())))
