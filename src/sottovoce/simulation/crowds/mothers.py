"""Mothers half a year after a birth: where and how, own age, which child, week, weight, weeks fed, money, cared for.

Sixteen clinics and the home differ in sections, in money, in care and in who comes, each in its own way and in no
order; two of them take most children that come early, and at home there is no section and no vacuum. Most are born in
weeks 38 to 41, planned sections in 38 and 39, and weight follows the week. Weights are said in grams, tens or hundreds;
those of later children are forgotten more often. A third still feed, nearly one in five never did, and the others say
weeks at first and months of four weeks later. First children cost most; sums are round, and the young, whose parents
bought the pram, do not know them. A section hurried at the end spoils the birth of a first child and hardly that of a
later one; where sections are common who had one felt well looked after, and where they are rare not. One in five
smoked, more of the young; these children are lighter and fed for shorter.
Looked at: measured while intervals were settled.
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

PLACES = (
    *("All Saints", "Burgh", "Castle", "Elm Park", "Ferry Road", "General", "Holy Cross", "home", "Infirmary"),
    *("Jubilee", "Lister", "Mercy", "Northgate", "Royal", "Trinity", "University", "Victoria"),
)
_BIRTHS = (7, 3, 5, 6, 2.5, 12, 4, 5, 8, 5, 3.5, 6, 9, 7, 4, 11, 5)
_EARLY = np.array([-6, -15, -8, -5, -18, 9, -7, -60, 2, -10, -9, -3, 1, 3, -14, 16, -6]) / 10
_OLDER = np.array([1, -3, 3, 5, -6, -1, 0, 4, -2, -4, 2, -3, -5, 1, 8, 2, 0]) / 10
_SECTIONS = np.array([-2, 4, -5, 3, 6, 2, -7, 0, 0, -4, 5, -3, 1, -1, 8, 3, -6]) / 10
_WATER = np.array([0, -20, 9, 5, -20, -8, 11, 22, -4, 6, -9, 3, -20, -2, 1, -10, 8]) / 10
_CARE = np.array([1, -2, 5, 0, -5, -4, 4, 11, -3, 2, -1, 5, -6, 1, 3, -2, -4]) / 10
_COSTS = np.array([0, -3, 3, 6, -4, -1, 1, 5, -3, -4, 3, -1, -5, 2, 13, 0, 2]) / 10
_SMOKED = np.array([0, 5, -2, -6, 8, 2, -3, -9, 3, 6, -2, 1, 7, -1, -10, 0, -3]) / 10

WAYS = ("in water", "planned section", "spontaneous", "urgent section", "vacuum")
_LATER, _AT_FIRST = np.array([-2.3, -1.1, 0.6, -1.9, -2.9]), np.array([-3, -2, -1, 9, 15]) / 10
_AGED, _CUT = np.array([-1, 4, -1, 2, 1]) / 10, np.array([-5, 10, -3, 8, 0]) / 10
_HURRIED, _MOOD = np.array([-30, 2, -2, 13, -3]) / 10, np.array([4, 1, 1, -2, -3]) / 10
SUMS = (50, 100, 200, 300, 500, 800, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 8000, 10_000)

SCHEMA = sv.Schema(
    (
        sv.Categorical("place", PLACES),
        sv.Categorical("birth", WAYS),
        sv.Ordinal("age", 16, 48, clip=True),
        sv.Ordinal("child", 1, 6, clip=True),
        sv.Ordinal("week", 30, 42, clip=True),
        sv.Numeric("weight", 1000, 5000, bins=20, nullable=True, clip=True),
        sv.Ordinal("fed", 0, 26, clip=True),
        sv.Numeric(
            "spent",
            edges=(0, 50, 100, 200, 300, 500, 750, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 7500, 12_000),
            nullable=True,
            clip=True,
        ),
        sv.Ordinal("cared_for", 1, 5),
        sv.Categorical("smoked", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many mothers, each asked about the last birth."""
    age = np.clip(np.floor(generator.normal(31, 5.2, count)), 16, 48)
    old = (age - 31) / 5
    before = generator.poisson(0.8 * np.exp(0.27 * old) * generator.gamma(2.5, 1 / 2.5, count))
    child = 1 + np.minimum(before, np.floor((age - 15) / 2))
    first = child == 1
    lives = spread(generator, _BIRTHS, count)  # a mother smokes as others do in that part of the town
    smoked = happens(generator, logistic(-1.65 - 0.5 * old + _SMOKED[lives]))
    early = happens(generator, logistic(-2.65 + 0.45 * smoked + 0.12 * np.abs(old)))
    due = np.where(early, 37.2 - generator.gamma(1.3, 2.0, count), generator.normal(40.15, 1.1, count))
    due = np.clip(np.floor(due), 30, 42)
    goes = np.log(_BIRTHS) + np.outer(due < 36, _EARLY) + np.outer(old, _OLDER)
    goes[:, PLACES.index("home")] -= 1.2 * first
    goes[np.arange(count), lives] += 2.0 * (due >= 36)
    place = pick(generator, np.exp(goes))
    comes = _LATER + np.outer(first, _AT_FIRST) + np.outer(old, _AGED) + np.outer(_SECTIONS[place], _CUT)
    comes += np.outer(due < 36, _HURRIED)
    comes[:, WAYS.index("in water")] += _WATER[place]
    comes[np.ix_(place == PLACES.index("home"), [1, 3, 4])] = -np.inf
    birth = pick(generator, np.exp(comes))
    planned, urgent = birth == WAYS.index("planned section"), birth == WAYS.index("urgent section")
    week = np.where(planned, np.minimum(due, 38 + happens(generator, np.full(count, 0.55))), due)
    grown = 3500 + 195 * np.minimum(week - 40, 0) + 90 * np.maximum(week - 40, 0) - 190 * smoked
    weight = np.maximum(grown + 110 * ~first + generator.normal(0, 410, count), 700)
    never = happens(generator, logistic(-2.05 + 0.9 * smoked - 0.25 * old + 0.7 * (planned | urgent) + 0.2 * first))
    fed = generator.gamma(1.1, 26 * np.exp(0.16 * old - 0.6 * smoked + 0.2 * ~first), count)
    told = np.where(fed < 6, np.ceil(fed), rounded(generator, np.minimum(fed, 25), steps={2: 0.1, 4: 0.7}))
    spent = np.where(first, 1500, 480) * np.exp(_COSTS[place] + 0.15 * old) * generator.lognormal(0.0, 0.65, count)
    nothing = ~first & happens(generator, np.full(count, 0.09))
    cut = planned | urgent
    mood = 0.3 + _CARE[place] + _MOOD[birth] - 0.9 * (urgent & first) + 0.3 * (planned & ~first)
    return {
        "place": np.array(PLACES)[place],
        "birth": np.array(WAYS)[birth],
        "age": age,
        "child": np.minimum(child, 6).astype(np.intp),
        "week": week,
        "weight": withheld(
            generator,
            np.clip(rounded(generator, weight, steps={10: 0.35, 50: 0.15, 100: 0.35}), 700, 4990),
            0.01 + 0.035 * child,
        ),
        "fed": np.where(never, 0, np.where(fed >= 26, 26, told)),
        "spent": withheld(
            generator,
            np.where(nothing, 0.0, favoured(generator, np.clip(spent, 20, 11_900), SUMS, share=0.7)),
            logistic(-1.8 - 0.6 * old + 0.3 * first),
        ),
        "cared_for": opinion(generator, mood + 0.8 * cut * _SECTIONS[place], cuts=(-1.6, -0.9, -0.2, 0.7)),
        "smoked": words(smoked),
    }


