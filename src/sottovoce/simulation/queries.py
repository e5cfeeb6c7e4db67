"""Typical queries: random ranges on a few attributes that hold a fair part of a crowd, with their true answers.

A range that holds hardly anyone, or almost everyone, is easily answered by any method; an error is worth stating for
queries that people would ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.query.batch import Batch, Selection
from sottovoce.schema.schema import Schema

LEAST, MOST = 0.1, 0.9
"""The part of the crowd that a typical query holds."""

_ROWS, _AT_ONCE, _ROUNDS = 4_000, 256, 40


@dataclass(frozen=True)
class Workload:
    """Queries on the same number of attributes, and their true answers."""

    dimensions: int
    batch: Batch
    truth: Floats


def typical_queries(
    schema: Schema, levels: Sequence[NDArray[Any]], dimensions: int, *, count: int, seed: int
) -> Workload:
    """Return random queries on ``dimensions`` attributes, judged on the people whose levels are given.

    Fewer than ``count`` come back where the crowd has few such ranges; none if it has none at all.

    Args:
        schema: What is asked.
        levels: One array for each attribute, all as long as there are people.
        dimensions: How many attributes a query names.
        count: How many queries.
        seed: The same seed gives the same queries.
    """
    generator = np.random.default_rng([seed, dimensions])
    rows = generator.choice(len(levels[0]), min(_ROWS, len(levels[0])), replace=False)
    sample = [column[rows] for column in levels]
    kept: list[dict[int, Floats]] = []
    for _ in range(_ROUNDS):
        drawn = [_draw(schema, dimensions, generator) for _ in range(_AT_ONCE)]
        kept += [query for query in drawn if LEAST <= _fraction(query, sample) <= MOST]
        if len(kept) >= count:
            break
    truths = [_fraction(query, levels) for query in kept[:count]]
    fair = [number for number, truth in enumerate(truths) if LEAST <= truth <= MOST]
    return Workload(
        dimensions, _batch(schema, [kept[number] for number in fair]), np.array([truths[number] for number in fair])
    )


def _draw(schema: Schema, dimensions: int, generator: np.random.Generator) -> dict[int, Floats]:
    """Return a random query: for each of some attributes, a range, or a set where there is no order."""
    chosen = np.sort(generator.choice(len(schema.attributes), dimensions, replace=False))
    query = {}
    for index in chosen.tolist():
        attribute = schema.attributes[index]
        weights = np.zeros(attribute.size)
        if attribute.ordered:
            low, high = np.sort(generator.integers(0, attribute.value_levels, 2))
            weights[low : high + 1] = 1
        else:
            weights[: attribute.value_levels] = generator.random(attribute.value_levels) < 0.5
        query[index] = weights
    return query


def _fraction(query: dict[int, Floats], levels: Sequence[NDArray[Any]]) -> float:
    inside = np.ones(len(levels[0]), dtype=bool)
    for index, weights in query.items():
        inside &= weights.astype(bool)[levels[index]]
    return float(inside.mean())


def _batch(schema: Schema, queries: Sequence[dict[int, Floats]]) -> Batch:
    selections = {}
    for index in range(len(schema.attributes)):
        naming = [number for number, query in enumerate(queries) if index in query]
        if naming:
            selections[index] = Selection(np.array(naming), np.array([queries[number][index] for number in naming]))
    return Batch(len(queries), selections)
