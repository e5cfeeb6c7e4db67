"""Telemetry of an app: twenty countries, platforms and versions, waiting times, crashes, sessions and money spent.

The waiting time depends on the country, in no order, and on the platform; crashes on the version. Most spend nothing or
do not say, a few spend much. Dark mode, notifications and coming back hang together as three and never as pairs. Three
in a hundred are in the beta.
"""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from sottovoce.simulation.crowds.clauses import at_least, at_most, between, each_of, is_in, missing
from sottovoce.simulation.crowds.crowd import Crowd
from sottovoce.simulation.crowds.drawing import Columns, entwined, happens, pick, rounded, spread, withheld, words

COUNTRIES = (
    *("AR", "AU", "BR", "CA", "CL", "DE", "ES", "FR", "ID", "IN"),
    *("IT", "JP", "KE", "MX", "NG", "PL", "TR", "UK", "US", "ZA"),
)
_SHARES = (3, 2, 9, 4, 2, 8, 5, 7, 6, 14, 5, 4, 2, 5, 3, 3, 4, 6, 12, 2)
_WAIT = np.array([310, 190, 260, 120, 420, 95, 150, 110, 480, 370, 175, 90, 620, 240, 540, 135, 290, 100, 85, 450])
_RICH = np.array([-2, 5, -3, 4, -1, 4, 1, 3, -6, -7, 2, 5, -6, -2, -7, 0, -4, 4, 6, -3]) / 6

PLATFORMS = ("android", "ios", "web", "windows", "tv")
VERSIONS = ("7.0", "7.1", "7.2", "8.0", "8.1", "8.2 beta")
_DARK, _NOTIFIED = 0.48, 0.4

SCHEMA = sv.Schema(
    (
        sv.Categorical("country", COUNTRIES),
        sv.Categorical("platform", PLATFORMS),
        sv.Categorical("version", VERSIONS),
        sv.Numeric("wait", 0, 1200, bins=48, clip=True),
        sv.Ordinal("crashes", 0, 8, clip=True),
        sv.Ordinal("sessions", 0, 40, clip=True),
        sv.Numeric(
            "spent", edges=(0, 1, 2, 3, 5, 7.5, 10, 15, 20, 30, 40, 60, 80, 120, 200, 500), clip=True, nullable=True
        ),
        sv.Categorical("dark_mode", ("no", "yes")),
        sv.Categorical("returned", ("no", "yes")),
        sv.Categorical("notified", ("no", "yes")),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many people who use the app."""
    country = spread(generator, _SHARES, count)
    rich = _RICH[country]
    scores = [0.9 - 0.9 * rich, 0.1 + 1.1 * rich, -0.4 + 0 * rich, -0.9 + 0.3 * rich, -2.4 + 0.6 * rich]
    platform = pick(generator, np.exp(np.stack(scores, 1)))
    base = np.array([[20, 18, 25, 19, 15, 3], [4, 8, 14, 30, 41, 3], [0.5, 1, 2, 20, 74, 2.5], [30, 20, 15, 20, 12, 3]])
    version = pick(generator, np.concatenate([base, base[:1]])[platform])
    wait = _WAIT[country] * np.array([1.15, 0.8, 1.0, 0.95, 1.6])[platform] * generator.gamma(6.0, 1 / 6, count)
    crashes = generator.poisson(
        np.array([0.35, 1.1, 0.5, 0.15, 0.25, 1.9])[version] * np.array([1.3, 0.7, 0.5, 1.1, 1.0])[platform]
    )
    sessions = generator.negative_binomial(1.6, 1.6 / (1.6 + np.clip(13 - 0.011 * wait - 1.1 * crashes, 1.5, None)))
    spent = generator.lognormal(1.3 + 0.75 * rich + 0.035 * np.minimum(sessions, 40), 1.1)
    dark, notified = (happens(generator, np.full(count, share)) for share in (_DARK, _NOTIFIED))
    returned = entwined(generator, (dark, _DARK), (notified, _NOTIFIED), share=0.5, interaction=0.075)
    return {
        "country": np.array(COUNTRIES)[country],
        "platform": np.array(PLATFORMS)[platform],
        "version": np.array(VERSIONS)[version],
        "wait": np.clip(rounded(generator, wait, steps={50: 0.15, 100: 0.1}), 0, 1200),
        "crashes": np.minimum(crashes, 8),
        "sessions": np.minimum(sessions, 40),
        "spent": withheld(generator, np.clip(spent, 0, 500), np.clip(0.6 - 0.2 * rich, 0, 1)),
        "dark_mode": words(dark),
        "returned": words(returned),
        "notified": words(notified),
    }


CROWD = Crowd(
    name="telemetry",
    summary="Telemetry of an app: twenty countries, platform, version, waiting time, crashes, sessions, money spent.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("country", "BR", "IN", "ID", "NG", "KE", "ZA", "AR", "CL", "MX", "TR"),
        *each_of("country", "US", "KE"),
        is_in("platform", "android"),
        is_in("platform", "tv"),
        is_in("version", "8.0", "8.1"),
        is_in("version", "7.1"),
        is_in("version", "8.2 beta"),
        at_least("wait", 150),
        at_least("wait", 400),
        at_least("crashes", 1),
        at_least("crashes", 3),
        at_least("sessions", 5),
        at_most("sessions", 1),
        at_least("sessions", 20),
        missing("spent"),
        at_least("spent", 10),
        is_in("dark_mode", "yes"),
        is_in("returned", "yes"),
        is_in("notified", "yes"),
    ),
    groups=(
        each_of("country", "US", "IN", "KE", "DE", "BR", "CL", "JP", "ID"),
        each_of("platform", "android", "ios", "web", "tv"),
        each_of("version", "7.0", "7.1", "8.1", "8.2 beta"),
        (at_most("wait", 150), between("wait", 150, 400), at_least("wait", 400)),
        (at_most("crashes", 0), at_least("crashes", 2)),
        each_of("dark_mode", "yes", "no"),
        each_of("notified", "yes", "no"),
    ),
    related=(
        *(("wait", "country"), ("platform", "country"), ("crashes", "version"), ("version", "platform")),
        *(("spent", "country"), ("sessions", "wait"), ("wait", "platform"), ("sessions", "crashes")),
    ),
    together=("returned", "dark_mode", "notified"),
)