CROWD = Crowd(
    name="mothers",
    summary="Mothers half a year after a birth: sixteen clinics and the home, week and weight, who still feeds, costs.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("place", "Castle", "General", "Infirmary", "Northgate", "Royal", "University"),
        *each_of("place", "University", "Trinity"),
        is_in("birth", "planned section", "urgent section"),
        *each_of("birth", "spontaneous", "in water"),
        *(at_least("age", 32), at_most("age", 24), at_least("age", 38)),
        *(at_least("child", 2), at_least("child", 3), at_least("child", 4)),
        *(at_least("week", 40), at_most("week", 37), at_most("week", 35), at_least("week", 41)),
        *(at_least("weight", 3400), at_most("weight", 2800), at_least("weight", 4000), missing("weight")),
        *(at_least("fed", 12), at_most("fed", 0), at_least("fed", 26), at_most("fed", 4)),
        *(at_least("spent", 1000), at_most("spent", 200), at_least("spent", 2500), missing("spent")),
        *(at_least("cared_for", 4), at_most("cared_for", 2), at_least("cared_for", 5)),
        is_in("smoked", "yes"),
    ),
    groups=(
        each_of("place", "University", "General", "Northgate", "Castle", "Mercy", "Trinity", "Ferry Road", "home"),
        each_of("birth", *WAYS),
        (at_most("age", 26), between("age", 27, 34), at_least("age", 36)),
        (at_most("child", 1), between("child", 2, 2), at_least("child", 3)),
        (at_most("week", 37), between("week", 38, 39), at_least("week", 40)),
        (at_most("weight", 3000), between("weight", 3200, 3600), at_least("weight", 3800)),
        (at_most("fed", 2), between("fed", 4, 16), at_least("fed", 26)),
        (at_most("spent", 300), between("spent", 500, 1500), at_least("spent", 2000)),
        (at_most("cared_for", 2), at_least("cared_for", 4)),
        each_of("smoked", "yes", "no"),
    ),
    related=(
        *(("weight", "week"), ("birth", "place"), ("spent", "child"), ("week", "birth"), ("child", "age")),
        *(("cared_for", "place"), ("spent", "place"), ("fed", "smoked"), ("birth", "child"), ("week", "place")),
        *(("age", "place"), ("cared_for", "birth"), ("weight", "smoked"), ("smoked", "age")),
    ),
)
