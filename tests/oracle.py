"""A model that is an explicit table of probabilities, and what it must answer, found person by person.

The table has few enough levels to list every kind of person. A numeric bin is split into quarters, so that a bound at a
quarter never cuts a kind in two; predicates are judged by SQL's three-valued logic, in plain Python.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce.model.joint import JointModel, Levels
from sottovoce.model.origin import Origin
from sottovoce.query.batch import Batch, Floats

REGIONS = ["north", "it's", "east"]

SCHEMA = sv.Schema(
    [
        sv.Ordinal("age", -1, 2, nullable=True),
        sv.Numeric("income", edges=[0, 10, 30, 70], nullable=True),
        sv.Categorical("region", REGIONS, nullable=True),
        sv.Ordinal("the rooms", 1, 3),
    ]
)
"""Nullable and not, of every kind, with names and values that need quoting."""


class TableModel(JointModel):
    """The exact joint distribution; its errors are those of a made-up covariance."""

    kind = "table"

    def __init__(self, table: Floats, *, error: float = 0.01) -> None:
        super().__init__(Origin(SCHEMA, "table", 1.0, "0" * 64, 1000))
        self.table, self.error = table, error

    def evaluate(self, batch: Batch) -> Floats:
        """Return the expected products, a query at a time."""
        answers = np.empty(batch.count)
        for query in range(batch.count):
            left = self.table
            for index in range(self.table.ndim):
                weights = np.ones(self.table.shape[index])
                if index in batch.selections and query in batch.selections[index].queries:
                    selection = batch.selections[index]
                    weights = selection.weights[list(selection.queries).index(query)]
                left = np.tensordot(weights, left, axes=(0, 0))
            answers[query] = left
        return answers

    def deviations(self, batch: Batch, sums: Floats) -> Floats:
        """Return the standard error if every kind of person's probability had an independent error of its own."""
        errors = []
        for row in sums:
            total = np.zeros(self.table.shape)
            for query, coefficient in enumerate(row):
                product = np.ones(self.table.shape)
                for index, selection in batch.selections.items():
                    if query in selection.queries:
                        weights = selection.weights[list(selection.queries).index(query)]
                        product = product * weights.reshape([-1 if axis == index else 1 for axis in range(4)])
                total += coefficient * product
            errors.append(self.error * np.sqrt((total**2).sum()))
        return np.array(errors)

    def draw_levels(self, count: int, generator: np.random.Generator) -> Levels:
        """Return kinds of people drawn by their probabilities."""
        kinds = generator.choice(self.table.size, count, p=self.table.ravel())
        return list(np.unravel_index(kinds, self.table.shape))

    def state(self) -> dict[str, Any]:
        """Return the table."""
        return {"table": self.table}

    @classmethod
    def from_state(cls, origin: Origin, state: dict[str, Any]) -> TableModel:
        """Return the model of that table."""
        return cls(state["table"])


def make_model(seed: int = 1) -> TableModel:
    """Return a model with a probability for every kind of person, some of them 0."""
    generator = np.random.default_rng(seed)
    table = generator.exponential(size=SCHEMA.sizes) * (generator.random(SCHEMA.sizes) < 0.8)
    return TableModel(table / table.sum())


@dataclass(frozen=True)
class Kind:
    """People with the same answers, and how many of the crowd they are."""

    values: dict[str, Any]
    share: float


def kinds(model: TableModel) -> Iterator[Kind]:
    """Yield every kind of person, each numeric bin split into quarters."""
    for levels in itertools.product(*map(range, model.table.shape)):
        share = float(model.table[levels])
        age, income, region, rooms = levels
        named = {
            "age": None if age == 4 else age - 1,
            "region": None if region == 3 else REGIONS[region],
            "the rooms": rooms + 1,
        }
        if income == 3:
            yield Kind({**named, "income": None}, share)
            continue
        low, high = SCHEMA.attributes[1].boundaries[income : income + 2]
        for quarter in range(4):
            yield Kind({**named, "income": low + (high - low) * (quarter + 0.5) / 4}, share / 4)


Truth = Callable[[dict[str, Any]], bool | None]
"""Whether a predicate holds of a person; None is SQL's "unknown"."""


def fraction(model: TableModel, truth: Truth) -> float:
    """Return how many of the crowd a predicate is true of."""
    return sum(kind.share for kind in kinds(model) if truth(kind.values) is True)


def selected(model: TableModel, truth: Truth) -> list[Kind]:
    """Return the kinds of people that a predicate is true of."""
    return [kind for kind in kinds(model) if truth(kind.values) is True and kind.share > 0]
