"""Pupils: school, year, marks in two subjects, minutes of homework and of screens, days absent, language at home.

Marks run from 1 (best) to 6, so that better is lower; they go with each other, with homework and with the school, in no
order. Homework is said in quarters of an hour. Some languages are spoken by two or three in a hundred. Who has lunch at
school depends on the school. The month of birth goes with nothing. Nothing is to be tuned on this crowd.
"""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from sottovoce.simulation.crowds.clauses import at_least, at_most, between, each_of, is_in
from sottovoce.simulation.crowds.crowd import Crowd
from sottovoce.simulation.crowds.drawing import Columns, happens, logistic, pick, rounded, spread, words

SCHOOLS = tuple(f"school {number}" for number in range(1, 16))
_SHARES = (9, 4, 7, 6, 3, 8, 10, 5, 2.5, 7, 6, 11, 4, 8, 9.5)
_LEVEL = np.array([3, -6, 8, -1, -9, 4, 0, 7, -4, 2, -7, 1, 9, -3, -5]) / 10
_LUNCH = np.array([1, 4, -6, 0, 7, -2, -3, 5, -8, 2, 6, -5, -7, 3, -1]) / 4

LANGUAGES = ("German", "Turkish", "Russian", "Arabic", "Polish", "Italian", "English", "Romani", "other")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

SCHEMA = sv.Schema(
    (
        sv.Categorical("school", SCHOOLS),
        sv.Ordinal("year", 5, 12),
        sv.Ordinal("maths", 1, 6),
        sv.Ordinal("reading", 1, 6),
        sv.Numeric("homework", 0, 240, bins=48, clip=True),
        sv.Numeric("screens", 0, 480, bins=32, nullable=True, clip=True),
        sv.Ordinal("absent", 0, 20, clip=True),
        sv.Categorical("language", LANGUAGES),
        sv.Categorical("lunch", ("no", "yes")),
        sv.Categorical("born", MONTHS),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many pupils."""
    school = spread(generator, _SHARES, count)
    year = 5 + spread(generator, (14, 14, 14, 13, 13, 12, 8, 6), count)
    rare = np.array([0.1, 0.9, -1.2, 0.3, 1.3, -0.4, 0.2, -1.5, 1.0, 0.0, 1.1, -0.2, -1.6, 0.5, 0.7])[school]
    weights = np.exp(np.outer(rare, (-0.5, 0.7, 0.5, 0.6, -0.3, 0.2, -0.4, 0.4, 0.3)))
    language = pick(generator, weights * np.array([66, 9, 5, 5, 3, 3, 2, 2, 5]))
    diligence = generator.normal(0, 1, count)
    homework = np.maximum(8 + 7 * (year - 5) + 22 * generator.gamma(2.0, 0.7, count) * np.exp(0.35 * diligence), 0)
    ability = 0.8 * generator.normal(0, 1, count) + _LEVEL[school] + 0.35 * diligence
    maths, reading = (
        np.clip(np.round(3.1 - ability * weight - push + generator.normal(0, 0.6, count)), 1, 6)
        for weight, push in ((0.9, 0.0), (0.7, 0.25 - 0.6 * (language != 0)))
    )
    screens = generator.gamma(3.0, np.exp(3.85 + 0.07 * (year - 8) - 0.12 * diligence))
    absent = generator.negative_binomial(0.9, 0.9 / (0.9 + np.exp(0.9 - 0.3 * diligence + 0.12 * (maths - 3))))
    untold = happens(generator, np.full(count, 0.09))
    return {
        "school": np.array(SCHOOLS)[school],
        "year": year,
        "maths": maths,
        "reading": reading,
        "homework": np.clip(rounded(generator, homework, steps={15: 0.4, 30: 0.3, 60: 0.15}), 0, 240),
        "screens": np.where(untold, np.nan, np.clip(rounded(generator, screens, steps={30: 0.4, 60: 0.3}), 0, 480)),
        "absent": np.minimum(absent, 20),
        "language": np.array(LANGUAGES)[language],
        "lunch": words(happens(generator, logistic(_LUNCH[school] - 0.25 * (year - 8)))),
        "born": np.array(MONTHS)[spread(generator, (1,) * 12, count)],
    }


CROWD = Crowd(
    name="learning",
    summary="Pupils: fifteen schools, year, two marks of which lower is better, homework in quarters, rare languages.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("school", *SCHOOLS[:8]),
        is_in("school", SCHOOLS[8]),
        at_most("year", 8),
        at_least("year", 11),
        at_most("maths", 3),
        at_least("maths", 5),
        at_most("reading", 3),
        at_most("reading", 1),
        at_least("homework", 45),
        at_most("homework", 30),
        at_least("screens", 120),
        at_least("screens", 240),
        at_least("absent", 2),
        at_least("absent", 8),
        is_in("language", "German"),
        is_in("language", "Turkish", "Arabic"),
        is_in("lunch", "yes"),
        is_in("born", *MONTHS[:6]),
        is_in("born", "Feb"),
    ),
    groups=(
        each_of("school", *(SCHOOLS[index] for index in (2, 4, 8, 11, 12, 14, 7))),
        (at_most("year", 6), between("year", 7, 9), at_least("year", 10)),
        (at_most("maths", 2), at_least("maths", 5)),
        (at_most("homework", 30), at_least("homework", 75)),
        each_of("language", "German", "Turkish", "Russian", "Romani", "English"),
        each_of("lunch", "yes", "no"),
        each_of("born", "Jan", "Apr", "Aug", "Dec"),
    ),
    related=(
        *(("maths", "school"), ("language", "school"), ("reading", "maths"), ("homework", "year")),
        *(("reading", "language"), ("lunch", "school"), ("absent", "maths"), ("lunch", "year")),
    ),
)
