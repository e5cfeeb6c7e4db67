"""Typical comparisons: one attribute between two large groups that another makes, with the true shares and means.

The event is the upper half of an ordered attribute, or the most common value of another; the groups are the two halves
of an ordered attribute, or the two most common values of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.model.answer import difference
from sottovoce.model.evaluation import values_of
from sottovoce.model.model import Model
from sottovoce.query.expression import Expression
from sottovoce.query.functional import fraction_of, moment_of, parse
from sottovoce.query.labels import level_labels, level_values, names_band, names_level
from sottovoce.query.terms import conjunction
from sottovoce.schema.schema import Schema

KINDS = ("share given another", "difference of shares", "difference of means")
"""What is measured of a comparison; means are in standard deviations of their attribute."""

_Cells = tuple[Expression, NDArray[np.bool_]]


@dataclass(frozen=True)
class Comparing:
    """One comparison, and what is true of it.

    Attributes:
        name: What is compared.
        by: What makes the groups.
        event: Those whose share is compared.
        groups: The two groups.
        shares: The true share in each.
        means: The true mean in each, in standard deviations; None where there is no order.
        scale: The standard deviation.
    """

    name: str
    by: str
    event: Expression
    groups: tuple[Expression, Expression]
    shares: tuple[float, float]
    means: tuple[float, float] | None
    scale: float

    def errors(self, model: Model) -> dict[str, list[float]]:
        """Return how far off a model is, by kind; intervals, which some models take long for, are not asked for."""
        schema, index = model.schema, model.schema.index(self.name)
        event, groups = parse(schema, self.event), [parse(schema, group) for group in self.groups]
        asked = [fraction_of(schema, terms) for group in groups for terms in (conjunction(event, group), group)]
        top, whole, other_top, other_whole = values_of(model, asked).tolist()
        shares = [_ratio(top, whole), _ratio(other_top, other_whole)]
        off = {
            KINDS[0]: [abs(one - truth) for one, truth in zip(shares, self.shares, strict=True)],
            KINDS[1]: [abs((shares[0] - shares[1]) - (self.shares[0] - self.shares[1]))],
        }
        if self.means is not None:
            moments = [each for group in groups for each in moment_of(schema, group, index)]
            top, whole, other_top, other_whole = values_of(model, moments).tolist()
            gap = (_ratio(top, whole) - _ratio(other_top, other_whole)) / self.scale
            off[KINDS[2]] = [abs(gap - (self.means[0] - self.means[1]))]
        return off

    def visible(self, model: Model) -> float:
        """Return the smallest difference of shares that the reports behind a model could tell from none."""
        return difference(*(model.answer(self.event, given=group) for group in self.groups)).visible()


def typical_comparisons(
    schema: Schema, levels: Sequence[NDArray[Any]], *, most: int, seed: int, by: str | None = None
) -> list[Comparing]:
    """Return comparisons of every attribute by every other, at most so many, drawn at random beyond that.

    Args:
        schema: The attributes.
        levels: The people, a column of levels for each attribute.
        most: How many comparisons.
        seed: For the draw.
        by: Only comparisons between groups that this attribute makes.
    """
    count = len(schema.attributes)
    pairs = [(one, other) for one in range(count) for other in range(count) if one != other]
    if by is not None:
        pairs = [pair for pair in pairs if schema.names[pair[1]] == by]
    if len(pairs) > most:
        chosen = np.random.default_rng([seed, count]).choice(len(pairs), most, replace=False)
        pairs = [pairs[number] for number in np.sort(chosen).tolist()]
    cells = [_halves(schema, levels, index) for index in range(count)]
    found = [_compare(schema, levels, cells, *pair) for pair in pairs]
    return [one for one in found if one is not None]


def _ratio(top: float, bottom: float) -> float:
    return top / bottom if bottom > 0 else 0.0


def _halves(schema: Schema, levels: Sequence[NDArray[Any]], index: int) -> tuple[_Cells, _Cells] | None:
    """Return the two cells of an attribute that comparisons use, the event first; None if nearly all are alike."""
    attribute = schema.attributes[index]
    counts = np.bincount(levels[index], minlength=attribute.size)[: attribute.value_levels]
    if attribute.ordered:
        below = np.cumsum(counts) / max(1, counts.sum())
        half = int(np.clip(np.searchsorted(below, 0.5) + 1, 1, attribute.value_levels - 1))
        ends = [(half, attribute.value_levels), (0, half)]
        named = [names_band(attribute, *end) for end in ends]
        inside = [(levels[index] >= start) & (levels[index] < stop) for start, stop in ends]
    else:
        largest = np.argsort(-counts, kind="stable")[:2].tolist()
        named = [names_level(attribute.name, level_labels(attribute)[level]) for level in largest]
        inside = [levels[index] == level for level in largest]
    if len(inside) < 2 or min(own.mean() for own in inside) < 0.01:
        return None
    return (named[0], inside[0]), (named[1], inside[1])


def _compare(
    schema: Schema,
    levels: Sequence[NDArray[Any]],
    cells: Sequence[tuple[_Cells, _Cells] | None],
    name: int,
    by: int,
) -> Comparing | None:
    compared, groups = cells[name], cells[by]
    if compared is None or groups is None:
        return None
    event, inside = compared[0]
    shares = [float(inside[own].mean()) for _, own in groups]
    attribute, means, scale = schema.attributes[name], None, 1.0
    if attribute.ordered:
        values = level_values(attribute)
        answered = levels[name] < len(values)
        own = values[np.minimum(levels[name], len(values) - 1)]
        scale = float(own[answered].std()) or 1.0
        first, second = (float(own[answered & group].mean()) / scale for _, group in groups)
        means = first, second
    return Comparing(
        attribute.name, schema.names[by], event, (groups[0][0], groups[1][0]), (shares[0], shares[1]), means, scale
    )
