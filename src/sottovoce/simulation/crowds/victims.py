"""Victims of crime: what happened in the last year, where, own age, months ago, loss, hours lost, fear, reported.

Fifteen offences differ in where they happen, in the victim's age, in loss, in fear and in hours lost on papers, locks
and doctors, each in its own way and in no order; some happen in one place only. Who was beaten, threatened, harassed or
stalked is not asked for a loss. Banks mostly make good what was done with a card, so that nothing was lost; other sums
are round. Who did not report it often never added up, and the old do not like to say. What is small and was told to
nobody is soon forgotten; later months are said in quarters and halves of a year. Hours are said in halves when few, in
fives, tens and working days later, and not known any more when it is long ago. Most are a little afraid afterwards, the
old more, except of what happened online. Darkness, knowing who it was and reporting it hang together as three and never
as pairs (by day one settles it with those one knows, and nobody can describe a stranger in the dark), but not apart
from the rest: stalkers are known and pickpockets are not.
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
    opinion,
    pick,
    rounded,
    withheld,
    words,
)

OFFENCES = (
    *("assault", "bicycle theft", "burglary", "car break-in", "card fraud", "harassment", "mugging", "online fraud"),
    *("pickpocketing", "shed break-in", "stalking", "swindle", "threat", "vandalism", "workplace theft"),
)
_COMMON = np.log([7, 11, 5, 9, 9, 7, 3, 13, 10, 5, 2.2, 3.5, 6, 12, 3])
_DARK = np.array([12, 4, 2, 12, -14, 6, 15, -16, -6, 14, 1, -17, 2, 13, -15]) / 10
_KNOWN = np.array([15, -16, -9, -18, -10, 8, -12, -11, -22, -6, 30, 4, 22, -3, 13]) / 10
_TOLD = np.array([1, 8, 17, 10, -1, -17, 9, -10, -2, 3, 4, 6, -8, -4, -9]) / 10
_AGE = np.array([29, 35, 55, 44, 48, 30, 27, 41, 47, 52, 34, 69, 38, 49, 37])
_LOSS = np.array([0, 480, 1700, 340, 300, 0, 110, 85, 75, 190, 0, 2400, 0, 310, 55])
_HOURS = np.array([9, 3, 17, 6, 2.5, 4, 7, 1.6, 5, 4.5, 28, 11, 2.2, 3.5, 2])
_FEAR = np.array([8, -8, 11, -4, -6, 5, 12, -11, -2, -1, 16, 2, 9, -6, -9]) / 10
_UNASKED = np.isin(OFFENCES, ("assault", "harassment", "stalking", "threat"))

PLACES = ("home", "online", "parked", "pub", "street", "transport", "work")
_HAPPENS = np.array(
    [
        *([20, 0, 3, 28, 35, 7, 7], [26, 0, 24, 5, 28, 14, 3], [97, 0, 0, 0, 0, 0, 3], [15, 0, 60, 2, 20, 0, 3]),
        *([2, 74, 1, 8, 6, 7, 2], [10, 30, 1, 15, 19, 15, 10], [1, 0, 6, 8, 65, 20, 0], [2, 98, 0, 0, 0, 0, 0]),
        *([0, 0, 1, 22, 32, 44, 1], [96, 0, 3, 0, 0, 0, 1], [32, 38, 1, 2, 17, 3, 7], [52, 32, 1, 2, 12, 1, 0]),
        *([24, 22, 3, 10, 21, 6, 14], [30, 0, 42, 1, 24, 1, 2], [0, 0, 2, 0, 0, 0, 98]),
    ]
)
_AT_NIGHT, _REPORTED, _KNEW = 0.38, 0.44, 0.31
SUMS = (20, 50, 100, 150, 200, 300, 500, 800, 1000, 1500, 2000, 3000, 5000, 10_000)

SCHEMA = sv.Schema(
    (
        sv.Categorical("offence", OFFENCES),
        sv.Categorical("place", PLACES),
        sv.Ordinal("age", 16, 90, clip=True),
        sv.Ordinal("months", 0, 12, clip=True),
        sv.Numeric(
            "loss",
            edges=(*(0, 20, 40, 60, 80, 100, 150, 200, 300, 400, 500), *(750, 1000, 1500, 2000, 3000, 5000, 1e4, 2e4)),
            nullable=True,
            clip=True,
        ),
        sv.Numeric("hours", edges=(0, 0.5, 1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 50, 100), nullable=True, clip=True),
        sv.Ordinal("afraid", 1, 5),
        sv.Categorical("dark", ("no", "yes")),
        sv.Categorical("knew", ("no", "yes")),
        sv.Categorical("reported", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many victims, each asked about the last offence."""
    dark, knew = (happens(generator, np.full(count, share)) for share in (_AT_NIGHT, _KNEW))
    reported = entwined(generator, (dark, _AT_NIGHT), (knew, _KNEW), share=_REPORTED, interaction=0.043)
    kinds = _COMMON + np.outer(dark - _AT_NIGHT, _DARK) + np.outer(knew - _KNEW, _KNOWN)
    offence = pick(generator, np.exp(kinds + np.outer(reported - _REPORTED, _TOLD)))
    where = _HAPPENS[offence] * np.where(np.arange(7) == PLACES.index("pub"), 1 + dark[:, None], 1.0)
    where[:, PLACES.index("home")] *= np.where(knew, 1.8, 0.8)
    place = pick(generator, where)
    age = np.clip(np.floor(16 + generator.gamma((_AGE[offence] - 16) / 6, 6.0)), 16, 90)
    old = (age - 42) / 16
    lost = _LOSS[offence] * np.exp(0.1 * old) * generator.lognormal(0.0, 0.8, count)
    refunded = happens(generator, np.where(offence == OFFENCES.index("card fraud"), 0.6, 0.0))
    refunded |= happens(generator, np.where(offence == OFFENCES.index("online fraud"), 0.2, 0.0))
    fades = np.where(reported | (lost > 800), 0.04, 0.13)  # what was small and told to nobody is forgotten
    ago = -np.log1p(-generator.random(count) * (1 - np.exp(-13 * fades))) / fades
    months = np.floor(np.minimum(np.where(ago < 4, ago, rounded(generator, ago, steps={3: 0.2, 6: 0.35})), 12))
    hours = _HOURS[offence] * np.where(reported, 1.35, 0.6) * generator.lognormal(0.0, 0.85, count)
    days = np.maximum(rounded(generator, hours, steps={5: 0.3, 8: 0.3, 10: 0.15}), 5)
    said = np.where(hours < 5, np.round(hours), days)
    said = np.where(hours < 1.5, np.round(hours * 2) / 2, said)
    near = np.isin(place, (PLACES.index("home"), PLACES.index("street"), PLACES.index("transport")))
    fear = _FEAR[offence] + 0.3 * (dark & near) - 0.03 * months + 0.25 * old * (place != PLACES.index("online"))
    unsummed = 0.05 + 0.17 * ~reported + 0.15 * (age >= 65)
    return {
        "offence": np.array(OFFENCES)[offence],
        "place": np.array(PLACES)[place],
        "age": age,
        "months": months,
        "loss": withheld(
            generator,
            np.where(refunded, 0.0, favoured(generator, np.clip(lost, 3, 19_900), SUMS, share=0.7)),
            np.where(_UNASKED[offence], 1.0, unsummed),
        ),
        "hours": withheld(generator, np.minimum(said, 99), 0.02 + 0.012 * months),
        "afraid": opinion(generator, fear + 0.2 * knew, cuts=(-0.9, 0.0, 0.9, 1.7)),
        "dark": words(dark),
        "knew": words(knew),
        "reported": words(reported),
    }


