"""Sets of queries over levels: random ranges as the paper draws them, and all marginals or all ranges of every pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Integers
from sottovoce.channels.plugins import load_plugin, package_of, plugins
from sottovoce.errors import ExperimentError
from sottovoce.experiments.specs import QUERY_KINDS, QuerySpec, check_member
from sottovoce.schema.schema import Schema

SIXTEENTHS = 16
"""Into how many parts the authors' generator divides a domain; the ends of a range lie on their edges."""

MOST_TRIES = 200
"""How many times as many queries as wanted are drawn before giving up on those with, or without, anybody inside."""


@dataclass(frozen=True, slots=True)
class QuerySet:
    """Queries that all name the same number of attributes; every array is queries by dimensions.

    Attributes:
        attributes: The attributes named, ascending.
        lows: The first level of each range.
        highs: The last level of each range.
    """

    attributes: Integers
    lows: Integers
    highs: Integers

    def __len__(self) -> int:
        return len(self.attributes)

    def __getitem__(self, part: slice | NDArray[np.bool_]) -> QuerySet:
        return QuerySet(self.attributes[part], self.lows[part], self.highs[part])

    @property
    def dimension(self) -> int:
        """How many attributes each query names."""
        return int(self.attributes.shape[1])

    def ranges(self, schema: Schema) -> list[dict[str, tuple[int, int]]]:
        """Return the queries in the form that models answer."""
        names = schema.names
        return [
            {names[index]: (low, high) for index, low, high in zip(*query, strict=True)}
            for query in zip(self.attributes.tolist(), self.lows.tolist(), self.highs.tolist(), strict=True)
        ]

    def texts(self, schema: Schema) -> list[str]:
        """Return the queries as SQL predicates.

        Example:
            >>> from sottovoce.schema import Ordinal
            >>> schema = Schema([Ordinal("a", 0, 7), Ordinal("b", 0, 7)])
            >>> QuerySet(np.array([[0, 1]]), np.array([[2, 3]]), np.array([[4, 5]])).texts(schema)
            ['a BETWEEN 2 AND 4 AND b BETWEEN 3 AND 5']
        """
        return [
            " AND ".join(f"{name} BETWEEN {low} AND {high}" for name, (low, high) in query.items())
            for query in self.ranges(schema)
        ]


CountInside = Callable[[QuerySet], Integers]
"""Says how many people each query holds."""


def draw_queries(spec: QuerySpec, attributes: int, levels: int, *, seed: int, count: CountInside) -> QuerySet:
    """Return the query set that a description asks for.

    Args:
        spec: What to draw.
        attributes: How many attributes there are.
        levels: How many levels each has.
        seed: The same seed gives the same queries.
        count: Asked only where the description speaks of how many people are inside.
    """
    check_member("a kind of queries", spec.kind, (*QUERY_KINDS, *plugins("queries")))
    if not 1 <= spec.dimension <= attributes:
        raise ExperimentError(f"a query names 1 to {attributes} of the attributes, got {spec.dimension}")
    if not 0 < spec.volume <= 1:
        raise ExperimentError(f"the volume of a query is above 0 and at most 1, got {spec.volume}")
    if spec.kind not in QUERY_KINDS:
        return _of_plugin(spec, attributes, levels, seed)
    if spec.kind == "marginals":
        return _of_pairs(attributes, np.arange(levels), 1)
    if spec.kind == "ranges":  # the last start is left out: the paper has 15,360 on 15 pairs, 32 starts each way
        width = max(1, round(spec.volume * levels))
        return _of_pairs(attributes, np.arange(max(1, levels - width)), width)
    width, step = _width(spec, levels)
    generator = np.random.default_rng(seed)
    starts = np.arange(0, levels - width + 1, step)
    if spec.kind == "random":
        return _random(generator, (spec.count, spec.dimension), attributes, starts, width)
    return _by_count(spec, lambda: _random(generator, (spec.count, spec.dimension), attributes, starts, width), count)


