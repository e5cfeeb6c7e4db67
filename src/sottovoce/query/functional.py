"""Functionals: sums of products of weights over attributes, whose expectation a model can give.

A fraction, a mean's numerator and a cumulative distribution are all of this kind. The weights need not lie between 0
and 1: a mean weighs a level by its value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce._types import Floats
from sottovoce.errors import QueryError
from sottovoce.query.batch import Batch, Selection
from sottovoce.query.expression import Expression
from sottovoce.query.region import Region, intersect, interval, region_weights
from sottovoce.query.sql import parse_sql
from sottovoce.query.terms import Terms, conjunction, expand
from sottovoce.schema.attributes import Categorical, Numeric, Ordinal
from sottovoce.schema.schema import AnyAttribute, Schema

Where = str | Expression
"""A predicate: SQL text, or an expression made with `col`."""


@dataclass(frozen=True, slots=True)
class Functional:
    """A sum of products: each a coefficient and, for some attributes, a weight per level."""

    products: tuple[tuple[float, dict[int, Floats]], ...]


def parse(schema: Schema, where: Where) -> Terms:
    """Return the signed sum of regions that a predicate stands for."""
    return expand(schema, where if isinstance(where, Expression) else parse_sql(where))


def fraction_of(schema: Schema, terms: Terms, extra: tuple[int, Floats] | None = None) -> Functional:
    """Return the fraction that a predicate selects.

    Args:
        schema: What the attributes are.
        terms: The predicate as a sum of products.
        extra: An attribute's number and weights over its levels, by which people count besides.
    """
    products = []
    for product, coefficient in terms.items():
        weights = {index: region_weights(region, schema.sizes[index]) for index, region in product}
        if extra is not None:
            index, more = extra
            weights[index] = weights.get(index, np.ones(schema.sizes[index])) * more
        products.append((float(coefficient), weights))
    return Functional(tuple(products))


def moment_of(schema: Schema, terms: Terms, index: int) -> tuple[Functional, Functional]:
    """Return the expected value of an attribute over those a predicate selects and who answered, and their fraction.

    Args:
        schema: What the attributes are.
        terms: The predicate as a sum of products.
        index: The attribute's number; one with an order.

    Returns:
        Two functionals, whose ratio is the mean.
    """
    attribute = schema.attributes[index]
    answered = interval(0, attribute.value_levels)
    moments, fractions = [], []
    for product, coefficient in terms.items():
        regions = dict(product)
        own = intersect(regions.pop(index, answered), answered)
        weights = {other: region_weights(region, schema.sizes[other]) for other, region in regions.items()}
        moments.append((float(coefficient), {**weights, index: _values_over(attribute, own)}))
        fractions.append((float(coefficient), {**weights, index: region_weights(own, attribute.size)}))
    return Functional(tuple(moments)), Functional(tuple(fractions))


def linear_error(top: Functional, bottom: Functional, ratio: float, divisor: float) -> Functional:
    """Return the influence function of a ratio: (top - ratio * bottom) / divisor, its error to first order.

    Args:
        top: The numerator.
        bottom: The denominator.
        ratio: What the ratio was found to be.
        divisor: What ``bottom`` was found to be; not zero.
    """
    own = [(coefficient / divisor, weights) for coefficient, weights in top.products]
    other = [(-coefficient * ratio / divisor, weights) for coefficient, weights in bottom.products]
    return Functional((*own, *other))


def scaled(functional: Functional, factor: float) -> Functional:
    """Return a functional times a number."""
    return Functional(tuple((factor * coefficient, weights) for coefficient, weights in functional.products))


def less(first: Functional, second: Functional) -> Functional:
    """Return one functional less another."""
    return Functional((*first.products, *scaled(second, -1.0).products))


def cdf_influence(
    schema: Schema, terms: Terms, index: int, position: float, probability: float, divisor: float
) -> Functional:
    """Return the influence function of the share below a position, among those selected who answered.

    The linearised estimator: (P(selected, below) - probability * P(selected)) / divisor, the divisor being P(selected).

    Args:
        schema: What the attributes are.
        terms: The predicate as a sum of products.
        index: The attribute's number; one with an order.
        position: On its axis of levels, where level k is the interval from k to k + 1.
        probability: The share that lies below there.
        divisor: The fraction selected who answered; not zero.
    """
    attribute, products = schema.attributes[index], []
    answered, below = interval(0, attribute.value_levels), interval(0, position)
    for product, coefficient in terms.items():
        regions = dict(product)
        own = intersect(regions.pop(index, answered), answered)
        weights = {other: region_weights(region, schema.sizes[other]) for other, region in regions.items()}
        inside, whole = (region_weights(region, attribute.size) for region in (intersect(own, below), own))
        products.append((coefficient / divisor, {**weights, index: inside - probability * whole}))
    return Functional(tuple(products))


def imputed(functional: Functional, index: int, everybody: Floats, tilt: Floats) -> Functional:
    """Return a functional in which whoever did not answer counts as those who did, on average over everybody.

    How many of a group did not answer is nothing to the mean or median of those who did. But an error that is linear in
    products of everybody's distributions takes people without an answer to be missing from among all people, not from
    the group; of a group unlike all others that would be a large part. Of the functional returned it is none, to first
    order. Its mean over everybody stays, so that all other errors, as of the group's size, have the part that they had.

    Args:
        functional: What is asked, as by `cdf_influence` or `linear_error`: every product has weights of the attribute.
        index: The attribute's number; one whose last level is "no answer".
        everybody: The distribution of its levels about which errors are worked out.
        tilt: By how much people at each level count besides; ones unless the model is calibrated.
    """
    share, counted = float(everybody[:-1].sum()), everybody[:-1] * tilt[:-1]
    if not (share > 0 and tilt[-1] > 0 and counted.sum() > 0):
        return functional
    products = []
    for coefficient, weights in functional.products:
        own = weights[index][:-1]
        own = own - (1 - share) * (counted @ own) / counted.sum()
        silent = counted @ own / (share * tilt[-1])
        products.append((coefficient, {**weights, index: np.append(own, silent)}))
    return Functional(tuple(products))


def breakpoints(schema: Schema, terms: Terms, index: int) -> Floats:
    """Return positions on an attribute's axis of levels between which those whom a predicate selects spread evenly.

    Args:
        schema: What the attributes are.
        terms: The predicate as a sum of products.
        index: The attribute's number; one with an order.

    Returns:
        Sorted positions: all ends of levels, and where the predicate itself cuts a level.
    """
    ends = {
        end for product in terms for other, region in product if other == index for piece in region for end in piece
    }
    levels = schema.attributes[index].value_levels
    return np.array(sorted({float(level) for level in range(levels + 1)} | {end for end in ends if end < levels}))


def fraction_within(schema: Schema, terms: Terms, index: int, start: float, stop: float) -> Functional:
    """Return the fraction that a predicate selects and that lies in an interval of one attribute's axis of levels.

    Args:
        schema: What the attributes are.
        terms: The predicate as a sum of products.
        index: The attribute's number.
        start: Where the interval starts on its axis of levels,
        stop: and where it ends; nobody is within if that is not above the start.
    """
    within: Terms = {((index, interval(start, stop)),): 1} if start < stop else {}
    return fraction_of(schema, conjunction(terms, within))


def require_ordered(attribute: AnyAttribute, what: str) -> None:
    """Raise QueryError for an attribute whose values have no order."""
    if isinstance(attribute, Categorical):
        raise QueryError(
            f"{attribute.name} is categorical: its values have no order, so it has no {what}; use group_by"
        )


def value_at(attribute: AnyAttribute, position: float) -> float:
    """Return the user's value at a position on the axis of levels: an integer, or a point within a numeric bin."""
    if isinstance(attribute, Ordinal):
        return attribute.integers[min(max(int(np.ceil(position - 1e-9)) - 1, 0), attribute.value_levels - 1)]
    assert isinstance(attribute, Numeric)
    return float(np.interp(position, np.arange(attribute.value_levels + 1), attribute.boundaries))


