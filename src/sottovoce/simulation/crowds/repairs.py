"""Guests of repair cafes: what they brought, its fault, its age and price, minutes at the table, glad, was it mended.

Sixteen things differ in age, price, faults and minutes, each in its own way and in no order. From four years on ages
are said in fives and tens. The price is skewed, and the older the thing, the more often forgotten. Half of what is not
mended takes exactly the hour that a table is given for. Who goes home with a mended thing is glad and who does not is
not: few are between. A novice at the table, a guest who watches and mending hang together as three and never as pairs
(novices mend with the guest beside them, old hands when left alone), but not apart from the rest: novices are slower,
who watches is a little gladder, and some things are mended more than others. Earlier visits go with almost nothing.
Looked at: what intervals allow for was settled on it too.
"""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from sottovoce.simulation.crowds.clauses import at_least, at_most, between, each_of, is_in, missing
from sottovoce.simulation.crowds.crowd import Crowd
from sottovoce.simulation.crowds.drawing import (
    Columns,
    entwined,
    happens,
    logistic,
    opinion,
    pick,
    rounded,
    withheld,
    words,
)

THINGS = (
    *("bicycle", "blender", "camera", "chair", "clock", "coat", "headphones", "iron"),
    *("kettle", "lamp", "laptop", "phone", "radio", "sewing machine", "toaster", "vacuum"),
)
_BASE = np.log([9, 4, 2.4, 5, 4, 7, 5, 4, 5, 10, 9, 8, 5, 3, 7, 9])
_MENDED = np.array([10, -4, -9, 7, 0, 15, -7, -2, -10, 12, -5, -8, 1, 6, -3, 4]) / 10
_YEARS = np.array([8, 5, 12, 21, 29, 4, 2, 9, 3, 17, 6, 3, 25, 27, 7, 10])
_PRICE = np.array([420, 70, 380, 110, 60, 130, 85, 50, 35, 45, 760, 470, 90, 310, 40, 190])
_TASK = np.array([38, 30, 55, 48, 42, 24, 27, 22, 16, 14, 50, 34, 45, 58, 18, 26])
_POWERED = np.array([-10, 6, -2, -20, -3, -22, 12, 9, 8, 14, 0, 1, 4, -1, 8, 5]) / 10
_CLEVER = np.array([0, 0, 15, 0, 0, 0, 2, 0, 0, 0, 32, 28, 0, 0, 0, 0]) / 10

FAULTS = ("broken", "cable", "dirt", "loose", "software", "worn")
_FAULT = np.array([0.6, -0.2, -0.4, 0.1, -3.0, 0.2])
_BY_POWER, _BY_AGE = np.array([-0.3, 1.2, 0.5, -0.5, 0.2, -0.7]), np.array([0, 1, 4, 1, -6, 4]) / 10
_NOVICE, _WATCHED = 0.42, 0.56

SCHEMA = sv.Schema(
    (
        sv.Categorical("thing", THINGS),
        sv.Categorical("fault", FAULTS),
        sv.Ordinal("years", 0, 50, clip=True),
        sv.Numeric(
            "price",
            edges=(0, 15, 30, 45, 60, 80, 100, 125, 150, 200, 250, 300, 400, 500, 700, 900, 1200, 1600),
            nullable=True,
            clip=True,
        ),
        sv.Numeric("minutes", 0, 120, bins=40, clip=True),
        sv.Ordinal("visits", 0, 10, clip=True),
        sv.Ordinal("glad", 1, 5),
        sv.Categorical("novice", ("no", "yes")),
        sv.Categorical("watched", ("no", "yes")),
        sv.Categorical("mended", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many guests, each with one thing."""
    novice, watched = (happens(generator, np.full(count, share)) for share in (_NOVICE, _WATCHED))
    mended = entwined(generator, (novice, _NOVICE), (watched, _WATCHED), share=0.62, interaction=0.05)
    thing = pick(generator, np.exp(_BASE + np.outer(mended - 0.62, _MENDED)))  # keeps the three independent in pairs
    years = _YEARS[thing] * generator.gamma(2.2, 1 / 2.2, count)
    causes = _FAULT + np.outer(_POWERED[thing], _BY_POWER) + np.outer((years - 10) / 10, _BY_AGE)
    causes[:, FAULTS.index("software")] += _CLEVER[thing]
    fault = pick(generator, np.exp(causes))
    price = _PRICE[thing] * generator.lognormal(0.0, 0.55, count)
    visits = generator.negative_binomial(0.9, 0.9 / (0.9 + 1.4 + 0.4 * (thing == THINGS.index("coat"))))
    work = _TASK[thing] * np.where(novice, 1.3, 0.9) * generator.gamma(5.0, 1 / 5, count)
    called = ~mended & happens(generator, np.full(count, 0.5))
    minutes = np.where(called, 60, rounded(generator, work, steps={5: 0.3, 10: 0.25, 15: 0.25}))
    mood = -1.6 + 3.1 * mended + 0.25 * watched + 0.06 * np.minimum(visits, 4) - 0.006 * (minutes - 35)
    said = np.where(years < 4, np.floor(years), rounded(generator, years, steps={5: 0.35, 10: 0.3}))
    return {
        "thing": np.array(THINGS)[thing],
        "fault": np.array(FAULTS)[fault],
        "years": np.minimum(said, 50),
        "price": withheld(
            generator,
            np.clip(rounded(generator, price, steps={10: 0.4, 50: 0.3}), 5, 1600),
            logistic(-2.2 + 0.08 * np.minimum(years, 50)),
        ),
        "minutes": np.clip(minutes, 1, 120),
        "visits": np.minimum(visits, 10),
        "glad": opinion(generator, mood),
        "novice": words(novice),
        "watched": words(watched),
        "mended": words(mended),
    }


CROWD = Crowd(
    name="repairs",
    summary="Guests of repair cafes: sixteen things, faults, age, a price forgotten with age, an hour at the table.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("thing", "bicycle", "chair", "coat", "lamp", "vacuum"),
        *each_of("thing", "lamp", "camera"),
        is_in("thing", "headphones", "laptop", "phone"),
        is_in("fault", "broken", "loose"),
        is_in("fault", "software"),
        at_least("years", 8),
        at_most("years", 2),
        at_least("years", 25),
        at_least("price", 100),
        at_most("price", 45),
        at_least("price", 500),
        missing("price"),
        at_least("minutes", 30),
        at_least("minutes", 60),
        at_most("minutes", 15),
        at_least("visits", 1),
        at_least("visits", 4),
        at_least("glad", 4),
        at_most("glad", 2),
        is_in("novice", "yes"),
        is_in("watched", "yes"),
        is_in("mended", "yes"),
    ),
    groups=(
        each_of("thing", "lamp", "laptop", "bicycle", "kettle", "phone", "coat", "clock", "camera"),
        each_of("fault", *FAULTS),
        (at_most("years", 3), between("years", 4, 12), at_least("years", 20)),
        (at_most("price", 60), between("price", 60, 200), at_least("price", 300)),
        (at_most("minutes", 24), between("minutes", 24, 48), at_least("minutes", 60)),
        (at_most("visits", 0), at_least("visits", 3)),
        each_of("novice", "yes", "no"),
        each_of("watched", "yes", "no"),
        each_of("mended", "yes", "no"),
    ),
    related=(
        *(("price", "thing"), ("minutes", "novice"), ("fault", "thing"), ("glad", "mended")),
        *(("years", "thing"), ("mended", "thing"), ("price", "years"), ("minutes", "thing"), ("glad", "watched")),
    ),
    together=("mended", "novice", "watched"),
)
