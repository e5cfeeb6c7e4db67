"""Donors to charities: what for, how they were asked, which letter they got, age, the gift, how often, hours, trust.

Causes draw the young or the old, large gifts or small ones, and helping hands, in no common order. Gifts are said as
people have notes: 5, 10, 20, 50, 100. Who has a standing order gives twelve times a year, sometimes four, and less each
time; the others mostly once or twice. The amount is forgotten most by those who were asked in the street. Three in four
give no hours. Which letter somebody got was decided by lot: it goes with nothing but, weakly, the amount.
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

CAUSES = (
    *("animals", "arts", "children", "disasters", "environment", "faith"),
    *("health", "homeless", "refugees", "rescue", "rights", "schools"),
)
_BASE = np.log([14, 3, 16, 12, 10, 9, 13, 6, 6, 5, 4, 3])
_BY_AGE = np.array([-2, 6, 1, 3, -8, 9, 4, -1, -6, 2, -5, 0]) / 10
_GIFT = np.array([19, 74, 28, 45, 24, 38, 31, 14, 34, 21, 27, 62])
_HELPING = np.array([4, 1, -6, -14, 3, 12, -9, 2, 7, 10, -3, 14]) / 10
_LASTING = np.array([2, -9, 11, -16, 5, -1, -2, -8, 1, 4, 9, -4]) / 10

CHANNELS = ("letter", "street", "online", "event", "friend", "television")
_ASKED, _ASKED_BY_AGE = np.array([1.0, 0.2, 0.7, 0.1, -0.3, -1.4]), np.array([8, -6, -9, 1, -1, 5]) / 10
_BOUND, _LIKED = np.array([-2, 9, 3, -13, -5, -7]) / 10, np.array([1, -6, 0, 4, 5, -2]) / 10
_FORGOTTEN = np.array([10, 30, 6, 20, 12, 14]) / 100

LETTERS = ("plain", "story", "figures", "doubled")
NOTES = (5, 10, 20, 50, 100, 200, 500)

SCHEMA = sv.Schema(
    (
        sv.Categorical("cause", CAUSES),
        sv.Categorical("channel", CHANNELS),
        sv.Categorical("letter", LETTERS),
        sv.Ordinal("age", 18, 90, clip=True),
        sv.Numeric(
            "amount",
            edges=(0, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 300, 500),
            nullable=True,
            clip=True,
        ),
        sv.Ordinal("gifts", 1, 15, clip=True),
        sv.Categorical("standing_order", ("no", "yes")),
        sv.Ordinal("hours", 0, 30, clip=True),
        sv.Ordinal("trust", 1, 5),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many donors."""
    age = np.floor(18 + 73 * generator.beta(2.6, 2.2, count))
    old = (age - 56) / 17
    cause = pick(generator, np.exp(_BASE + np.outer(old, _BY_AGE)))
    asked = _ASKED + np.outer(old, _ASKED_BY_AGE)
    asked[:, CHANNELS.index("television")] += 2.0 * (cause == CAUSES.index("disasters"))
    asked[:, CHANNELS.index("event")] += 1.3 * np.isin(cause, [CAUSES.index("faith"), CAUSES.index("schools")])
    channel = pick(generator, np.exp(asked))
    letter = spread(generator, (30, 30, 30, 10), count)
    standing = happens(generator, logistic(-0.7 + _LASTING[cause] + _BOUND[channel] - 0.25 * old**2))
    rhythm = spread(generator, (74, 18, 8), count)
    once = 1 + generator.negative_binomial(1.1, 1.1 / (1.1 + 0.9 * np.exp(0.3 * old)))
    gifts = np.where(standing, np.array([12, 4, 2])[rhythm] + generator.poisson(0.2, count), once)
    worth = _GIFT[cause] * np.exp(0.22 * old - 0.75 * standing + 0.2 * (letter == LETTERS.index("doubled")))
    amount = worth * generator.lognormal(0.0, 0.75, count)
    helps = happens(generator, logistic(-1.4 + _HELPING[cause] + 0.9 * (channel == CHANNELS.index("event"))))
    hours = np.maximum(1, helps * generator.gamma(1.6, 4.5 + 2.5 * (age >= 63))) * helps
    said = favoured(generator, np.clip(amount, 1, 500), NOTES, share=0.7)
    return {
        "cause": np.array(CAUSES)[cause],
        "channel": np.array(CHANNELS)[channel],
        "letter": np.array(LETTERS)[letter],
        "age": age,
        "amount": withheld(generator, said, _FORGOTTEN[channel] * np.where(standing, 0.4, 1.2)),
        "gifts": np.minimum(gifts, 15),
        "standing_order": words(standing),
        "hours": np.minimum(rounded(generator, hours, steps={5: 0.2, 10: 0.1}), 30),
        "trust": opinion(generator, 0.2 + _LIKED[channel] + 0.3 * standing + 0.5 * helps),
    }


CROWD = Crowd(
    name="donors",
    summary="Donors: twelve causes, how they were asked, age, gifts said in notes, once or monthly, hours, trust.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("cause", "children", "disasters", "health", "homeless", "refugees"),
        *each_of("cause", "animals", "arts"),
        is_in("channel", "letter", "television"),
        is_in("channel", "street"),
        is_in("letter", "plain", "figures"),
        is_in("letter", "doubled"),
        at_least("age", 60),
        at_most("age", 34),
        at_least("amount", 20),
        at_most("amount", 10),
        at_least("amount", 100),
        missing("amount"),
        at_least("gifts", 2),
        at_least("gifts", 12),
        is_in("standing_order", "yes"),
        at_least("hours", 1),
        at_least("hours", 10),
        at_least("trust", 4),
        at_most("trust", 2),
    ),
    groups=(
        each_of("cause", "children", "arts", "environment", "faith", "homeless", "schools", "disasters"),
        each_of("channel", "letter", "street", "online", "event", "television"),
        each_of("letter", *LETTERS),
        (at_most("age", 39), between("age", 40, 64), at_least("age", 65)),
        (at_most("amount", 15), between("amount", 15, 50), at_least("amount", 50)),
        (at_most("gifts", 1), between("gifts", 2, 6), at_least("gifts", 12)),
        each_of("standing_order", "yes", "no"),
        (at_most("hours", 0), at_least("hours", 5)),
    ),
    related=(
        *(("amount", "cause"), ("channel", "age"), ("gifts", "standing_order"), ("hours", "cause")),
        *(("cause", "age"), ("standing_order", "channel"), ("trust", "channel"), ("amount", "standing_order")),
    ),
)
