"""An expression and a schema -> a signed sum of products, each product a region per attribute.

Negation is pushed to the leaves first, where SQL's rule holds: a comparison is neither true nor false of "no answer".
Then AND multiplies terms and OR adds them by inclusion and exclusion, exactly.
"""

from __future__ import annotations

import math
import numbers
from typing import Any, NoReturn

import msgspec
import numpy as np

from sottovoce._checks import is_number
from sottovoce.errors import QueryError, RecordError
from sottovoce.query.expression import And, Between, Compare, Constant, Expression, In, IsNull, Not, Or, Value
from sottovoce.query.region import Region, complement, intersect, interval, unite
from sottovoce.schema.attributes import Categorical, Numeric, Ordinal
from sottovoce.schema.schema import AnyAttribute, Schema

Product = tuple[tuple[int, Region], ...]
"""Regions of some attributes, by index; those not named are not restricted."""

Terms = dict[Product, int]
"""A signed sum of products."""

EVERYBODY: Terms = {(): 1}
"""What holds for everybody: one product that restricts nothing."""

MAX_TERMS = 4096
"""The most products that OR and NOT may be expanded to."""


def expand(schema: Schema, expression: Expression) -> Terms:
    """Return the signed sum of products that the expression stands for."""
    try:
        return _Expander(schema).terms(expression, negated=False)
    except RecursionError as error:
        raise QueryError("the predicate is nested too deeply; use IN for long lists of values") from error


class _Expander:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def terms(self, expression: Expression, *, negated: bool) -> Terms:
        match expression:
            case Not():
                return self.terms(expression.inner, negated=not negated)
            case And() | Or():
                left, right = (
                    self.terms(expression.left, negated=negated),
                    self.terms(expression.right, negated=negated),
                )
                return conjunction(left, right) if isinstance(expression, And) != negated else _either(left, right)
            case Constant():
                return {(): 1} if expression.truth != negated else {}
            case Compare() | Between() | In() | IsNull():
                index = self._index(expression.name, expression.offset)
                region = _leaf(self.schema.attributes[index], expression, negated=negated)
                return {((index, region),): 1} if region else {}
        raise QueryError(f"a predicate is a text or an expression made with col(), got {expression!r}")

    def _index(self, name: Any, offset: int | None) -> int:
        try:
            return self.schema.index(name)
        except (KeyError, TypeError) as error:
            known = ", ".join(self.schema.names)
            raise QueryError(_at(offset, f"unknown attribute {name!r}; this collection has {known}")) from error


def conjunction(left: Terms, right: Terms) -> Terms:
    """Return where both hold: every product of one with every product of the other."""
    if len(left) * len(right) > MAX_TERMS:
        raise QueryError(
            f"the predicate expands to more than {MAX_TERMS} products; use fewer ORs over different attributes"
        )
    result: Terms = {}
    for first, one in left.items():
        for second, other in right.items():
            product = _multiply(dict(first), second)
            if product is not None:
                _add(result, product, one * other)
    return result


def _either(left: Terms, right: Terms) -> Terms:
    merged = _same_attribute(left, right)
    if merged is not None:
        return merged
    result = dict(left)
    for product, coefficient in right.items():
        _add(result, product, coefficient)
    for product, coefficient in conjunction(left, right).items():
        _add(result, product, -coefficient)
    return result


def _same_attribute(left: Terms, right: Terms) -> Terms | None:
    """Return the union where both sides restrict one and the same attribute: a single product again."""
    if len(left) != 1 or len(right) != 1 or set(left.values()) | set(right.values()) != {1}:
        return None
    (first,), (second,) = left, right
    if len(first) != 1 or len(second) != 1 or first[0][0] != second[0][0]:
        return None
    return {((first[0][0], unite(first[0][1], second[0][1])),): 1}


def _multiply(regions: dict[int, Region], others: Product) -> Product | None:
    for attribute, region in others:
        regions[attribute] = intersect(regions[attribute], region) if attribute in regions else region
        if not regions[attribute]:
            return None
    return tuple(sorted(regions.items()))


