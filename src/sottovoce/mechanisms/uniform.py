"""Uniform: the benchmark that knows nothing and takes every value as equally likely (the paper's "Uni").

Guarantee: it asks one question, of one attribute, and ignores the answers; a report is epsilon-LDP all the same.
Cost: none. Reference: section 5.1 of the paper.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from sottovoce._types import Floats
from sottovoce.mechanisms.grids import GridQuestions
from sottovoce.mechanisms.options import MechanismOptions
from sottovoce.model.joint import JointModel, Levels
from sottovoce.model.origin import Origin
from sottovoce.plan.plan import SHARES, Plan
from sottovoce.plan.registry import Design, Fitting, Mechanism
from sottovoce.query.batch import Batch
from sottovoce.schema.schema import Schema
from sottovoce.tally.tally import Tally


class UniformOptions(MechanismOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Uniform has no options."""


class UniformModel(JointModel):
    """Every combination of levels is equally likely."""

    kind = "uniform"
    resampled = False

    def evaluate(self, batch: Batch) -> Floats:
        """Return the product of the mean weights for every query of a batch."""
        answers = np.ones(batch.count)
        for selection in batch.selections.values():
            answers[selection.queries] *= selection.weights.mean(axis=1)
        return answers

    @property
    def interval_note(self) -> str:
        """What the intervals include."""
        return "Intervals are everything possible: this model ignores the reports and cannot know its error."

    def draw_levels(self, count: int, generator: np.random.Generator) -> Levels:
        """Return levels that are all equally likely."""
        return [generator.integers(0, size, count) for size in self.schema.sizes]

    def deviations(self, batch: Batch, sums: Floats) -> Floats:
        """Return infinity: how far the crowd is from uniform, this model cannot know."""
        return np.full(len(sums), np.inf)

    def state(self) -> dict[str, Any]:
        """Return nothing: the schema says it all."""
        return {}

    @classmethod
    def from_state(cls, origin: Origin, state: dict[str, Any]) -> UniformModel:
        """Return the model of that origin."""
        return cls(origin)


def design(schema: Schema, epsilon: Decimal, users: int, options: UniformOptions) -> Design:
    """Return the one question there has to be: two bins of the first attribute.

    Args:
        schema: What is asked.
        epsilon: The privacy of one answer.
        users: How many people are expected; changes nothing here.
        options: None are needed.
    """
    questions = GridQuestions(schema, epsilon, "grr")
    questions.add((0,), 2, SHARES)
    return Design({}, tuple(questions.tables), tuple(questions.families))


def fit(plan: Plan, tally: Tally, how: Fitting) -> UniformModel:
    """Return the model that ignores the tally.

    Args:
        plan: The plan that was answered.
        tally: What was counted; only its total is kept.
        how: The same for every mechanism; nothing of it is used here.
    """
    return UniformModel(Origin.of(plan, tally))


UNIFORM = Mechanism("uniform", "the benchmark that knows nothing", UniformOptions, design, fit, UniformModel)
