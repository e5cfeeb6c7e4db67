"""People who look after somebody at home: whom, with what illness, own age, hours a week, years, money, strain.

Thirteen kinds of people are cared for; they differ in the illness, in the carer's age and in living under one roof, in
no order, and the illnesses in hours and years. Husbands, wives and children live with the carer, neighbours and friends
do not. Under one roof some say "round the clock" and others cannot count the hours; the rest are said in fives, tens
and sevens. Years are exact when few and said in fives and tens later. Two in five spend nothing of their own; half of
the couples have one purse and do not know, others name round sums, most in the middle of life. Strain follows the hours
and the illness, and is less for who has help. One roof, somebody to share with and thoughts of a nursing home hang
together as three and never as pairs (who is alone with it under one roof thinks of it, and who shares it from afar),
but not apart from the rest: hardly anybody thinks of it for a child, many do with dementia, and a spouse is shared with
few.
Looked at: measured while intervals were settled.
"""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from sottovoce.simulation.crowds.clauses import at_least, at_most, between, each_of, is_in, missing
from sottovoce.simulation.crowds.crowd import Crowd
from sottovoce.simulation.crowds.drawing import (
    Columns,
    entwined,
    favoured,
    happens,
    logistic,
    opinion,
    pick,
    rounded,
    withheld,
    words,
)

PEOPLE = (
    *("aunt or uncle", "brother", "child", "father", "father-in-law", "friend", "grandparent"),
    *("husband", "mother", "mother-in-law", "neighbour", "sister", "wife"),
)
_APART = (3, 2.5, 2, 10, 3.5, 5, 6, 0.3, 30, 9, 6, 3.5, 0.3)
_TOGETHER = (0.7, 2, 15, 5, 1.5, 1.2, 2.5, 21, 13, 4, 0.3, 1.7, 18)
_THEIR_AGE = np.array([80, 55, 17, 79, 80, 68, 86, 72, 82, 82, 79, 58, 68])
_THEIR_SPREAD = np.array([8, 14, 13, 8, 7, 14, 5, 11, 8, 7, 9, 14, 12])
_OWN_AGE = np.array([53, 57, 47, 53, 51, 60, 31, 69, 56, 53, 61, 59, 71])
_OWN_SPREAD = np.array([11, 12, 11, 9, 8, 13, 9, 11, 8, 8, 12, 12, 12])
_MAN = np.array([0, 1, 0.2, 1, 1, 0, 0, 1, -1, -1, 0, -1, -1])
_SHARED_WITH = np.array([-2, 0, 5, 4, 3, -3, 6, -7, 4, 3, -4, 1, -7]) / 10
_SENT_AWAY = np.array([5, -3, -16, 2, 4, 0, 1, -2, 3, 6, 1, -2, -3]) / 10

ILLNESSES = ("cancer", "dementia", "disability", "frailty", "heart", "injury", "mind", "Parkinson", "stroke")
_FREQUENT, _BY_AGE = np.array([3, 5, 1, 6, 3, -3, -1, -5, 4]) / 10, np.array([-2, 9, -9, 10, 3, -4, -9, 3, 1]) / 10
_BY_MAN, _THOUGHT = np.array([1, -2, 1, -3, 3, 2, -1, 4, 3]) / 10, np.array([-5, 9, -3, 1, -3, -4, 0, 4, 3]) / 10
_YEARS = np.array([1.8, 3.8, 13.0, 3.3, 5.0, 6.0, 8.5, 6.5, 4.6])
_HOURS = np.array([1.1, 1.45, 1.3, 0.75, 0.65, 0.9, 0.7, 1.1, 1.2])
_HEAVY = np.array([4, 6, -2, -2, -3, -3, 5, 1, 1]) / 10
_ROOF, _SHARED, _NURSING = 0.45, 0.55, 0.34
SUMS = (10, 20, 30, 50, 100, 150, 200, 300, 500, 1000)

