"""People leaving concerts: which music, age, with whom, the way there, the ticket's price, drinks, did they like it.

Sixteen kinds of music differ in the age of who listens, in price and in being played outdoors, each in its own way and
in no order. Company follows age: friends when young, families around forty, alone and in pairs later. Who was invited
does not know the price; tickets cost round sums or nothing. The way is said in quarters and halves of an hour; fans
come from further off. Half drink nothing, above all those with a long way or their family along; outdoors and among
friends people drink more. An open stage, being a fan and wanting to come again hang together as three and never as
pairs (fans want a hall, the curious an open air), but not apart from the rest: who would come again liked it, and fans
did a little more.
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

MUSIC = (
    *("blues", "brass", "choir", "classical", "country", "electronic", "folk", "hip-hop"),
    *("jazz", "metal", "musical", "opera", "pop", "punk", "rock", "soul"),
)
_BASE = np.log([3, 5, 6, 9, 2.2, 7, 5, 6, 5, 5, 7, 3.5, 16, 2.5, 15, 3])
_OPEN = np.array([0, 12, -14, -10, 5, 14, 6, 7, -3, 11, -16, -9, 1, -4, 8, 2]) / 10
_AGE = np.array([55, 46, 52, 58, 42, 27, 47, 25, 51, 37, 44, 59, 32, 36, 48, 43])
_PRICE = np.array([41, 13, 22, 47, 36, 44, 26, 52, 31, 57, 74, 79, 61, 17, 64, 24])
_FREE = np.array([5, 40, 32, 6, 3, 4, 18, 2, 14, 1, 2, 1, 3, 16, 4, 6]) / 100

COMPANY = ("alone", "partner", "friends", "family", "colleagues")
_COMES, _COMES_BY_AGE = np.array([-0.5, 0.7, 0.8, -0.4, -2.2]), np.array([4, 6, -9, -1, 0]) / 10
_INVITED = np.array([4, 22, 10, 30, 35]) / 100
_OUTDOOR, _FAN = 0.36, 0.47

SCHEMA = sv.Schema(
    (
        sv.Categorical("music", MUSIC),
        sv.Ordinal("age", 16, 80, clip=True),
        sv.Categorical("company", COMPANY),
        sv.Numeric("way", 0, 240, bins=48, clip=True),
        sv.Numeric(
            "price",
            edges=(0, 5, 10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 80, 100, 125, 150, 200, 300),
            nullable=True,
            clip=True,
        ),
        sv.Ordinal("drinks", 0, 10, clip=True),
        sv.Ordinal("liked", 1, 5),
        sv.Categorical("outdoor", ("no", "yes")),
        sv.Categorical("fan", ("no", "yes")),
        sv.Categorical("again", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many people, each after one concert."""
    outdoor, fan = (happens(generator, np.full(count, share)) for share in (_OUTDOOR, _FAN))
    again = entwined(generator, (outdoor, _OUTDOOR), (fan, _FAN), share=0.57, interaction=-0.05)
    music = pick(generator, np.exp(_BASE + np.outer(outdoor - _OUTDOOR, _OPEN)))
    age = np.clip(np.floor(16 + generator.gamma(5.0, (_AGE[music] - 16) / 5)), 16, 80)
    comes = _COMES + np.outer((age - 42) / 15, _COMES_BY_AGE)
    comes[:, COMPANY.index("family")] += 1.2 * (np.abs(age - 42) < 8) + 0.9 * (music == MUSIC.index("musical"))
    comes[:, COMPANY.index("alone")] += 0.5 * fan
    company = pick(generator, np.exp(comes))
    way = np.where(fan, 52, 38) * np.where(outdoor, 1.15, 1.0) * generator.gamma(1.8, 1 / 1.8, count)
    price = _PRICE[music] * np.where(outdoor, 1.15, 1.0) * generator.lognormal(0.0, 0.4, count)
    free = happens(generator, _FREE[music])
    sober = happens(generator, logistic(-0.5 + 0.008 * (way - 45) + 0.9 * (company == COMPANY.index("family"))))
    thirst = 1.6 + 0.7 * outdoor + 0.6 * (company == COMPANY.index("friends")) - 0.012 * (age - 42)
    drinks = np.where(sober, 0, generator.poisson(thirst * generator.gamma(3.0, 1 / 3, count)))
    mood = 0.2 + 1.2 * (again - 0.57) + 0.35 * fan - 0.004 * np.where(free, 0, price - 45)
    return {
        "music": np.array(MUSIC)[music],
        "age": age,
        "company": np.array(COMPANY)[company],
        "way": np.clip(rounded(generator, way, steps={5: 0.2, 10: 0.15, 15: 0.25, 30: 0.25}), 1, 240),
        "price": withheld(
            generator,
            np.where(free, 0.0, np.clip(rounded(generator, price, steps={5: 0.45, 10: 0.25}), 3, 300)),
            _INVITED[company] + 0.12 * (age < 20),
        ),
        "drinks": np.minimum(drinks, 10),
        "liked": opinion(generator, mood, cuts=(-1.9, -1.2, -0.3, 0.7)),
        "outdoor": words(outdoor),
        "fan": words(fan),
        "again": words(again),
    }


CROWD = Crowd(
    name="concerts",
    summary="People leaving concerts: sixteen kinds of music, age, company, the way, a price the invited do not know.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("music", "electronic", "hip-hop", "metal", "pop", "punk", "rock"),
        *each_of("music", "pop", "country"),
        is_in("music", "choir", "classical", "opera"),
        at_least("age", 40),
        at_most("age", 24),
        at_least("age", 60),
        is_in("company", "partner", "family"),
        is_in("company", "friends"),
        is_in("company", "colleagues"),
        at_least("way", 30),
        at_least("way", 90),
        at_most("way", 15),
        at_least("price", 40),
        at_most("price", 10),
        at_least("price", 80),
        missing("price"),
        at_least("drinks", 1),
        at_least("drinks", 4),
        at_least("liked", 4),
        at_most("liked", 2),
        is_in("outdoor", "yes"),
        is_in("fan", "yes"),
        is_in("again", "yes"),
    ),
    groups=(
        each_of("music", "pop", "rock", "classical", "musical", "hip-hop", "choir", "metal", "opera", "country"),
        (at_most("age", 29), between("age", 30, 49), at_least("age", 55)),
        each_of("company", *COMPANY),
        (at_most("way", 20), between("way", 20, 60), at_least("way", 60)),
        (at_most("price", 20), between("price", 20, 60), at_least("price", 60)),
        (at_most("drinks", 0), between("drinks", 1, 2), at_least("drinks", 3)),
        each_of("outdoor", "yes", "no"),
        each_of("fan", "yes", "no"),
        each_of("again", "yes", "no"),
    ),
    related=(
        *(("price", "music"), ("age", "music"), ("liked", "again"), ("company", "age")),
        *(("music", "outdoor"), ("drinks", "outdoor"), ("way", "fan"), ("price", "company")),
    ),
    together=("again", "outdoor", "fan"),
)
