"""Visitors of a city's museums: where from, ticket, age, how many came together, minutes stayed, money spent, content.

Half of them say how long they stayed in half hours. The stay and the money go with the country, each in its own way and
in no order; four in ten spend nothing, and who spent much tells it less. The ticket follows age and party. Weekend,
rain and a queue at the door hang together as three and never as pairs, but not apart from the rest: parties are larger
at weekends, rain keeps people in a little longer, a queue annoys.
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
    happens,
    logistic,
    opinion,
    pick,
    rounded,
    spread,
    withheld,
    words,
)

HOMES = (
    *("Austria", "Belgium", "Britain", "China", "Denmark", "France", "Germany"),
    *("Italy", "Japan", "Netherlands", "Norway", "Poland", "Spain", "United States"),
)
_SHARES = (2.5, 2, 8, 5, 27, 5, 13, 4, 3, 6, 7, 3.5, 4, 10)
_STAY = np.array([70, 96, 58, 41, 77, 102, 86, 66, 48, 108, 52, 94, 61, 80])
_PURSE = np.array([1, -4, 2, 9, -8, 0, -3, 3, 8, -5, 6, -9, -1, 7]) / 10
_AGE = np.array([50, 43, 46, 34, 44, 41, 52, 38, 57, 48, 45, 33, 36, 54])

TICKETS = ("full", "reduced", "family", "city pass", "free")
_WEEKEND, _RAIN = 0.44, 0.38

SCHEMA = sv.Schema(
    (
        sv.Categorical("home", HOMES),
        sv.Categorical("ticket", TICKETS),
        sv.Ordinal("age", 16, 85, clip=True),
        sv.Ordinal("party", 1, 9, clip=True),
        sv.Numeric("stayed", 0, 180, bins=60, clip=True),
        sv.Numeric("spent", 0, 100, bins=50, nullable=True, clip=True),
        sv.Ordinal("content", 1, 5),
        sv.Categorical("weekend", ("no", "yes")),
        sv.Categorical("queued", ("no", "yes")),
        sv.Categorical("rain", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many visitors."""
    home = spread(generator, _SHARES, count)
    weekend, rain = (happens(generator, np.full(count, share)) for share in (_WEEKEND, _RAIN))
    queued = entwined(generator, (weekend, _WEEKEND), (rain, _RAIN), share=0.45, interaction=0.05)
    age = np.minimum(np.floor(16 + generator.gamma(4.0, (_AGE[home] - 15) / 4)), 85)
    parent = np.abs(age - 40) < 9
    alone, crowd = logistic(-1.6 - 0.7 * weekend - 0.9 * parent), generator.poisson(0.25 + 0.5 * weekend + 1.1 * parent)
    party = np.where(happens(generator, alone), 1, 2 + crowd)
    local = home == HOMES.index("Denmark")
    scores = [0.9 + 0 * age, 1.4 - 0.22 * np.minimum(age - 22, 20) + 0.25 * np.maximum(age - 64, 0)]
    scores += [-2.6 + 1.9 * (party >= 3) + 1.6 * parent, -0.3 - 2.2 * local, -3.0 + 1.7 * local]
    ticket = pick(generator, np.exp(np.stack(scores, 1)))
    hurry = np.array([1.0, 0.95, 0.8, 0.75, 1.2])[ticket]
    stayed = hurry * _STAY[home] * generator.gamma(7.0, 1 / 7, count) + 7 * rain
    buys = happens(generator, logistic(0.1 + 0.012 * (stayed - 75) + 0.4 * (party - 2)))
    spent = buys * generator.lognormal(2.7 + 0.8 * _PURSE[home] + 0.12 * (party - 2), 0.6)
    mood = 0.5 + 0.012 * (stayed - 75) - 0.45 * queued + 0.3 * (ticket == 4)
    return {
        "home": np.array(HOMES)[home],
        "ticket": np.array(TICKETS)[ticket],
        "age": age,
        "party": np.minimum(party, 9),
        "stayed": np.clip(rounded(generator, stayed, steps={10: 0.15, 30: 0.5}), 0, 180),
        "spent": withheld(generator, np.clip(spent, 0, 100), logistic(-2.3 + 0.03 * np.minimum(spent, 100))),
        "content": opinion(generator, mood),
        "weekend": words(weekend),
        "queued": words(queued),
        "rain": words(rain),
    }


CROWD = Crowd(
    name="visitors",
    summary="Visitors of museums: fourteen countries, ticket, age, party, minutes in half hours, often nothing spent.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("home", "Denmark", "Germany", "Netherlands", "Norway"),
        *each_of("home", "Denmark", "Belgium"),
        is_in("home", "China", "Japan", "United States"),
        is_in("ticket", "full"),
        is_in("ticket", "family", "city pass"),
        is_in("ticket", "free"),
        at_least("age", 40),
        at_most("age", 25),
        at_least("party", 3),
        at_most("party", 1),
        at_least("stayed", 60),
        at_least("stayed", 120),
        at_most("stayed", 45),
        at_least("spent", 2),
        at_least("spent", 30),
        missing("spent"),
        at_least("content", 4),
        at_most("content", 2),
        is_in("weekend", "yes"),
        is_in("queued", "yes"),
        is_in("rain", "yes"),
    ),
    groups=(
        each_of("home", "Denmark", "China", "France", "Belgium", "United States", "Poland", "Netherlands"),
        each_of("ticket", *TICKETS),
        (at_most("age", 29), between("age", 30, 54), at_least("age", 60)),
        (at_most("party", 1), between("party", 2, 2), at_least("party", 4)),
        (at_most("stayed", 60), between("stayed", 60, 90), at_least("stayed", 90)),
        each_of("rain", "yes", "no"),
        each_of("queued", "yes", "no"),
        each_of("weekend", "yes", "no"),
    ),
    related=(
        *(("stayed", "home"), ("spent", "home"), ("ticket", "age"), ("content", "stayed")),
        *(("party", "weekend"), ("age", "home"), ("content", "queued"), ("stayed", "ticket")),
    ),
    together=("queued", "weekend", "rain"),
)
