"""A small model with every kind of attribute and awkward names, for tests of the explorer."""

from __future__ import annotations

import numpy as np

import sottovoce as sv

ORDERS = ("north", 'it\'s "south"', "</script><script>alert(1)</script>")

SCHEMA = sv.Schema(
    [
        sv.Ordinal("age", 18, 90, nullable=True),
        sv.Numeric("income", edges=[0, 5_000, 10_000, 12_500, 15_000, 20_000, 30_000, 45_000, 60_000, 100_000]),
        sv.Numeric("weekly hours", -10, 60, bins=28),
        sv.Categorical("order", ORDERS, nullable=True),
        sv.Categorical("travel", ["car", "bus", "foot"]),
    ]
)


def explored_plan() -> sv.Plan:
    """Return the plan."""
    return sv.Plan.create(SCHEMA, epsilon=2, users=60_000, purpose="Work & <life>", contact="tests@example.org")


def explored_model(plan: sv.Plan) -> sv.Model:
    """Return a model of 60,000 simulated reports, in which attributes depend on each other."""
    generator = np.random.default_rng(5)
    people = 20_000
    age = np.clip(generator.normal(45, 15, people).round(), 18, 90)
    income = np.clip(generator.gamma(4, 6_000, people) * (age / 45), 0, 100_000)
    table = {
        "age": np.where(generator.random(people) < 0.1, np.nan, age),
        "income": income,
        "weekly hours": np.clip(generator.normal(30 + income / 8_000, 8), -10, 60),
        "order": generator.choice(np.array([*ORDERS, None], dtype=object), people),
        "travel": np.where(income > 30_000, "car", generator.choice(["bus", "foot"], people)),
    }
    return sv.fit(plan, sv.simulate(plan, table, seed=2, users=60_000), quality="fast")
