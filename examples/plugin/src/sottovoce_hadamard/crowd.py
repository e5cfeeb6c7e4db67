"""A data set and a kind of queries, for experiments: functions of the sizes and a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def ramps(*, users: int, attributes: int, levels: int, seed: int) -> NDArray[Any]:
    """Return people, attributes by people: of every attribute higher levels are likelier, and all are independent."""
    chances = np.arange(1.0, levels + 1)
    return np.random.default_rng(seed).choice(levels, (attributes, users), p=chances / chances.sum())


def lower_halves(
    *, count: int, dimension: int, volume: float, attributes: int, levels: int, seed: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return queries that start at the lowest level: attributes named, first and last levels, queries by dimensions."""
    generator = np.random.default_rng(seed)
    named = np.sort([generator.permutation(attributes)[:dimension] for _ in range(count)], axis=1)
    lows = np.zeros((count, dimension), dtype=np.int64)
    highs = generator.integers(1, max(2, int(2 * volume * levels)), (count, dimension)).clip(max=levels - 1)
    return named, lows, highs
