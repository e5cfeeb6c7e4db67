"""Members of sports clubs: sport, age, minutes of training, injuries, fee, would they recommend it, and how they come.

Seventeen sports differ in minutes, injuries, fees and youth, each in its own way and in no order. Ages have two humps:
youngsters, and adults. Training is said in half hours and hours. The fee is skewed, half as high for the young, and
many of them do not know it. Coming in the evening, coming with a friend and renewing hang together as three and never
as pairs (with a friend in the evening, or alone by day, people stay), but not apart from the rest: it is rather adults
who come in the evening, and who renews recommends the club a little more. A friend goes with nothing else.
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
    rounded,
    spread,
    withheld,
    words,
)

SPORTS = (
    *("archery", "athletics", "badminton", "basketball", "climbing", "cycling", "fencing", "football", "golf"),
    *("gymnastics", "handball", "judo", "rowing", "sailing", "swimming", "tennis", "volleyball"),
)
_SHARES = (2.5, 6, 4, 5, 4.5, 3.5, 2, 21, 4, 12, 6, 4, 2.5, 2, 8, 9, 4)
_MINUTES = np.array([95, 190, 80, 175, 145, 250, 130, 185, 240, 70, 200, 110, 290, 225, 100, 105, 140])
_HURT = np.array([5, 60, 40, 90, 35, 55, 25, 120, 15, 30, 145, 100, 30, 20, 8, 50, 85]) / 100
_FEES = np.array([135, 120, 110, 150, 280, 80, 310, 130, 1050, 90, 140, 125, 340, 600, 165, 320, 105])
_YOUTH = np.array([-10, 6, -3, 5, -6, -12, 2, 3, -19, 0, 5, 9, -5, -9, 8, -4, 0]) / 10
_GROWN = np.array([46, 33, 39, 30, 34, 47, 36, 32, 57, 51, 31, 33, 41, 50, 44, 48, 36])

_EVENING, _FRIEND = 0.58, 0.46

SCHEMA = sv.Schema(
    (
        sv.Categorical("sport", SPORTS),
        sv.Ordinal("age", 10, 79, clip=True),
        sv.Numeric("minutes", 0, 480, bins=32, clip=True),
        sv.Ordinal("injuries", 0, 6, clip=True),
        sv.Numeric(
            "fee",
            edges=(0, 25, 50, 75, 100, 125, 150, 200, 250, 300, 350, 400, 500, 600, 800, 1000, 1300, 1600),
            nullable=True,
            clip=True,
        ),
        sv.Ordinal("recommends", 1, 5),
        sv.Categorical("evening", ("no", "yes")),
        sv.Categorical("friend", ("no", "yes")),
        sv.Categorical("renews", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many members."""
    sport = spread(generator, _SHARES, count)
    evening, friend = (happens(generator, np.full(count, share)) for share in (_EVENING, _FRIEND))
    renews = entwined(generator, (evening, _EVENING), (friend, _FRIEND), share=0.7, interaction=0.052)
    young = happens(generator, logistic(-0.5 + _YOUTH[sport] - 0.8 * evening))
    grown = 18 + generator.gamma(6.0, (_GROWN[sport] - 18) / 6)
    age = np.clip(np.floor(np.where(young, 10 + 8 * generator.beta(1.3, 1.5, count), grown)), 10, 79)
    zeal = generator.gamma(5.0, 1 / 5, count) * (1 - 0.006 * (age - 30).clip(0))
    injuries = generator.poisson(_HURT[sport] * np.sqrt(zeal) * generator.gamma(2.0, 1 / 2, count) * (1 - 0.4 * young))
    fee = _FEES[sport] * np.where(young, 0.5, 1.0) * generator.lognormal(0.0, 0.3, count)
    mood = 0.55 + 0.5 * (zeal - 1) - 0.2 * injuries + 0.35 * renews + 0.2 * young
    return {
        "sport": np.array(SPORTS)[sport],
        "age": age,
        "minutes": np.clip(rounded(generator, _MINUTES[sport] * zeal, steps={15: 0.15, 30: 0.4, 60: 0.25}), 0, 480),
        "injuries": np.minimum(injuries, 6),
        "fee": withheld(
            generator,
            np.clip(rounded(generator, fee, steps={10: 0.4, 50: 0.35}), 5, 1600),
            np.where(young, 0.62 - 0.03 * (age - 10), 0.12),
        ),
        "recommends": opinion(generator, mood),
        "evening": words(evening),
        "friend": words(friend),
        "renews": words(renews),
    }


CROWD = Crowd(
    name="players",
    summary="Members of sports clubs: seventeen sports, age, training in half hours, injuries, a fee not all know.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("sport", "basketball", "football", "handball", "volleyball", "rowing"),
        *each_of("sport", "gymnastics", "fencing"),
        is_in("sport", "golf", "sailing", "tennis"),
        at_least("age", 30),
        at_most("age", 17),
        at_least("age", 60),
        at_least("minutes", 120),
        at_most("minutes", 60),
        at_least("minutes", 240),
        at_least("injuries", 1),
        at_least("injuries", 2),
        at_least("fee", 125),
        at_least("fee", 400),
        missing("fee"),
        at_least("recommends", 4),
        at_most("recommends", 2),
        is_in("evening", "yes"),
        is_in("friend", "yes"),
        is_in("renews", "yes"),
    ),
    groups=(
        each_of("sport", "football", "gymnastics", "golf", "fencing", "swimming", "handball", "rowing", "tennis"),
        (at_most("age", 17), between("age", 18, 39), at_least("age", 50)),
        (at_most("minutes", 90), between("minutes", 90, 180), at_least("minutes", 180)),
        (at_most("injuries", 0), at_least("injuries", 2)),
        (at_most("recommends", 2), at_least("recommends", 4)),
        each_of("evening", "yes", "no"),
        each_of("friend", "yes", "no"),
        each_of("renews", "yes", "no"),
    ),
    related=(
        *(("minutes", "sport"), ("fee", "sport"), ("injuries", "sport"), ("age", "evening")),
        *(("age", "sport"), ("fee", "age"), ("recommends", "minutes"), ("recommends", "renews")),
    ),
    together=("renews", "evening", "friend"),
)
