"""An experiment taken apart: one task for every simulated collection, each with all the queries that it answers."""

from __future__ import annotations

from itertools import product

import msgspec

from sottovoce.errors import ExperimentError
from sottovoce.experiments.datasets import REAL, explain, locate, usable_columns
from sottovoce.experiments.experiment import ATTRIBUTES, USERS, Experiment
from sottovoce.experiments.methods import every_method, most_queries, most_repeats, with_estimator
from sottovoce.experiments.specs import SYNTHETIC, Dataset, Method, QuerySpec, Task

PAPER_ESTIMATOR = "weighted_update"
"""The paper's own figures use its Algorithm 2 wherever a query names more than two attributes."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a run asks for beside the experiment itself.

    Attributes:
        seed: The seed of everything drawn.
        repeats: How often, instead of the experiment's own number.
        aligned: Whether both ends of queries lie on sixteenths of the domain, as the authors' generator has them.
        estimator: How pairs become answers on more attributes, where a mechanism has the choice.
        methods: The mechanisms to compare, where an experiment compares all; empty for all.
        files: Real data: a name and its file; None for a package's own.
    """

    seed: int = 0
    repeats: int | None = None
    aligned: bool = True
    estimator: str = PAPER_ESTIMATOR
    methods: tuple[str, ...] = ()
    files: tuple[tuple[str, str | None], ...] = ()


def expand(experiment: Experiment, request: Request) -> list[Task]:
    """Return every task of an experiment, repeat after repeat, so that an early stop leaves whole repeats."""
    repeats = experiment.repeats if request.repeats is None else request.repeats
    if repeats < 1:
        raise ExperimentError(f"repeats is at least 1, got {repeats}")
    populations, methods = _datasets(experiment, request), _methods(experiment, request)
    tasks = []
    for repeat, data, epsilon, method in product(range(repeats), populations, experiment.epsilons, methods):
        asked = {spec: most_queries(method, spec, data.levels) for spec in _queries(experiment, request, data)}
        asked = {spec: most for spec, most in asked.items() if most != 0}
        if not asked or repeat >= most_repeats(method, data.attributes, repeats):
            continue
        tasks.append(
            Task(
                data=data,
                epsilon=epsilon,
                method=method,
                queries=tuple(asked),
                asked=tuple(asked.values()),
                measure=experiment.measure,
                repeat=repeat,
                seed=request.seed,
            )
        )
    return tasks


def left_out(experiment: Experiment, request: Request) -> list[str]:
    """Return, for every real data set that no file was given for, where to get it."""
    given = dict(request.files)
    return [
        f"{name} is left out, no --data {name}=PATH was given. {explain(name)}"
        for name in experiment.datasets
        if name not in SYNTHETIC and name not in given
    ]


def _methods(experiment: Experiment, request: Request) -> list[Method]:
    methods = every_method(request.methods) if experiment.methods is None else experiment.methods
    methods = tuple(with_estimator(method, request.estimator) for method in methods)
    if not experiment.sigmas:
        return list(methods)
    return [method.with_option("sigma", sigma) for method in methods for sigma in experiment.sigmas]


def _queries(experiment: Experiment, request: Request, data: Dataset) -> tuple[QuerySpec, ...]:
    return tuple(
        QuerySpec(
            kind=experiment.kind,
            dimension=dimension,
            volume=volume,
            count=experiment.queries,
            aligned=request.aligned if experiment.aligned is None else experiment.aligned,
        )
        for dimension, volume in product(experiment.dimensions, experiment.volumes)
        if dimension <= data.attributes
    )


def _datasets(experiment: Experiment, request: Request) -> list[Dataset]:
    """Return the populations of every size; files of the user's own join wherever real data has a place."""
    found: list[Dataset] = []
    sizes = [
        size
        for size in product(experiment.users, experiment.attributes, experiment.levels)
        if not experiment.one_at_a_time or size[0] == USERS or size[1] == ATTRIBUTES
    ]
    if experiment.one_at_a_time:
        sizes.sort(key=lambda size: size[0] != USERS)
    for name in (name for name in experiment.datasets if name in SYNTHETIC):
        found += [
            Dataset(name=name, users=users, attributes=number, levels=levels, covariance=covariance, cut=cut)
            for (users, number, levels), covariance, cut in product(sizes, experiment.covariances, experiment.cuts)
        ]
    if all(name in SYNTHETIC for name in experiment.datasets):
        return found
    for name, path in request.files:
        if name in REAL and name not in experiment.datasets:
            continue
        source, stamp = locate(name, path)
        most = usable_columns(name, source)
        found += [
            Dataset(name=name, users=users, attributes=number, levels=levels, source=source, stamp=stamp)
            for users, number, levels in sizes
            if number <= most
        ]
    if not found:
        raise ExperimentError(f"{experiment.name} has no data to run on: {'; '.join(left_out(experiment, request))}")
    return found
