"""People from abroad who send money home: where to, how, what for, years here, times, sum, fee, minutes, content.

Nineteen countries differ in the way money goes, in what it is for, in the sum, the fee and in when people came, each in
its own way and in no order; buses take it to the three that are near and hardly further, and brokers work for some and
hardly for others. Most came within ten years, those from some countries in one wave long ago; years are exact when few
and said in fives later. Who sends for the living does so every month, for school a few times a year, for a feast once
or twice a year, and what is for a house is dear and rare. Sums are round notes; who goes to a broker tells them less
often. Banks hide the fee in the rate of exchange, so that half of their customers do not know it; apps take little,
agents more the larger the sum, and who carries it himself pays nothing. Minutes are a few at home, and a way to the
agent or to the bus otherwise, said in quarters of an hour. Apps please where everybody is paid by telephone and annoy
where only cash will do. Children are left behind by those who came lately, more in some countries, and cost school
fees.
Held out: nothing is to be tuned on this crowd.
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

COUNTRIES = (
    *("Albania", "Bosnia", "Brazil", "Cameroon", "Egypt", "Ghana", "India", "Kenya", "Lebanon", "Moldova"),
    *("Morocco", "Nepal", "Nigeria", "Pakistan", "Peru", "Philippines", "Senegal", "Sri Lanka", "Vietnam"),
)
_SHARES = (6, 7, 4, 3.5, 5, 4, 11, 2.8, 2.2, 6, 10, 3, 8, 7, 3, 9, 5, 3.5, 5)
_NEAR = np.isin(COUNTRIES, ("Albania", "Bosnia", "Moldova"))
_BROKERS = np.isin(COUNTRIES, ("Egypt", "Lebanon", "Nepal", "Nigeria", "Pakistan", "Sri Lanka", "Vietnam"))
_PHONES = np.array([-3, -8, 4, 7, -5, 12, 3, 16, -14, -2, -4, -6, 5, 0, -3, 11, 14, -8, -2]) / 10
_BANKS = np.array([-1, 6, 5, -9, 3, -7, 12, -6, -10, -4, 4, 0, 2, 1, -2, 2, -11, 5, 0]) / 10
_SUM = np.array([210, 150, 280, 130, 190, 120, 420, 140, 330, 170, 160, 240, 260, 230, 150, 180, 90, 200, 350])
_DEAR = np.array([4, -1, -3, 7, 1, 5, -6, 2, 6, -4, -2, 1, 3, -7, 0, -5, 4, 2, 1]) / 10
_LEFT = np.array([-5, -16, 2, 3, -2, 4, -7, 6, -9, 11, -8, 8, 0, 3, 5, 14, 4, 0, -6]) / 10
_SINCE = np.array([25, 31, 0, 0, 0, 24, 0, 0, 38, 0, 36, 0, 0, 27, 0, 21, 0, 34, 37])
_WAVE = np.array([35, 75, 0, 0, 0, 20, 0, 0, 40, 0, 45, 0, 0, 25, 0, 15, 0, 60, 45]) / 100

WAYS = ("agent", "app", "bank", "broker", "bus", "by hand")
_GOES, _LATELY = np.array([0.5, 0.4, -0.1, -0.8, 0.2, -1.5]), np.array([1, 9, -5, 1, -2, -5]) / 10
_RATE, _FLAT = np.array([34, 7, 16, 22, 0, 0]) / 1000, np.array([3.0, 1.2, 7.0, 0.5, 8.0, 0.0])
_UNKNOWN, _TAKES = np.array([4, 7, 48, 24, 5, 2]) / 100, np.array([38, 6, 17, 46, 65, 20])
_LIKED = np.array([-2, 4, -3, 2, 1, 1]) / 10

PURPOSES = ("debts", "feast", "house", "illness", "living", "savings", "school")
_MEANT, _MINE = np.array([-1.2, -0.2, -0.6, -0.3, 1.4, -1.1, -0.4]), np.array([2, -9, -2, -5, 7, -5, 15]) / 10
_SETTLED = np.array([-7, 6, 3, 3, -3, 3, -2]) / 10
_FACTOR, _RARE = np.array([1.5, 0.6, 3.0, 1.4, 0.8, 2.2, 1.9]), np.array([7.0, 1.4, 3.2, 2.6, 7.5, 4.5, 2.6])
_MONTHLY = np.array([50, 3, 14, 10, 62, 34, 12]) / 100
_HOUSES = np.array([9, 5, -6, 2, 8, 7, -3, 0, -12, 1, 6, -2, 5, 3, -4, -8, 2, -3, -7]) / 10
_ILLS = np.array([-4, 5, -6, 3, 2, -3, -9, -1, 8, 4, -5, 4, 0, -4, 2, -2, 7, 1, -3]) / 10
SUMS = (20, 30, 50, 100, 150, 200, 250, 300, 400, 500, 700, 1000, 1500, 2000, 3000)

SCHEMA = sv.Schema(
    (
        sv.Categorical("country", COUNTRIES),
        sv.Categorical("way", WAYS),
        sv.Categorical("purpose", PURPOSES),
        sv.Ordinal("years", 0, 45, clip=True),
        sv.Ordinal("times", 1, 26, clip=True),
        sv.Numeric(
            "amount",
            edges=(0, 40, 60, 80, 120, 160, 220, 280, 350, 450, 600, 800, 1200, 2000, 5000),
            nullable=True,
            clip=True,
        ),
        sv.Numeric("fee", edges=(0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 120), nullable=True, clip=True),
        sv.Ordinal("minutes", 1, 120, clip=True),
        sv.Ordinal("content", 1, 5),
        sv.Categorical("children", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many people, each asked about the last time they sent money."""
    country = spread(generator, _SHARES, count)
    wave = happens(generator, _WAVE[country])
    here = np.where(wave, _SINCE[country] + 2.5 * generator.normal(size=count), generator.gamma(1.3, 7.0, count))
    here = np.clip(here, 0, 45)
    recent = np.clip((12 - here) / 10, -1.8, 1.2)
    children = happens(generator, logistic(-0.85 + _LEFT[country] + 0.7 * recent))
    goes = _GOES + np.outer(recent, _LATELY)
    goes[:, WAYS.index("app")] += 0.8 * _PHONES[country]
    goes[:, WAYS.index("bank")] += _BANKS[country]
    goes[~_NEAR[country], WAYS.index("bus")] -= 3.0
    goes[~_BROKERS[country], WAYS.index("broker")] -= 3.0
    goes[:, WAYS.index("by hand")] += 0.9 * _NEAR[country]
    way = pick(generator, np.exp(goes))
    meant = _MEANT + np.outer(children, _MINE) + np.outer(-recent, _SETTLED)
    meant[:, PURPOSES.index("house")] += _HOUSES[country]
    meant[:, PURPOSES.index("illness")] += _ILLS[country]
    purpose = pick(generator, np.exp(meant))
    carried = (way == WAYS.index("bus")) | (way == WAYS.index("by hand"))
    others = 1 + generator.poisson(_RARE[purpose] * np.where(carried, 0.6, 1.0) * generator.gamma(2.0, 0.5, count))
    monthly = happens(generator, _MONTHLY[purpose] * np.where(carried, 0.3, 1.0))
    times = np.where(monthly, np.where(happens(generator, np.full(count, 0.08)), 24, 12), others)
    worth = _SUM[country] * _FACTOR[purpose] * np.exp(-0.012 * (times - 6) + 0.35 * carried - 0.12 * recent)
    amount = np.clip(worth * generator.lognormal(0.0, 0.5, count), 10, 4900)
    fee = (_FLAT[way] + _RATE[way] * amount) * np.exp(_DEAR[country]) * generator.lognormal(0.0, 0.25, count)
    fee = np.where(happens(generator, np.where(way == WAYS.index("app"), 0.3, 0.02)), 0.0, fee)  # first one is free
    took = np.maximum(_TAKES[way] * generator.lognormal(0.0, 0.5, count), 1)
    minutes = np.where(took < 10, np.ceil(took), rounded(generator, took, steps={5: 0.4, 15: 0.25, 30: 0.2}))
    app, cost = way == WAYS.index("app"), np.minimum(fee / amount, 0.12)
    mood = 0.45 + _LIKED[way] + 0.9 * app * _PHONES[country] - 7 * cost - 0.006 * np.minimum(minutes, 90)
    return {
        "country": np.array(COUNTRIES)[country],
        "way": np.array(WAYS)[way],
        "purpose": np.array(PURPOSES)[purpose],
        "years": np.where(here < 8, np.floor(here), np.minimum(rounded(generator, here, steps={5: 0.4}), 45)),
        "times": np.minimum(times, 26),
        "amount": withheld(
            generator,
            favoured(generator, amount, SUMS, share=0.75),
            logistic(-3.0 + 1.5 * (way == WAYS.index("broker")) + 0.5 * np.log(amount / 200)),
        ),
        "fee": withheld(generator, np.minimum(np.round(fee, 1), 119), _UNKNOWN[way]),
        "minutes": np.clip(minutes, 1, 120),
        "content": opinion(generator, mood, cuts=(-1.5, -0.8, 0.0, 0.8)),
        "children": words(children),
    }


