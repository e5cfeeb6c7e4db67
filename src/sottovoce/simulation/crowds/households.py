"""Households: region, who owns and who rents, how many live there, income, rent, heating, worries.

Rent is missing for most who own (a few pay for the ground) and for some who rent; income is skewed and told less at
both ends. Rent per region runs in no order. A pet, a garden and a neighbour's key hang together as three and never as
pairs, and go with nothing else. Nothing is to be tuned on this crowd.
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
    spread,
    withheld,
    words,
)

REGIONS = tuple(f"R{number:02d}" for number in range(1, 19))
_SHARES = (9, 3, 6, 8, 2.5, 7, 5, 4, 10, 3, 6, 2, 7, 5, 8, 4, 5.5, 5)
_RENT = np.array([5, -3, 1, 8, -5, 3, -2, 6, -4, 9, 0, -6, 4, -1, 7, -5, 2, -3]) / 10
_GAS = np.array([1, -2, 0, 1, -3, 2, 1, -1, 0, 2, -2, -3, 1, 0, 1, -1, 2, -2]) / 2

TENURES = ("owns", "rents", "lives with others")
HEATING = ("gas", "oil", "district", "heat pump", "wood", "electric", "other")
_PET, _GARDEN = 0.45, 0.5

SCHEMA = sv.Schema(
    (
        sv.Categorical("region", REGIONS),
        sv.Categorical("tenure", TENURES),
        sv.Ordinal("persons", 1, 7, clip=True),
        sv.Numeric("income", edges=(*range(0, 6000, 250), *range(6000, 12001, 1000)), nullable=True, clip=True),
        sv.Numeric("rent", 0, 2400, bins=48, nullable=True, clip=True),
        sv.Categorical("heating", HEATING),
        sv.Ordinal("worries", 1, 5),
        sv.Categorical("neighbour_key", ("no", "yes")),
        sv.Categorical("pet", ("no", "yes")),
        sv.Categorical("garden", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many households."""
    region = spread(generator, _SHARES, count)
    persons = np.minimum(1 + generator.poisson(1.15, count), 7)
    income = generator.lognormal(7.75 + 0.14 * persons + 0.15 * _RENT[region], 0.55)
    wealth = np.log(income) - 8
    tenure = pick(generator, np.exp(np.stack([-0.2 + 1.1 * wealth, 0.1 + 0.4 * _RENT[region], -2.6 - wealth], 1)))
    full = np.array([0.3, 1.0, 0.6])[tenure]
    rent = 620 * full * np.exp(0.55 * _RENT[region] + 0.12 * (persons - 2) + generator.normal(0, 0.22, count))
    gas = _GAS[region]
    owns = 1.0 * (tenure == 0)
    scores = [0.9 + gas, -0.4 - 0.5 * gas + 0.3 * owns, 0.2 - 1.2 * owns, -1.6 + 1.3 * owns, -2.2 + owns - gas]
    heating = pick(generator, np.exp(np.stack([*scores, -1.0 - 0.4 * gas, -1.9 + 0 * gas], 1)))
    burden = np.where(tenure == 1, rent / income, 0.12)
    pet, garden = (happens(generator, np.full(count, share)) for share in (_PET, _GARDEN))
    key = entwined(generator, (pet, _PET), (garden, _GARDEN), share=0.4, interaction=0.07)
    reticence = logistic(-2.2 + 0.9 * np.abs(wealth))
    return {
        "region": np.array(REGIONS)[region],
        "tenure": np.array(TENURES)[tenure],
        "persons": persons,
        "income": withheld(generator, np.clip(income, 0, 12_000), reticence),
        "rent": withheld(generator, np.clip(rent, 0, 2400), np.array([0.93, 0.06, 0.5])[tenure]),
        "heating": np.array(HEATING)[heating],
        "worries": opinion(generator, -0.9 + 4.0 * np.minimum(burden, 0.6) - 0.4 * wealth),
        "neighbour_key": words(key),
        "pet": words(pet),
        "garden": words(garden),
    }


CROWD = Crowd(
    name="households",
    summary="Households: eighteen regions, tenure, persons, income, rent missing for owners, heating, worries.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("region", *REGIONS[::2]),
        *each_of("region", "R09", "R12"),
        is_in("tenure", "owns"),
        is_in("tenure", "lives with others"),
        at_least("persons", 2),
        at_least("persons", 4),
        at_least("income", 3000),
        at_most("income", 1500),
        missing("income"),
        missing("rent"),
        at_least("rent", 900),
        is_in("heating", "gas"),
        is_in("heating", "heat pump", "wood"),
        at_least("worries", 3),
        at_least("worries", 5),
        is_in("neighbour_key", "yes"),
        is_in("pet", "yes"),
        is_in("garden", "yes"),
    ),
    groups=(
        each_of("region", "R01", "R04", "R10", "R12", "R05", "R09", "R06"),
        each_of("tenure", *TENURES),
        (at_most("persons", 1), at_least("persons", 3)),
        (at_most("income", 2000), between("income", 2000, 4000), at_least("income", 4000)),
        each_of("heating", "gas", "district", "heat pump", "other"),
        each_of("pet", "yes", "no"),
        each_of("garden", "yes", "no"),
    ),
    related=(
        *(("rent", "region"), ("heating", "region"), ("worries", "tenure"), ("rent", "persons")),
        *(("tenure", "income"), ("income", "persons"), ("heating", "tenure"), ("worries", "income")),
    ),
    together=("neighbour_key", "pet", "garden"),
)
