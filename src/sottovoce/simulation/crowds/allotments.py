"""Keepers of allotment gardens: colony, what the garden mostly is, age, months waited, area, sum paid, rules, harvest.

Eighteen colonies differ in area, in the sum, in months and in who comes, each in its own way and in no order. A colony
has one area that half of its gardens have; the others are said in tens and fifties, and some do not know theirs. Who
took the garden over from the family did not wait and is not asked what was paid; the others paid round sums, or
nothing, and the old, who came when lists were short and huts were cheap, have forgotten it most. Months are said in
years. Young families want lawns and playgrounds. Half find the rules neither lax nor strict. Clay, mulch and a
plentiful harvest hang together as three and never as pairs (mulch helps on sand, and on clay it feeds the snails), but
not apart from the rest: clay is a matter of the colony, mulch of what is grown, and who has a lawn has little
to harvest.
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
    favoured,
    happens,
    logistic,
    opinion,
    pick,
    rounded,
    withheld,
    words,
)

COLONIES = (
    *("Alder Row", "Beechcroft", "Canal Side", "Dairy Field", "East Bank", "Foundry", "Gasworks", "Hilltop"),
    *("Ivy Lane", "Junction", "Kiln Meadow", "Larkfield", "Mill Race", "Nursery", "Orchard End", "Priory"),
    *("Quarry", "Railway"),
)
_GARDENS = np.log([6, 11, 3, 8, 4, 2.2, 5, 9, 3, 7, 2.5, 12, 4, 6, 5, 2, 3.5, 8])
_HEAVY = np.array([3, -11, 14, 6, 12, -7, -3, -15, 1, -5, 17, 4, 9, -2, 0, -8, -13, 5]) / 10
_OLD = np.array([1, 3, -4, 3, -1, -5, -3, 4, -2, 0, 2, 5, -3, -1, 3, -6, 1, -1]) / 10
_AREA = np.array([250, 320, 160, 400, 210, 140, 180, 360, 230, 200, 300, 280, 150, 240, 420, 170, 330, 260])
_MONTHS = np.array([26, 17, 45, 13, 30, 40, 34, 15, 42, 21, 18, 23, 48, 31, 16, 50, 12, 28])
_SUM = np.array([21, 32, 50, 18, 26, 14, 35, 45, 56, 11, 17, 29, 42, 24, 38, 64, 13, 20]) * 100
_STRICT = np.array([0, 5, -3, 2, -6, -4, 3, 7, 1, -8, -2, 4, 0, -5, 6, 2, -7, 3]) / 10

MOSTLY = ("bees", "flowers", "fruit", "lawn", "playground", "vegetables")
_KEPT, _BY_AGE = np.array([-2.0, -0.1, 0.2, 0.3, -0.7, 1.0]), np.array([2, 5, 3, -4, -13, 1]) / 10
_BY_MULCH, _BY_PLENTY = np.array([-3, 1, 4, -7, -4, 4]) / 10, np.array([2, 0, 5, -9, -6, 5]) / 10
_BY_SPACE = np.array([4, -3, 8, 6, 3, -5]) / 10
_CLAY, _MULCHED, _PLENTY = 0.39, 0.44, 0.58
SUMS = (100, 200, 300, 500, 800, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 6000, 8000, 10_000, 12_000, 15_000)

SCHEMA = sv.Schema(
    (
        sv.Categorical("colony", COLONIES),
        sv.Categorical("mostly", MOSTLY),
        sv.Ordinal("age", 20, 88, clip=True),
        sv.Ordinal("waited", 0, 96, clip=True),
        sv.Numeric("area", 0, 600, bins=24, nullable=True, clip=True),
        sv.Numeric(
            "paid",
            edges=(*(0, 100, 250, 500, 750, 1000, 1500, 2000, 2500, 3000), *(4e3, 5e3, 6e3, 8e3, 1e4, 12e3, 15e3, 2e4)),
            nullable=True,
            clip=True,
        ),
        sv.Ordinal("rules", 1, 5),
        sv.Categorical("clay", ("no", "yes")),
        sv.Categorical("mulched", ("no", "yes")),
        sv.Categorical("plenty", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many keepers, each of one garden."""
    clay, mulched = (happens(generator, np.full(count, share)) for share in (_CLAY, _MULCHED))
    plenty = entwined(generator, (clay, _CLAY), (mulched, _MULCHED), share=_PLENTY, interaction=-0.05)
    young = happens(generator, np.full(count, 0.42))
    years = np.where(young, generator.normal(38, 6.5, count), 88 - generator.gamma(4.0, 5.4, count))
    age = np.clip(np.floor(years), 20, 88)
    old = (age - 54) / 16
    colony = pick(generator, np.exp(_GARDENS + np.outer(clay - _CLAY, _HEAVY) + np.outer(old, _OLD)))
    usual = happens(generator, np.full(count, 0.5))
    own = rounded(generator, _AREA[colony] * generator.lognormal(0.0, 0.3, count), steps={10: 0.4, 50: 0.4})
    area = np.where(usual, _AREA[colony], np.clip(own, 60, 600))
    kept = _KEPT + np.outer(old, _BY_AGE) + np.outer(np.log(area / 250), _BY_SPACE)
    kept += np.outer(mulched - _MULCHED, _BY_MULCH) + np.outer(plenty - _PLENTY, _BY_PLENTY)
    mostly = pick(generator, np.exp(kept))
    family = happens(generator, logistic(-1.7 + 0.3 * old))
    months = _MONTHS[colony] * np.exp(-0.45 * old) * generator.gamma(2.2, 1 / 2.2, count)
    paid = _SUM[colony] * np.sqrt(area / _AREA[colony]) * np.exp(-0.25 * old) * generator.lognormal(0.0, 0.65, count)
    gift = happens(generator, np.where(_SUM[colony] < 2000, 0.15, 0.03))
    leisure = np.isin(mostly, (MOSTLY.index("lawn"), MOSTLY.index("playground")))
    return {
        "colony": np.array(COLONIES)[colony],
        "mostly": np.array(MOSTLY)[mostly],
        "age": age,
        "waited": np.where(family, 0, np.minimum(rounded(generator, months, steps={3: 0.1, 6: 0.25, 12: 0.5}), 96)),
        "area": withheld(generator, area, np.where(usual, 0.05, 0.12)),
        "paid": withheld(
            generator,
            np.where(gift, 0.0, favoured(generator, np.clip(paid, 50, 20_000), SUMS, share=0.7)),
            np.where(family, 1.0, logistic(-2.4 + 0.6 * old)),
        ),
        "rules": opinion(generator, _STRICT[colony] - 0.25 * old + 0.5 * leisure, cuts=(-1.7, -0.9, 0.7, 1.4)),
        "clay": words(clay),
        "mulched": words(mulched),
        "plenty": words(plenty),
    }


