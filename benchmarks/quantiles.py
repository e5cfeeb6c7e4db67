"""Errors of medians and other quantiles, beside those of the square wave, the specialist for one attribute.

    python benchmarks/quantiles.py [--mechanisms spectral msw hdg calm] [--people N] [--epsilons 0.5 1 2] [--data F]

Two figures for each mechanism. The first is the mean distance of estimated quantiles (0.1 to 0.9) from the true ones,
in levels of 64; the second is that in rank: how far the fraction below the estimate is from what was asked. All
mechanisms get the same people, spread over six attributes. The sets are read as described in the folder's README.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import sottovoce as sv
from forecast import FOLDER, NAMES, SETS, load

PROBABILITIES = tuple(round(0.1 * step, 1) for step in range(1, 10))


def errors(model: sv.Model, table: dict[str, np.ndarray]) -> dict[str, float]:
    """Return mean errors in levels and in rank, of medians and of all quantiles."""
    levels, ranks, medians = [], [], []
    for name in NAMES:
        below = np.cumsum(np.bincount(table[name], minlength=64)) / len(table[name])
        for probability in PROBABILITIES:
            true = int(np.searchsorted(below, probability))
            found = int(model.quantile(name, probability))
            levels.append(abs(found - true))
            medians += [levels[-1]] if probability == 0.5 else []
            low = below[found - 1] if found else 0.0
            ranks.append(max(low - probability, probability - below[found], 0.0))  # a level spans a stretch of ranks
    return {"median": float(np.mean(medians)), "levels": float(np.mean(levels)), "rank": float(np.mean(ranks))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mechanisms", nargs="+", default=["spectral", "msw", "hdg", "calm"])
    parser.add_argument("--epsilons", nargs="+", default=["0.5", "1", "2"])
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--data", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    schema = sv.Schema([sv.Ordinal(name, 0, 63) for name in NAMES])
    print(f"{arguments.people:,} people, six attributes of 64 levels; mean errors over {arguments.runs} collections")
    print(f"{'set':<11} {'eps':>4} {'mechanism':<9} {'median':>8} {'quantiles':>10} {'rank':>8}")
    for name in SETS:
        table = load(arguments.data, name)
        for epsilon in arguments.epsilons:
            for mechanism in arguments.mechanisms:
                plan = sv.Plan.create(schema, epsilon=epsilon, users=arguments.people, mechanism=mechanism)
                runs = []
                for seed in range(arguments.runs):
                    model = sv.fit(plan, sv.simulate(plan, table, seed=seed, users=arguments.people), seed=seed)
                    model._replicates = []  # the intervals are not looked at here
                    runs.append(errors(model, table))
                mean = {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}
                print(
                    f"{name:<11} {epsilon:>4} {mechanism:<9} {mean['median']:>8.2f} {mean['levels']:>10.2f} "
                    f"{mean['rank']:>8.4f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
