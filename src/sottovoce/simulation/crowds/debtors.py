"""Clients of debt advice: what brought them there, household, age, income, what they owe, to how many, weeks waited.

Fifteen causes differ in sums, in creditors, in age and in who lives in the household, each in its own way and in no
order: a lost house means one large sum, overspending many small ones, so that the sum goes with the number of creditors
within a cause and much less over all. Many live on benefits, whose rate depends on the household alone: incomes heap
there, and most others are said in round hundreds. What is owed is skewed over three powers of ten, and who owes to many
often does not know it. An instalment is asked only of those who still pay one, a third; two in three say 20, 50, 100,
200 or 500. Creditors are counted to ten and guessed in fives from there. Weeks of waiting are said in months and go
hardly with anything but seized wages, which come first. Most worry much, parents and those in the middle of life most.
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
    *("accident", "addiction", "bereavement", "business", "caring", "fraud", "house", "illness"),
    *("job loss", "low pay", "overspending", "prison", "separation", "studies", "surety"),
)
_SHARES = (3, 5, 3, 8, 2.5, 3, 4, 13, 18, 11, 10, 1.8, 12, 4, 1.7)
_AGE = np.array([45, 39, 61, 49, 55, 42, 47, 52, 43, 38, 30, 36, 41, 28, 57])
_OWED = np.array([18, 11, 9, 64, 10, 13, 115, 15, 12, 6, 16, 14, 21, 12, 48]) * 1000
_CREDITORS = np.array([50, 95, 40, 78, 46, 32, 17, 64, 75, 58, 135, 88, 66, 24, 14]) / 10
_BENEFITS = np.array([45, 62, 20, 30, 48, 28, 18, 50, 70, 25, 33, 66, 42, 22, 15]) / 100
_WAGE = np.array([1500, 1250, 1350, 1900, 1300, 1600, 2300, 1400, 1550, 1350, 1750, 1200, 1650, 1450, 1850])
_PAIRED = np.array([1, -13, -14, 5, 3, 1, 13, -1, -2, 3, -5, -12, -22, -8, 9]) / 10
_RAISING = np.array([-2, -9, -12, 0, -4, -3, 8, -5, 1, 7, -4, -13, 10, -7, -9]) / 10

HOUSEHOLDS = ("alone", "couple", "family", "lone parent", "shared")
_LIVES, _AS_PAIR = np.array([1.1, 0.2, 0.4, -0.3, -1.4]), np.array([-3, 9, 8, -5, 0]) / 10
_WITH_CHILDREN = np.array([-5, -6, 9, 10, -4]) / 10
_RATE = np.array([1020, 1460, 1980, 1650, 860])
_EARNERS = np.array([1.0, 1.4, 1.5, 1.0, 0.9])
SUMS = (20, 50, 100, 200, 500)

SCHEMA = sv.Schema(
    (
        sv.Categorical("cause", CAUSES),
        sv.Categorical("household", HOUSEHOLDS),
        sv.Ordinal("age", 18, 80, clip=True),
        sv.Numeric("income", 0, 5000, bins=25, nullable=True, clip=True),
        sv.Numeric(
            "owed",
            edges=(*(0, 1e3, 2e3, 3e3, 5e3, 7500, 1e4, 15e3, 2e4, 3e4), *(4e4, 5e4, 75e3, 1e5, 15e4, 2e5, 3e5, 5e5)),
            nullable=True,
            clip=True,
        ),
        sv.Ordinal("creditors", 1, 30, clip=True),
        sv.Numeric("instalment", edges=(0, 15, 30, 50, 75, 100, 150, 200, 300, 500, 1000), nullable=True, clip=True),
        sv.Ordinal("weeks", 0, 30, clip=True),
        sv.Ordinal("worry", 1, 5),
        sv.Categorical("seized", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many clients, each at the first talk."""
    cause = spread(generator, _SHARES, count)
    age = np.clip(np.floor(18 + generator.gamma(5.0, (_AGE[cause] - 18) / 5)), 18, 80)
    lives = _LIVES + np.outer(_PAIRED[cause], _AS_PAIR)
    lives += np.outer(_RAISING[cause] + 0.9 - 2.4 * np.abs(age - 38) / 20, _WITH_CHILDREN)
    lives[:, HOUSEHOLDS.index("shared")] += 1.6 * (age < 27)
    household = pick(generator, np.exp(lives))
    raising = np.isin(household, (HOUSEHOLDS.index("family"), HOUSEHOLDS.index("lone parent")))
    aided = happens(generator, _BENEFITS[cause] * np.where(household == HOUSEHOLDS.index("couple"), 0.7, 1.0))
    wage = _WAGE[cause] * _EARNERS[household] * generator.lognormal(0.0, 0.33, count)
    said = rounded(generator, wage, steps={50: 0.25, 100: 0.45})
    income = np.where(aided, _RATE[household] + 20 * generator.integers(-1, 2, count), said)
    many = generator.gamma(2.0, 1 / 2, count)
    creditors = 1 + generator.poisson(_CREDITORS[cause] * many)
    guessed = rounded(generator, creditors.astype(np.float64), steps={5: 0.7})
    owed = _OWED[cause] * (0.35 + 0.65 * many) * generator.lognormal(0.0, 0.85, count)
    seized = happens(generator, logistic(-2.0 + 1.5 * ~aided + 0.1 * np.minimum(creditors, 20)))
    pays = happens(generator, logistic(-0.6 + 0.9 * (income - 1500) / 800 - 0.8 * seized - 0.05 * (creditors - 7)))
    instalment = 0.065 * income * np.where(raising, 0.7, 1.0) * generator.lognormal(0.0, 0.6, count)
    weeks = np.where(seized, 6.8, 8.4) * generator.gamma(2.2, 1 / 2.2, count)
    mood = 0.45 + 0.35 * seized + 0.3 * raising - 0.5 * ((age - 45) / 20) ** 2 + 0.15 * np.log(owed / 15e3)
    return {
        "cause": np.array(CAUSES)[cause],
        "household": np.array(HOUSEHOLDS)[household],
        "age": age,
        "income": withheld(generator, income.clip(300, 5000), 0.06 + 0.18 * (cause == CAUSES.index("business"))),
        "owed": withheld(
            generator,
            np.clip(rounded(generator, owed, steps={100: 0.2, 500: 0.2, 1000: 0.4}), 200, 5e5),
            logistic(-2.9 + 0.13 * np.minimum(creditors, 25)),
        ),
        "creditors": np.minimum(np.where(creditors < 10, creditors, guessed), 30),
        "instalment": np.where(pays, favoured(generator, np.clip(instalment, 10, 900), SUMS, share=0.65), np.nan),
        "weeks": np.minimum(rounded(generator, weeks, steps={2: 0.2, 4: 0.5}), 30),
        "worry": opinion(generator, mood, cuts=(-1.7, -1.0, -0.3, 0.5)),
        "seized": words(seized),
    }


