"""Schemas and made-up crowds that the tests share; every crowd is determined by its seed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import sottovoce as sv

ATTRIBUTES = (
    sv.Ordinal("age", 18, 30),
    sv.Numeric("income", 0.0, 90.0, bins=10),
    sv.Categorical("region", ("north", "south", "east")),
    sv.Ordinal("children", 0, 4, nullable=True),
)
"""Unequal sizes, none a power of two but one, with every kind of attribute and a missing answer."""


def mixed_schema(attributes: int = 3) -> sv.Schema:
    """Return the schema of the first few attributes above."""
    return sv.Schema(ATTRIBUTES[:attributes])


def square_schema(attributes: int, levels: int) -> sv.Schema:
    """Return attributes a, b, c... that all take the integers below ``levels``."""
    return sv.Schema(tuple(sv.Ordinal("abcdefghij"[index], 0, levels - 1) for index in range(attributes)))


def mixed_crowd(people: int, *, seed: int) -> dict[str, np.ndarray]:
    """Return a crowd for any mixed schema, its attributes correlated."""
    generator = np.random.default_rng(seed)
    age = generator.integers(18, 31, people)
    income = np.clip((age - 18) * 4 + generator.normal(20, 15, people), 0, 90)
    region = np.array(["north", "south", "east"])[(generator.random(people) * (1 + (age > 24) * 2)).astype(int)]
    children = np.minimum(generator.poisson((age - 17) / 6), 4).astype(float)
    children[generator.random(people) < 0.2] = np.nan
    return {"age": age, "income": income, "region": region, "children": children}


def normal_crowd(
    people: int, *, attributes: int, levels: int, seed: int, covariance: float = 0.8
) -> dict[str, np.ndarray]:
    """Return correlated normal levels over equal bins of [-6, 6], for a square schema: the paper's Normal set.

    Args:
        people: How many.
        attributes: How many attributes, at most ten; they are named a to j.
        levels: How many levels each of them has.
        seed: The same seed gives the same people.
        covariance: Of any two attributes, whose variance is 1.
    """
    generator = np.random.default_rng(seed)
    shared = generator.standard_normal((people, 1)) * np.sqrt(covariance)
    own = generator.standard_normal((people, attributes)) * np.sqrt(1 - covariance)
    binned = np.clip(np.floor((shared + own + 6) / 12 * levels), 0, levels - 1).astype(np.int64)
    return {"abcdefghij"[index]: binned[:, index] for index in range(attributes)}


def fraction_inside(crowd: dict[str, np.ndarray], query: dict[str, tuple[int, int]]) -> float:
    """Return the true answer of a query over ranges of numbers."""
    inside = [(crowd[name] >= low) & (crowd[name] <= high) for name, (low, high) in query.items()]
    return float(np.mean(np.all(inside, axis=0)))


def records(table: dict[str, np.ndarray]) -> Iterator[dict[str, Any]]:
    """Yield a table's rows as plain Python records, NaN as None."""
    for row in zip(*(column.tolist() for column in table.values()), strict=True):
        yield {name: None if value != value else value for name, value in zip(table, row, strict=True)}  # noqa: PLR0124
