"""Farms: district, main crop, hectares, workers, income or loss, the farmer's age, watering, support, days of harvest.

Districts differ in rain, slopes and soil, in no order, and with them in crops. Hectares are skewed and follow the crop;
vines, fruit and hops take many hands. Watering pays in dry districts and costs in wet ones, so that income hardly goes
with it until the district is known. Income may be a loss, and is told less the further it lies from the middle. The
harvest is said in weeks. The farmer's age goes with being organic, weakly with workers, and with no district or crop.
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

DISTRICTS = (
    *("Arden", "Bleake", "Corrow", "Dunsop", "Elmet", "Farrow", "Glaze", "Hurst"),
    *("Ivel", "Kesgrave", "Lyme", "Marden", "Nidd", "Orwell", "Pendle", "Quern"),
)
_SHARES = (7, 5, 10, 2, 6, 8, 4, 9, 3, 7, 5, 11, 6, 2.5, 8, 6.5)
_DRY = np.array([6, -9, 2, -4, 10, -7, 8, -1, -11, 5, 12, -6, 3, -12, 9, -5]) / 10
_SLOPE = np.array([-5, 8, 1, 13, -9, 4, 10, -12, 6, -3, 7, -10, -6, 12, 0, -8]) / 10
_SOIL = np.array([9, -6, 13, -16, 4, -2, -12, 17, 2, -9, 11, 6, -14, -4, -7, 15])

CROPS = ("wheat", "maize", "potatoes", "rape", "grazing", "fruit", "vines", "hops")
_BASE, _BY_DRY = (1.0, 0.5, 0.0, 0.1, 0.8, -0.5, -0.9, -1.6), (0.5, -0.3, -0.7, 0.3, -1.2, 0.2, 1.6, -0.2)
_BY_SLOPE = (-0.8, -0.6, -0.3, -0.5, 1.1, 0.3, 1.0, -0.2)
_LAND, _HANDS = np.array([62, 48, 35, 55, 40, 14, 9, 16]), np.array([2, 2, 5, 2, 4, 26, 32, 24]) / 100
_WATERED, _DAYS = np.array([-4, 3, 9, -6, -14, 11, 2, 5]) / 10, np.array([13, 17, 20, 12, 10, 27, 22, 18])

WATERING = ("none", "sprinkler", "drip", "furrow")

SCHEMA = sv.Schema(
    (
        sv.Categorical("district", DISTRICTS),
        sv.Categorical("crop", CROPS),
        sv.Numeric(
            "hectares", edges=(0, 2, 4, 6, 8, 10, 13, 16, 20, 25, 30, 40, 50, 65, 80, 100, 130, 170, 250), clip=True
        ),
        sv.Ordinal("workers", 0, 12, clip=True),
        sv.Numeric("income", -40, 120, bins=40, nullable=True, clip=True),
        sv.Ordinal("age", 20, 79, clip=True),
        sv.Categorical("organic", ("no", "yes")),
        sv.Categorical("watering", WATERING),
        sv.Ordinal("support", 1, 5),
        sv.Ordinal("harvest", 0, 56, clip=True),
    )
)


def sample(count: int, generator: np.random.Generator) -> Columns:
    """Return that many farms."""
    district = spread(generator, _SHARES, count)
    dry, slope = _DRY[district], _SLOPE[district]
    crop = pick(generator, np.exp(np.array(_BASE) + np.outer(dry, _BY_DRY) + np.outer(slope, _BY_SLOPE)))
    hectares = _LAND[crop] * generator.lognormal(-0.15, 0.75, count)
    age = np.clip(np.floor(80 - generator.gamma(5.0, 4.9, count)), 20, 79)
    workers = generator.poisson(0.3 + 0.008 * (age - 50).clip(0) + _HANDS[crop] * np.minimum(hectares, 80))
    organic = happens(generator, logistic(-1.2 - 0.05 * (age - 54) + 0.8 * (crop == 4) - 0.9 * (crop == 2)))
    thirst = _WATERED[crop] + 0.8 * dry
    drops = [0.9 + 0 * dry, -0.3 + thirst, -1.0 + thirst + 1.2 * (crop >= 5), -2.4 + 0.5 * thirst]
    watering = pick(generator, np.exp(np.stack(drops, 1)))
    wet = 1.0 * (watering > 0)
    result = 22 + _SOIL[district] + 7 * np.log(hectares / 30) + 18 * wet * (dry - 0.15) + 4 * organic - 1.2 * workers
    income = result + 15 * generator.standard_t(4, count)
    days = _DAYS[crop] * np.sqrt(hectares / _LAND[crop]) * generator.gamma(8.0, 1 / 8, count)
    untold = logistic(-2.4 + 0.045 * np.minimum(np.abs(income - 22), 80))
    return {
        "district": np.array(DISTRICTS)[district],
        "crop": np.array(CROPS)[crop],
        "hectares": np.clip(rounded(generator, hectares, steps={5: 0.2, 10: 0.15}), 1, 250),
        "workers": np.minimum(workers, 12),
        "income": withheld(generator, np.clip(income, -40, 120), untold),
        "age": age,
        "organic": words(organic),
        "watering": np.array(WATERING)[watering],
        "support": opinion(generator, -0.5 + 0.9 * organic + 0.015 * np.clip(income, -40, 80)),
        "harvest": np.clip(rounded(generator, days, steps={7: 0.55, 10: 0.15}), 0, 56),
    }


CROWD = Crowd(
    name="farms",
    summary="Farms: sixteen districts, eight crops, hectares, workers, income or loss, watering, harvest in weeks.",
    schema=SCHEMA,
    sample=sample,
    events=(
        is_in("district", *DISTRICTS[1::2]),
        is_in("district", "Dunsop"),
        is_in("district", "Glaze", "Lyme", "Pendle"),
        is_in("crop", "wheat", "maize", "rape"),
        is_in("crop", "grazing"),
        is_in("crop", "hops"),
        at_least("hectares", 30),
        at_most("hectares", 10),
        at_least("workers", 2),
        at_most("workers", 0),
        at_least("income", 20),
        at_most("income", 0),
        missing("income"),
        at_least("age", 55),
        at_most("age", 39),
        is_in("organic", "yes"),
        is_in("watering", "none"),
        is_in("watering", "drip", "furrow"),
        at_least("support", 3),
        at_least("support", 5),
        at_least("harvest", 14),
        at_least("harvest", 28),
    ),
    groups=(
        each_of("district", "Marden", "Dunsop", "Hurst", "Elmet", "Orwell", "Lyme", "Nidd"),
        each_of("crop", "wheat", "potatoes", "grazing", "fruit", "vines", "hops"),
        (at_most("hectares", 16), between("hectares", 16, 50), at_least("hectares", 50)),
        (at_most("age", 44), at_least("age", 60)),
        each_of("organic", "yes", "no"),
        each_of("watering", *WATERING),
        (at_most("support", 2), at_least("support", 4)),
        (at_most("harvest", 10), at_least("harvest", 21)),
    ),
    related=(
        *(("income", "district"), ("crop", "district"), ("hectares", "crop"), ("harvest", "crop")),
        *(("watering", "district"), ("organic", "age"), ("support", "organic"), ("workers", "hectares")),
    ),
)
