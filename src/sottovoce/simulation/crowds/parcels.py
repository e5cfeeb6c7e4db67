"""People who got a parcel: what was in it, from what shop, how paid, age, parcels in three months, price, days, stars.

Seventeen kinds of goods differ in price, in who buys them, in the shop and in how often they go back, each in its own
way and in no order. Prices end just below the fives and tens, many orders are filled up to the 40 from which delivery
is free, and private sellers ask round sums; who gets many parcels has forgotten the price more often. The old pay by
invoice, the young by wallet; few pay by instalments, mostly what is dear. Clothes and shoes go back most, more of them
if an invoice comes later, which does nothing for other goods. Only who sent something back is asked how long the money
took, and some still wait for it. Most parcels come in three days, those from abroad in weeks. Nearly two in three give
five stars and fewest two: what counts is whether it came late for such a shop and such goods, so that weeks from abroad
annoy hardly anybody. Parcels in three months fall with age, are said in fives and twelves from eight on, and hardly go
with anything else.
Looked at: measured while intervals were settled.
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

GOODS = (
    *("appliances", "books", "car parts", "clothes", "cosmetics", "electronics", "food", "furniture", "games"),
    *("garden", "jewellery", "medicines", "pet food", "shoes", "sport", "tools", "toys"),
)
_SHARES = (4, 9, 2.2, 21, 6, 10, 4, 3, 4, 3, 1.8, 6, 4.5, 8, 4, 3.5, 5)
_AGE = np.array([48, 49, 41, 39, 36, 40, 46, 44, 29, 56, 42, 60, 47, 37, 36, 51, 38])
_PRICE = np.array([95, 19, 55, 52, 26, 120, 42, 170, 38, 41, 75, 24, 46, 68, 49, 35, 29])
_BACK = np.array([13, 5, 22, 57, 7, 20, 2, 16, 6, 8, 31, 3, 3, 53, 24, 13, 11]) / 100
_SLOW = np.array([1.6, 0.8, 1.1, 1.0, 0.9, 0.9, 0.8, 3.4, 1.0, 1.4, 1.2, 0.7, 0.9, 1.0, 1.1, 1.0, 0.9])
_CHEAP = np.array([-6, -9, 5, 3, 2, 8, -15, -7, 7, -6, 9, -12, -12, 0, 1, 3, 6]) / 10
_USED = np.array([-2, 10, 4, 6, -14, 3, -20, 5, 11, -6, 5, -22, -14, -1, 4, 0, 9]) / 10
_OWN = np.array([-3, -5, -4, 10, 6, -2, 2, 3, -5, -3, 3, -12, -2, 8, 3, -5, -2]) / 10

SHOPS = ("abroad", "brand", "marketplace", "private", "specialist")
_SELLS, _BY_CHEAP = np.array([-1.4, -0.4, 0.9, -1.0, 0.3]), np.array([9, -3, 6, 1, -6]) / 10
_BY_USED, _BY_OWN = np.array([-1, -3, 1, 10, -1]) / 10, np.array([1, 13, -2, 0, -4]) / 10
_BY_YOUTH, _USUAL = np.array([3, 1, 1, 3, -1]) / 10, np.array([13.0, 3.3, 2.0, 4.8, 2.7])
_DEAR, _KIND = np.array([0.45, 1.2, 0.95, 0.55, 1.05]), np.array([-2, 2, 0, -3, 3]) / 10

PAYMENTS = ("card", "instalments", "invoice", "transfer", "wallet")
_PAYS, _BY_AGE = np.array([0.0, -2.1, 0.4, -1.2, 0.6]), np.array([1, -3, 7, 4, -6]) / 10
_PAYBACK = np.array([10, 13, 5, 15, 6])

SCHEMA = sv.Schema(
    (
        sv.Categorical("goods", GOODS),
        sv.Categorical("shop", SHOPS),
        sv.Categorical("paid", PAYMENTS),
        sv.Ordinal("age", 16, 85, clip=True),
        sv.Ordinal("parcels", 1, 60, clip=True),
        sv.Numeric(
            "price",
            edges=(*(0, 5, 10, 15, 20, 25, 30, 35, 40, 45), *(50, 60, 70, 80, 100, 125, 150, 200, 300, 500, 1000)),
            nullable=True,
            clip=True,
        ),
        sv.Ordinal("days", 1, 42, clip=True),
        sv.Categorical("sent_back", ("no", "yes")),
        sv.Numeric("refund", edges=(0, 2, 4, 6, 8, 10, 12, 15, 20, 25, 30, 60), nullable=True, clip=True),
        sv.Ordinal("stars", 1, 5),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many people, each asked about the last parcel."""
    goods = spread(generator, _SHARES, count)
    age = np.clip(np.floor(16 + generator.gamma(4.0, (_AGE[goods] - 16) / 4)), 16, 85)
    old = (age - 44) / 15
    sells = _SELLS + np.outer(_CHEAP[goods], _BY_CHEAP) + np.outer(_USED[goods], _BY_USED)
    shop = pick(generator, np.exp(sells + np.outer(_OWN[goods], _BY_OWN) - np.outer(old, _BY_YOUTH)))
    abroad, private = shop == SHOPS.index("abroad"), shop == SHOPS.index("private")
    parcels = 1 + generator.poisson(8.5 * np.exp(-0.32 * old) * generator.gamma(1.4, 1 / 1.4, count))
    guessed = rounded(generator, parcels.astype(np.float64), steps={5: 0.4, 12: 0.15})
    worth = _PRICE[goods] * _DEAR[shop] * generator.lognormal(0.0, 0.6, count)
    ends = spread(generator, (0.4, 0.35, 0.25), count)
    asked = np.choose(ends, [np.ceil(worth / 5) * 5 - 0.05, np.ceil(worth / 10) * 10 - 0.05, worth])
    filled = (worth > 25) & (worth < 40) & ~abroad & happens(generator, np.full(count, 0.45))
    asked = np.where(filled, 40 + generator.gamma(1.5, 2.0, count), asked)
    asked = np.where(private, np.maximum(rounded(generator, worth, steps={5: 0.7}), 1), asked)
    pays = _PAYS + np.outer(old, _BY_AGE)
    pays[:, PAYMENTS.index("instalments")] += 1.3 * np.log(worth / 60)
    pays[:, PAYMENTS.index("invoice")] += 0.5 * (shop == SHOPS.index("brand")) - 2.5 * private - 1.2 * abroad
    pays[:, PAYMENTS.index("transfer")] += 1.3 * private
    paid = pick(generator, np.exp(pays))
    worn = np.isin(goods, (GOODS.index("clothes"), GOODS.index("shoes")))
    later = worn * ((paid == PAYMENTS.index("invoice")) - 0.3)
    back = np.log(_BACK / (1 - _BACK))[goods] + 0.9 * later + 0.3 * np.log(worth / _PRICE[goods])
    sent_back = happens(generator, logistic(back - 1.8 * private - 0.8 * abroad))
    late = generator.normal(0.0, 0.5, count) - 0.9 * (happens(generator, np.full(count, 0.3)) & ~abroad)
    days = np.maximum(np.round(_USUAL[shop] * _SLOW[goods] * np.exp(late)), 1)
    weeks = np.where(days < 10, days, rounded(generator, days, steps={7: 0.5, 10: 0.15}))
    refund = _PAYBACK[paid] * np.where(abroad, 1.8, 1.0) * generator.gamma(2.5, 1 / 2.5, count)
    said = rounded(generator, refund, steps={5: 0.15, 7: 0.35, 10: 0.15})
    mood = 1.0 - 0.9 * late + _KIND[shop] - 0.6 * sent_back + 0.1 * old
    return {
        "goods": np.array(GOODS)[goods],
        "shop": np.array(SHOPS)[shop],
        "paid": np.array(PAYMENTS)[paid],
        "age": age,
        "parcels": np.minimum(np.where(parcels < 8, parcels, guessed), 60),
        "price": withheld(generator, np.minimum(asked, 999), logistic(-2.8 + 0.07 * np.minimum(parcels, 30))),
        "days": np.minimum(weeks, 42),
        "sent_back": words(sent_back),
        "refund": withheld(
            generator,
            np.minimum(np.where(refund < 5, np.ceil(refund), said), 59),
            np.where(sent_back, 0.14, 1.0),
        ),
        "stars": opinion(generator, mood, cuts=(-0.7, -0.35, 0.15, 0.75)),
    }


