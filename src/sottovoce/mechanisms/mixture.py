"""The mixture model: p(x) = sum over components of weight * product over attributes of a distribution of levels.

Every answer is a sum of products, so any query on any number of attributes costs microseconds, is never negative, adds
up over disjoint ranges and is 1 for everybody. A product of independent attributes is the mixture of one component.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sottovoce.model import Model, Origin
from sottovoce.query.batch import Batch, Floats


class MixtureModel(Model):
    """Component weights, and for each attribute a distribution of its levels per component (components by levels)."""

    kind = "mixture"

    def __init__(self, origin: Origin, *, weights: Floats, factors: list[Floats]) -> None:
        super().__init__(origin)
        self.weights = weights
        self.factors = factors

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

    def state(self) -> dict[str, Any]:
        """Return the weights and the factors."""
        return {"weights": self.weights, "factors": self.factors}

    @classmethod
    def from_state(cls, origin: Origin, state: dict[str, Any]) -> MixtureModel:
        """Return the model that `state` describes."""
        return cls(origin, weights=state["weights"], factors=state["factors"])
