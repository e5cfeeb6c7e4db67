"""People looking for work: which trade, how the last job ended, age, months without, last wage, applications, hope.

Eighteen trades differ in wage, in age, in how jobs end and in how long the search takes, each in its own way and in no
order; some end every winter with a contract, in others firms close. Ages of those without children have two humps. The
search is longer for the old and after an illness; up to half a year it is said in months, later in quarters, halves and
whole years. The office wants to see ten applications in four weeks during the first year, so that many say just ten;
later hardly anybody counts, and who was ill may write none. Many applications mean hope in the first months and the
contrary after a year. Who never had a job has seldom a wage to tell, from work beside school, and who was dismissed or
earned much says it less often; in some trades many had only a small job, at the rate up to which no tax is due. Car,
children and shifts hang together as three and never as pairs (by night no bus goes, and who drives the children in the
morning cannot work then; without a car it is done in turn with whoever is at home), but not apart from the rest:
drivers have cars, parents are in the middle of life, and some trades know no shifts.
Held out: nothing is to be tuned on this crowd.
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

TRADES = (
    *("any", "baker", "bookkeeper", "builder", "carer", "cleaner", "cook", "driver", "electrician", "gardener"),
    *("hairdresser", "journalist", "mechanic", "programmer", "sales", "secretary", "teacher", "warehouse"),
)
_COMMON = np.log([13, 2.4, 5, 8, 6, 9, 7, 6, 2.8, 4, 3, 2.5, 4, 3.5, 11, 7, 3, 10])
_SHIFTS = np.array([2, 9, -14, -9, 13, 2, 12, 4, -3, -13, -8, -3, 3, -8, 0, -17, -16, 11]) / 10
_CAR = np.array([-7, 1, 4, 5, 2, -8, -4, 16, 9, 3, -3, 2, 9, -3, 0, 2, 3, -2]) / 10
_CHILDREN = np.array([-3, -2, 3, -4, 4, 6, -3, -1, -2, -4, 3, -2, -5, -6, 3, 8, 4, -1]) / 10
_WAGE = np.array([13, 15, 22, 19, 16, 11, 14, 17, 24, 14, 12, 23, 20, 33, 15, 18, 27, 16]) * 100
_OLDER = np.array([-4, 2, 6, 3, -1, 5, -5, 6, -3, 2, -9, 1, -2, -7, -3, 8, -1, 0])
_LONG = np.array([5, -1, 0, -4, -12, 2, -7, -3, -10, -2, -4, 8, -3, -2, 1, 5, -2, 0]) / 10
_SMALL = np.array([14, 5, 2, 1, 7, 40, 16, 6, 1, 8, 12, 6, 1, 0, 24, 9, 3, 10]) / 100

ENDS = ("closed", "contract", "dismissed", "first job", "illness or care", "notice given")
_ENDED, _AGED = np.array([-0.3, 0.4, 0.2, -2.5, -0.7, -0.3]), np.array([5, -2, 0, -21, 4, -3]) / 10
_CLOSING = np.array([-5, 12, -2, 3, -14, -4, 3, -1, -6, -9, 0, 9, 2, -3, 7, 1, -15, 2]) / 10
_SEASONS = np.array([1, -9, -8, 9, -3, 1, 6, -2, -7, 15, -11, 6, -6, 2, -2, -4, 13, 8]) / 10
_WORN = np.array([-1, 4, -5, 4, 9, 5, 0, 1, 0, 1, 4, -3, 1, -9, -1, -2, 4, 0]) / 10
_LASTS, _HOPES = np.array([0.0, -0.2, 0.15, -0.35, 0.6, -0.3]), np.array([-1, 1, -3, 4, -5, 3]) / 10
_HAS_CAR, _HAS_CHILDREN, _WOULD = 0.56, 0.34, 0.42

SCHEMA = sv.Schema(
    (
        sv.Categorical("trade", TRADES),
        sv.Categorical("ended", ENDS),
        sv.Ordinal("age", 16, 65, clip=True),
        sv.Ordinal("months", 0, 48, clip=True),
        sv.Numeric("earned", 0, 5000, bins=25, nullable=True, clip=True),
        sv.Ordinal("applied", 0, 30, clip=True),
        sv.Ordinal("hope", 1, 5),
        sv.Categorical("car", ("no", "yes")),
        sv.Categorical("children", ("no", "yes")),
        sv.Categorical("shifts", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many people who are registered as looking for work."""
    car, children = (happens(generator, np.full(count, share)) for share in (_HAS_CAR, _HAS_CHILDREN))
    shifts = entwined(generator, (car, _HAS_CAR), (children, _HAS_CHILDREN), share=_WOULD, interaction=-0.046)
    wish = _COMMON + np.outer(shifts - _WOULD, _SHIFTS) + np.outer(car - _HAS_CAR, _CAR)
    trade = pick(generator, np.exp(wish + np.outer(children - _HAS_CHILDREN, _CHILDREN)))
    young = happens(generator, np.full(count, 0.46))
    middle = np.where(children, 37.0, np.where(young, 25.0, 52.0)) + _OLDER[trade] * np.where(young, 0.5, 1.0)
    drawn = 16 + np.abs(middle + np.where(young, 5.0, 7.5) * generator.normal(size=count) - 16)
    age = np.clip(np.floor(66 - np.abs(66 - drawn)), 16, 65)
    old = (age - 40) / 13
    ends = _ENDED + np.outer(old, _AGED)
    for way, leaning in (("closed", _CLOSING), ("contract", _SEASONS), ("illness or care", _WORN)):
        ends[:, ENDS.index(way)] += leaning[trade]
    ends[:, ENDS.index("illness or care")] += 0.5 * children
    ended = pick(generator, np.exp(ends))
    never, ill = ended == ENDS.index("first job"), ended == ENDS.index("illness or care")
    drags = _LONG[trade] + _LASTS[ended] + 0.35 * old - 0.15 * car
    without = np.minimum(generator.gamma(0.9, 9.5 * np.exp(drags)), 120)
    months = np.where(without < 6, np.floor(without), rounded(generator, without, steps={3: 0.1, 6: 0.25, 12: 0.45}))
    small = happens(generator, _SMALL[trade] * np.where(children, 1.4, 0.9))
    parts = np.where(never | happens(generator, np.where(children, 0.45, 0.15)), 0.6, 1.0)
    wage = _WAGE[trade] * parts * np.exp(0.12 * np.minimum(old, 0.8)) * generator.lognormal(0.0, 0.22, count)
    earned = np.where(small, 520.0, rounded(generator, wage / 10, steps={5: 0.25, 10: 0.45}) * 10)
    first_year = without < 12
    keen = 7.0 * np.exp(0.3 * first_year - 0.15 * old - 0.35 * _LONG[trade]) * generator.gamma(1.6, 1 / 1.6, count)
    wrote = rounded(generator, generator.poisson(keen), steps={5: 0.35})
    wrote = np.where(first_year & happens(generator, np.where(wrote < 10, 0.38, 0.2)), 10.0, wrote)
    applied = np.minimum(np.where(happens(generator, np.where(ill, 0.42, 0.05)), 0.0, wrote), 30)
    tried = np.clip((applied - 8) / 8, -1, 1.5) * np.where(first_year, 0.35, -0.45)
    mood = 0.35 + tried + _HOPES[ended] - 0.5 * _LONG[trade] - 0.025 * np.minimum(without, 36) - 0.3 * (age >= 55)
    return {
        "trade": np.array(TRADES)[trade],
        "ended": np.array(ENDS)[ended],
        "age": age,
        "months": np.minimum(months, 48),
        "earned": withheld(
            generator,
            np.clip(earned, 100, 4990),
            np.where(never, 0.85, logistic(-2.5 + 0.6 * (ended == ENDS.index("dismissed")) + (wage - 1700) / 1200)),
        ),
        "applied": applied,
        "hope": opinion(generator, mood, cuts=(-1.3, -0.5, 0.4, 1.2)),
        "car": words(car),
        "children": words(children),
        "shifts": words(shifts),
    }