def value_range(attribute: AnyAttribute) -> tuple[float, float]:
    """Return the smallest and the largest value of an ordered attribute."""
    assert not isinstance(attribute, Categorical)
    assert attribute.low is not None
    assert attribute.high is not None
    return float(attribute.low), float(attribute.high)


def _values_over(attribute: AnyAttribute, region: Region) -> Floats:
    """Return, for every level, the value of the part that the region covers, times its size."""
    weights = region_weights(region, attribute.size)
    if isinstance(attribute, Ordinal):
        return np.asarray(weights * np.array([*attribute.integers, *[0] * attribute.accepts_null]))
    assert isinstance(attribute, Numeric)
    moments = np.zeros(attribute.size)
    boundaries = np.array(attribute.boundaries)
    widths = np.diff(boundaries)
    for start, stop in region:
        low = np.clip(start - np.arange(attribute.value_levels), 0, 1)
        high = np.clip(stop - np.arange(attribute.value_levels), 0, 1)
        moments[: attribute.value_levels] += (high - low) * (boundaries[:-1] + widths * (low + high) / 2)
    return moments


def to_batch(functionals: Sequence[Functional]) -> tuple[Batch, Floats]:
    """Return one query per product, and the matrix (functionals by products) that adds their answers up."""
    products = [
        (row, coefficient, weights)
        for row, functional in enumerate(functionals)
        for coefficient, weights in functional.products
    ]
    sums = np.zeros((len(functionals), len(products)))
    naming: dict[int, tuple[list[int], list[Floats]]] = {}
    for number, (row, coefficient, weights) in enumerate(products):
        sums[row, number] = coefficient
        for index, vector in weights.items():
            numbers, vectors = naming.setdefault(index, ([], []))
            numbers.append(number)
            vectors.append(vector)
    selections = {index: Selection(np.array(naming[index][0]), np.array(naming[index][1])) for index in sorted(naming)}
    return Batch(len(products), selections), sums
