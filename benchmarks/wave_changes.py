"""How often the interval of a change between two waves holds the true change: nobody, a tenth or everybody changing.

    python benchmarks/wave_changes.py [--repeats 40] [--mechanism spectral] [--changing "a tenth"]

Intervals of level 0.9 should hold in at least 85 of 100 cases; so many repeats tell it of all predicates together, and
of a single one only roughly: its standard error is printed. 200,000 people, four waves, lifetime 1: each wave is
reported by 50,000 of them, drawn anew for every repeat, while the true change is that of all 200,000.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import warnings

import duckdb
import numpy as np
import pyarrow as pa

import sottovoce as sv

USERS, WAVES = 200_000, 4
SCHEMA = sv.Schema(
    [
        sv.Ordinal("age", 0, 99),
        sv.Numeric("income", 0, 100_000, bins=40),
        sv.Categorical("region", ["n", "s", "e", "w"]),
    ]
)
PREDICATES = [
    "income >= 60000",
    "income < 20000",
    "age < 30",
    "region = 'n'",
    "income BETWEEN 30000 AND 50000",
    "income >= 60000 AND age < 50",
    "income >= 40000 AND region = 'n'",
    "age >= 60 AND region <> 'n'",
    "income < 30000 AND age BETWEEN 30 AND 60",
    "income >= 50000 AND age >= 40 AND region IN ('n', 's')",
]
PARTS = {"nobody": 0.0, "a tenth": 0.1, "everybody": 1.0}


def people(seed: int) -> dict[str, np.ndarray]:
    """Return the crowd at the first wave."""
    generator = np.random.default_rng(seed)
    age = np.clip(generator.normal(45, 18, USERS), 0, 99).astype(int)
    income = np.clip(generator.gamma(4, 9_000, USERS) + 200 * age, 0, 100_000)
    region = generator.choice(4, USERS, p=[0.4, 0.3, 0.2, 0.1])
    return {"age": age, "income": income, "region": np.array(["n", "s", "e", "w"])[region]}


def changed(crowd: dict[str, np.ndarray], part: float, seed: int) -> dict[str, np.ndarray]:
    """Return the crowd later: a part of the people earn more, and move."""
    generator = np.random.default_rng(seed)
    who = generator.random(USERS) < part
    income = np.where(who, np.clip(crowd["income"] * 1.2 + 5_000, 0, 100_000), crowd["income"])
    turned = np.array(["s", "e", "w", "n"])[np.searchsorted(["e", "n", "s", "w"], crowd["region"])]
    return {**crowd, "income": income, "region": np.where(who, turned, crowd["region"])}


def truth(crowd: dict[str, np.ndarray]) -> list[float]:
    """Return the true fraction of every predicate."""
    with duckdb.connect() as database:
        database.register("crowd", pa.table(crowd))
        asked = ", ".join(f"avg(({where})::INT)" for where in PREDICATES)
        (found,) = database.execute(f"SELECT {asked} FROM crowd").fetchall()
    return list(found)


def measure(mechanism: str, part: float, repeats: int) -> np.ndarray:
    """Return for every repeat and predicate whether the interval held the true change."""
    before = people(1)
    after = changed(before, part, 2)
    true = np.array(truth(after)) - np.array(truth(before))
    plan = sv.Plan.create(SCHEMA, users=USERS, waves=WAVES, lifetime=1, mechanism=mechanism)
    held = []
    for repeat in range(repeats):
        generator = np.random.default_rng([3, repeat])
        turn = generator.integers(WAVES, size=USERS)
        tally = sv.Tally(plan)
        for wave, crowd in ((1, before), (2, after)):
            mine = {name: column[turn == wave - 1] for name, column in crowd.items()}
            tally.merge(sv.simulate(plan, mine, seed=1000 * wave + repeat, wave=wave))
        models = sv.fit_waves(plan, tally)
        row = []
        for where, change in zip(PREDICATES, true, strict=True):
            low, high = models.change(where, between=(1, 2)).interval
            row.append(low <= change <= high)
        held.append(row)
    return np.array(held)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--mechanism", default="spectral")
    parser.add_argument("--changing", choices=PARTS, nargs="+", default=list(PARTS), help="which of the three")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in given.changing:
        held = measure(given.mechanism, PARTS[name], given.repeats)
        single = " ".join(f"{one:.0%}" for one in held.mean(axis=0))
        error = (0.9 * 0.1 / given.repeats) ** 0.5
        print(
            f"{given.mechanism}, {name} changes: {held.mean():.1%} of {held.size} hold; "
            f"by predicate (+-{error:.0%}) {single}",
            flush=True,
        )


if __name__ == "__main__":
    main()
