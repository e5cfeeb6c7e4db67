"""Forecasts by a formula instead of by simulation, for tests of what commands do with them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import sottovoce as sv
from sottovoce.simulation.forecasting import Expected


def forecast_by_formula(schema: sv.Schema, **design: Any) -> sv.Forecast:
    """Return errors that shrink with epsilon and with the square root of the people, and grow with the attributes."""
    epsilon, users = Decimal(str(design["epsilon"])), design["users"]
    scale = 1 / (float(epsilon) * users**0.5)
    expected = tuple(
        Expected(number, scale * number, 2 * scale * number, 0.5 * scale * number, 1.5 * scale * number)
        for number in range(1, len(schema.attributes) + 1)
    )
    return sv.Forecast(design.get("mechanism", "spectral"), epsilon, users, expected)
