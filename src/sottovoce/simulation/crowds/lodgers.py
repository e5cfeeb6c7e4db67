"""Guests of hostels and boarding houses from May to October: town, what for, month, party, bed, nights, price, sleep.

Seventeen towns by the sea, in the hills and elsewhere differ in what people come for, in the price and in noise, each
in its own way and in no order. Towns by the sea are dear in summer, others in spring and autumn, so that the price goes
with the month mostly once the town is known. Who bathes mostly stays for whole weeks, who works from Monday to Friday;
walkers and those who pass through stay a night or two, and many of these come unannounced. Others say in weeks and
months how long ahead they booked. Who is alone takes a single room or a bed in a dormitory, larger parties often a
family's room. The price of a night is said in fives and tens; if a firm or a club pays, many do not know it. A
dormitory is bad for the sleep of those who do not fill it with their own party. Who slept well mostly wants to come
again, and so do most who came to bathe.
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

TOWNS = (
    *("Arness", "Bridport", "Caldbeck", "Dunwich", "Edale", "Filey", "Grasmere", "Hythe", "Ironbridge"),
    *("Keswick", "Ludlow", "Morecambe", "Oban", "Rye", "Skegness", "Tintern", "Whitby"),
)
_SHARES = (6, 5, 2.2, 3, 4, 6, 7, 4, 5, 9, 3.5, 8, 6, 2.5, 11, 3, 9)
_SEA = np.array([-6, 11, -12, 6, -11, 13, -8, 9, -9, -10, -8, 12, 2, 4, 16, -7, 8]) / 10
_HILLS = np.array([-9, 1, 13, 3, 16, -6, 11, -8, -4, 12, 2, -10, 5, -7, -14, 8, -2]) / 10
_PRICE = np.array([52, 44, 27, 31, 36, 29, 61, 47, 38, 33, 56, 26, 49, 64, 30, 42, 37])
_PEAK = np.array([-9, 10, -6, 5, -7, 13, -5, 8, -10, -8, -12, 12, 4, -3, 14, -11, 6]) / 10
_NOISE = np.array([8, 0, -9, -6, -4, 3, -2, 2, 4, 6, -5, 7, 3, -3, 10, -7, 1]) / 10

PURPOSES = ("bathing", "course", "passing", "sights", "visit", "walking", "work")
_COMES, _BY_SEA = np.array([0.2, -1.9, 0.0, 0.3, -0.3, 0.2, -0.2]), np.array([11, -3, -1, -2, 1, -6, 0]) / 10
_BY_HILLS, _WARM = np.array([-4, 2, -1, -3, -4, 10, -5]) / 10, np.array([12, -9, 1, 1, 0, -3, -8]) / 10
_COMPANY = np.array([1.7, 2.6, 0.5, 1.0, 0.8, 1.1, 0.25])
_STAY, _WEEKLY = np.array([7.5, 4.0, 0.6, 1.6, 2.2, 1.8, 6.0]), np.array([55, 25, 0, 6, 12, 10, 45]) / 100
_UNANNOUNCED, _AHEAD = np.array([8, 2, 70, 25, 15, 35, 12]) / 100, np.array([95, 60, 5, 28, 21, 24, 12])
_PAID_BY_OTHERS = np.array([4, 45, 5, 7, 14, 6, 52]) / 100

MONTHS = ("May", "June", "July", "August", "September", "October")
_VISITED, _SUMMER = np.array([0.0, 0.2, 0.5, 0.6, 0.1, -0.4]), np.array([-7, 0, 9, 10, -4, -9]) / 10

BEDS = ("dormitory", "double", "family", "single", "tent")
_FACTOR = np.array([0.6, 1.0, 0.85, 1.35, 0.4])

SCHEMA = sv.Schema(
    (
        sv.Categorical("town", TOWNS),
        sv.Categorical("purpose", PURPOSES),
        sv.Categorical("month", MONTHS),
        sv.Ordinal("party", 1, 12, clip=True),
        sv.Categorical("bed", BEDS),
        sv.Ordinal("nights", 1, 28, clip=True),
        sv.Numeric("price", 0, 160, bins=32, nullable=True, clip=True),
        sv.Numeric("ahead", edges=(0, 1, 3, 7, 10, 14, 21, 28, 35, 45, 60, 75, 90, 120, 150, 180, 365), clip=True),
        sv.Ordinal("slept", 1, 5),
        sv.Categorical("again", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many guests, each asked on leaving."""
    town = spread(generator, _SHARES, count)
    purpose = pick(generator, np.exp(_COMES + np.outer(_SEA[town], _BY_SEA) + np.outer(_HILLS[town], _BY_HILLS)))
    bathing, work = purpose == PURPOSES.index("bathing"), purpose == PURPOSES.index("work")
    month = pick(generator, np.exp(_VISITED + np.outer(_WARM[purpose], _SUMMER)))
    party = 1 + generator.poisson(_COMPANY[purpose] * generator.gamma(1.5, 1 / 1.5, count))
    alone, many = 1.0 * (party == 1), 1.0 * (party >= 3)
    beds = [0.3 + 0.5 * alone - 0.8 * work, 0.9 - 2.2 * alone - 0.6 * many, -1.4 - 1.5 * alone + 2.2 * many]
    beds += [-0.4 + 0.7 * alone + 0.7 * work - 0.8 * many, -2.3 + 0.9 * (_HILLS[town] > 0) - 1.5 * work]
    bed = pick(generator, np.exp(np.stack(beds, 1)))
    stay = 1 + np.floor(generator.gamma(1.6, _STAY[purpose] / 1.6))
    weeks = 7 * np.maximum(np.round(stay / 7), 1)
    nights = np.where(happens(generator, _WEEKLY[purpose]), np.where(work, weeks - 3, weeks), stay)
    dear = np.exp(0.24 * _PEAK[town] * _SUMMER[month] - 0.008 * np.minimum(nights, 14))
    price = _PRICE[town] * _FACTOR[bed] * dear * generator.lognormal(0.0, 0.2, count)
    early = _AHEAD[purpose] * np.exp(0.35 * _SUMMER[month]) * generator.lognormal(0.0, 0.8, count)
    booked = np.maximum(rounded(generator, early, steps={7: 0.35, 30: 0.35}), 1)
    unannounced = happens(generator, _UNANNOUNCED[purpose] * np.where(party > 3, 0.4, 1.0))
    rest = 0.45 - 0.6 * _NOISE[town] - 0.9 * (bed == BEDS.index("dormitory")) * (party < 4)
    slept = opinion(generator, rest - 0.4 * (bed == BEDS.index("tent")), cuts=(-1.6, -0.8, -0.1, 0.9))
    passing = purpose == PURPOSES.index("passing")
    return {
        "town": np.array(TOWNS)[town],
        "purpose": np.array(PURPOSES)[purpose],
        "month": np.array(MONTHS)[month],
        "party": np.minimum(party, 12),
        "bed": np.array(BEDS)[bed],
        "nights": np.minimum(nights, 28),
        "price": withheld(
            generator,
            np.clip(rounded(generator, price, steps={5: 0.4, 10: 0.25}), 5, 160),
            np.minimum(_PAID_BY_OTHERS[purpose] + 0.3 * (party > 5), 0.9),
        ),
        "ahead": np.where(unannounced, 0.0, np.minimum(booked, 365)),
        "slept": slept,
        "again": words(happens(generator, logistic(-0.5 + 0.45 * (slept - 3) + 0.8 * bathing - 0.7 * passing))),
    }