CROWD = Crowd(
    name="debtors",
    summary="Clients of debt advice: fifteen causes, household, incomes at the benefit rate, many debts unknown.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("cause", "accident", "illness", "job loss", "low pay", "separation"),
        *each_of("cause", "job loss", "prison"),
        is_in("cause", "business", "house", "surety"),
        is_in("household", "couple", "family", "lone parent"),
        *each_of("household", "alone", "lone parent"),
        *(at_least("age", 40), at_most("age", 27), at_least("age", 65)),
        *(at_least("income", 1400), at_most("income", 1000), at_least("income", 2400)),
        *(at_least("owed", 10_000), at_most("owed", 3000), at_least("owed", 50_000), missing("owed")),
        *(at_least("creditors", 6), at_most("creditors", 2), at_least("creditors", 20)),
        *(missing("instalment"), at_least("instalment", 100)),
        *(at_least("weeks", 6), at_least("weeks", 12)),
        *(at_least("worry", 4), at_most("worry", 2)),
        is_in("seized", "yes"),
    ),
    groups=(
        each_of("cause", "job loss", "illness", "separation", "overspending", "business", "house", "studies"),
        each_of("household", *HOUSEHOLDS),
        (at_most("age", 29), between("age", 30, 49), at_least("age", 60)),
        (at_most("income", 1200), between("income", 1200, 1800), at_least("income", 2000)),
        (at_most("owed", 7500), between("owed", 7500, 30_000), at_least("owed", 50_000)),
        (at_most("creditors", 3), between("creditors", 4, 9), at_least("creditors", 15)),
        (at_most("instalment", 75), at_least("instalment", 150)),
        (at_most("weeks", 4), at_least("weeks", 10)),
        each_of("seized", "yes", "no"),
    ),
    related=(
        *(("owed", "cause"), ("income", "household"), ("creditors", "cause"), ("age", "cause"), ("household", "cause")),
        *(("instalment", "income"), ("seized", "creditors"), ("worry", "age"), ("weeks", "seized")),
    ),
)
