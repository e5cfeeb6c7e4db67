"""How far liars move a fitted answer, measured: the best of the attacks tried here, beside the exact bound.

    python benchmarks/liars.py [--mechanism hdg] [--people 200000]

Liars know the plan, the query and everybody's answer. They send the code that favours (or disfavours) the query most,
on the one question where that moves it most, or on all questions that look at its attributes, in proportion to their
shares. These are the attacks tried, not all that exist: the figures are measured, the bound is exact.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from sottovoce.channels.channel import FrequencyOracle
from sottovoce.plan.questions import Question
from sottovoce.tally.quality import check_tally
from sottovoce.tally.tally import Tally

LEVELS, ATTRIBUTES = 64, 4
QUERIES: list[dict[str, tuple[int, int]]] = [{"a0": (0, 31)}, {"a1": (20, 27)}, {"a0": (0, 31), "a1": (16, 47)}]


def crowd(people: int) -> dict[str, NDArray[np.int64]]:
    generator = np.random.default_rng(0)
    covariance = np.full((ATTRIBUTES, ATTRIBUTES), 0.5) + 0.5 * np.eye(ATTRIBUTES)
    values = generator.multivariate_normal(np.zeros(ATTRIBUTES), covariance, people)
    levels = np.clip((values + 4) * LEVELS / 8, 0, LEVELS - 1).astype(np.int64)
    return {f"a{index}": levels[:, index] for index in range(ATTRIBUTES)}


def inside(question: Question, query: dict[str, tuple[int, int]]) -> NDArray[np.float64]:
    """Return which part of every cell of a question is inside a query."""
    weights = np.ones(1)
    for attribute, table in zip(question.attributes, question.tables, strict=True):
        low, high = query.get(f"a{attribute}", (0, LEVELS - 1))
        levels = (np.arange(LEVELS) >= low) & (np.arange(LEVELS) <= high)
        bins = np.bincount(table.array(), levels) / np.bincount(table.array())
        weights = np.outer(weights, bins).ravel()
    return weights


def best_code(question: Question, query: dict[str, tuple[int, int]], sign: int) -> int:
    """Return the code that speaks most for the query, or most against it."""
    channel, weights = question.channel, inside(question, query)
    if isinstance(channel, FrequencyOracle):
        moved = [float(channel.estimate(one) @ weights) for one in np.eye(channel.codes, dtype=np.int64)]
    else:
        moved = ((weights - weights.mean()) @ channel.probabilities()).tolist()
    return int(np.argmax(sign * np.array(moved)))


def attacks(plan: sv.Plan, query: dict[str, tuple[int, int]], liars: int, most: int) -> list[NDArray[np.int64]]:
    """Return the rows (question, code, count) of every attack: on one question, and spread by shares."""
    touched = [one for one in plan.questions if {f"a{index}" for index in one.attributes} & query.keys()]
    tried = []
    for sign in (1, -1):
        codes = {one.index: best_code(one, query, sign) for one in touched}
        coarsest = sorted(touched, key=lambda one: -float(np.ptp(inside(one, query))))[:most]
        tried += [np.array([[one.index, codes[one.index], liars]]) for one in coarsest]
        shares = np.array([one.share for one in touched], dtype=float)
        spread = np.floor(shares / shares.sum() * liars).astype(np.int64)
        tried.append(np.array([[one.index, codes[one.index], n] for one, n in zip(touched, spread, strict=True)]))
    return tried


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mechanism", default="hdg")
    parser.add_argument("--people", type=int, default=200_000)
    parser.add_argument("--questions", type=int, default=40, help="attack at most so many single questions")
    parser.add_argument("--quality", default="default", help="of every fit")
    chosen = parser.parse_args()
    schema = sv.Schema([sv.Ordinal(f"a{index}", 0, LEVELS - 1) for index in range(ATTRIBUTES)])
    plan = sv.Plan.create(schema, epsilon=1, users=chosen.people, mechanism=chosen.mechanism)
    honest = sv.simulate(plan, crowd(chosen.people), seed=1)
    before = sv.fit(plan, honest, quality=chosen.quality).answer_ranges(QUERIES)
    print(f"{chosen.mechanism}, epsilon 1, {chosen.people:,} honest people, {len(plan.questions)} questions")
    for part, influence in zip((1000, 100), plan.audit().influence, strict=True):
        worst, unseen = np.zeros(len(QUERIES)), np.zeros(len(QUERIES))
        for index, query in enumerate(QUERIES):
            for rows in attacks(plan, query, chosen.people // part, chosen.questions):
                tally = Tally(plan)
                tally.merge(honest)
                tally.add_counts(rows[:, 0], rows[:, 1], rows[:, 2])
                moved = abs(sv.fit(plan, tally, quality=chosen.quality).answer_ranges([query])[0] - before[index])
                worst[index] = max(worst[index], moved)
                if not any(check.flagged for check in check_tally(tally)):
                    unseen[index] = max(unseen[index], moved)
        print(f"{1 / part:.1%} liars: the exact bound on a question's raw estimate is {influence.bound:.3f}")
        for query, moved, hidden in zip(QUERIES, worst, unseen, strict=True):
            print(f"    measured on the fitted answer to {query}: {moved:.3f} ({hidden:.3f} without a flag)")


if __name__ == "__main__":
    main()
