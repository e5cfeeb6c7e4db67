"""A staff survey: department, grade, years of service, salary, two opinions, days at home, who thinks of leaving.

Pay follows grade closely and department in no order; who is paid more tells it less often. What people think of their
manager goes with what they think of their work, and both with thinking of leaving. Who is in the union depends on the
department. The floor they sit on goes with nothing.
"""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from sottovoce.simulation.crowds.clauses import at_least, at_most, between, each_of, is_in, missing
from sottovoce.simulation.crowds.crowd import Crowd
from sottovoce.simulation.crowds.drawing import Columns, happens, logistic, opinion, rounded, spread, withheld, words

DEPARTMENTS = (
    *("accounts", "care", "catering", "design", "estates", "field", "law", "logistics", "plant", "research"),
    *("sales", "systems"),
)
_SHARES = (0.07, 0.16, 0.06, 0.05, 0.04, 0.12, 0.025, 0.13, 0.15, 0.06, 0.1, 0.035)
_PAY = np.array([0.1, -0.18, -0.3, 0.12, -0.15, -0.02, 0.42, -0.22, 0.02, 0.25, 0.16, 0.36])
_UNION = np.array([-0.9, 0.7, 0.2, -1.6, 0.9, 0.0, -2.2, 0.8, 1.5, -0.7, -1.4, -1.2])
_HOME = np.array([0.4, -2.6, -3.0, 0.2, -1.4, -1.0, 0.5, -2.2, -2.8, -0.2, 0.1, 0.9])
FLOORS = ("ground", "first", "second", "third", "fourth", "fifth", "sixth", "annexe")

SCHEMA = sv.Schema(
    (
        sv.Categorical("department", DEPARTMENTS),
        sv.Ordinal("grade", 1, 8),
        sv.Ordinal("service", 0, 35, clip=True),
        sv.Numeric("salary", 12_000, 132_000, bins=48, nullable=True, clip=True),
        sv.Ordinal("engagement", 1, 5),
        sv.Ordinal("manager", 1, 5),
        sv.Ordinal("home_days", 0, 5),
        sv.Categorical("leaving", ("no", "yes")),
        sv.Categorical("unionised", ("no", "yes")),
        sv.Categorical("floor", FLOORS),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many members of staff."""
    department = spread(generator, _SHARES, count)
    service = np.minimum(generator.gamma(1.1, 7.5, count), 35)
    rank = 2.4 + 0.09 * service + 1.6 * np.maximum(_PAY[department], 0) + generator.normal(0, 1.1, count)
    grade = np.clip(np.round(rank), 1, 8)
    salary = np.exp(9.95 + 0.19 * grade + 0.8 * _PAY[department] + generator.normal(0, 0.13, count))
    climate = generator.normal(0, 0.9, count)
    manager = opinion(generator, 0.35 + climate)
    engagement = opinion(generator, 0.2 + 0.9 * climate + 0.06 * (grade - 3))
    leaving = happens(generator, logistic(-1.9 - 0.65 * (engagement - 3) - 0.06 * (service - 8)))
    union = happens(generator, logistic(-0.5 + _UNION[department] + 0.02 * (service - 8)))
    home = generator.binomial(5, logistic(_HOME[department] + 0.15 * (grade - 3)))
    said = rounded(generator, salary / 500, steps={2: 0.25, 10: 0.25}) * 500
    return {
        "department": np.array(DEPARTMENTS)[department],
        "grade": grade,
        "service": np.floor(rounded(generator, service, steps={5: 0.2})),
        "salary": withheld(generator, np.clip(said, 12_000, 132_000), logistic(-2.1 + salary / 45_000)),
        "engagement": engagement,
        "manager": manager,
        "home_days": home,
        "leaving": words(leaving),
        "unionised": words(union),
        "floor": np.array(FLOORS)[spread(generator, (4, 5, 5, 4, 3, 2, 1, 1), count)],
    }


CROWD = Crowd(
    name="staff",
    summary="A staff survey: twelve departments, grade, service, salary often untold, two opinions, days at home.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("department", "care", "logistics", "plant", "field"),
        *each_of("department", "plant", "law"),
        at_least("grade", 4),
        at_least("grade", 6),
        at_least("service", 5),
        at_most("service", 1),
        at_least("salary", 37_000),
        at_most("salary", 27_000),
        missing("salary"),
        at_least("engagement", 3),
        at_most("engagement", 2),
        at_least("manager", 4),
        at_most("manager", 1),
        at_most("home_days", 1),
        at_least("home_days", 3),
        is_in("leaving", "no"),
        is_in("leaving", "yes"),
        is_in("unionised", "yes"),
        is_in("floor", "ground", "first", "second"),
        is_in("floor", "annexe"),
    ),
    groups=(
        each_of("department", "care", "plant", "law", "systems", "sales", "catering", "research"),
        (at_most("grade", 2), between("grade", 3, 4), at_least("grade", 5)),
        (at_most("service", 3), at_least("service", 10)),
        (at_most("engagement", 2), at_least("engagement", 4)),
        (at_most("manager", 2), at_least("manager", 4)),
        each_of("unionised", "yes", "no"),
        each_of("leaving", "yes", "no"),
        each_of("floor", "ground", "fifth", "sixth", "annexe"),
    ),
    related=(
        *(("salary", "department"), ("salary", "grade"), ("engagement", "manager"), ("unionised", "department")),
        *(("home_days", "department"), ("leaving", "engagement"), ("grade", "service"), ("grade", "department")),
    ),
)
