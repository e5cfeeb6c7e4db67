"""Forecasts: how far off answers will be, before anyone is asked, and how many people it takes to be close enough.

A forecast carries out what it speaks of: it designs the plan, simulates collections from reference populations, or from
a table of people like those who will be asked, fits, and compares answers to typical queries with the truth.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

import sottovoce.mechanisms  # noqa: F401 - a forecast needs them registered
from sottovoce._checks import check_fraction
from sottovoce._types import Floats
from sottovoce.errors import PlanError, QueryError
from sottovoce.model.fitting import fit
from sottovoce.plan.plan import Plan
from sottovoce.plan.registry import DEFAULT_MECHANISM
from sottovoce.schema.frames import encode
from sottovoce.schema.schema import Schema
from sottovoce.simulation.queries import LEAST, MOST, Workload, typical_queries
from sottovoce.simulation.reference import reference_populations
from sottovoce.simulation.simulate import simulate

POPULATIONS, COLLECTIONS, QUERIES = 6, 4, 200
"""How many reference populations a forecast tries, or collections of one table, and queries on 1, 2, ... attributes."""

FEWEST, MOST_PEOPLE = 1_000, 100_000_000
TRIES = 8
"""Between which numbers of people, and with how many forecasts, the one that is needed is sought."""

WORDS = (
    f"Typical queries are random ranges that hold {LEAST:.0%} to {MOST:.0%} of the crowd. The error is the expected "
    "distance of an answer from the truth; nine in ten answers are expected within the figure beside it. Both come "
    "from simulated collections, so another crowd may be harder or easier; give a table of similar people to be nearer."
)
"""What a forecast's figures are, said where they are shown."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What is expected of queries on so many attributes.

    Attributes:
        dimensions: How many attributes.
        error: The mean absolute error.
        within: What nine in ten answers stay within.
        easiest: The mean absolute error on the easiest of the populations that were tried, or of the collections
            from one table.
        hardest: The same on the hardest.
    """

    dimensions: int
    error: float
    within: float
    easiest: float
    hardest: float

    @classmethod
    def of(cls, dimensions: int, runs: list[Floats]) -> Expected:
        """Return what the absolute errors of some simulated collections make expect; the next will be in between."""
        means = [float(off.mean()) for off in runs]
        within = [float(np.quantile(off, 0.9)) for off in runs]
        return cls(dimensions, _middle(means), _middle(within), min(means), max(means))


@dataclass(frozen=True, slots=True)
class Forecast:
    """How far off answers are expected to be."""

    mechanism: str
    epsilon: Decimal
    users: int
    expected: tuple[Expected, ...]

    def __getitem__(self, dimensions: int) -> Expected:
        """Return what is expected of queries on that many attributes."""
        for row in self.expected:
            if row.dimensions == dimensions:
                return row
        raise KeyError(dimensions)

    def __str__(self) -> str:
        lines = [f"{self.mechanism}, epsilon {self.epsilon:g}, {self.users:,} people"]
        lines += [
            f"  {row.dimensions} attribute{'s' * (row.dimensions > 1)}: off by {row.error:.2%} on average, "
            f"9 in 10 within {row.within:.2%}"
            for row in self.expected
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{row.dimensions}</td><td>{row.error:.2%}</td><td>{row.within:.2%}</td></tr>"
            for row in self.expected
        )
        return (
            f"<p><b>{self.mechanism}, epsilon {self.epsilon:g}, {self.users:,} people</b></p><table><tr><th>attributes"
            f"</th><th>mean error</th><th>9 in 10 within</th></tr>{rows}</table><p><small>{WORDS}</small></p>"
        )


def forecast(
    schema: Schema,
    *,
    epsilon: float | str | Decimal,
    users: int,
    mechanism: str = DEFAULT_MECHANISM,
    like: object = None,
    **options: Any,
) -> Forecast:
    """Return how far off answers to typical queries on one to four attributes are expected to be.

    Args:
        schema: What would be asked.
        epsilon: The privacy of each person.
        users: How many people would report.
        mechanism: How the questions are designed.
        like: A table of people like those who would be asked; by default several made-up populations.
        **options: The mechanism's own options; ``seed`` for another draw, ``step`` to be told how far it is.
    """
    seed, step = int(options.pop("seed", 0)), options.pop("step", None)
    plan = Plan.create(schema, epsilon=epsilon, users=users, mechanism=mechanism, **options)
    errors: dict[int, list[Floats]] = {}
    crowds = _reference_crowds(schema, seed) if like is None else [Crowd.of(schema, like, seed)] * COLLECTIONS
    for number, crowd in enumerate(crowds):
        for dimensions, off in measure(plan, crowd, users=users, seed=seed + number).items():
            errors.setdefault(dimensions, []).append(off)
        if step is not None:
            step((number + 1) / len(crowds))
    expected = [Expected.of(dimensions, runs) for dimensions, runs in sorted(errors.items())]
    return Forecast(mechanism, plan.epsilon, plan.users, tuple(expected))


@dataclass(frozen=True)
class Crowd:
    """A population to try a plan on, with typical queries and their true answers."""

    table: object
    workloads: tuple[Workload, ...]

    @classmethod
    def of(cls, schema: Schema, table: object, seed: int) -> Crowd:
        """Return the crowd of a table, with queries on one to four attributes."""
        levels = encode(schema, table)
        drawn = [
            typical_queries(schema, levels, dimensions, count=QUERIES, seed=seed)
            for dimensions in range(1, min(4, len(levels)) + 1)
        ]
        return cls(table, tuple(workload for workload in drawn if workload.batch.count))


@functools.lru_cache(maxsize=2)
def _reference_crowds(schema: Schema, seed: int) -> list[Crowd]:
    """Return the reference populations; the same for every number of people and epsilon."""
    tables = reference_populations(schema, POPULATIONS, seed=seed)
    return [Crowd.of(schema, table, seed + number) for number, table in enumerate(tables)]


def measure(plan: Plan, crowd: Crowd, *, users: int, seed: int) -> dict[int, Floats]:
    """Return the absolute errors of typical queries, by number of attributes, of one simulated collection."""
    model = fit(plan, simulate(plan, crowd.table, seed=seed, users=users), seed=seed)
    return {
        workload.dimensions: np.abs(model.evaluate(workload.batch) - workload.truth) for workload in crowd.workloads
    }


def people_needed(
    schema: Schema,
    *,
    epsilon: float | str | Decimal,
    within: float = 0.01,
    dimensions: int = 1,
    mechanism: str = DEFAULT_MECHANISM,
    **options: Any,
) -> int:
    """Return how many people it takes until nine in ten typical answers are expected within a distance of the truth.

    Args:
        schema: What would be asked.
        epsilon: The privacy of each person.
        within: The distance, as a fraction: 0.01 is one percentage point.
        dimensions: On how many attributes the queries are.
        mechanism: How the questions are designed.
        **options: As for `forecast`.
    """
    check_fraction("within", within, error=QueryError, usual="0.01 is one percentage point")
    if dimensions not in range(1, min(4, len(schema.attributes)) + 1):
        raise QueryError(f"dimensions is from 1 to {min(4, len(schema.attributes))}, got {dimensions!r}")

    def reached(users: int) -> float:
        return forecast(schema, epsilon=epsilon, users=users, mechanism=mechanism, **options)[dimensions].within

    low, high, users = FEWEST, MOST_PEOPLE, 100_000
    for _ in range(TRIES):
        error = reached(users)
        low, high = (users, high) if error > within else (low, users)
        if high / low < 1.3 or high <= FEWEST:
            break
        past = 1.2 if error > within else 1 / 1.2  # a little past the guess, so that the next try is on its other side
        users = round(min(max(users * past * (error / within) ** 2, low * 1.1, users / 30), high / 1.1, users * 30))
    if high == MOST_PEOPLE:
        raise PlanError(
            f"even {low:,} people would not bring {mechanism} within {within:.2%} of the truth on {dimensions} "
            "attributes; use a larger epsilon, or another mechanism"
        )
    return _rounded(high)


def _middle(values: list[float]) -> float:
    """Return the geometric mean: errors of different crowds differ by factors."""
    return float(np.exp(np.mean(np.log(np.maximum(values, 1e-12)))))


def _rounded(users: int) -> int:
    """Return a number of people rounded up to two digits."""
    digits: int = 10 ** max(0, math.floor(math.log10(users)) - 1)
    return math.ceil(users / digits) * digits