CROWD = Crowd(
    name="lodgers",
    summary="Guests of hostels and boarding houses: seventeen towns, whole weeks, prices by town and month, sleep.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("town", "Bridport", "Filey", "Hythe", "Morecambe", "Oban", "Skegness", "Whitby"),
        *each_of("town", "Keswick", "Rye"),
        is_in("purpose", "bathing", "sights", "walking"),
        *each_of("purpose", "work", "course"),
        is_in("month", "July", "August"),
        is_in("month", "October"),
        *(at_least("party", 2), at_least("party", 4), at_least("party", 6)),
        is_in("bed", "dormitory", "single"),
        *each_of("bed", "double", "tent"),
        *(at_least("nights", 3), at_most("nights", 1), at_least("nights", 7), at_least("nights", 14)),
        *(at_least("price", 35), at_most("price", 20), at_least("price", 65), missing("price")),
        *(at_least("ahead", 14), at_most("ahead", 1), at_least("ahead", 90)),
        *(at_least("slept", 4), at_most("slept", 2)),
        is_in("again", "yes"),
    ),
    groups=(
        each_of("town", "Skegness", "Keswick", "Whitby", "Grasmere", "Morecambe", "Arness", "Ludlow", "Caldbeck"),
        each_of("purpose", *PURPOSES),
        each_of("month", *MONTHS),
        (at_most("party", 1), between("party", 2, 3), at_least("party", 4)),
        each_of("bed", *BEDS),
        (at_most("nights", 1), between("nights", 2, 5), at_least("nights", 7)),
        (at_most("price", 25), between("price", 25, 45), at_least("price", 50)),
        (at_most("ahead", 7), between("ahead", 7, 45), at_least("ahead", 60)),
        (at_most("slept", 2), at_least("slept", 4)),
        each_of("again", "yes", "no"),
    ),
    related=(
        *(("price", "town"), ("purpose", "town"), ("nights", "purpose"), ("bed", "party"), ("month", "purpose")),
        *(("ahead", "purpose"), ("price", "bed"), ("slept", "town"), ("slept", "bed"), ("again", "slept")),
        *(("again", "purpose"), ("party", "purpose")),
    ),
)
