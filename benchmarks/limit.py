"""How far Spectral is from the limit of local differential privacy: its design, and its answers.

    python benchmarks/limit.py [--attributes 1 2 6 10] [--levels 64] [--epsilons 0.25 0.5 1 2 3 4 6] [--users 1000000]
    python benchmarks/limit.py --answers [--data data] [--epsilons 1 4] [--seeds 3]

The first prints, for every number of attributes, levels, epsilon and people: the root of the design's expected squared
error over that of water-filling with kappa = sinh^2(epsilon / 2) per report, none above one per person (`limit`), and
for one attribute over what a domain of so many levels allows (`domain`); the information per report over kappa; and the
plan's size and the seconds it took. The second prints the measured root mean squared error over 200 queries of half the
domain's width on two attributes, beside the root of (trace sqrt G)^2 / (n kappa), for Normal and Laplace made here, or
with the sets of a folder. docs/design/limit.md has the proofs.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import sottovoce as sv
from accuracy import BASE, REAL, Setting, queries, real, shared_synthetic, true_answers
from sottovoce.channels import parse_epsilon
from sottovoce.mechanisms.spectral.blocks import Candidates, coefficient_groups
from sottovoce.mechanisms.spectral.design import design, expected_error, information
from sottovoce.mechanisms.spectral.limit import domain_limit, kappa, limit, query_limit
from sottovoce.mechanisms.spectral.prior import PRIOR
from sottovoce.mechanisms.spectral.walsh import Axis
from sottovoce.mechanisms.spectral.workload import Workload

SAMPLE = 100_000
"""So many people stand for the crowd when the covariance of queries is computed."""


def show_design(attributes: int, levels: int, epsilon: float, users: int) -> None:
    axes, workload = [Axis(levels)] * attributes, Workload.all_ranges(attributes)
    start = time.process_time()
    blocks = design(axes, parse_epsilon(epsilon), users, workload)
    seconds = time.process_time() - start
    groups = coefficient_groups(axes, workload, prior=PRIOR.at(parse_epsilon(epsilon)))
    asked = Candidates.of(groups, parse_epsilon(epsilon), [block for block, _ in blocks])
    seen = information(asked, users, np.array([share for _, share in blocks]))
    error = expected_error(groups, seen)
    carried = (groups.coefficients * seen)[groups.weight > 0].sum() / (users * kappa(epsilon))
    over = np.sqrt(error / limit(groups, epsilon, users))
    domain = f"{np.sqrt(error / domain_limit(groups, epsilon, users)):.3f}" if attributes == 1 else "-"
    questions = sum(block.questions for block, _ in blocks)
    widest = max(block.cells([levels] * attributes) for block, _ in blocks)
    print(
        f"{attributes:>10} {levels:>6} {epsilon:>7g} {users:>9} {over:>6.3f} {domain:>6} {carried:>11.3f} "
        f"{questions:>9} {widest:>6.0f} {seconds:>7.2f}",
        flush=True,
    )


def show_answers(name: str, setting: Setting, folder: Path | None, seeds: int) -> None:
    records = real(name, setting, folder) if name in REAL and folder else shared_synthetic(name, setting, folder)
    names = [f"a{index}" for index in range(records.shape[1])]
    schema = sv.Schema([sv.Ordinal(attribute, 0, setting.levels - 1) for attribute in names])
    asked = queries(setting, 2, seed=2)
    truth = true_answers(records, asked)
    inside = np.array(
        [np.all([(records[:SAMPLE, p] >= low) & (records[:SAMPLE, p] <= high) for p, (low, high) in q.items()], axis=0)
         for q in asked]
    )  # fmt: skip
    least = np.sqrt(query_limit(inside, setting.epsilon, setting.users))
    plan = sv.Plan.create(schema, epsilon=setting.epsilon, users=setting.users, mechanism="spectral")
    squares = []
    for seed in range(seeds):
        tally = sv.simulate(plan, dict(zip(names, records.T, strict=True)), seed=seed, users=setting.users)
        model = sv.fit(plan, tally, seed=seed)
        found = model.answer_ranges([{names[index]: bounds for index, bounds in query.items()} for query in asked])
        squares.append(((found - truth) ** 2).mean())
    error = np.sqrt(np.mean(squares))
    print(f"{name:>12} {setting.epsilon:>7g} {least:>8.5f} {error:>8.5f} {error / least:>6.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attributes", type=int, nargs="+", default=[1, 2, 6, 10])
    parser.add_argument("--levels", type=int, nargs="+", default=[64])
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.25, 0.5, 1, 2, 3, 4, 6])
    parser.add_argument("--users", type=int, nargs="+", default=[10**6])
    parser.add_argument("--answers", action="store_true", help="measure answers instead of designs")
    parser.add_argument("--data", type=Path, help="a folder of NAME_levels.npz for --answers")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    if given.answers:
        print("         set epsilon    limit     RMSE  ratio")
        for name in ("normal", "laplace", *(REAL if given.data else ())):
            for epsilon in given.epsilons:
                show_answers(name, replace(BASE, epsilon=epsilon, users=given.users[0]), given.data, given.seeds)
        return
    print("attributes levels epsilon    people  limit domain information questions widest seconds")
    for attributes in given.attributes:
        for levels in given.levels:
            for users in given.users:
                for epsilon in given.epsilons:
                    show_design(attributes, levels, epsilon, users)


if __name__ == "__main__":
    main()