CROWD = Crowd(
    name="parcels",
    summary="People who got a parcel: seventeen kinds of goods, prices just below tens, free delivery, stars, refunds.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("goods", "clothes", "cosmetics", "jewellery", "shoes", "sport"),
        *each_of("goods", "electronics", "games"),
        is_in("shop", "brand", "specialist"),
        *each_of("shop", "abroad", "marketplace"),
        is_in("paid", "card", "wallet"),
        *each_of("paid", "invoice", "wallet"),
        *(at_least("age", 40), at_most("age", 25), at_least("age", 60)),
        *(at_least("parcels", 8), at_most("parcels", 3), at_least("parcels", 20)),
        *(at_least("price", 40), at_most("price", 20), at_least("price", 100), missing("price")),
        *(at_least("days", 3), at_most("days", 1), at_least("days", 7)),
        is_in("sent_back", "yes"),
        *(missing("refund"), at_least("refund", 8)),
        *(at_least("stars", 5), at_most("stars", 2), at_most("stars", 1)),
    ),
    groups=(
        each_of("goods", "clothes", "electronics", "books", "shoes", "medicines", "toys", "furniture", "games"),
        each_of("shop", *SHOPS),
        each_of("paid", "card", "invoice", "wallet"),
        (at_most("age", 29), between("age", 30, 49), at_least("age", 60)),
        (at_most("parcels", 4), between("parcels", 5, 11), at_least("parcels", 15)),
        (at_most("price", 25), between("price", 35, 50), at_least("price", 80)),
        (at_most("days", 2), between("days", 3, 5), at_least("days", 8)),
        each_of("sent_back", "yes", "no"),
        (at_most("refund", 6), at_least("refund", 10)),
        (at_most("stars", 2), at_least("stars", 4)),
    ),
    related=(
        *(("price", "goods"), ("sent_back", "goods"), ("days", "shop"), ("age", "goods"), ("paid", "age")),
        *(("shop", "goods"), ("refund", "paid"), ("stars", "days"), ("parcels", "age"), ("price", "shop")),
        *(("paid", "shop"), ("stars", "sent_back"), ("sent_back", "paid")),
    ),
)
