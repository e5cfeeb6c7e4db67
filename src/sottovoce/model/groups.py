"""Groups of the crowd: one attribute by the values of another, and which differences could be chance.

An ordered attribute of many values makes groups by bands of about equal share, every other one by its values.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce._checks import check_integer
from sottovoce.errors import QueryError
from sottovoce.model.answer import Answer, Estimate, difference, percent, plain_number
from sottovoce.model.belief import normal_factor
from sottovoce.query.labels import Label, band_label, level_labels, names_band, names_level
from sottovoce.query.region import interval
from sottovoce.query.terms import Terms

if TYPE_CHECKING:
    from sottovoce.model.model import Model
    from sottovoce.query.expression import Expression

MOST_VALUES = 24
"""An ordered attribute with more values than this makes groups by bands."""

BANDS = 5
"""How many bands, unless said otherwise."""


@dataclass(frozen=True, slots=True)
class Group:
    """People with one value of an attribute, or one band of values.

    Attributes:
        label: The value; (low, high), both included, for a band; None for "no answer".
        terms: Who they are, as a model is asked.
        where: The same as a predicate.
        share: Their share of the crowd, by the model.
    """

    label: Label
    terms: Terms
    where: Expression
    share: float


def groups_of(model: Model, by: str, *, bands: int | None = None) -> list[Group]:
    """Return the groups that an attribute makes.

    Args:
        model: The model, whose marginal says how wide bands are.
        by: The attribute.
        bands: How many bands of about equal share; by default five where it has more than 24 ordered values.
    """
    index = model.attribute_index(by)
    attribute = model.schema.attributes[index]
    marginal = model.marginal(by)
    if bands is None and attribute.ordered and attribute.value_levels > MOST_VALUES:
        bands = BANDS
    if bands is None or not attribute.ordered:
        labels = level_labels(attribute)
        return [
            Group(label, {((index, interval(level, level + 1)),): 1}, names_level(by, label), float(marginal[level]))
            for level, label in enumerate(labels)
        ]
    count = check_integer("bands", bands, error=QueryError, least=2, most=attribute.value_levels)
    below = np.cumsum(marginal[: attribute.value_levels])
    cuts = np.searchsorted(below, below[-1] * (np.arange(1, count) / count - 1e-9)) + 1
    edges = sorted({0, *cuts.tolist(), attribute.value_levels})
    found = [
        Group(
            band_label(attribute, start, stop),
            {((index, interval(start, stop)),): 1},
            names_band(attribute, start, stop),
            float(marginal[start:stop].sum()),
        )
        for start, stop in pairwise(edges)
    ]
    if attribute.accepts_null:
        level = attribute.value_levels
        found.append(
            Group(None, {((index, interval(level, level + 1)),): 1}, names_level(by, None), float(marginal[level]))
        )
    return found


@dataclass(frozen=True, slots=True)
class Compared:
    """One line of a comparison: what a group has, and how far that is from everybody else.

    Attributes:
        what: The attribute, and its value where shares are compared.
        group: The group's label.
        value: The group's mean or share.
        gap: The group's less that of all others, with its interval.
        probability: How likely chance alone gives a gap at least as large.
        told: Whether it can be told from chance, all lines of the comparison allowed for.
    """

    what: str
    group: Label
    value: Answer | Estimate
    gap: Estimate
    probability: float
    told: bool

    @property
    def basis(self) -> str:
        """How much of the gap was measured, in words; nothing more need be said of what is told from chance."""
        return "" if self.told else self.gap.basis


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every attribute by the groups that one of them makes.

    Attributes:
        by: The attribute that makes the groups.
        lines: What was compared, in the schema's order.
        level: Of the intervals, and 1 minus the chance that any line is called told though all gaps are nothing.
    """

    by: str
    lines: tuple[Compared, ...]
    level: float

    @property
    def told(self) -> tuple[Compared, ...]:
        """The lines that can be told from chance, the surest first."""
        return tuple(sorted((line for line in self.lines if line.told), key=lambda line: line.probability))

    def summary(self) -> str:
        """Return in a sentence how many of the differences can be told from chance."""
        left = len(self.lines) - len(self.told)
        return (
            f"Of {len(self.lines)} differences between the groups by {self.by} and everybody else, "
            f"{len(self.told)} can be told from chance and {left} cannot (together at level {self.level:.0%}, by Holm)."
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return the lines as plain numbers and texts, for a table or a file."""
        return [
            {
                "what": line.what,
                "group": group_words(line.group),
                "value": float(line.value),
                "low": line.value.interval[0],
                "high": line.value.interval[1],
                "difference": float(line.gap),
                "difference_low": line.gap.interval[0],
                "difference_high": line.gap.interval[1],
                "evidence": line.gap.evidence,
                "told": line.told,
            }
            for line in self.lines
        ]

    def __repr__(self) -> str:
        return f"<Comparison by {self.by}: {self.summary()}>"

    def _repr_html_(self) -> str:
        body = "".join(
            f"<tr><td>{html.escape(line.what)}</td><td>{html.escape(group_words(line.group))}</td>"
            f"<td>{html.escape(value_words(line.value))}</td><td>{html.escape(gap_words(line))}</td>"
            f"<td>{'told from chance' if line.told else 'could be chance'}</td>"
            f"<td>{html.escape(line.basis)}</td></tr>"
            for line in self.lines
        )
        head = "".join(f"<th>{name}</th>" for name in ("", self.by, "in the group", "less all others", "", "evidence"))
        return f"<table><tr>{head}</tr>{body}</table><p>{html.escape(self.summary())}</p>"


def group_words(label: Label) -> str:
    """Return a group's label in words."""
    if label is None:
        return "no answer"
    return f"{label[0]:g} to {label[1]:g}" if isinstance(label, tuple) else str(label)


def value_words(value: Answer | Estimate) -> str:
    """Return a group's mean or share, in words."""
    return percent(float(value)) if isinstance(value, Answer) else plain_number(float(value))


def gap_words(line: Compared) -> str:
    """Return how far a group is from all others, with the interval; shares in percentage points."""
    low, high = line.gap.interval
    if isinstance(line.value, Answer):
        return f"{100 * line.gap:+.1f} ({100 * low:+.1f} to {100 * high:+.1f}) points"
    gap, low_words, high_words = (plain_number(each) for each in (float(line.gap), low, high))
    return f"{gap} ({low_words} to {high_words})"


def compare_groups(
    model: Model, by: str, *, names: Sequence[str] | None = None, bands: int | None = None, level: float = 0.9
) -> Comparison:
    """Return every attribute by the groups of one: means of ordered attributes, shares of values of the others.

    Args:
        model: A fitted model.
        by: The attribute that makes the groups.
        names: The attributes to compare; by default all others.
        bands: How many bands an ordered ``by`` is cut into.
        level: Of the intervals; chance calls any line told with at most 1 - level.

    Raises:
        QueryError: For an attribute that there is not, or fewer than two groups.
    """
    normal_factor(level)
    listed = isinstance(names, Sequence) and not isinstance(names, str) and all(isinstance(each, str) for each in names)
    if names is not None and not listed:
        raise QueryError(f"names is a list of attributes, such as ['age'], got {names!r}")
    groups = [group for group in groups_of(model, by, bands=bands) if group.share > 0]
    if len(groups) < 2:
        raise QueryError(f"{by} makes fewer than two groups that anybody is in, so there is nothing to compare")
    chosen = [name for name in model.schema.names if name != by] if names is None else list(names)
    found: list[tuple[str, Any, Answer | Estimate, Estimate]] = []
    others: list[Answer | Estimate] = []
    for name in chosen:
        if name == by:
            raise QueryError(f"{by} makes the groups and cannot be compared between them; name other attributes")
        for what, where in _compared_things(model, name):
            for group in groups[:1] if len(groups) == 2 else groups:  # of two groups, one is the other's others
                inside, outside = (_value(model, name, where, each, level) for each in (group.where, ~group.where))
                found.append((what, group.label, inside, difference(inside, outside, level=level)))
                others.append(outside)
    strictest = 1 - (1 - level) / max(len(found), 1)
    chances = [_chance(gap) for *_, gap in found]
    for index, (_, _, inside, _) in enumerate(found):
        if chances[index] <= 1 - level:
            # limits of fractions grow faster than in proportion: at the level at which the least of them is judged
            chances[index] = max(chances[index], _chance(difference(inside, others[index], level=strictest)))
    told = _holm(chances, 1 - level)
    lines = [Compared(*line, chance, tells) for line, chance, tells in zip(found, chances, told, strict=True)]
    return Comparison(by, tuple(lines), level)


def _value(model: Model, name: str, where: Expression | None, group: Expression, level: float) -> Answer | Estimate:
    """Return a group's mean of an attribute, or its share where a predicate is given."""
    if where is None:
        return model.mean(name, where=group, level=level)
    return model.answer(where, given=group, level=level)


def _compared_things(model: Model, name: str) -> list[tuple[str, Expression | None]]:
    """Return what is compared of an attribute: its mean, or the share of each of its values."""
    attribute = model.schema.attributes[model.attribute_index(name)]
    if attribute.ordered:
        return [(f"mean {name}", None)]
    labels = [label for label in level_labels(attribute) if label is not None]
    shown = labels[-1:] if len(labels) == 2 else labels
    return [(f"{name} = {label}", names_level(name, label)) for label in shown]


def _chance(gap: Estimate) -> float:
    """Return how likely chance gives a gap at least as large, from the side of the interval that faces nothing."""
    low, high = gap.interval
    side = float(gap) - low if gap > 0 else high - float(gap)
    if not (math.isfinite(side) and side > 0):
        return 1.0
    factor = NormalDist().inv_cdf(0.5 + gap.level / 2)
    return 2 * NormalDist().cdf(-abs(float(gap)) / side * factor)


def _holm(chances: Sequence[float], rate: float) -> list[bool]:
    """Return which of several tests are told if chance may call any of them told with at most ``rate`` (Holm 1979)."""
    told = [False] * len(chances)
    for number, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        if chances[index] > rate / (len(chances) - number):
            break
        told[index] = True
    return told


def smallest_difference(model: Model, name: str, by: str) -> float:
    """Return the smallest difference of shares that these reports could tell from none nine times in ten.

    Between the two largest groups of ``by``, of the share that has the upper half of ``name``, or its most common value
    where it has no order.

    Args:
        model: What is asked.
        name: The attribute whose shares differ.
        by: The attribute that makes groups.

    Returns:
        A difference of fractions, such as 0.03 for three points in a hundred.

    Raises:
        QueryError: If both are the same attribute, or one is unknown.
    """
    index = model.attribute_index(name)
    if index == model.attribute_index(by):
        raise QueryError(f"a difference is of one attribute by another, got {name} twice")
    attribute = model.schema.attributes[index]
    marginal = model.marginal(name)[: attribute.value_levels]
    if attribute.ordered:
        below = np.cumsum(marginal) / max(marginal.sum(), 1e-300)
        half = int(np.clip(np.searchsorted(below, 0.5) + 1, 1, attribute.value_levels - 1))
        where = names_band(attribute, half, attribute.value_levels)
    else:
        where = names_level(name, level_labels(attribute)[int(marginal.argmax())])
    largest = sorted(groups_of(model, by), key=lambda group: -group.share)[:2]
    return difference(*(model.answer(where, given=group.where) for group in largest)).visible()
