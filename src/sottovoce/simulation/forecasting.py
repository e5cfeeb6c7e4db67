"""Forecasts: how far off answers will be, before anyone is asked, and how many people it takes to be close enough.

A forecast carries out what it speaks of: it designs the plan, simulates collections from reference populations, or from
a table of people like those who will be asked, fits, and compares answers to typical queries with the truth.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Unpack

import msgspec
import numpy as np

from sottovoce._checks import check_fraction, check_integer
from sottovoce._types import Floats, Progress
from sottovoce.errors import FewReportsWarning, PlanError, QueryError
from sottovoce.model.fitting import fit
from sottovoce.plan.plan import Plan
from sottovoce.plan.registry import DEFAULT_MECHANISM, PlanKeywords
from sottovoce.schema.frames import encode
from sottovoce.schema.schema import Schema
from sottovoce.simulation.comparisons import KINDS, Comparing, typical_comparisons
from sottovoce.simulation.queries import LEAST, MOST, Workload, typical_queries
from sottovoce.simulation.reference import reference_populations
from sottovoce.simulation.rounds import simulate_rounds

POPULATIONS, COLLECTIONS, QUERIES, COMPARISONS = 3, 3, 200, 60
"""How many reference populations a forecast tries, or collections of one table, queries on 1, 2, ... attributes, and
comparisons of one attribute by another."""

ROUGHLY = 1
"""How many of them where many numbers of people are tried."""

LARGE = 0.1
"""Differences of shares below this are what most surveys are about; if they cannot be seen, a forecast says so."""

FEWEST, MOST_PEOPLE = 1_000, 100_000_000
TRIES = 5
"""Between which numbers of people, and with how many forecasts, the one that is needed is sought."""

WORDS = (
    f"Typical queries are random ranges that hold {LEAST:.0%} to {MOST:.0%} of the crowd. The error is the expected "
    "distance of an answer from the truth; nine in ten answers are expected within the figure beside it. Both come "
    "from simulated collections, so another crowd may be harder or easier; give a table of people like them. "
    "Comparisons are of the upper half of one attribute, or its most common value, between two large groups that "
    "another makes; differences of means are in standard deviations."
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
class Compared:
    """What is expected of one kind of comparison.

    Attributes:
        kind: Shares given another attribute, differences of shares, or differences of means.
        error: The mean absolute error.
        within: What nine in ten stay within.
    """

    kind: str
    error: float
    within: float


@dataclass(frozen=True, slots=True)
class Visible:
    """The smallest difference of shares of ``name`` between groups by ``by`` that could be told from none."""

    name: str
    by: str
    difference: float


@dataclass(frozen=True, slots=True, repr=False)
class Forecast:
    """How far off answers are expected to be, and which differences could be seen.

    Attributes:
        mechanism: How the questions are designed.
        epsilon: The privacy of each person.
        users: How many people report.
        expected: What is expected of queries, by number of attributes.
        compared: What is expected of comparisons, by kind.
        visible: The smallest visible difference of every pair of attributes that was tried; of mechanisms whose
            models know their own errors.
    """

    mechanism: str
    epsilon: Decimal
    users: int
    expected: tuple[Expected, ...]
    compared: tuple[Compared, ...] = ()
    visible: tuple[Visible, ...] = ()

    @property
    def advice(self) -> str:
        """What to do if most differences between groups could not be seen; nothing if they could."""
        if not self.visible:
            return ""
        middle = float(np.median([pair.difference for pair in self.visible]))
        if middle <= LARGE:
            return ""
        return (
            f"Half of the differences between groups below {middle:.0%} could not be told from none. Fewer attributes, "
            "more people, a larger epsilon, or a workload that names the attribute that makes the groups (--by) would "
            "show smaller ones."
        )

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
        lines += [f"  {row.kind}: off by {row.error:.2%}, 9 in 10 within {row.within:.2%}" for row in self.compared]
        return "\n".join([*lines, *([self.advice] if self.advice else [])])

    def __repr__(self) -> str:
        errors = ", ".join(f"{row.dimensions}: {row.error:.2%}" for row in self.expected)
        return (
            f"<Forecast {self.mechanism}, epsilon {self.epsilon:g}, {self.users:,} people; error by dimension {errors}>"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{row.dimensions}</td><td>{row.error:.2%}</td><td>{row.within:.2%}</td></tr>"
            for row in self.expected
        )
        return (
            f"<p><b>{self.mechanism}, epsilon {self.epsilon:g}, {self.users:,} people</b></p><table><tr><th>attributes"
            f"</th><th>mean error</th><th>9 in 10 within</th></tr>{rows}</table><p><small>{WORDS}</small></p>"
        )


def forecast(  # noqa: PLR0913 - every one a choice of its own, all but the schema by name
    schema: Schema,
    *,
    epsilon: float | str | Decimal,
    users: int,
    mechanism: str = DEFAULT_MECHANISM,
    like: object = None,
    by: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    options: msgspec.Struct | None = None,
    **keywords: Unpack[PlanKeywords],
) -> Forecast:
    """Return how far off answers to typical queries and comparisons are expected to be.

    Args:
        schema: What would be asked.
        epsilon: The privacy of each person.
        users: How many people would report.
        mechanism: How the questions are designed.
        like: A table of people like those who would be asked; by default several made-up populations.
        by: Comparisons between groups that this attribute makes; by default of every attribute by every other.
        seed: Another seed makes up other populations and collections.
        progress: Told how much of the work is done, from 0 to 1.
        options: The mechanism's own options, as for `Plan.create`.
        **keywords: The same by keyword.

    Returns:
        Errors by the number of attributes in a query, errors of comparisons, and the smallest visible differences.

    Raises:
        PlanError: If there can be no such plan.
        QueryError: If no attribute is called ``by``.
    """
    plan = Plan.create(schema, epsilon=epsilon, users=users, mechanism=mechanism, options=options, **keywords)
    seed = check_integer("seed", seed, error=QueryError, least=0)
    if by is not None and (not isinstance(by, str) or by not in schema):
        raise QueryError(f"unknown attribute {by!r}; this schema has {', '.join(schema.names)}")
    crowds = _crowds(schema, like, seed, by, POPULATIONS if like is None else COLLECTIONS)
    return _carry_out(plan, crowds, seed=seed, differences=True, progress=progress)


def forecast_curve(
    schema: Schema,
    *,
    users: Sequence[int],
    like: object = None,
    seed: int = 0,
    progress: Progress | None = None,
    **design: Any,
) -> list[Forecast]:
    """Return rough forecasts for several numbers of people, from fewer populations: for a picture.

    Args:
        schema: What would be asked.
        users: Numbers of people.
        like: As for `forecast`.
        seed: As for `forecast`.
        progress: Told how much of the work is done, from 0 to 1.
        **design: Epsilon, mechanism and the mechanism's options.
    """
    found = []
    for number, count in enumerate(users):
        found.append(_roughly(schema, count, like, seed, design))
        if progress is not None:
            progress((number + 1) / len(users))
    return found


def _roughly(schema: Schema, users: int, like: object, seed: int, design: dict[str, Any]) -> Forecast:
    crowds = _crowds(schema, like, seed, None, ROUGHLY)
    return _carry_out(Plan.create(schema, users=users, **design), crowds, seed=seed, differences=False, progress=None)


def forecast_plan(plan: Plan, users: int) -> Forecast:
    """Return a rough forecast of a plan as it is, once so many people have reported."""
    crowds, asked = _crowds(plan.schema, None, 0, None, ROUGHLY), msgspec.structs.replace(plan.one_wave, users=users)
    return _carry_out(asked, crowds, seed=0, differences=False, progress=None)


def _carry_out(
    plan: Plan, crowds: Sequence[Crowd], *, seed: int, differences: bool, progress: Progress | None
) -> Forecast:
    """Return what simulated collections from some crowds, fitted quickly, make expect of a plan.

    The smallest visible differences are worked out only if asked for.
    """
    errors: dict[int, list[Floats]] = {}
    compared: dict[str, list[Floats]] = {}
    visible: dict[tuple[str, str], list[float]] = {}
    for number, crowd in enumerate(crowds):
        with warnings.catch_warnings():  # whoever reads a forecast sees what few reports do
            warnings.simplefilter("ignore", FewReportsWarning)
            tally = simulate_rounds(plan, crowd.table, seed=seed + number, users=plan.users)
            model = fit(tally.plan, tally, seed=seed + number, quality="fast")
        for workload in crowd.workloads:
            off = np.abs(model.evaluate(workload.batch) - workload.truth)
            errors.setdefault(workload.dimensions, []).append(off)
        for comparing in crowd.comparisons:
            if differences and not model.resampled:
                visible.setdefault((comparing.name, comparing.by), []).append(comparing.visible(model))
            for kind, each in comparing.errors(model).items():
                compared.setdefault(kind, []).append(np.array(each))
        if progress is not None:
            progress((number + 1) / len(crowds))
    return Forecast(
        plan.mechanism,
        plan.epsilon,
        plan.users,
        tuple(Expected.of(dimensions, runs) for dimensions, runs in sorted(errors.items())),
        tuple(
            Compared(kind, float(np.mean(joined)), float(np.quantile(joined, 0.9)))
            for kind in KINDS
            if kind in compared
            for joined in [np.concatenate(compared[kind])]
        ),
        tuple(Visible(*pair, _middle(each)) for pair, each in visible.items()),
    )


@dataclass(frozen=True)
class Crowd:
    """A population to try a plan on, with typical queries and comparisons and their true answers."""

    table: object
    workloads: tuple[Workload, ...]
    comparisons: tuple[Comparing, ...]

    @classmethod
    def of(cls, schema: Schema, table: object, seed: int, by: str | None) -> Crowd:
        """Return the crowd of a table, with queries on one to four attributes.

        Args:
            schema: What is asked.
            table: The people.
            seed: The same seed gives the same queries.
            by: The attribute whose groups are compared; None compares those of any.
        """
        levels = encode(schema, table)
        drawn = [
            typical_queries(schema, levels, dimensions, count=QUERIES, seed=seed)
            for dimensions in range(1, min(4, len(levels)) + 1)
        ]
        comparisons = typical_comparisons(schema, levels, most=COMPARISONS, seed=seed, by=by)
        return cls(table, tuple(workload for workload in drawn if workload.batch.count), tuple(comparisons))


def _crowds(schema: Schema, like: object, seed: int, by: str | None, count: int) -> list[Crowd]:
    """Return the crowds to try: reference populations, or the same table so often."""
    if like is not None:
        return [Crowd.of(schema, like, seed, by)] * count
    return _reference_crowds(schema, seed, by, count)


@functools.lru_cache(maxsize=4)
def _reference_crowds(schema: Schema, seed: int, by: str | None, count: int) -> list[Crowd]:
    """Return the reference populations; the same for every number of people and epsilon."""
    tables = reference_populations(schema, count, seed=seed)
    return [Crowd.of(schema, table, seed + number, by) for number, table in enumerate(tables)]


def people_needed(  # noqa: PLR0913 - every one a choice of its own, all but the schema by name
    schema: Schema,
    *,
    epsilon: float | str | Decimal,
    within: float = 0.01,
    dimensions: int = 1,
    mechanism: str = DEFAULT_MECHANISM,
    like: object = None,
    seed: int = 0,
    options: msgspec.Struct | None = None,
    **keywords: Unpack[PlanKeywords],
) -> int:
    """Return how many people it takes until nine in ten typical answers are expected within a distance of the truth.

    Args:
        schema: What would be asked.
        epsilon: The privacy of each person.
        within: The distance, as a fraction: 0.01 is one percentage point.
        dimensions: On how many attributes the queries are.
        mechanism: How the questions are designed.
        like: A table of people like those who would be asked, as for `forecast`.
        seed: Another seed makes up other populations and collections.
        options: The mechanism's own options, as for `Plan.create`.
        **keywords: The same by keyword.

    Raises:
        QueryError: For a distance or a number of attributes that cannot be.
        PlanError: If no number of people is enough, or there can be no such plan.
    """
    if not isinstance(schema, Schema):
        raise PlanError(f"a plan is made for a Schema, got {type(schema).__name__}")
    check_fraction("within", within, error=QueryError, usual="0.01 is one percentage point")
    dimensions = check_integer("dimensions", dimensions, error=QueryError, least=1, most=min(4, len(schema)))
    seed = check_integer("seed", seed, error=QueryError, least=0)
    if "users" in keywords:
        raise PlanError("people_needed finds users, and takes none: forecast says what a number of people gives")
    design: dict[str, Any] = {"epsilon": epsilon, "mechanism": mechanism, "options": options, **keywords}

    def reached(users: int) -> float:
        return _roughly(schema, users, like, seed, design)[dimensions].within

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
    digits: int = 10 ** max(0, math.floor(math.log10(high)) - 1)
    return math.ceil(high / digits) * digits  # rounded up to two digits


def _middle(values: list[float]) -> float:
    """Return the geometric mean: errors of different crowds differ by factors."""
    return float(np.exp(np.mean(np.log(np.maximum(values, 1e-12)))))
