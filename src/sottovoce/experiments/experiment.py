"""The description of one figure or table, and its small version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from sottovoce.experiments.specs import Method

Value = TypeVar("Value")

FORMS = ("lines", "histogram", "grid", "claims", "rivals")

USERS, ATTRIBUTES = 10**6, 6
"""The paper's defaults."""

QUICK_USERS = 50
"""A quick version asks this many times fewer people."""

QUICK_ATTRIBUTES, QUICK_LEVELS, QUICK_QUERIES = 7, 256, 20


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """One figure or table: every combination of its settings is measured.

    Attributes:
        name: Lower-case words joined by hyphens.
        paper: Where the paper shows it.
        latex: What the paper's LaTeX source calls the figure or table; empty for our own.
        summary: What it shows, in a sentence.
        axis: The setting along the horizontal axis, a column of the results.
        series: The column that tells lines apart.
        form: "lines", "histogram" of the values, "grid" of numbers, "claims", which are lines and a table of who is
            ahead of whom, or "rivals", which are lines and a table beside the figures of other programs.
        measure: What is measured; see `Task`.
        methods: What is compared; None compares every mechanism in the registry.
        datasets: Names of data sets; real ones are left out where their file was not given.
        users: How many people.
        attributes: How many attributes.
        levels: How many levels an attribute has.
        covariances: Of every two attributes of synthetic data.
        cuts: The range that synthetic values are cut to.
        epsilons: The privacy of each person.
        sigmas: The fraction of people asked about 1-D grids, where that is studied.
        kind: The kind of queries; see `QuerySpec`.
        dimensions: How many attributes a query names.
        volumes: The fraction of an attribute's levels inside a query.
        queries: How many queries a set has.
        repeats: How often each measurement is repeated; the paper has ten everywhere.
        aligned: Whether both ends of queries lie on sixteenths of the domain; None leaves it to the request.
        one_at_a_time: Whether only one of users and attributes leaves the paper's default, instead of both together.
    """

    name: str
    paper: str
    summary: str
    axis: str
    latex: str = ""
    series: str = "method"
    form: str = "lines"
    measure: str = "error"
    methods: tuple[Method, ...] | None = None
    datasets: tuple[str, ...] = ("ipums", "bfive", "normal", "laplace")
    users: tuple[int, ...] = (USERS,)
    attributes: tuple[int, ...] = (ATTRIBUTES,)
    levels: tuple[int, ...] = (64,)
    covariances: tuple[float, ...] = (0.8,)
    cuts: tuple[float, ...] = (6.0,)
    epsilons: tuple[float, ...] = (1.0,)
    sigmas: tuple[float, ...] = ()
    kind: str = "random"
    dimensions: tuple[int, ...] = (2, 4)
    volumes: tuple[float, ...] = (0.5,)
    queries: int = 200
    repeats: int = 3
    aligned: bool | None = None
    one_at_a_time: bool = False


def quick(experiment: Experiment) -> Experiment:
    """Return a version that takes seconds: fewer people, levels, values, queries and repeats, so other errors."""
    if experiment.measure == "granularity":
        return experiment  # nobody is asked anything: the whole table takes a second
    attributes = tuple(sorted({min(number, QUICK_ATTRIBUTES) for number in experiment.attributes}))
    levels = [number for number in experiment.levels if number <= QUICK_LEVELS]
    methods = experiment.methods if experiment.methods is None else _some(experiment.methods, 5)
    return msgspec.structs.replace(
        experiment,
        methods=methods,
        users=tuple(number // QUICK_USERS for number in _some(experiment.users, 3)),
        attributes=_some(attributes, 3),
        levels=_some(levels, 3) if experiment.axis == "levels" else (16,),
        covariances=_some(experiment.covariances, 2),
        cuts=_some(experiment.cuts, 3),
        epsilons=_some(experiment.epsilons, 3),
        sigmas=_some(experiment.sigmas, 3),
        dimensions=_some([number for number in experiment.dimensions if number <= attributes[-1]], 3),
        volumes=_some(experiment.volumes, 3),
        queries=min(experiment.queries, QUICK_QUERIES),
        repeats=1,
    )


def _some(values: Sequence[Value], most: int) -> tuple[Value, ...]:
    """Return the first, the last and some evenly between, at most ``most``."""
    if len(values) <= most:
        return tuple(values)
    return tuple(values[round(index * (len(values) - 1) / (most - 1))] for index in range(most))
