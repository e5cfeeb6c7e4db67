"""Forecasts against errors then measured, on four data sets, for any mechanism.

    python benchmarks/forecast.py [--mechanism hdg] [--epsilons 0.5 1 2] [--people 100000 1000000] [--data FOLDER]

For every epsilon and number of people: the forecast without any data (made-up populations), the forecast like the data
(from a tenth of its rows), and the mean absolute error of typical queries on the data itself. A ratio above 1 says
that the forecast was too cautious. The four sets are read as described in the folder's README.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import sottovoce as sv
from sottovoce.plan.registry import DEFAULT_MECHANISM
from sottovoce.simulation.forecasting import Crowd

NAMES = "abcdef"
SETS = ("normal", "laplace", "census_kdd", "covtype")
FOLDER = Path(__file__).parents[2] / "shared" / "data"


def load(folder: Path, name: str) -> dict[str, np.ndarray]:
    if name in ("normal", "laplace"):
        levels = np.load(folder / f"{name}_n1e6_d6_c64.npz")["records"]
    else:
        stored = np.load(folder / f"{name}_levels.npz")
        raw, domain = stored["levels"][:, : len(NAMES)].astype(int), stored["domain"][: len(NAMES)]
        levels = np.where(domain > 64, raw * 64 // domain, raw)
    return {column: levels[:, index] for index, column in enumerate(NAMES)}


def measure(plan: sv.Plan, crowd: Crowd, *, users: int, seed: int) -> dict[int, np.ndarray]:
    """Return the absolute errors of typical queries of one simulated collection, by number of attributes."""
    model = sv.fit(plan, sv.simulate(plan, crowd.table, seed=seed, users=users), seed=seed)
    return {each.dimensions: np.abs(model.evaluate(each.batch) - each.truth) for each in crowd.workloads}


def measured(plan: sv.Plan, crowd: Crowd, users: int, runs: int) -> dict[int, float]:
    found = [measure(plan, crowd, users=users, seed=100 + seed) for seed in range(runs)]
    return {dimensions: float(np.mean([run[dimensions].mean() for run in found])) for dimensions in found[0]}


def rows(arguments: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    schema = sv.Schema([sv.Ordinal(name, 0, 63) for name in NAMES])
    tables = {name: load(arguments.data, name) for name in SETS}
    crowds = {name: Crowd.of(schema, table, 100, None) for name, table in tables.items()}
    for users in arguments.people:
        for epsilon in arguments.epsilons:
            design = {"epsilon": epsilon, "users": users, "mechanism": arguments.mechanism}
            plan, blind = sv.Plan.create(schema, **design), sv.forecast(schema, **design)
            for name in SETS:
                sample = {column: values[::10] for column, values in tables[name].items()}
                informed = sv.forecast(schema, **design, like=sample)
                for dimensions, error in measured(plan, crowds[name], users, arguments.runs).items():
                    ratios = (blind[dimensions].error / error, informed[dimensions].error / error)
                    yield (
                        f"{users:>9,} {epsilon:>4} {name:<11} {dimensions} {error:>9.4f} "
                        f"{blind[dimensions].error:>9.4f} {informed[dimensions].error:>9.4f} "
                        f"{ratios[0]:>7.2f} {ratios[1]:>7.2f}",
                        *map(str, ratios),
                    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mechanism", default=DEFAULT_MECHANISM)
    parser.add_argument("--epsilons", nargs="+", default=["0.5", "1", "2"])
    parser.add_argument("--people", nargs="+", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--data", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    print(f"{arguments.mechanism}: mean absolute error of typical queries, and forecast / measured")
    print("   people  eps set        d  measured     blind  informed   blind  informed")
    ratios = []
    for line, *pair in rows(arguments):
        print(line, flush=True)
        ratios.append([float(ratio) for ratio in pair])
    for index, kind in enumerate(("blind", "informed")):
        own = np.array(ratios)[:, index]
        within = np.mean((own < 1.5) & (own > 1 / 1.5))
        print(f"{kind}: {within:.0%} of {len(own)} within a factor of 1.5; from {own.min():.2f} to {own.max():.2f}")


if __name__ == "__main__":
    main()
