"""Spectral's bias beside its spread, over repeated collections of a smooth population.

    python benchmarks/bias.py [--collections 40] [--epsilon 1] [--people 1000000] [--quality default]

The population is Normal as in accuracy.py: six attributes of 64 levels, covariance 0.8. For random ranges of half the
domain on 1 to 4 attributes: the root mean square over queries of (mean answer - truth), and that of the standard
deviation of answers over collections. The first includes what chance leaves in a mean of so many collections.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse

import numpy as np

import sottovoce as sv
from accuracy import BASE, queries, synthetic, true_answers

DIMENSIONS = (1, 2, 3, 4)


def show(label: str, bias: float, spread: float) -> None:
    print(f"{label:>10}  {np.sqrt(bias):>10.5f}  {np.sqrt(spread):>12.5f}  {np.sqrt(bias / spread):>13.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", type=int, default=40)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--people", type=int, default=10**6)
    parser.add_argument("--set", default="normal", choices=("normal", "laplace"))
    parser.add_argument("--quality", default="default", choices=("default", "fast"))
    arguments = parser.parse_args()
    records = synthetic(arguments.set, BASE)
    names = [f"a{index}" for index in range(BASE.attributes)]
    table = dict(zip(names, records.T, strict=True))
    schema = sv.Schema([sv.Ordinal(name, 0, BASE.levels - 1) for name in names])
    plan = sv.Plan.create(schema, epsilon=arguments.epsilon, users=arguments.people, mechanism="spectral")
    asked = {dimensions: queries(BASE, dimensions, seed=dimensions) for dimensions in DIMENSIONS}
    answers: dict[int, list[np.ndarray]] = {dimensions: [] for dimensions in DIMENSIONS}
    for seed in range(arguments.collections):
        tally = sv.simulate(plan, table, seed=seed, users=arguments.people)
        model = sv.fit(plan, tally, seed=seed, quality=arguments.quality)
        for dimensions, own in asked.items():
            named = [{names[index]: bounds for index, bounds in query.items()} for query in own]
            answers[dimensions].append(model.answer_ranges(named))
    print("attributes  bias (RMS)  spread (RMS)  bias / spread")
    squares = []
    for dimensions, own in asked.items():
        found = np.array(answers[dimensions])
        bias = ((found.mean(axis=0) - true_answers(records, own)) ** 2).mean()
        squares.append((bias, found.var(axis=0, ddof=1).mean()))
        show(str(dimensions), *squares[-1])
    show("all", *np.mean(squares, axis=0))


if __name__ == "__main__":
    main()
