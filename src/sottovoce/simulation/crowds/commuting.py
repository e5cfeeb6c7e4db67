"""Commuters of a city region: fourteen districts, how they travel, how long, at what cost, and how they like it.

District decides how people travel, and with it the minutes, irregularly: neighbours in the list have nothing in common.
Minutes are said in fives, tens and quarters. What a ticket costs is skewed and often not told. Flexible hours, an early
start and a stressful week hang together as three, every pair of them being independent. Handedness goes with nothing.
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
    opinion,
    pick,
    rounded,
    spread,
    withheld,
    words,
)

DISTRICTS = (
    *("Aldermoor", "Brant", "Coldwell", "Dunmere", "Eastgate", "Fenwick", "Garth"),
    *("Holloway", "Ings", "Jarrow Hill", "Kilnside", "Lowfield", "Market", "Northpark"),
)
_DISTRICT_SHARES = (0.12, 0.03, 0.09, 0.07, 0.13, 0.025, 0.08, 0.06, 0.1, 0.04, 0.075, 0.02, 0.09, 0.07)
_DISTRICT_MINUTES = np.array([34, 52, 18, 41, 25, 61, 22, 47, 29, 16, 38, 57, 14, 31])
_DISTRICT_RAILS = np.array([0.2, -0.9, 0.9, -0.4, 1.1, -1.4, 0.5, 0.8, -0.2, 0.4, -0.8, -1.2, 1.3, 0.1])

MODES = ("car", "train", "bus", "bicycle", "on foot", "taxi")
_EARLY, _FLEXIBLE = 0.42, 0.55

SCHEMA = sv.Schema(
    (
        sv.Categorical("district", DISTRICTS),
        sv.Categorical("mode", MODES),
        sv.Ordinal("minutes", 0, 90, clip=True),
        sv.Numeric("cost", 0, 300, bins=60, nullable=True, clip=True),
        sv.Ordinal("days", 0, 6),
        sv.Ordinal("contentment", 1, 5),
        sv.Categorical("flexible", ("no", "yes")),
        sv.Categorical("early", ("no", "yes")),
        sv.Categorical("stressed", ("no", "yes")),
        sv.Categorical("handedness", ("right", "left", "both")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many commuters."""
    district = spread(generator, _DISTRICT_SHARES, count)
    typical = generator.gamma(9.0, _DISTRICT_MINUTES[district] / 9.0)
    rails, near = _DISTRICT_RAILS[district], typical < 16
    scores = np.stack(
        [0.9 - 0.5 * rails, 0.1 + rails, -0.2 + 0 * rails, -0.9 + 1.4 * near, -2.5 + 3.2 * near, -1.7 + 0 * rails], 1
    )
    mode = pick(generator, np.exp(scores))
    minutes = typical * np.array([0.8, 1.05, 1.4, 0.8, 0.9, 0.75])[mode]
    days = generator.binomial(6, np.array([0.72, 0.52, 0.66, 0.66, 0.7, 0.35])[mode])
    price = generator.lognormal(np.array([4.5, 4.25, 3.8, 2.3, 1.6, 4.9])[mode] + 0.004 * (minutes - 30), 0.55)
    flexible, early = (happens(generator, np.full(count, share)) for share in (_FLEXIBLE, _EARLY))
    stressed = entwined(generator, (flexible, _FLEXIBLE), (early, _EARLY), share=0.4, interaction=0.06)
    content = 0.6 - 0.035 * (minutes - 28) - 0.5 * (mode == 2) + 0.4 * (mode == 3)
    return {
        "district": np.array(DISTRICTS)[district],
        "mode": np.array(MODES)[mode],
        "minutes": np.clip(rounded(generator, minutes, steps={5: 0.5, 10: 0.1, 15: 0.2}), 0, 90),
        "cost": withheld(generator, np.clip(price, 0, 300), np.where(mode == 0, 0.28, 0.1)),
        "days": days,
        "contentment": opinion(generator, content),
        "flexible": words(flexible),
        "early": words(early),
        "stressed": words(stressed),
        "handedness": np.array(("right", "left", "both"))[spread(generator, (0.87, 0.1, 0.03), count)],
    }


CROWD = Crowd(
    name="commuting",
    summary="Commuters of a city region: district, mode, minutes said in fives, cost often untold, contentment.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("district", "Aldermoor", "Coldwell", "Eastgate", "Garth", "Ings", "Market"),
        *each_of("district", "Fenwick", "Eastgate"),
        is_in("mode", "car"),
        is_in("mode", "train", "bus"),
        is_in("mode", "taxi"),
        at_least("minutes", 30),
        at_most("minutes", 14),
        at_least("minutes", 60),
        at_most("cost", 75),
        at_least("cost", 150),
        missing("cost"),
        at_least("days", 4),
        at_most("days", 2),
        at_least("contentment", 4),
        at_most("contentment", 2),
        is_in("flexible", "yes"),
        is_in("early", "yes"),
        is_in("stressed", "yes"),
        is_in("handedness", "right"),
        is_in("handedness", "left"),
    ),
    groups=(
        each_of("district", "Market", "Aldermoor", "Fenwick", "Lowfield", "Ings", "Holloway", "Coldwell"),
        each_of("mode", "car", "train", "bus", "bicycle", "taxi"),
        (at_most("minutes", 19), between("minutes", 20, 39), at_least("minutes", 40)),
        (at_most("days", 2), at_least("days", 4)),
        each_of("flexible", "yes", "no"),
        each_of("early", "yes", "no"),
        each_of("handedness", "right", "left", "both"),
    ),
    related=(
        *(("minutes", "district"), ("mode", "district"), ("contentment", "minutes"), ("cost", "mode")),
        *(("contentment", "district"), ("days", "mode"), ("cost", "minutes"), ("minutes", "mode")),
    ),
    together=("stressed", "flexible", "early"),
)
