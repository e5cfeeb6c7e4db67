"""Keepers of pets: which animal, where from, its age, minutes a day, visits to the vet, the bill, insured, worried.

Eighteen animals differ in how long they live, in minutes, in bills and in where they come from, each in its own way and
in no order. The youngest and the oldest of each kind see the vet most, so that visits hardly rise or fall with age. Who
saw no vet mostly leaves the bill open, and so do many whose insurer pays it. Minutes are said in quarters and halves of
an hour, and fall with age for dogs alone. The season in which an animal was born goes with nothing.
Looked at: what intervals allow for was settled on it too.
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

ANIMALS = (
    *("budgie", "canary", "cat", "chinchilla", "collie", "dachshund", "ferret", "gecko", "guinea pig"),
    *("hamster", "labrador", "mongrel", "parrot", "poodle", "rabbit", "snake", "terrier", "tortoise"),
)
_SHARES = (4, 2, 25, 1.8, 3.5, 4, 1.9, 2, 5, 4.5, 6, 12, 2.4, 3.5, 8, 1.8, 6, 2.6)
_LIFE = np.array([8, 10, 17, 15, 13, 14, 7, 11, 6, 3, 12, 15, 34, 14, 9, 20, 14, 50])
_MINUTES = np.array([35, 18, 42, 25, 145, 85, 60, 9, 28, 14, 125, 105, 65, 90, 32, 7, 110, 16])
_BILL = np.array([40, 35, 130, 75, 190, 150, 95, 70, 50, 30, 230, 140, 160, 175, 80, 90, 145, 60])
_FRAIL = np.array([5, 4, 9, 7, 10, 15, 12, 5, 8, 4, 14, 11, 8, 13, 12, 4, 11, 6]) / 10
_BRED = np.array([-6, 0, -12, 3, 16, 14, 2, 6, -4, -11, 17, -30, 7, 15, -7, 9, 10, -2]) / 10
_SOLD = np.array([14, 11, -16, 6, -25, -22, 0, 7, 8, 19, -24, -26, 4, -21, 5, 3, -20, -3]) / 10
_DOG = np.isin(ANIMALS, ("collie", "dachshund", "labrador", "mongrel", "poodle", "terrier"))

ORIGINS = ("breeder", "shelter", "friend", "shop", "abroad")
_CAME, _COVERED = np.array([0.0, 0.3, 0.5, -0.2, -0.9]), np.array([7, 2, -6, -4, 0]) / 10
_BY_BRED, _BY_SOLD = np.array([1.0, -0.3, -0.2, 0.0, -0.1]), np.array([0.0, -0.2, 0.1, 1.0, -0.6])

SEASONS = ("spring", "summer", "autumn", "winter")

SCHEMA = sv.Schema(
    (
        sv.Categorical("animal", ANIMALS),
        sv.Categorical("origin", ORIGINS),
        sv.Categorical("born", SEASONS),
        sv.Ordinal("age", 0, 25, clip=True),
        sv.Numeric("minutes", 0, 240, bins=48, clip=True),
        sv.Ordinal("visits", 0, 9, clip=True),
        sv.Numeric(
            "bill",
            edges=(0, 25, 50, 75, 100, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1500, 2000),
            nullable=True,
            clip=True,
        ),
        sv.Categorical("insured", ("no", "yes")),
        sv.Ordinal("worry", 1, 5),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many keepers, each with one animal."""
    animal = spread(generator, _SHARES, count)
    origin = pick(generator, np.exp(_CAME + np.outer(_BRED[animal], _BY_BRED) + np.outer(_SOLD[animal], _BY_SOLD)))
    born = spread(generator, (40, 30, 18, 12), count)
    lived = generator.beta(1.3, 1.6, count)
    insured = happens(generator, logistic(-1.9 + 2.0 * _DOG[animal] + _COVERED[origin]))
    often = _FRAIL[animal] * (0.5 + 6.0 * (lived - 0.42) ** 2) * (1 + 0.15 * insured)
    visits = generator.poisson(1.3 * often * generator.gamma(2.5, 1 / 2.5, count))
    bill = visits * _BILL[animal] * (0.7 + 0.8 * lived) * generator.lognormal(0.0, 0.5, count)
    minutes = _MINUTES[animal] * generator.gamma(3.5, 1 / 3.5, count) * np.where(_DOG[animal], 1.25 - 0.6 * lived, 1.0)
    mood = -0.6 + 0.3 * np.minimum(visits, 5) + 0.9 * (lived > 0.75) + 0.3 * (origin == ORIGINS.index("abroad"))
    return {
        "animal": np.array(ANIMALS)[animal],
        "origin": np.array(ORIGINS)[origin],
        "born": np.array(SEASONS)[born],
        "age": np.minimum(np.floor(lived * _LIFE[animal]), 25),
        "minutes": np.clip(rounded(generator, minutes, steps={5: 0.2, 15: 0.3, 30: 0.35}), 0, 240),
        "visits": np.minimum(visits, 9),
        "bill": withheld(
            generator,
            np.clip(rounded(generator, bill, steps={10: 0.3, 50: 0.4}), 0, 2000),
            np.where(visits == 0, 0.7, np.where(insured, 0.35, 0.08)),
        ),
        "insured": words(insured),
        "worry": opinion(generator, mood),
    }


CROWD = Crowd(
    name="pets",
    summary="Keepers of pets: eighteen animals, where from, age, minutes in quarters, a bill open without a visit.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("animal", "collie", "dachshund", "labrador", "mongrel", "poodle", "terrier"),
        *each_of("animal", "cat", "parrot"),
        is_in("animal", "gecko", "snake", "tortoise"),
        is_in("origin", "breeder", "abroad"),
        is_in("origin", "shop"),
        is_in("born", "spring"),
        is_in("born", "autumn", "winter"),
        at_least("age", 5),
        at_most("age", 1),
        at_least("age", 12),
        at_least("minutes", 45),
        at_most("minutes", 15),
        at_least("minutes", 120),
        at_least("visits", 1),
        at_least("visits", 3),
        at_least("bill", 100),
        at_least("bill", 500),
        missing("bill"),
        is_in("insured", "yes"),
        at_least("worry", 4),
        at_most("worry", 1),
    ),
    groups=(
        each_of("animal", "cat", "labrador", "hamster", "tortoise", "mongrel", "rabbit", "collie", "budgie"),
        each_of("origin", *ORIGINS),
        each_of("born", *SEASONS),
        (at_most("age", 2), between("age", 3, 7), at_least("age", 10)),
        (at_most("minutes", 30), between("minutes", 30, 90), at_least("minutes", 90)),
        (at_most("visits", 0), between("visits", 1, 2), at_least("visits", 3)),
        (at_most("bill", 100), between("bill", 100, 300), at_least("bill", 300)),
        each_of("insured", "yes", "no"),
    ),
    related=(
        *(("minutes", "animal"), ("origin", "animal"), ("age", "animal"), ("bill", "visits")),
        *(("insured", "origin"), ("bill", "animal"), ("worry", "visits"), ("minutes", "insured")),
    ),
)
