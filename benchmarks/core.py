"""CPU seconds of the core, stage by stage, beside a plain per-report, per-cell hashing loop measured in the same run.

    python benchmarks/core.py [--people 1000000] [--repeats 3]

The population is made here: 6 correlated attributes of 64 levels. Every figure is the best of several runs, in CPU
seconds of one process. The loop is what local hashing costs without structure: for every report, hash every cell
and compare. It runs on a sample and is scaled up.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import hashlib
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

import sottovoce as sv

ATTRIBUTES, LEVELS, EPSILON = 6, 64, 1.0
SAMPLE = 2000
TARGETS = {
    "randomize + tally": 0.8,
    "simulate": 0.3,
    "fit": 0.5,
    "200 queries, lambda=4": 0.05,
    "10,000 queries, lambda=2": 0.1,
}


def population(people: int, seed: int = 0, attributes: int = ATTRIBUTES) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    shared = generator.normal(size=people)
    columns = {}
    for number in range(attributes):
        values = 0.9 * shared + 0.45 * generator.normal(size=people)
        columns[f"a{number}"] = np.clip((values + 6) / 12 * LEVELS, 0, LEVELS - 1).astype(np.uint8)
    return columns


def queries(count: int, dimensions: int) -> list[dict[str, tuple[int, int]]]:
    generator = np.random.default_rng(1)
    asked = []
    for _ in range(count):
        names = generator.choice(ATTRIBUTES, dimensions, replace=False).tolist()
        starts = generator.integers(0, LEVELS // 2 + 1, dimensions).tolist()
        asked.append({f"a{name}": (start, start + LEVELS // 2 - 1) for name, start in zip(names, starts, strict=True)})
    return asked


def best(work: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def plain_loop(plan: sv.Plan, reports: int) -> float:
    """Return the CPU seconds of hashing every cell of a question for every report, scaled up from a sample."""
    cells = [plan.questions[int(i) % len(plan.questions)].channel.cells for i in range(SAMPLE)]
    start = time.process_time()
    supports = [0] * max(cells)
    for report, count in enumerate(cells):
        for cell in range(count):
            digest = hashlib.blake2b(b"%d %d" % (report, cell), digest_size=4).digest()
            supports[cell] += int.from_bytes(digest, "little") % 4 == 0
    return (time.process_time() - start) * reports / SAMPLE


def measure(people: int, repeats: int) -> dict[str, float]:
    table = population(people)
    schema = sv.Schema([sv.Ordinal(name, 0, LEVELS - 1) for name in table])
    plan = sv.Plan.create(schema, epsilon=EPSILON, users=people, mechanism="hdg", oracle="olh")

    def collect() -> sv.Tally:
        tally = sv.Tally(plan)
        tally.add(sv.randomize(plan, table))
        return tally

    tally, reports = collect(), sv.randomize(plan, table)
    many = pa.concat_tables([reports] * max(1, 10**7 // people))
    model = sv.fit(plan, tally)
    few, asked = queries(200, 4), queries(10_000, 2)
    return {
        "randomize + tally": best(collect, repeats),
        "simulate": best(lambda: sv.simulate(plan, table, seed=0), repeats),
        "fit": best(lambda: sv.fit(plan, tally), repeats),
        "200 queries, lambda=4": best(lambda: model.answer_ranges(few), repeats),
        "10,000 queries, lambda=2": best(lambda: model.answer_ranges(asked), repeats),
        "plain loop": plain_loop(plan, people),
        "Tally.add, million reports/s": many.num_rows / 1e6 / best(lambda: sv.Tally(plan).add(many), repeats),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=10**6, help="the largest crowd is ten times this one")
    parser.add_argument("--repeats", type=int, default=5, help="runs of which the best counts")
    arguments = parser.parse_args()
    sizes = [arguments.people // 10, arguments.people, arguments.people * 10]
    results: dict[int, dict[str, float]] = {}
    print(f"d={ATTRIBUTES}, {LEVELS} levels, epsilon {EPSILON:g}, CPU seconds, best of {arguments.repeats}")
    for size in sizes[:2]:
        results[size] = measure(size, arguments.repeats)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    results[sizes[2]] = measure(sizes[2], max(1, arguments.repeats // 2))
    base = results[arguments.people]
    print(f"{'':<30}" + "".join(f"{size:>12,}" for size in sizes) + f"{'target':>10}{'loop / ours':>14}")
    for name in base:
        row = "".join(f"{results[size][name]:>12.4f}" for size in sizes)
        target = f"{TARGETS[name]:>10}" if name in TARGETS else f"{'>= 100' if 'add' in name else '':>10}"
        ratio = f"{base['plain loop'] / base[name]:>14,.0f}" if name in TARGETS else ""
        print(f"{name:<30}{row}{target}{ratio}")
    print(f"peak memory up to {arguments.people:,} people: {memory:.0f} MB (target 500)")


if __name__ == "__main__":
    main()