SCHEMA = sv.Schema(
    (
        sv.Categorical("person", PEOPLE),
        sv.Categorical("illness", ILLNESSES),
        sv.Ordinal("age", 16, 90, clip=True),
        sv.Numeric(
            "hours",
            edges=(*(0, 3, 5, 7, 10, 14, 18, 20, 25, 30), *(35, 40, 50, 60, 70, 85, 100, 140, 168)),
            nullable=True,
            clip=True,
        ),
        sv.Ordinal("years", 0, 30, clip=True),
        sv.Numeric(
            "spent", edges=(0, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1000, 2000), nullable=True, clip=True
        ),
        sv.Ordinal("strain", 1, 5),
        sv.Categorical("roof", ("no", "yes")),
        sv.Categorical("shared", ("no", "yes")),
        sv.Categorical("nursing_home", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many carers, each of one person."""
    roof, shared = (happens(generator, np.full(count, share)) for share in (_ROOF, _SHARED))
    nursing = entwined(generator, (roof, _ROOF), (shared, _SHARED), share=_NURSING, interaction=-0.045)
    kinds = np.log(np.where(roof[:, None], _TOGETHER, _APART)) + np.outer(shared - _SHARED, _SHARED_WITH)
    person = pick(generator, np.exp(kinds + np.outer(nursing - _NURSING, _SENT_AWAY)))
    theirs = np.clip(generator.normal(_THEIR_AGE[person], _THEIR_SPREAD[person]), 1, 100)
    ills = _FREQUENT + np.outer(np.maximum((theirs - 72) / 14, -2.5), _BY_AGE) + np.outer(_MAN[person], _BY_MAN)
    illness = pick(generator, np.exp(ills + np.outer(nursing - _NURSING, _THOUGHT)))
    age = np.clip(np.floor(generator.normal(_OWN_AGE[person], _OWN_SPREAD[person])), 16, 90)
    couple = np.isin(person, (PEOPLE.index("husband"), PEOPLE.index("wife")))
    years = np.minimum(_YEARS[illness] * generator.gamma(1.3, 1 / 1.3, count), theirs)
    told = np.where(years < 8, np.floor(years), rounded(generator, years, steps={5: 0.35, 10: 0.25}))
    hours = _HOURS[illness] * np.where(roof, 28, 8) * np.where(shared, 0.8, 1.1) * generator.lognormal(0, 0.7, count)
    counted = rounded(generator, hours, steps={5: 0.3, 7: 0.15, 10: 0.3})
    counted = np.where(hours < 5, np.ceil(hours), np.minimum(counted, 130))
    clock = roof & happens(generator, logistic(-2.3 + 1.1 * np.log(hours / 28) + 0.5 * couple))
    nothing = happens(generator, logistic(0.25 - 0.012 * hours - 0.6 * shared + 0.6 * (age < 30)))
    spent = np.exp(4.1 - 0.5 * ((age - 53) / 20) ** 2 + 0.25 * _HEAVY[illness]) * generator.lognormal(0.0, 0.9, count)
    weight = 0.45 * np.log(np.where(clock, 90, hours) / 14) + _HEAVY[illness] + 0.5 * (nursing - _NURSING)
    return {
        "person": np.array(PEOPLE)[person],
        "illness": np.array(ILLNESSES)[illness],
        "age": age,
        "hours": withheld(generator, np.where(clock, 168.0, counted), np.where(roof & ~clock, 0.22, 0.04)),
        "years": np.minimum(told, 30),
        "spent": withheld(
            generator,
            np.where(nothing, 0.0, favoured(generator, np.clip(spent, 5, 1900), SUMS, share=0.75)),
            np.where(couple, 0.45, 0.09),
        ),
        "strain": opinion(generator, 0.2 + weight - 0.35 * shared - 0.02 * told, cuts=(-1.5, -0.6, 0.2, 1.1)),
        "roof": words(roof),
        "shared": words(shared),
        "nursing_home": words(nursing),
    }


CROWD = Crowd(
    name="carers",
    summary="People who look after somebody at home: whom, with what illness, hours round the clock or uncounted.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("person", "father", "father-in-law", "mother", "mother-in-law"),
        *each_of("person", "husband", "child", "grandparent"),
        is_in("illness", "dementia", "frailty", "Parkinson"),
        *each_of("illness", "stroke", "injury"),
        *(at_least("age", 55), at_most("age", 39), at_least("age", 70)),
        *(at_least("hours", 14), at_most("hours", 7), at_least("hours", 40), at_least("hours", 140), missing("hours")),
        *(at_least("years", 3), at_most("years", 0), at_least("years", 10)),
        *(at_least("spent", 50), at_most("spent", 10), at_least("spent", 200), missing("spent")),
        *(at_least("strain", 4), at_most("strain", 2), at_least("strain", 5)),
        is_in("roof", "yes"),
        is_in("shared", "yes"),
        is_in("nursing_home", "yes"),
    ),
    groups=(
        each_of("person", "mother", "father", "husband", "wife", "child", "mother-in-law", "grandparent", "friend"),
        each_of("illness", *ILLNESSES),
        (at_most("age", 44), between("age", 45, 59), at_least("age", 65)),
        (at_most("hours", 10), between("hours", 10, 25), at_least("hours", 40)),
        (at_most("years", 1), between("years", 2, 5), at_least("years", 8)),
        (at_most("spent", 10), between("spent", 30, 100), at_least("spent", 150)),
        (at_most("strain", 2), at_least("strain", 4)),
        each_of("roof", "yes", "no"),
        each_of("shared", "yes", "no"),
        each_of("nursing_home", "yes", "no"),
    ),
    related=(
        *(("age", "person"), ("illness", "person"), ("hours", "roof"), ("years", "illness"), ("roof", "person")),
        *(("strain", "hours"), ("strain", "illness"), ("hours", "illness"), ("spent", "person"), ("age", "roof")),
        *(("nursing_home", "illness"), ("strain", "nursing_home"), ("spent", "age"), ("years", "person")),
    ),
    together=("nursing_home", "roof", "shared"),
)
