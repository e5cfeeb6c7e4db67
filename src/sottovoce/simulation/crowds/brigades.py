"""Volunteers of fire brigades: station, trade, age, years served, calls in a year, earnings lost, spirit, free by day.

Twenty stations differ in calls, from a town's sixty a year to a village's four, and in how many can come by day, in no
common order. Calls are said in fives and tens from ten on. Years served can hardly exceed those since sixteen: with age
they fill a triangle, with a ridge of those who came from the youth brigade. Pupils and who has no work are not asked
for lost earnings; most of the others lose nothing, and those in craft and on farms lose most. Spirit is high nearly
everywhere, lowest some ten years after joining. Shift work, children at home and being free by day hang together as
three and never as pairs (parents on shifts and others with ordinary hours can come), but not apart from the rest:
parents are in the middle of life, shifts go with the trade, who is free by day has more calls.
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
    opinion,
    pick,
    rounded,
    withheld,
    words,
)

STATIONS = (
    *("Anstead", "Barrow", "Colne", "Dunmere", "Eastry", "Fenwick", "Garth", "Holt", "Inchley", "Jarrow"),
    *("Kelso", "Loxley", "Marden", "Norwood", "Oakham", "Penrith", "Quorn", "Ridley", "Selby", "Thorpe"),
)
_MEMBERS = np.log([4, 7, 3, 2.2, 10, 4, 3, 5, 1.9, 6, 3, 8, 4, 12, 2.5, 5, 2, 3.5, 7, 4])
_CALLS = np.array([8, 31, 5, 14, 47, 9, 4, 22, 12, 6, 17, 38, 10, 60, 7, 26, 15, 5, 19, 11])
_BY_DAY = np.array([-6, 8, 3, -12, 5, -4, 11, 0, -9, 7, -2, 2, -14, 6, 9, -5, 1, 12, -3, -8]) / 10

TRADES = ("care", "craft", "driving", "factory", "farm", "none", "office", "school", "shop")
_WORK = np.array([-0.3, 0.9, -0.6, 0.3, -0.7, -2.1, 0.9, -2.4, -0.5])
_ON_SHIFTS = np.array([15, -6, 10, 14, -13, 0, -12, -2, 1]) / 10
_LOSES = np.array([18, 52, 38, 25, 70, 0, 14, 0, 36]) / 100
_PER_CALL = np.array([14, 42, 25, 18, 55, 0, 22, 0, 12])
_SHIFTS, _CHILDREN, _DAYTIME = 0.34, 0.41, 0.55

SCHEMA = sv.Schema(
    (
        sv.Categorical("station", STATIONS),
        sv.Categorical("trade", TRADES),
        sv.Ordinal("age", 16, 67, clip=True),
        sv.Ordinal("served", 0, 50, clip=True),
        sv.Ordinal("calls", 0, 80, clip=True),
        sv.Numeric(
            "lost",
            edges=(0, 25, 50, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000),
            nullable=True,
            clip=True,
        ),
        sv.Ordinal("spirit", 1, 5),
        sv.Categorical("shifts", ("no", "yes")),
        sv.Categorical("children", ("no", "yes")),
        sv.Categorical("daytime", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many volunteers, each asked about the last year."""
    shifts, children = (happens(generator, np.full(count, share)) for share in (_SHIFTS, _CHILDREN))
    daytime = entwined(generator, (shifts, _SHIFTS), (children, _CHILDREN), share=_DAYTIME, interaction=0.05)
    station = pick(generator, np.exp(_MEMBERS + np.outer(daytime - _DAYTIME, _BY_DAY)))
    young = happens(generator, np.full(count, 0.55))
    single = np.where(young, 16 + generator.gamma(2.2, 3.6, count), generator.normal(53, 7, count))
    age = np.clip(np.floor(np.where(children, generator.normal(38, 6.5, count), single)), 16, 67)
    work = _WORK + np.outer(shifts - _SHIFTS, _ON_SHIFTS)
    work[:, TRADES.index("school")] += 5.5 * (age < 19) + 3.0 * ((age >= 19) & (age < 24))
    work[:, TRADES.index("none")] += 3.6 * (age >= 63)
    trade = pick(generator, np.exp(work))
    began = 16 + np.where(happens(generator, np.full(count, 0.6)), 0, generator.gamma(1.3, 8.0, count))
    paused = happens(generator, np.full(count, 0.3)) * generator.gamma(2.0, 2.0, count)
    served = np.floor(np.maximum(age - began - paused, 0))
    eager = np.where(daytime, 1.25, 0.7) * np.where(served < 1, 0.35, 1.0) * np.where(age > 58, 0.6, 1.0)
    calls = generator.poisson(_CALLS[station] * eager * generator.gamma(3.5, 1 / 3.5, count))
    costs = _PER_CALL[trade] * (2 + calls) * generator.lognormal(0.0, 0.8, count)
    loses = happens(generator, _LOSES[trade] * np.where(calls < 3, 0.4, 1.0))
    tired = np.exp(-(((served - 10) / 6) ** 2))
    spirit = 0.5 - 0.75 * tired - 0.25 * (loses & (costs > 500)) + 0.006 * np.minimum(calls, 40)
    return {
        "station": np.array(STATIONS)[station],
        "trade": np.array(TRADES)[trade],
        "age": age,
        "served": np.where(served < 10, served, np.minimum(rounded(generator, served, steps={5: 0.35, 10: 0.15}), 50)),
        "calls": np.minimum(np.where(calls < 10, calls, rounded(generator, calls, steps={5: 0.35, 10: 0.4})), 80),
        "lost": withheld(
            generator,
            np.where(loses, np.clip(rounded(generator, costs, steps={10: 0.2, 50: 0.35, 100: 0.35}), 5, 5000), 0.0),
            np.where(np.isin(trade, (TRADES.index("none"), TRADES.index("school"))), 1.0, 0.07 + 0.13 * loses),
        ),
        "spirit": opinion(generator, spirit, cuts=(-2.0, -1.4, -0.7, 0.3)),
        "shifts": words(shifts),
        "children": words(children),
        "daytime": words(daytime),
    }


