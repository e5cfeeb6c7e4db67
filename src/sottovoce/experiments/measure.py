"""One task carried out: design, simulate, fit, ask, and keep what is measured."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from sottovoce._types import Floats
from sottovoce.errors import FewReportsWarning, TooLargeError
from sottovoce.estimation.weighted_update import changes_from_pairs
from sottovoce.experiments.cache import Cache, schema_of
from sottovoce.experiments.oracles import fit_simulated
from sottovoce.experiments.queries import QuerySet
from sottovoce.experiments.specs import MEASURES, QuerySpec, Task, check_member
from sottovoce.mechanisms.grids import estimate_grids
from sottovoce.mechanisms.hdg import response_matrices
from sottovoce.model.fitting import fit
from sottovoce.model.model import Model
from sottovoce.plan.plan import Plan
from sottovoce.simulation.rounds import simulate_rounds
from sottovoce.tally.tally import Tally

Row = dict[str, Any]
"""One measured number with the settings it belongs to; see `results.COLUMNS`."""


def run_task(task: Task, cache: Cache) -> list[Row]:
    """Return what a task measures, one row per query set and number."""
    check_member("a measure", task.measure, MEASURES)
    try:
        plan = plan_task(task)
    except TooLargeError:  # that is its result, and no reason to stop the others
        return [row for spec in task.queries for row in _rows(task, spec, 0, np.array([np.nan]))]
    if task.measure == "granularity":
        return list(_rows(task, task.queries[0], 0, np.array([plan.parameters["g1"], plan.parameters["g2"]])))
    if task.measure == "matrix-change":
        return list(_rows(task, task.queries[0], 0, _matrix_changes(plan, _collect(task, plan, cache))))
    model = fit_task(task, plan, cache)
    rows: list[Row] = []
    for spec, most in zip(task.queries, task.asked, strict=True):
        asked, truth = cache.queries(task.data, spec)
        asked, truth = asked[:most], truth[:most]
        rows += _rows(task, spec, len(asked), _ANSWERED[task.measure](model, asked, truth))
    return rows


def plan_task(task: Task) -> Plan:
    """Return the plan of the task's collection."""
    options: Any = dict(task.method.options)
    return Plan.create(
        schema_of(task.data),
        epsilon=task.epsilon,
        users=task.data.users,
        mechanism=task.method.mechanism,
        **options,
    )


def _collect(task: Task, plan: Plan, cache: Cache) -> Tally:
    table = dict(zip(plan.schema.names, cache.records(task.data), strict=True))
    return simulate_rounds(plan, table, seed=task.collection_seed)


def fit_task(task: Task, plan: Plan, cache: Cache) -> Model:
    """Return the model of the task's simulated collection.

    Args:
        task: What is measured.
        plan: The plan of its method; for a method of rounds that of the first.
        cache: Where the people are.
    """
    if task.method.simulated:
        return fit_simulated(task.method.simulated, plan, list(cache.records(task.data)), seed=task.collection_seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewReportsWarning)  # how far that goes is what is measured
        tally = _collect(task, plan, cache)
        return fit(tally.plan, tally, seed=task.repeat)


def prepare(task: Task, cache: Cache) -> None:
    """Make the population and the queries of a task, so that others find them."""
    if task.measure == "granularity":
        return
    cache.records(task.data)
    if task.measure != "matrix-change":
        for spec in task.queries:
            cache.queries(task.data, spec)


def _errors(model: Model, asked: QuerySet, truth: Floats) -> Floats:
    return np.abs(model.answer_ranges(asked.ranges(model.schema)) - truth)


def _mean_error(model: Model, asked: QuerySet, truth: Floats) -> Floats:
    return np.array([_errors(model, asked, truth).mean()])


def _answer_changes(model: Model, asked: QuerySet, truth: Floats) -> Floats:
    """Return how much the answers move in each sweep of Algorithm 2, the mean over queries."""
    pairs = np.zeros((asked.dimension, asked.dimension, len(asked)))
    for first, second in combinations(range(asked.dimension), 2):
        axes = [first, second]
        both = QuerySet(asked.attributes[:, axes], asked.lows[:, axes], asked.highs[:, axes])
        pairs[first, second] = model.answer_ranges(both.ranges(model.schema))
    return np.asarray(changes_from_pairs(pairs).mean(axis=1))


_ANSWERED: dict[str, Callable[[Model, QuerySet, Floats], Floats]] = {
    "error": _mean_error,
    "errors": _errors,
    "answer-change": _answer_changes,
}


def _matrix_changes(plan: Plan, tally: Tally) -> Floats:
    """Return how much response matrices move in each sweep, the mean over pairs; a matrix that is done stands still."""
    changes = [changes for _, changes in response_matrices(plan, estimate_grids(plan, tally), tally.total).values()]
    longest = max(map(len, changes))
    return np.asarray(np.mean([np.pad(moves, (0, longest - len(moves))) for moves in changes], axis=0))


def _rows(task: Task, spec: QuerySpec, asked: int, values: Floats) -> Iterator[Row]:
    for index, value in enumerate(values.tolist(), start=1):
        yield {
            **settings_of(task, spec, asked),
            "index": index,
            "repeat": task.repeat,
            "value": None if math.isnan(value) else value,
            "task": task.key,
        }


def settings_of(task: Task, spec: QuerySpec, asked: int) -> Row:
    """Return what a number belongs to, but for its index.

    Args:
        task: What was measured.
        spec: The query set.
        asked: How many of its queries were asked.

    Returns:
        The columns of a result that say which case it is of.
    """
    data, method = task.data, task.method
    return {
        "dataset": data.name,
        "users": data.users,
        "attributes": data.attributes,
        "levels": data.levels,
        "covariance": data.covariance,
        "cut": data.cut,
        "epsilon": task.epsilon,
        "sigma": dict(method.options).get("sigma"),
        "kind": spec.kind,
        "aligned": spec.aligned,
        "dimension": spec.dimension,
        "volume": spec.volume,
        "queries": asked,
        "method": method.label,
    }
