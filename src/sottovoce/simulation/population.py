"""A believable crowd of adults: age, income, commute, weekly hours, household and region, correlated as in life.

Most people work between school and retirement; pay rises with age, peaks around fifty and follows the hours; those who
do not work neither commute nor have hours; households are largest in mid-life; the south pays more and travels longer.
Every number is made up. People come from a seed, so the same seed gives the same crowd.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.schema.attributes import Categorical, Numeric, Ordinal
from sottovoce.schema.schema import Schema

REGIONS = ("north", "east", "south", "west")
_REGION_SHARES = (0.2, 0.22, 0.36, 0.22)
_REGION_PAY = np.array([-0.12, -0.04, 0.14, 0.0])
_REGION_TRAVEL = np.array([0.85, 0.95, 1.3, 0.9])

_INCOME_BANDS = (*range(0, 40_000, 1_000), *range(40_000, 80_000, 2_500), *range(80_000, 200_001, 15_000))
"""Income is asked in 64 bands, narrow where most people are."""

PEOPLE = Schema(
    (
        Ordinal("age", 18, 90),
        Numeric("income", edges=_INCOME_BANDS, clip=True),
        Ordinal("commute", 0, 60, clip=True),
        Ordinal("hours", 0, 60, clip=True),
        Ordinal("household", 1, 6, clip=True),
        Categorical("region", REGIONS),
    )
)
"""The schema of these people: age in years, income a year, commute in minutes one way, hours a week, people per
household (six or more count as six), and the region they live in."""


def people(count: int, *, seed: int) -> pa.Table:
    """Return that many people, one per row, with the columns of `PEOPLE`.

    Example:
        >>> people(3, seed=1).column_names
        ['age', 'income', 'commute', 'hours', 'household', 'region']
    """
    generator = np.random.default_rng(seed)
    age = _ages(count, generator)
    region = generator.choice(len(REGIONS), count, p=_REGION_SHARES)
    hours = _hours(age, generator)
    return pa.table(
        {
            "age": age.astype(np.int16),
            "income": np.round(_incomes(age, hours, region, generator), 2),
            "commute": _commutes(hours, region, generator).astype(np.int16),
            "hours": hours.astype(np.int16),
            "household": _households(age, generator).astype(np.int16),
            "region": pa.DictionaryArray.from_arrays(region.astype(np.int8), list(REGIONS)).cast(pa.string()),
        }
    )


def _ages(count: int, generator: np.random.Generator) -> Floats:
    """Return ages of adults: a broad middle, and fewer and fewer from the sixties on."""
    years = np.arange(18, 91)
    shape = (1 + 0.35 * np.exp(-(((years - 48) / 16) ** 2))) / (1 + np.exp((years - 76) / 6))
    return generator.choice(years, count, p=shape / shape.sum()).astype(float)


def _hours(age: Floats, generator: np.random.Generator) -> Floats:
    """Return weekly hours: none without work, about forty full time, about twenty part time."""
    starts, retires = 1 / (1 + np.exp(-(age - 20.5) / 1.8)), 1 / (1 + np.exp((age - 64.5) / 1.9))
    works = generator.random(len(age)) < 0.87 * starts * retires + 0.02
    part_time = generator.random(len(age)) < 0.22 + 0.25 * (age < 24) + 0.2 * (age > 60)
    hours = np.where(part_time, generator.normal(21, 6, len(age)), generator.normal(40.5, 5, len(age)))
    return np.where(works, np.clip(np.round(hours), 4, 80), 0.0)


def _incomes(age: Floats, hours: Floats, region: NDArray[np.int64], generator: np.random.Generator) -> Floats:
    """Return yearly incomes: pay by age, hours and region; pensions by what was earned; little for the rest."""
    experience = 10.72 - ((age - 51) / 34) ** 2
    pay = experience + 0.85 * np.log(np.maximum(hours, 1) / 40) + _REGION_PAY[region]
    pension = 10.05 + 0.6 * _REGION_PAY[region] - 0.008 * np.maximum(age - 66, 0)
    support = np.where(age < 26, 8.7, 9.4)
    centre = np.where(hours > 0, pay, np.where(age >= 62, pension, support))
    spread = np.where(hours > 0, 0.48, np.where(age >= 62, 0.42, 0.55))
    return np.asarray(np.minimum(np.exp(generator.normal(centre, spread)), 1_000_000.0))


def _commutes(hours: Floats, region: NDArray[np.int64], generator: np.random.Generator) -> Floats:
    """Return minutes one way: none without work, none for one in eight who work at home, longer for longer hours."""
    travels = (hours > 0) & (generator.random(len(hours)) > 0.12)
    minutes = generator.gamma(2.6, 10.0 * _REGION_TRAVEL[region] * (0.7 + 0.0075 * hours))
    return np.where(travels, np.clip(np.round(minutes), 1, 120), 0.0)


def _households(age: Floats, generator: np.random.Generator) -> Floats:
    """Return people per household: sharing when young, families in mid-life, then couples and people alone."""
    others = 0.75 + 1.9 * np.exp(-(((age - 41) / 11) ** 2)) + 0.7 * np.exp(-(((age - 18) / 5) ** 2))
    others -= 0.25 * (age > 70)
    return np.minimum(1 + generator.poisson(others), 8).astype(float)
