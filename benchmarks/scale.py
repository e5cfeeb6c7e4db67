"""Counting past one process: reports a second by engine, memory, merging, many files, and a billion people.

    python benchmarks/scale.py [--reports 10000000] [--without-spark]

Needs the extras duckdb and spark, and Java. The population is made here: 6 correlated attributes of 64 levels. Rates
are the best of several runs: as seen on the clock, and by the CPU time used, which is what two otherwise idle cores
give and does not depend on who else uses the machine. Memory and many files are shown with copies and parts of the
files written first. All files are in a temporary directory and removed.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import sottovoce as sv
from core import ATTRIBUTES, EPSILON, LEVELS, population
from sottovoce.client.report import PLAN_KEY
from sottovoce.engines.spark import tally_spark_files

CORES = 2
TARGET = 60e6
PART = 2**18


def make_schema(attributes: int = ATTRIBUTES) -> sv.Schema:
    return sv.Schema([sv.Ordinal(f"a{number}", 0, LEVELS - 1) for number in range(attributes)])


def parts(people: int) -> Iterator[dict[str, np.ndarray]]:
    for seed, start in enumerate(range(0, people, PART)):
        yield population(min(PART, people - start), seed)


def timed(
    work: Callable[[], Any], cpu: Callable[[], float] = time.process_time, repeats: int = 4
) -> tuple[float, float]:
    """Return the least clock and CPU seconds of several runs."""
    clock, used = [], []
    for _ in range(repeats):
        start, before = time.perf_counter(), cpu()
        work()
        clock.append(time.perf_counter() - start)
        used.append(cpu() - before)
    return min(clock), min(used)


def process_seconds(process: int) -> float:
    """Return the CPU seconds of another process, such as Spark's Java."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_memory() -> float:
    """Return the most memory this process has held, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def show_rate(name: str, reports: int, seconds: tuple[float, float], note: str = "") -> None:
    clock, used = (reports / 1e6 / value for value in seconds)
    print(f"  {name:<34}{clock:>10.1f}{CORES * used:>16.1f}   {note}")


def engines(plan: sv.Plan, folder: Path, reports: int, with_spark: bool) -> None:
    size = sum(file.stat().st_size for file in folder.glob("*.parquet"))
    print(f"\n1. {reports:,} reports in Parquet, {size / reports:.2f} bytes a report; million reports a second")
    print(f"  {'':<34}{'clock':>10}{f'{CORES} idle cores':>16}")
    table = pq.read_table(folder)
    table = table.replace_schema_metadata({PLAN_KEY: plan.fingerprint})
    clock, used = timed(lambda: sv.Tally(plan).add(table))
    show_rate("numpy, from memory, one core", reports, (clock, CORES * used))
    clock, used = timed(lambda: sv.tally_parquet(plan, folder, engine="numpy"))
    show_rate("numpy, from Parquet, one core", reports, (clock, CORES * used))
    seconds = timed(lambda: sv.tally_parquet(plan, folder))
    met = [rate >= TARGET for rate in (reports / seconds[0], CORES * reports / seconds[1])]
    said = ", ".join(
        f"{'met' if ok else 'missed'} by {by}" for ok, by in zip(met, ("the clock", "CPU time"), strict=True)
    )
    show_rate("DuckDB, from Parquet", reports, seconds, f"target {TARGET / 1e6:.0f}: {said}")
    tallies = [sv.tally_parquet(plan, folder), sv.tally_parquet(plan, folder, engine="numpy")]
    if with_spark:
        tallies.append(spark_rate(plan, folder, reports))
    assert all(tally == tallies[0] for tally in tallies), "engines disagree"
    assert tallies[0].total == reports
    print(f"  all {len(tallies)} engines gave the same tally, bit for bit: {tallies[0]!r}")


def spark_rate(plan: sv.Plan, folder: Path, reports: int) -> sv.Tally:
    from pyspark.sql import SparkSession

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    builder = SparkSession.builder.master(f"local[{CORES}]").config("spark.sql.shuffle.partitions", CORES)
    session = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    machine: Any = session._jvm
    java = int(machine.java.lang.ProcessHandle.current().pid())
    show_rate(
        "Spark, from Parquet",
        reports,
        timed(lambda: tally_spark_files(plan, session, folder), lambda: process_seconds(java), 6),
    )
    tally = tally_spark_files(plan, session, folder)
    session.stop()
    return tally


def unique(plan: sv.Plan, folder: Path, reports: int) -> None:
    table = pq.read_table(folder / "reports-00000.parquet").slice(0, reports)
    ids = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(16), table.num_rows, [None, pa.py_buffer(os.urandom(16 * reports))]
    )
    target = folder / "ids"
    target.mkdir()
    pq.write_table(
        table.append_column("id", ids).replace_schema_metadata({PLAN_KEY: plan.fingerprint}), target / "a.parquet"
    )
    seconds = timed(lambda: sv.tally_parquet(plan, target), repeats=2)
    show_rate("DuckDB, duplicates by id removed", reports, seconds, f"{reports:,} reports")
    shutil.rmtree(target)


def memory(plan_file: Path, folder: Path, sizes: list[int]) -> None:
    print(
        "\n2. Peak memory of a process that counts that many reports (an empty one that imports all: first column), MB"
    )
    print(f"  {'':<34}{0:>14,}" + "".join(f"{size:>14,}" for size in sizes))
    for engine in ("duckdb", "numpy"):
        row = []
        for size in [0, *sizes]:
            call = [sys.executable, __file__, "--child", engine, str(plan_file), str(folder), str(size)]
            row.append(float(subprocess.run(call, check=True, capture_output=True, text=True).stdout))
        print(f"  {engine:<34}" + "".join(f"{megabytes:>14.0f}" for megabytes in row))
    call = [sys.executable, __file__, "--child", "write", str(plan_file), str(folder)]
    row = []
    for size in [0, *sizes[:2]]:
        row.append(float(subprocess.run([*call, str(size)], check=True, capture_output=True, text=True).stdout))
    print(f"  {'randomize into files':<34}" + "".join(f"{megabytes:>14.0f}" for megabytes in row))


def child(engine: str, plan_file: str, folder: str, size: int) -> None:
    """Count or write that many reports and print the most memory held; runs in a process of its own."""
    import duckdb  # noqa: F401 - the empty process holds it too

    plan = sv.Plan.load(plan_file)
    if engine == "write" and size:
        with tempfile.TemporaryDirectory() as directory:
            sv.write_reports(plan, parts(size), directory)
    elif size:
        files = sorted(Path(folder).glob("*.parquet"))
        rows = pq.read_metadata(files[0]).num_rows
        copies = Path(tempfile.mkdtemp(dir=folder))
        for number in range(max(1, size // rows)):
            shutil.copy(files[0], copies / f"{number}.parquet")
        if size < rows:
            pq.write_table(pq.ParquetFile(files[0]).read_row_group(0).slice(0, size), copies / "0.parquet")
        sv.tally_parquet(plan, copies, engine=engine)
        shutil.rmtree(copies)
    else:
        sv.Tally(plan)
    print(peak_memory())


def merging(plan: sv.Plan, folder: Path, count: int = 1000) -> None:
    table = population(10**5)
    target = folder / "tallies"
    target.mkdir()
    for seed in range(count):
        sv.simulate(plan, table, seed=seed, users=10**6).save(target / f"{seed}.tally")
    tallies = [sv.Tally.load(path) for path in target.iterdir()]
    size = sum(path.stat().st_size for path in target.iterdir()) / count

    def merge() -> sv.Tally:
        total = sv.Tally(plan)
        for tally in tallies:
            total.merge(tally)
        return total

    def load() -> None:
        for path in target.iterdir():
            sv.Tally.load(path)

    _, merged = timed(merge)
    _, loaded = timed(load, repeats=1)
    print(f"\n3. {count:,} partial tallies of a million reports each, {size / 1000:.0f} kB a file")
    print(f"  merged in {merged:.3f} CPU seconds, after {loaded:.2f} to load them: {merge()!r}")
    shutil.rmtree(target)


def many_files(plan: sv.Plan, folder: Path, reports: int) -> None:
    print(f"\n4. DuckDB, {reports:,} reports in so many files, seconds")
    table = pq.read_table(folder / "reports-00000.parquet").slice(0, reports)
    table = table.replace_schema_metadata({PLAN_KEY: plan.fingerprint})
    for count in (1, 10, 100, 1000):
        target = folder / "split"
        target.mkdir()
        for number in range(count):
            start, stop = reports * number // count, reports * (number + 1) // count
            pq.write_table(table.slice(start, stop - start), target / f"{number}.parquet")
        clock, used = timed(functools.partial(sv.tally_parquet, plan, target), repeats=3)
        print(f"  {count:>6,} files: {clock:>7.2f} clock, {used:>7.2f} CPU")
        shutil.rmtree(target)


def billion(mechanism: str, users: int = 10**9) -> None:
    table = population(10**6)
    start = time.process_time()
    plan = sv.Plan.create(make_schema(), epsilon=EPSILON, users=users, mechanism=mechanism)
    tally = sv.simulate(plan, table, seed=0, users=users)
    drawn = time.process_time()
    model = sv.fit(plan, tally)
    fitted = time.process_time()
    asked = [
        {f"a{left}": (low, low + 31), f"a{right}": (high, high + 31)}
        for left, right in itertools.combinations(range(ATTRIBUTES), 2)
        for low, high in ((8, 20), (16, 16), (24, 10))
    ]
    answers = model.answer_ranges(asked)
    done = time.process_time()
    truth = [
        np.mean([(low <= table[n]) & (table[n] <= high) for n, (low, high) in q.items()], axis=0) == 1 for q in asked
    ]
    error = np.abs(answers - [np.mean(inside) for inside in truth]).mean()
    seconds = done - start
    print(f"\n5. {tally.total:,} people, d={ATTRIBUTES}, end to end, CPU seconds ({plan.mechanism}, {plan.parameters})")
    print(f"  design and collection {drawn - start:.2f}, fit {fitted - drawn:.2f}", end="")
    print(f", {len(asked)} queries {done - fitted:.3f}; mean absolute error {error:.5f}")
    print(f"  together {seconds:.2f}, target 30: {'met' if seconds < 30 else 'MISSED'}")


def state() -> None:
    print("\n6. What a fit takes in, and how long it takes (CPU seconds, '-' where it was not run)")
    names = ("attributes", "people", "questions", "pairs", "MB of counts", "simulate", "fit")
    print("  " + "".join(f"{name:>13}" for name in names))
    for attributes, users in itertools.product((3, 6, 10, 30, 100), (10**5, 10**6, 10**7, 10**8, 10**9, 10**10)):
        plan = sv.Plan.create(make_schema(attributes), epsilon=EPSILON, users=users, mechanism="hdg")
        pairs = int(plan.questions.codes.sum())
        simulated = fitted = "-"
        if attributes <= 30 or users == 10**9:
            table = population(20_000, 0, attributes)
            start = time.process_time()
            tally = sv.simulate(plan, table, seed=0, users=users)
            middle = time.process_time()
            sv.fit(plan, tally)
            simulated, fitted = f"{middle - start:.2f}", f"{time.process_time() - middle:.2f}"
        size = f"{pairs * 8 / 1e6:.3f}"
        questions = len(plan.questions)
        print(f"  {attributes:>13}{users:>13.0e}{questions:>13,}{pairs:>13,}{size:>13}{simulated:>13}{fitted:>13}")


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        engine, plan_file, folder, size = sys.argv[2:]
        child(engine, plan_file, folder, int(size))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--reports", type=int, default=10**7, help="reports in the files; memory is shown up to ten times"
    )
    parser.add_argument("--without-spark", action="store_true", help="leave Spark out")
    arguments = parser.parse_args()
    reports = arguments.reports
    plan = sv.Plan.create(make_schema(), epsilon=EPSILON, users=10**6, mechanism="hdg")
    with tempfile.TemporaryDirectory() as directory:
        reports_folder, plan_path = Path(directory) / "reports", Path(directory) / "plan.json"
        plan.save(plan_path)
        start = time.process_time()
        sv.write_reports(plan, parts(reports), reports_folder)
        print(
            f"d={ATTRIBUTES}, {LEVELS} levels, epsilon {EPSILON:g}; {reports:,} records made, randomised and written "
        )
        print(f"in {time.process_time() - start:.1f} CPU seconds")
        engines(plan, reports_folder, reports, not arguments.without_spark)
        unique(plan, reports_folder, reports // 5)
        memory(plan_path, reports_folder, [reports // 10, reports, reports * 10])
        merging(plan, reports_folder)
        many_files(plan, reports_folder, reports)
    for mechanism in ("hdg", "spectral"):
        billion(mechanism)
    state()


if __name__ == "__main__":
    main()
