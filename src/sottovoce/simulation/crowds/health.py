"""A health panel: age, clinic, weight, smoking, sleep, well-being, and a chronic illness that three in a hundred have.

Clinics differ in the weight and the smoking of who comes, in no order. Sleep is said in half hours. Moving more goes
with weighing less and with feeling well; well-being hardly follows age. Blood groups go with nothing.
"""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from sottovoce.simulation.crowds.clauses import at_least, at_most, between, each_of, is_in, missing
from sottovoce.simulation.crowds.crowd import Crowd
from sottovoce.simulation.crowds.drawing import (
    Columns,
    happens,
    logistic,
    opinion,
    pick,
    rounded,
    spread,
    withheld,
    words,
)

CLINICS = tuple(f"clinic {letter}" for letter in "ABCDEFGHIJKLMNOP")
_CLINIC_SHARES = (0.11, 0.04, 0.08, 0.06, 0.09, 0.03, 0.07, 0.05, 0.1, 0.025, 0.06, 0.085, 0.04, 0.07, 0.05, 0.04)
_CLINIC_WEIGHT = np.array([-2.5, 3.6, 0.4, -1.2, 2.9, -3.4, 4.4, 0.0, -0.6, 5.0, -2.0, 1.5, -3.0, 2.2, -1.0, 0.8])
_CLINIC_SMOKE = np.array([0.3, -0.7, 0.9, 0.0, -0.4, 1.1, 0.1, -0.9, 0.6, -0.2, 0.8, -0.5, 0.2, -0.3, 1.3, -1.0])

SMOKING = ("never", "former", "current")
BLOOD = ("O", "A", "B", "AB")

SCHEMA = sv.Schema(
    (
        sv.Ordinal("age", 18, 89),
        sv.Categorical("clinic", CLINICS),
        sv.Numeric("body_mass", 14, 50, bins=36, clip=True, nullable=True),
        sv.Categorical("smoking", SMOKING),
        sv.Ordinal("active_days", 0, 7),
        sv.Numeric("sleep", 180, 660, bins=32, clip=True),
        sv.Ordinal("wellbeing", 1, 5),
        sv.Categorical("chronic", ("no", "yes")),
        sv.Categorical("blood", BLOOD),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many members of the panel."""
    years = np.arange(18, 90)
    age = generator.choice(years, count, p=(shape := 1 / (1 + np.exp((years - 72) / 7))) / shape.sum())
    clinic = spread(generator, _CLINIC_SHARES, count)
    smoke = _CLINIC_SMOKE[clinic]
    smoking = pick(
        generator, np.exp(np.stack([0.7 - 0 * smoke, -0.6 + 0.03 * (age - 50), -0.5 + smoke - 0.012 * (age - 50)], 1))
    )
    active = generator.binomial(7, logistic(-0.1 - 0.018 * (age - 50) + generator.normal(0, 0.8, count)))
    mass = 25.6 + _CLINIC_WEIGHT[clinic] - 0.55 * (active - 3) + 0.05 * (age - 50) + generator.normal(0, 3.4, count)
    chronic = happens(generator, logistic(-4.0 + 0.05 * (age - 50) + 0.13 * (mass - 26) + 0.9 * (smoking == 2)))
    sleep = 436 - 0.35 * (age - 50) - 28 * chronic + generator.normal(0, 55, count)
    well = 0.25 + 0.17 * (active - 3) + 0.004 * (sleep - 430) - 1.3 * chronic + 0.004 * (age - 50)
    return {
        "age": age,
        "clinic": np.array(CLINICS)[clinic],
        "body_mass": withheld(generator, np.clip(mass, 14, 50), logistic(-2.6 + 0.12 * (mass - 26))),
        "smoking": np.array(SMOKING)[smoking],
        "active_days": active,
        "sleep": np.clip(rounded(generator, sleep, steps={15: 0.15, 30: 0.45, 60: 0.3}), 180, 660),
        "wellbeing": opinion(generator, well),
        "chronic": words(chronic),
        "blood": np.array(BLOOD)[spread(generator, (0.44, 0.41, 0.11, 0.04), count)],
    }


CROWD = Crowd(
    name="health",
    summary="A health panel: age, sixteen clinics, body mass, smoking, sleep in half hours, a rare illness.",
    schema=SCHEMA,
    sample=sample,
    events=(
        at_least("age", 50),
        at_most("age", 29),
        is_in("clinic", *CLINICS[:8]),
        is_in("clinic", CLINICS[6]),
        at_least("body_mass", 25),
        at_least("body_mass", 32),
        missing("body_mass"),
        is_in("smoking", "never"),
        is_in("smoking", "current"),
        at_least("active_days", 3),
        at_most("active_days", 1),
        at_least("sleep", 420),
        at_most("sleep", 360),
        at_least("wellbeing", 4),
        at_most("wellbeing", 2),
        is_in("chronic", "no"),
        is_in("chronic", "yes"),
        is_in("blood", "O"),
        is_in("blood", "B", "AB"),
    ),
    groups=(
        (at_most("age", 34), between("age", 35, 59), at_least("age", 60)),
        each_of("clinic", *(CLINICS[index] for index in (0, 5, 6, 9, 11, 14, 4))),
        (at_most("body_mass", 24), at_least("body_mass", 30)),
        each_of("smoking", *SMOKING),
        (at_most("active_days", 1), at_least("active_days", 4)),
        (at_most("sleep", 390), at_least("sleep", 450)),
        each_of("chronic", "yes", "no"),
        each_of("blood", *BLOOD),
    ),
    related=(
        *(("body_mass", "clinic"), ("smoking", "clinic"), ("wellbeing", "active_days"), ("body_mass", "active_days")),
        *(("chronic", "age"), ("wellbeing", "chronic"), ("wellbeing", "sleep"), ("smoking", "age")),
    ),
)