CROWD = Crowd(
    name="seekers",
    summary="People looking for work: eighteen trades, how the last job ended, months said in years, just ten letters.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("trade", "baker", "builder", "cook", "driver", "electrician", "gardener", "mechanic", "warehouse"),
        *each_of("trade", "sales", "driver"),
        is_in("ended", "closed", "contract", "dismissed"),
        *each_of("ended", "illness or care", "first job"),
        *(at_least("age", 40), at_most("age", 24), at_least("age", 55)),
        *(at_least("months", 6), at_most("months", 1), at_least("months", 12), at_least("months", 24)),
        *(at_least("earned", 1600), at_most("earned", 800), at_least("earned", 2400), missing("earned")),
        *(at_least("applied", 8), at_most("applied", 0), at_least("applied", 11), between("applied", 10, 10)),
        *(at_least("hope", 3), at_most("hope", 1), at_least("hope", 5)),
        is_in("car", "yes"),
        is_in("children", "yes"),
        is_in("shifts", "yes"),
    ),
    groups=(
        each_of("trade", "any", "sales", "warehouse", "cleaner", "builder", "carer", "secretary", "programmer"),
        each_of("ended", *ENDS),
        (at_most("age", 27), between("age", 30, 44), at_least("age", 52)),
        (at_most("months", 2), between("months", 4, 10), at_least("months", 18)),
        (at_most("earned", 1000), between("earned", 1200, 1800), at_least("earned", 2200)),
        (at_most("applied", 4), between("applied", 5, 9), at_least("applied", 12)),
        (at_most("hope", 2), at_least("hope", 4)),
        each_of("car", "yes", "no"),
        each_of("children", "yes", "no"),
        each_of("shifts", "yes", "no"),
    ),
    related=(
        *(("earned", "trade"), ("age", "trade"), ("ended", "trade"), ("months", "trade"), ("age", "children")),
        *(("shifts", "trade"), ("car", "trade"), ("months", "ended"), ("ended", "age"), ("applied", "ended")),
        *(("hope", "months"), ("earned", "children"), ("applied", "months"), ("hope", "trade")),
    ),
    together=("shifts", "car", "children"),
)