def _add(terms: Terms, product: Product, coefficient: int) -> None:
    total = terms.get(product, 0) + coefficient
    if total:
        terms[product] = total
    else:
        terms.pop(product, None)


def _leaf(attribute: AnyAttribute, leaf: Compare | Between | In | IsNull, *, negated: bool) -> Region:
    """Return where a leaf is true, or false if negated; "no answer" is neither, but for IS NULL."""
    values = interval(0, attribute.value_levels)
    if isinstance(leaf, IsNull):
        return values if negated else interval(attribute.value_levels, attribute.size)
    region = _Leaf(attribute, leaf.offset).region(leaf)
    return complement(region, attribute.value_levels) if negated else region


class _Leaf:
    """Reads one comparison against its attribute."""

    def __init__(self, attribute: AnyAttribute, offset: int | None) -> None:
        self.attribute, self.offset = attribute, offset

    def region(self, leaf: Compare | Between | In) -> Region:
        if isinstance(leaf, In):
            if not leaf.values:
                self._refuse("IN needs at least one value")
            region: Region = ()
            for value in leaf.values:
                region = unite(region, self._point(value))
            return region
        if isinstance(leaf, Between):
            low, high = self._number(leaf.low), self._number(leaf.high)
            if low > high:
                self._refuse(f"BETWEEN {leaf.low!r} AND {leaf.high!r} is reversed")
            return self._range(low, high)
        if leaf.operator in ("=", "<>"):
            point = self._point(leaf.value)
            return point if leaf.operator == "=" else complement(point, self.attribute.value_levels)
        number = self._number(leaf.value)
        if isinstance(self.attribute, Ordinal) and leaf.operator in ("<", ">"):
            return complement(self._open(number, ">=" if leaf.operator == "<" else "<="), self.attribute.value_levels)
        return self._open(number, leaf.operator)

    def _open(self, number: float, operator: str) -> Region:
        infinite = float("inf")
        return self._range(number, infinite) if operator in (">", ">=") else self._range(-infinite, number)

    def _range(self, low: float, high: float) -> Region:
        assert not isinstance(self.attribute, Categorical)
        start, stop = self.attribute.spans(np.array([[low, high]], dtype=np.float64))[0].tolist()
        return interval(start, stop)

    def _point(self, value: Value) -> Region:
        if isinstance(self.attribute, Numeric):
            self._refuse(f"{value!r} is a single point, and a numeric attribute is known by bins: ask BETWEEN")
        if not isinstance(value, str | numbers.Real) or value != value:  # noqa: PLR0124 - NaN
            self._refuse(f"a comparison with {value!r}; compare with {self.attribute.domain}, or use IS NULL")
        try:
            level = as_queried(self.attribute).level(value)
        except RecordError as error:
            self._refuse(f"got {value!r}; allowed are {self.attribute.domain}", error)
        return interval(level, level + 1)

    def _number(self, value: Value) -> float:
        if isinstance(self.attribute, Categorical):
            self._refuse(f"its values have no order; ask = or IN with {self.attribute.domain}")
        if isinstance(self.attribute, Ordinal) and isinstance(value, str) and value in (self.attribute.labels or ()):
            return self.attribute.integers[(self.attribute.labels or ()).index(value)]
        if not is_number(value) or value != value:  # noqa: PLR0124 - NaN
            self._refuse(f"got {value!r}; compare with {self.attribute.domain}")
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf

    def _refuse(self, why: str, cause: Exception | None = None) -> NoReturn:
        raise QueryError(_at(self.offset, f"{self.attribute.name}: {why}")) from cause


def _at(offset: int | None, why: str) -> str:
    return why if offset is None else f"at character {offset + 1}: {why}"


def as_queried(attribute: AnyAttribute) -> AnyAttribute:
    """Return the attribute without clipping, other texts and dates: a query names the domain, it does not measure."""
    if isinstance(attribute, Categorical):
        return msgspec.structs.replace(attribute, other=msgspec.UNSET)
    if not isinstance(attribute, Ordinal):
        return attribute
    return msgspec.structs.replace(attribute, clip=False, date=msgspec.UNSET)
