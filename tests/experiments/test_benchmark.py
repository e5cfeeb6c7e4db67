"""A benchmark is frozen: other people, queries or answers are refused, and the same ones give the same table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.experiments.benchmark import (
    BENCHMARKS,
    STUDENT,
    checksum,
    find_benchmark,
    run_benchmark,
    scored,
    tasks_of,
    to_markdown,
    verify,
)
from sottovoce.experiments.cache import Cache
from sottovoce.experiments.runner import Workers
from sottovoce.plan.registry import mechanism_names

SMALL = BENCHMARKS["v1-small"]


def test_the_small_one_is_what_was_frozen(tmp_path: Path) -> None:
    verify(SMALL, Cache(tmp_path, SMALL.seed))


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS["v1"].datasets)
def test_every_data_set_of_the_large_one_is_what_was_frozen(name: str, tmp_path: Path) -> None:
    benchmark = BENCHMARKS["v1"]
    assert checksum(benchmark, name, Cache(tmp_path, benchmark.seed)) == benchmark.checksums[name]


@pytest.mark.parametrize("change", [{"seed": 1}, {"queries": 49}, {"users": 19_999}])
def test_anything_else_is_refused(change: dict[str, int], tmp_path: Path) -> None:
    other = replace(SMALL, **change)
    with pytest.raises(sv.ExperimentError, match="normal of benchmark v1-small is not what was frozen"):
        verify(other, Cache(tmp_path, other.seed))


def test_all_mechanisms_take_part_unless_some_are_named() -> None:
    assert {task.method.mechanism for task in tasks_of(SMALL)} == set(mechanism_names())
    assert {task.method.mechanism for task in tasks_of(SMALL, ["hdg"])} == {"hdg"}
    with pytest.raises(sv.ExperimentError, match="known are v1, v1-small"):
        find_benchmark("v2")


def test_a_table_has_intervals_over_collections_and_the_best_first(tmp_path: Path) -> None:
    with Workers(1, seed=SMALL.seed) as workers:
        told: list[float] = []
        rows = run_benchmark(
            SMALL, tmp_path / "a.parquet", mechanisms=["uniform", "tdg"], workers=workers, progress=told.append
        )
    assert told[-1] == 1
    assert {row["repeats"] for row in rows} == {3}
    lines = to_markdown(SMALL, rows).splitlines()
    assert [line.split(" | ")[0] for line in lines if line.startswith("| ")][2:] == ["| tdg", "| uniform"]


def test_an_interval_is_students(tmp_path: Path) -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    for repeats, reach in STUDENT.items():
        assert reach == pytest.approx(scipy_stats.t.ppf(0.95, repeats - 1), abs=5e-4)
    with Workers(1, seed=SMALL.seed) as workers:
        run_benchmark(SMALL, tmp_path / "a.parquet", mechanisms=["tdg"], workers=workers, progress=lambda done: None)
    import pyarrow.parquet as pq

    table = pq.read_table(tmp_path / "a.parquet")
    row = scored(table)[0]
    frame = table.to_pandas().query(f"dataset == {row['dataset']!r} and dimension == {row['dimension']}")
    means = frame.groupby("repeat").error.mean().to_numpy()
    assert row["error"] == pytest.approx(means.mean())
    assert row["high"] - row["error"] == pytest.approx(STUDENT[3] * means.std(ddof=1) / np.sqrt(3))
