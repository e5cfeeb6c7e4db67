"""Ranges in the user's own values -> a batch of weights."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from sottovoce._checks import is_number
from sottovoce._types import Floats
from sottovoce.errors import QueryError, RecordError
from sottovoce.query.batch import Batch, Selection, SpanSelection
from sottovoce.schema.attributes import Categorical
from sottovoce.schema.schema import AnyAttribute, Schema

Ranges = Mapping[str, Any]
"""One query: for each attribute it names, (low, high) if it is ordered, a list of values if it is categorical."""

_PAIRS = {tuple, list, np.ndarray}


def ranges_to_batch(schema: Schema, queries: Sequence[Ranges], *, first: int = 0) -> Batch:
    """Return the batch of weights that the queries ask for.

    Args:
        schema: What the attributes are.
        queries: For each query the range, or the values, of every attribute that it names.
        first: The number of the first query, for messages, where they are part of a longer list.

    Raises:
        QueryError: If a query names an unknown attribute, or a range is reversed or none; it says which query.
    """
    try:
        return _to_batch(schema, queries)
    except _RefusedError as error:
        raise QueryError(f"query {first + error.number}: {error}") from error.__cause__


class _RefusedError(Exception):
    """A query that cannot be understood, by its number within the part at hand."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(why)
        self.number = number


def _to_batch(schema: Schema, queries: Sequence[Ranges]) -> Batch:
    named: dict[str, tuple[list[int], list[Any]]] = {name: ([], []) for name in schema.names}
    for number, query in enumerate(queries):
        if type(query) is not dict and not isinstance(query, Mapping):
            _refuse(number, f"a query maps attribute names to ranges, got {query!r}")
        for name, asked in query.items():
            if name not in named:
                _refuse(number, f"unknown attribute {name!r}; this collection has {', '.join(schema.names)}")
            naming, ranges = named[name]
            naming.append(number)
            ranges.append(asked)
    selections = {}
    for index, attribute in enumerate(schema.attributes):
        naming, ranges = named[attribute.name]
        if naming:
            selections[index] = _selection(attribute, naming, ranges)
    return Batch(len(queries), selections)


def _selection(attribute: AnyAttribute, naming: list[int], ranges: list[Any]) -> Selection:
    if isinstance(attribute, Categorical):
        weights = np.zeros((len(ranges), attribute.size))
        for row, (number, values) in enumerate(zip(naming, ranges, strict=True)):
            weights[row, _category_levels(attribute, number, values)] = 1.0
        return Selection(np.array(naming), weights)
    spans = attribute.spans(_bounds(attribute.name, naming, ranges))
    return SpanSelection(np.array(naming), spans, attribute.size)


def _bounds(name: str, naming: list[int], ranges: list[Any]) -> Floats:
    """Return the bounds, one row per range; whatever is not a pair of numbers in order is refused."""
    if not set(map(type, ranges)) <= _PAIRS or set(map(len, ranges)) != {2}:
        for number, asked in zip(naming, ranges, strict=True):
            if type(asked) not in _PAIRS or len(asked) != 2:
                _refuse(number, f"{name}: a range is a pair (low, high), got {asked!r}")
    if not set(map(type, chain.from_iterable(ranges))) <= {int, float}:
        for number, asked in zip(naming, ranges, strict=True):
            if any(not is_number(bound) for bound in asked):
                _refuse(number, f"{name}: a bound is a number, got {asked!r}")
    try:
        bounds = np.fromiter(chain.from_iterable(ranges), np.float64, 2 * len(ranges)).reshape(-1, 2)
    except OverflowError:
        number = next(n for n, asked in zip(naming, ranges, strict=True) if max(map(abs, asked)) > sys.float_info.max)
        _refuse(number, f"{name}: a bound is too large for a float; use -inf and inf for open ends")
    for wrong, why in (
        (np.isnan(bounds).any(axis=1), "holds NaN; use -inf and inf for open ends"),
        (bounds[:, 0] > bounds[:, 1], "is reversed; give (low, high)"),
    ):
        if wrong.any():
            row = int(wrong.argmax())
            _refuse(naming[row], f"{name}: the range {ranges[row]!r} {why}")
    return bounds


def _category_levels(attribute: Categorical, number: int, values: Any) -> list[int]:
    if isinstance(values, str) or not isinstance(values, Sequence | set | frozenset):
        _refuse(number, f"{attribute.name}: give a list of values out of {attribute.domain}, got {values!r}")
    levels = []
    for value in values:
        try:
            levels.append(attribute.level(value))
        except RecordError:
            _refuse(number, f"{attribute.name}: got {value!r}; allowed are {attribute.domain}")
    return levels


def _refuse(number: int, why: str) -> NoReturn:
    raise _RefusedError(number, why)
