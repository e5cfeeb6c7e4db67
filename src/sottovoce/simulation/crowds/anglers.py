"""Anglers asked at the water: what they are after, with which bait, minutes, fish, the longest, money spent, content.

Fifteen fish that one may be after differ in minutes, in how many are caught, in length, in money and in bait, each in
its own way and in no order. A bait that is good for one fish is bad for another, so that the catch goes with the bait
mostly once the fish is known. A third catch nothing: only the others are asked for the longest, which is said in
fives and tens of centimetres. Minutes are said in hours, catches from eight on in fives, money in notes, and who was
out long has often lost count of it; some spend nothing. Content follows the catch and, within a kind, the length. A
licence checked this year goes weakly with the minutes and hardly with anything else.
Looked at: what intervals allow for was settled on it too.
"""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from sottovoce.simulation.crowds.clauses import at_least, at_most, between, each_of, is_in, missing
from sottovoce.simulation.crowds.crowd import Crowd
from sottovoce.simulation.crowds.drawing import (
    Columns,
    favoured,
    happens,
    logistic,
    opinion,
    pick,
    rounded,
    spread,
    withheld,
    words,
)

SOUGHT = (
    *("anything", "barbel", "bream", "carp", "chub", "eel", "grayling", "perch"),
    *("pike", "roach", "rudd", "salmon", "tench", "trout", "zander"),
)
_SHARES = (14, 3, 6, 19, 4, 2, 2.5, 8, 10, 9, 1.8, 3, 4, 11, 2.7)
_MINUTES = np.array([135, 260, 285, 430, 175, 305, 190, 140, 240, 170, 125, 365, 270, 205, 225])
_CATCH = np.array([26, 9, 34, 10, 17, 7, 22, 36, 8, 62, 48, 2, 14, 16, 6]) / 10
_LENGTH = np.array([25, 55, 38, 61, 37, 57, 31, 24, 68, 20, 18, 73, 41, 36, 54])
_SPENDING = np.array([7, 19, 14, 38, 10, 9, 27, 8, 21, 11, 6, 88, 16, 43, 24])
_HUNTS = np.array([-1, -9, -11, -15, 2, -3, 5, 8, 16, -10, -7, 9, -12, 10, 13]) / 10
_RISES = np.array([-3, -6, -8, -7, 2, -14, 13, -5, -9, -2, 4, 9, -6, 15, -11]) / 10

BAITS = ("worm", "maggot", "paste", "spinner", "fish", "fly")
_USED = np.array([0.5, 0.4, 0.3, 0.2, -0.7, -0.9])
_BY_HUNTS, _BY_RISES = np.array([-1, -7, -10, 9, 10, 1]) / 10, np.array([-2, -1, -3, 1, -8, 13]) / 10

NOTES = (5, 10, 20, 50, 100, 200)

SCHEMA = sv.Schema(
    (
        sv.Categorical("sought", SOUGHT),
        sv.Categorical("bait", BAITS),
        sv.Numeric("minutes", 0, 720, bins=48, clip=True),
        sv.Ordinal("fish", 0, 20, clip=True),
        sv.Numeric("longest", 0, 120, bins=24, nullable=True, clip=True),
        sv.Numeric(
            "spent",
            edges=(0, 2, 5, 8, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300),
            nullable=True,
            clip=True,
        ),
        sv.Ordinal("content", 1, 5),
        sv.Categorical("checked", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many anglers, each on one day out."""
    sought = spread(generator, _SHARES, count)
    suits = np.outer(_HUNTS[sought], _BY_HUNTS) + np.outer(_RISES[sought], _BY_RISES)
    bait = pick(generator, np.exp(_USED + 1.1 * suits))
    minutes = (_MINUTES[sought] * generator.gamma(4.0, 1 / 4, count)).clip(15, 720)
    fitting = np.exp(0.45 * np.clip(suits[np.arange(count), bait], -2, 2))
    rate = _CATCH[sought] * np.sqrt(minutes / _MINUTES[sought]) * fitting * generator.gamma(1.2, 1 / 1.2, count)
    fish = generator.poisson(rate)
    grown = generator.lognormal(0.0, 0.22, count) * (1 + 0.06 * np.log1p(fish))
    spent = _SPENDING[sought] * generator.lognormal(0.0, 0.75, count) * (minutes / 240) ** 0.25
    free = happens(generator, np.where(_SPENDING[sought] < 12, 0.28, 0.08))
    mood = -0.35 + 0.55 * np.log1p(np.minimum(fish, 12)) + 0.9 * (fish > 0) * (grown - 1) + 0.0005 * (minutes - 240)
    counted = np.where(fish < 8, fish, rounded(generator, fish.astype(np.float64), steps={5: 0.5}))
    return {
        "sought": np.array(SOUGHT)[sought],
        "bait": np.array(BAITS)[bait],
        "minutes": np.clip(rounded(generator, minutes, steps={15: 0.1, 30: 0.25, 60: 0.5}), 0, 720),
        "fish": np.minimum(counted, 20),
        "longest": withheld(
            generator,
            np.clip(rounded(generator, _LENGTH[sought] * grown, steps={5: 0.35, 10: 0.3}), 5, 120),
            np.where(fish == 0, 1.0, 0.05),
        ),
        "spent": withheld(
            generator,
            np.where(free, 0.0, favoured(generator, np.clip(spent, 1, 300), NOTES, share=0.55)),
            np.where(minutes > 360, 0.2, 0.07),
        ),
        "content": opinion(generator, mood, cuts=(-1.4, -0.7, 0.1, 1.1)),
        "checked": words(happens(generator, logistic(-1.0 + 0.0015 * (minutes - 240)))),
    }


CROWD = Crowd(
    name="anglers",
    summary="Anglers: fifteen fish they are after, bait, minutes in hours, the catch, the longest if any, money.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("sought", "barbel", "bream", "carp", "roach", "tench", "chub"),
        *each_of("sought", "carp", "grayling"),
        is_in("sought", "perch", "pike", "zander"),
        is_in("bait", "worm", "maggot", "paste"),
        is_in("bait", "spinner"),
        is_in("bait", "fly"),
        at_least("minutes", 240),
        at_most("minutes", 120),
        at_least("minutes", 480),
        at_least("fish", 1),
        at_least("fish", 3),
        at_least("fish", 10),
        at_least("longest", 30),
        at_least("longest", 60),
        missing("longest"),
        at_least("spent", 15),
        at_most("spent", 2),
        at_least("spent", 50),
        missing("spent"),
        at_least("content", 4),
        at_most("content", 2),
        is_in("checked", "yes"),
    ),
    groups=(
        each_of("sought", "carp", "anything", "trout", "pike", "roach", "salmon", "bream", "grayling"),
        each_of("bait", *BAITS),
        (at_most("minutes", 120), between("minutes", 120, 300), at_least("minutes", 360)),
        (at_most("fish", 0), between("fish", 1, 2), at_least("fish", 5)),
        (at_most("longest", 25), between("longest", 25, 50), at_least("longest", 50)),
        (at_most("spent", 10), between("spent", 10, 30), at_least("spent", 50)),
        (at_most("content", 2), at_least("content", 4)),
        each_of("checked", "yes", "no"),
    ),
    related=(
        *(("longest", "sought"), ("minutes", "sought"), ("bait", "sought"), ("content", "fish")),
        *(("spent", "sought"), ("fish", "sought"), ("checked", "minutes"), ("spent", "minutes")),
    ),
)