CROWD = Crowd(
    name="allotments",
    summary="Keepers of allotment gardens: eighteen colonies, the usual area, months waited, sums the old forgot.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("colony", "Alder Row", "Canal Side", "East Bank", "Kiln Meadow", "Larkfield", "Mill Race", "Railway"),
        *each_of("colony", "Larkfield", "Foundry"),
        is_in("mostly", "fruit", "vegetables"),
        *each_of("mostly", "lawn", "bees"),
        *(at_least("age", 50), at_most("age", 34), at_least("age", 70)),
        *(at_least("waited", 18), at_most("waited", 0), at_least("waited", 48)),
        *(at_least("area", 250), at_most("area", 150), at_least("area", 400), missing("area")),
        *(at_least("paid", 2000), at_most("paid", 500), at_least("paid", 6000), missing("paid")),
        *(at_least("rules", 4), at_most("rules", 2)),
        is_in("clay", "yes"),
        is_in("mulched", "yes"),
        is_in("plenty", "yes"),
    ),
    groups=(
        each_of("colony", "Larkfield", "Beechcroft", "Hilltop", "Canal Side", "Junction", "Quarry", "Priory"),
        each_of("mostly", *MOSTLY),
        (at_most("age", 39), between("age", 40, 59), at_least("age", 65)),
        (at_most("waited", 6), between("waited", 12, 24), at_least("waited", 36)),
        (at_most("area", 200), between("area", 200, 300), at_least("area", 350)),
        (at_most("paid", 1000), between("paid", 1000, 4000), at_least("paid", 5000)),
        (at_most("rules", 2), at_least("rules", 4)),
        each_of("clay", "yes", "no"),
        each_of("mulched", "yes", "no"),
        each_of("plenty", "yes", "no"),
    ),
    related=(
        *(("area", "colony"), ("waited", "age"), ("paid", "colony"), ("mostly", "age"), ("colony", "clay")),
        *(("waited", "colony"), ("paid", "waited"), ("mostly", "plenty"), ("rules", "mostly")),
    ),
    together=("plenty", "clay", "mulched"),
)