CROWD = Crowd(
    name="senders",
    summary="People who send money home: nineteen countries, by app, bank, broker or bus, sums, fees often unknown.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("country", "Cameroon", "Egypt", "Ghana", "Kenya", "Morocco", "Nigeria", "Senegal"),
        *each_of("country", "India", "Bosnia", "Lebanon"),
        is_in("way", "agent", "app"),
        *each_of("way", "bank", "broker", "bus"),
        is_in("purpose", "illness", "living", "school"),
        *each_of("purpose", "house", "feast"),
        *(at_least("years", 8), at_most("years", 2), at_least("years", 20), at_least("years", 30)),
        *(at_least("times", 6), at_most("times", 2), between("times", 12, 12), at_least("times", 13)),
        *(at_least("amount", 220), at_most("amount", 80), at_least("amount", 600), missing("amount")),
        *(at_least("fee", 5), at_most("fee", 1), at_least("fee", 15), missing("fee")),
        *(at_least("minutes", 20), at_most("minutes", 5), at_least("minutes", 60)),
        *(at_least("content", 4), at_most("content", 2), at_least("content", 5)),
        is_in("children", "yes"),
    ),
    groups=(
        each_of("country", "India", "Morocco", "Philippines", "Nigeria", "Bosnia", "Moldova", "Senegal", "Kenya"),
        each_of("way", *WAYS),
        each_of("purpose", *PURPOSES),
        (at_most("years", 3), between("years", 5, 12), at_least("years", 20)),
        (at_most("times", 2), between("times", 3, 8), at_least("times", 12)),
        (at_most("amount", 120), between("amount", 160, 350), at_least("amount", 450)),
        (at_most("fee", 3), between("fee", 4, 10), at_least("fee", 12)),
        (at_most("minutes", 10), between("minutes", 15, 30), at_least("minutes", 45)),
        (at_most("content", 2), at_least("content", 4)),
        each_of("children", "yes", "no"),
    ),
    related=(
        *(("amount", "country"), ("way", "country"), ("years", "country"), ("fee", "way"), ("minutes", "way")),
        *(("times", "purpose"), ("amount", "purpose"), ("children", "country"), ("fee", "amount"), ("way", "years")),
        *(("content", "way"), ("purpose", "children"), ("content", "country"), ("fee", "country")),
    ),
)
