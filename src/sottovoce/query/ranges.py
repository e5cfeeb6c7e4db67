"""Ranges in the user's own values -> a batch of weights."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from sottovoce.attributes import Categorical
from sottovoce.errors import QueryError, RecordError
from sottovoce.query.batch import Batch, Floats, Selection, span_weights
from sottovoce.schema import AnyAttribute, Schema

Ranges = Mapping[str, Any]
"""One query: for each attribute it names, (low, high) if it is ordered, a list of values if it is categorical."""


def ranges_to_batch(schema: Schema, queries: Sequence[Ranges]) -> Batch:
    """Return the batch of weights that the queries ask for."""
    named: dict[int, tuple[list[int], list[Any]]] = {}
    for number, query in enumerate(queries):
        if not isinstance(query, Mapping):
            raise QueryError(f"query {number}: a query maps attribute names to ranges, got {query!r}")
        for name, asked in query.items():
            try:
                numbers_, ranges = named.setdefault(schema.position(name), ([], []))
            except (KeyError, TypeError):
                _refuse(number, f"unknown attribute {name!r}; this collection has {', '.join(schema.names)}")
            numbers_.append(number)
            ranges.append(asked)
    selections = {
        place: Selection(np.array(numbers_), _weights(schema.attributes[place], numbers_, ranges))
        for place, (numbers_, ranges) in sorted(named.items())
    }
    return Batch(len(queries), selections)


def _weights(attribute: AnyAttribute, queries: list[int], ranges: list[Any]) -> Floats:
    if isinstance(attribute, Categorical):
        weights = np.zeros((len(ranges), attribute.size))
        for row, (number, values) in enumerate(zip(queries, ranges, strict=True)):
            weights[row, _category_levels(attribute, number, values)] = 1.0
        return weights
    spans = [
        attribute.span(*_bounds(attribute.name, number, asked)) for number, asked in zip(queries, ranges, strict=True)
    ]
    starts, stops = zip(*spans, strict=True)
    return span_weights(starts, stops, attribute.size)


def _bounds(name: str, number: int, asked: Any) -> tuple[float, float]:
    try:
        low, high = asked
    except (TypeError, ValueError):
        _refuse(number, f"{name}: a range is a pair (low, high), got {asked!r}")
    for bound in (low, high):
        if type(bound) not in (int, float) and (isinstance(bound, bool) or not isinstance(bound, numbers.Real)):
            _refuse(number, f"{name}: a bound is a number, got {bound!r}")
        if math.isnan(bound):
            _refuse(number, f"{name}: a bound is not a number: {asked!r}; use -inf and inf for open ends")
    if low > high:
        _refuse(number, f"{name}: the range {asked!r} is reversed; give (low, high)")
    return low, high


def _category_levels(attribute: Categorical, number: int, values: Any) -> list[int]:
    if isinstance(values, str) or not isinstance(values, Sequence | set | frozenset):
        _refuse(number, f"{attribute.name}: give a list of values out of {attribute.domain}, got {values!r}")
    try:
        return [attribute.level(value) for value in values]
    except RecordError as error:
        _refuse(number, str(error))


def _refuse(number: int, why: str) -> NoReturn:
    raise QueryError(f"query {number}: {why}")