def _of_plugin(spec: QuerySpec, attributes: int, levels: int, seed: int) -> QuerySet:
    """Return what a package draws: three arrays, queries by dimensions, of attributes, first and last levels."""
    draw = load_plugin("queries", spec.kind)
    asked = {"count": spec.count, "dimension": spec.dimension, "volume": spec.volume}
    drawn = [np.asarray(part) for part in draw(**asked, attributes=attributes, levels=levels, seed=seed)]
    if not _fits(drawn, spec.dimension, attributes, levels):
        raise ExperimentError(
            f"{spec.kind} of {package_of('queries', spec.kind)} should give attributes (ascending), first and last "
            f"levels, each integers of shape (queries, {spec.dimension}) within {attributes} attributes and {levels} "
            "levels"
        )
    return QuerySet(*(part.astype(np.int64) for part in drawn))


def _fits(drawn: list[Integers], dimension: int, attributes: int, levels: int) -> bool:
    shapes = {part.shape for part in drawn}
    if len(drawn) != 3 or len(shapes) != 1 or drawn[0].ndim != 2 or drawn[0].shape[1] != dimension:
        return False
    named, lows, highs = drawn
    return bool(
        all(part.dtype.kind in "iu" and part.size and part.min() >= 0 for part in drawn)
        and named.max() < attributes
        and highs.max() < levels
        and (np.diff(named, axis=1) > 0).all()
        and (lows <= highs).all()
    )


def _width(spec: QuerySpec, levels: int) -> tuple[int, int]:
    """Return how many levels a range holds, and how far apart the levels are at which it may start.

    Aligned ranges have both ends on sixteenths of the domain, as the authors' generator draws them: int(16 omega) of
    them, so that 0.3 is a quarter.
    """
    if not spec.aligned:
        return max(1, round(spec.volume * levels)), 1
    step, left = divmod(levels, SIXTEENTHS)
    if left:
        raise ExperimentError(
            f"ranges on sixteenths of the domain need a multiple of 16 levels, got {levels}; "
            "let ranges start anywhere (--anywhere), or change the levels"
        )
    return step * max(1, int(SIXTEENTHS * spec.volume)), step


def _random(
    generator: np.random.Generator, shape: tuple[int, int], attributes: int, starts: Integers, width: int
) -> QuerySet:
    order = generator.permuted(np.tile(np.arange(attributes), (shape[0], 1)), axis=1)
    lows = generator.choice(starts, shape)
    return QuerySet(np.sort(order[:, : shape[1]], axis=1), lows, lows + width - 1)


def _by_count(spec: QuerySpec, draw: Callable[[], QuerySet], count: CountInside) -> QuerySet:
    """Return the first random queries with, or without, anybody inside."""
    kept: list[QuerySet] = []
    for _ in range(MOST_TRIES):
        drawn = draw()
        kept.append(drawn[(count(drawn) == 0) == (spec.kind == "zero-count")])
        if sum(map(len, kept)) >= spec.count:
            return _joined(kept)[: spec.count]
    raise ExperimentError(
        f"among {MOST_TRIES * spec.count} random queries of dimension {spec.dimension} and volume {spec.volume} only "
        f"{sum(map(len, kept))} of {spec.count} are {spec.kind} queries; change the volume or the number of people"
    )


def _joined(parts: list[QuerySet]) -> QuerySet:
    columns = (np.concatenate([getattr(part, name) for part in parts]) for name in ("attributes", "lows", "highs"))
    return QuerySet(*columns)


def _of_pairs(attributes: int, starts: Integers, width: int) -> QuerySet:
    """Return every combination of two starts on every pair of attributes."""
    pairs = np.array(list(combinations(range(attributes), 2)))
    lows = np.stack([axis.ravel() for axis in np.meshgrid(starts, starts, indexing="ij")], axis=1)
    every = np.tile(lows, (len(pairs), 1))
    return QuerySet(np.repeat(pairs, len(lows), axis=0), every, every + width - 1)
