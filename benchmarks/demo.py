"""How often the intervals of the demo's comparisons hold, over many collections.

    python benchmarks/demo.py [--seeds 20] [--people 200000] [--epsilon 1]

Every seed is another made-up crowd and another collection, as ``sottovoce demo --seed`` makes them. For every
comparison: the true difference, the mean of the private ones, the mean half width of the 90 % intervals, how often they
held, and the mean evidence; then the same over all. One collection of eight comparisons says little; twenty do.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import warnings

import numpy as np

import sottovoce as sv
from sottovoce.cli.demo import COMPARISONS, true_gaps
from sottovoce.simulation.population import PEOPLE, people


def measure(seeds: int, count: int, epsilon: str) -> np.ndarray:
    """Return truth, estimate, low, high and evidence, seeds by comparisons."""
    plan = sv.Plan.create(PEOPLE, epsilon=epsilon, users=count)
    rows = []
    for seed in range(seeds):
        crowd = people(count, seed=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sv.FewReportsWarning)
            model = sv.fit(plan, sv.simulate(plan, crowd, seed=seed))
        found = [question.ask(model) for _, question in COMPARISONS]
        rows.append(
            [
                (truth, float(one), *one.interval, np.nan if one.evidence is None else one.evidence)
                for truth, one in zip(true_gaps(crowd), found, strict=True)
            ]
        )
    return np.array(rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--people", type=int, default=200_000)
    parser.add_argument("--epsilon", default="1")
    options = parser.parse_args()
    truth, found, low, high, evidence = np.moveaxis(measure(options.seeds, options.people, options.epsilon), 2, 0)
    held, half = (low <= truth) & (truth <= high), (high - low) / 2
    print(f"{options.people:,} people, epsilon {options.epsilon}, {options.seeds} seeds")
    print(f"{'':40} {'true':>10} {'private':>10} {'half width':>10} {'held':>6} {'evidence':>9}")
    for index, (words, _) in enumerate(COMPARISONS):
        print(
            f"{words:40} {truth[:, index].mean():10.4g} {found[:, index].mean():10.4g} {half[:, index].mean():10.4g} "
            f"{held[:, index].mean():6.0%} {evidence[:, index].mean():9.2f}"
        )
    print(f"all: held {held.mean():.1%} of {held.size}, worst comparison {held.mean(axis=0).min():.0%}")


if __name__ == "__main__":
    main()
