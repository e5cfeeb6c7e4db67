"""Every query of a task with its true and its estimated answer: the long table that any measure can be read off."""

from __future__ import annotations

import time

import msgspec
import numpy as np
import pyarrow as pa

from sottovoce._types import Floats
from sottovoce.errors import TooLargeError
from sottovoce.experiments.cache import Cache
from sottovoce.experiments.measure import Row, fit_task, plan_task, settings_of
from sottovoce.experiments.queries import QuerySet
from sottovoce.experiments.results import COLUMNS as ERROR_COLUMNS
from sottovoce.experiments.results import SETTINGS
from sottovoce.experiments.specs import Task
from sottovoce.model.model import Model

COLUMNS = pa.schema(
    [
        *SETTINGS,
        ("mechanism", pa.string()),
        ("options", pa.string()),
        ("repeat", pa.int64()),
        ("seed", pa.int64()),
        ("query", pa.string()),
        ("truth", pa.float64()),
        ("answer", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("error", pa.float64()),
        ("fit_cpu", pa.float64()),
        ("answer_cpu", pa.float64()),
        ("task", pa.string()),
    ]
)
"""``index`` counts the queries of a set from 1; ``options`` is the method's, as JSON; ``seed`` that of the simulated
collection; ``low`` and ``high`` the interval, where asked for; ``error`` the distance of answer and truth; the CPU
seconds are those of the whole collection, simulated and fitted, and of this answer, with its interval."""


def run_answers(task: Task, cache: Cache) -> list[Row]:
    """Return one row for every query of a task; one without an answer for each set that is too large to ask about."""
    try:
        plan = plan_task(task)
    except TooLargeError:
        return [_row(task, settings_of(task, spec, 0), 1, {}) for spec in task.queries]
    started = time.process_time()
    model = fit_task(task, plan, cache)
    fit_cpu = time.process_time() - started
    rows: list[Row] = []
    for spec, most in zip(task.queries, task.asked, strict=True):
        asked, truth = cache.queries(task.data, spec)
        asked, truth = asked[:most], truth[:most]
        texts = asked.texts(model.schema)
        started = time.process_time()
        answers, lows, highs = _answers(model, asked, texts, task.level)
        answer_cpu = (time.process_time() - started) / len(asked)
        settings = settings_of(task, spec, len(asked))
        rows += [
            _row(
                task,
                settings,
                index,
                {
                    "query": text,
                    "truth": true,
                    "answer": answer,
                    "low": low,
                    "high": high,
                    "error": abs(answer - true),
                    "fit_cpu": fit_cpu,
                    "answer_cpu": answer_cpu,
                },
            )
            for index, (text, true, answer, low, high) in enumerate(
                zip(texts, truth.tolist(), answers.tolist(), lows, highs, strict=True), start=1
            )
        ]
    return rows


def _answers(
    model: Model, asked: QuerySet, texts: list[str], level: float | None
) -> tuple[Floats, list[float | None], list[float | None]]:
    answers = model.answer_ranges(asked.ranges(model.schema))
    if level is None:
        return answers, [None] * len(asked), [None] * len(asked)
    intervals = [answer.interval for answer in model.answers(texts, level=level)]
    return answers, [low for low, _ in intervals], [high for _, high in intervals]


def _row(task: Task, settings: Row, index: int, found: Row) -> Row:
    return {
        **settings,
        "index": index,
        "mechanism": task.method.mechanism,
        "options": msgspec.json.encode(dict(task.method.options)).decode(),
        "repeat": task.repeat,
        "seed": task.collection_seed,
        **found,
        "task": task.key,
    }


def errors_of(table: pa.Table, measure: str) -> pa.Table:
    """Return the mean error of every set of queries, or ("errors") that of each query, as results have it."""
    rows: list[Row] = []
    for group in _sets(table):
        errors = [row["error"] for row in group]
        values = errors if measure == "errors" else [None if None in errors else float(np.mean(errors))]
        common = {name: group[0][name] for name in (*SETTINGS.names, "repeat", "task")}
        rows += [{**common, "index": index, "value": value} for index, value in enumerate(values, start=1)]
    return pa.Table.from_pylist(rows, schema=ERROR_COLUMNS)


def _sets(table: pa.Table) -> list[list[Row]]:
    """Return the rows of every set of queries of every task."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in table.to_pylist():
        found.setdefault((row["task"], row["kind"], row["dimension"], row["volume"]), []).append(row)
    return list(found.values())