CROWD = Crowd(
    name="victims",
    summary="Victims of crime: fifteen offences, where, months ago, losses made good or never added up, fear.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("offence", "bicycle theft", "burglary", "car break-in", "mugging", "pickpocketing", "shed break-in"),
        *each_of("offence", "online fraud", "stalking"),
        is_in("offence", "assault", "harassment", "stalking", "threat"),
        is_in("place", "home", "parked"),
        *each_of("place", "online", "transport", "work"),
        *(at_least("age", 40), at_most("age", 24), at_least("age", 65)),
        *(at_least("months", 4), at_most("months", 0), at_least("months", 12)),
        *(at_least("loss", 200), at_most("loss", 20), at_least("loss", 1000), missing("loss")),
        *(at_least("hours", 4), at_most("hours", 1), at_least("hours", 15), missing("hours")),
        *(at_least("afraid", 3), at_most("afraid", 1), at_least("afraid", 5)),
        is_in("dark", "yes"),
        is_in("knew", "yes"),
        is_in("reported", "yes"),
    ),
    groups=(
        each_of(
            "offence", "online fraud", "vandalism", "bicycle theft", "pickpocketing", "assault", "burglary", "swindle"
        ),
        each_of("place", *PLACES),
        (at_most("age", 29), between("age", 30, 49), at_least("age", 60)),
        (at_most("months", 1), between("months", 2, 5), at_least("months", 8)),
        (at_most("loss", 100), between("loss", 150, 500), at_least("loss", 750)),
        (at_most("hours", 2), between("hours", 3, 8), at_least("hours", 10)),
        (at_most("afraid", 1), between("afraid", 2, 3), at_least("afraid", 4)),
        each_of("dark", "yes", "no"),
        each_of("knew", "yes", "no"),
        each_of("reported", "yes", "no"),
    ),
    related=(
        *(("place", "offence"), ("age", "offence"), ("loss", "offence"), ("knew", "offence"), ("afraid", "offence")),
        *(("hours", "offence"), ("dark", "place"), ("reported", "offence"), ("months", "reported"), ("loss", "place")),
        *(("afraid", "age"), ("loss", "reported"), ("age", "place"), ("hours", "reported")),
    ),
    together=("reported", "dark", "knew"),
)