CROWD = Crowd(
    name="brigades",
    summary="Volunteers of fire brigades: twenty stations, years served within age, calls in tens, earnings lost.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("station", "Barrow", "Eastry", "Holt", "Loxley", "Norwood", "Penrith", "Selby"),
        *each_of("station", "Norwood", "Inchley"),
        is_in("station", "Colne", "Garth", "Jarrow", "Ridley"),
        is_in("trade", "craft", "driving", "factory", "farm"),
        *each_of("trade", "office", "farm", "none"),
        *(at_least("age", 35), at_most("age", 21), at_least("age", 58)),
        *(at_least("served", 10), at_most("served", 1), at_least("served", 25)),
        *(at_least("calls", 12), at_most("calls", 4), at_least("calls", 40)),
        *(at_most("lost", 25), at_least("lost", 500), at_least("lost", 1500), missing("lost")),
        *(at_least("spirit", 4), at_most("spirit", 2)),
        is_in("shifts", "yes"),
        is_in("children", "yes"),
        is_in("daytime", "yes"),
    ),
    groups=(
        each_of("station", "Norwood", "Eastry", "Loxley", "Barrow", "Jarrow", "Holt", "Marden", "Garth", "Dunmere"),
        each_of("trade", "care", "craft", "driving", "factory", "farm", "office", "shop"),
        (at_most("age", 25), between("age", 26, 45), at_least("age", 50)),
        (at_most("served", 4), between("served", 5, 19), at_least("served", 20)),
        (at_most("calls", 5), between("calls", 10, 25), at_least("calls", 30)),
        (at_most("lost", 25), between("lost", 25, 300), at_least("lost", 300)),
        (at_most("spirit", 2), at_least("spirit", 5)),
        each_of("shifts", "yes", "no"),
        each_of("children", "yes", "no"),
        each_of("daytime", "yes", "no"),
    ),
    related=(
        *(("calls", "station"), ("served", "age"), ("lost", "trade"), ("age", "children"), ("trade", "shifts")),
        *(("daytime", "station"), ("calls", "daytime"), ("lost", "calls"), ("spirit", "served")),
    ),
    together=("daytime", "shifts", "children"),
)
