"""How often Spectral's 90 % intervals hold the truth, and how wide they are, over repeated collections.

    python benchmarks/coverage.py --data data [--collections 40]

For each data set and number of attributes: the coverage of random ranges, and the mean width over that of intervals of
the same shape scaled to cover exactly 90 %. Without --data only Normal and Laplace are measured, made here.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from pathlib import Path

import numpy as np

import sottovoce as sv
from accuracy import BASE, REAL, real, shared_synthetic, true_answers
from sottovoce.model.belief import normal_factor
from sottovoce.query.ranges import ranges_to_batch

SETS, DIMENSIONS, LEVEL = ("normal", "laplace", "census_kdd", "covtype"), (1, 2, 3, 4), 0.9


def random_ranges(dimensions: int, count: int = 200) -> list[dict[int, tuple[int, int]]]:
    generator = np.random.default_rng(dimensions)
    asked = []
    for _ in range(count):
        query = {}
        for index in np.sort(generator.choice(BASE.attributes, dimensions, replace=False)).tolist():
            width = int(generator.integers(BASE.levels // 8, 7 * BASE.levels // 8))
            start = int(generator.integers(0, BASE.levels - width + 1))
            query[index] = (start, start + width - 1)
        asked.append(query)
    return asked


def measure(name: str, folder: Path | None, collections: int) -> dict[int, np.ndarray]:
    """Return, for each number of attributes, |error| in units of the interval's half-width."""
    records = real(name, BASE, folder) if name in REAL and folder else shared_synthetic(name, BASE, folder)
    names = [f"a{index}" for index in range(records.shape[1])]
    table = dict(zip(names, records.T, strict=True))
    schema = sv.Schema([sv.Ordinal(attribute, 0, BASE.levels - 1) for attribute in names])
    plan = sv.Plan.create(schema, epsilon=BASE.epsilon, users=BASE.users, mechanism="spectral")
    asked = {dimension: random_ranges(dimension) for dimension in DIMENSIONS}
    truths = {dimension: true_answers(records, asked[dimension]) for dimension in DIMENSIONS}
    errors: dict[int, list[np.ndarray]] = {dimension: [] for dimension in DIMENSIONS}
    for collection in range(collections):
        model = sv.fit(plan, sv.simulate(plan, table, seed=collection, users=BASE.users), seed=collection)
        for dimension in DIMENSIONS:
            named = [{names[index]: bounds for index, bounds in query.items()} for query in asked[dimension]]
            batch = ranges_to_batch(schema, named)
            deviations = model.deviations(batch, np.eye(batch.count))
            off = np.abs(model.evaluate(batch) - truths[dimension])
            errors[dimension].append(off / (normal_factor(LEVEL) * deviations))
    return {dimension: np.concatenate(found) for dimension, found in errors.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with NAME_levels.npz and the synthetic sets")
    parser.add_argument("--collections", type=int, default=40)
    arguments = parser.parse_args()
    everything = []
    print(f"{'set':<14}attributes  coverage  width / width needed")
    for name in SETS if arguments.data else [name for name in SETS if name not in REAL]:
        for dimension, off in measure(name, arguments.data, arguments.collections).items():
            everything.append(off)
            print(
                f"{name:<14}{dimension:>10}  {(off <= 1).mean():>8.3f}  {1 / np.quantile(off, LEVEL):>8.2f}", flush=True
            )
    off = np.concatenate(everything)
    print(f"{'all':<24}  {(off <= 1).mean():>8.3f}  {1 / np.quantile(off, LEVEL):>8.2f}")


if __name__ == "__main__":
    main()
