"""Findings: the few differences between groups that a reader should know, chosen so that few of them are chance.

Every pair of attributes is asked the same way, whatever came out: means of an ordered attribute, or shares of each
common value of the other, in each large group against everybody else. A line's chance is that of its gap over its
standard error; a pair's is that of its surest line times the number of its lines (Bonferroni). The most pairs k, up to
those that are wanted, are chosen whose chances are at most k * rate / pairs: Benjamini and Hochberg (1995), stopped
early, which is self-consistent and keeps their rate (Blanchard and Roquain, 2008). What was chosen because it is large
looks larger than it is, so its interval is that of level 1 - k * rate / (pairs * lines): of all intervals shown so, a
share of at most ``rate`` is expected to miss (Benjamini and Yekutieli, 2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce._checks import check_fraction, check_integer
from sottovoce._types import Floats
from sottovoce.errors import QueryError
from sottovoce.model.answer import Answer, Estimate, difference
from sottovoce.model.evaluation import assess
from sottovoce.model.groups import Group, groups_of
from sottovoce.query.functional import Functional
from sottovoce.query.labels import Label, level_labels, level_values, names_level
from sottovoce.schema.schema import AnyAttribute

if TYPE_CHECKING:
    from sottovoce.model.model import Model

LEAST_SHARE = 0.05
"""Groups and values with a smaller share of the crowd are not compared: reports hardly ever tell of them."""

BANDS = 3
"""An ordered attribute makes groups by so many bands of about equal share."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference that was chosen.

    Attributes:
        name: The attribute that differs.
        value: Its value whose share differs; None where its mean does.
        by: The attribute that makes the groups.
        group: The group's label.
        inside: The group's mean or share.
        outside: That of everybody else.
        gap: The one less the other, with an interval that allows for its having been chosen.
        chance: How likely chance alone gives a gap at least as large anywhere between these two attributes.
    """

    name: str
    value: Label
    by: str
    group: Label
    inside: Answer | Estimate
    outside: Answer | Estimate
    gap: Estimate
    chance: float


@dataclass(frozen=True, slots=True)
class Findings:
    """What was chosen, and from how much.

    Attributes:
        chosen: The findings, the surest first.
        pairs: How many pairs of attributes were compared.
        lines: How many differences between groups that made.
        rate: The share of findings that may be chance, on average.
    """

    chosen: tuple[Finding, ...]
    pairs: int
    lines: int
    rate: float

    def rows(self) -> list[dict[str, Any]]:
        """Return the findings as plain numbers and texts, for a file."""
        return [
            {
                "attribute": one.name,
                "value": one.value,
                "by": one.by,
                "group": list(one.group) if isinstance(one.group, tuple) else one.group,
                "inside": float(one.inside),
                "outside": float(one.outside),
                "difference": float(one.gap),
                "interval": list(one.gap.interval),
                "level": one.gap.level,
            }
            for one in self.chosen
        ]


@dataclass(frozen=True, slots=True)
class _Line:
    """One difference that might be chosen: a gap of shares or means, and its influence function, whose error it has."""

    name: str
    value: Label
    by: str
    group: Group
    gap: float
    functional: Functional


def find(model: Model, *, pairs: Sequence[tuple[str, str]] | None = None, most: int = 5, rate: float = 0.1) -> Findings:
    """Return the surest differences between groups, one for each pair of attributes.

    Args:
        model: A fitted model.
        pairs: What is compared, as (attribute, the one that makes the groups); by default every two attributes.
        most: How many findings at most.
        rate: The share of findings that may be chance, on average over collections.

    Raises:
        QueryError: For an attribute that there is not, or one compared with itself.
    """
    check_integer("most, how many findings there may be,", most, error=QueryError, least=1)
    rate = check_fraction("rate", rate, error=QueryError, usual="0.1 is usual")
    asked = [_lines(model, *pair) for pair in (every_pair(model) if pairs is None else dict.fromkeys(pairs))]
    asked = [lines for lines in asked if lines]
    surest = sorted((_surest(model, lines) for lines in asked), key=lambda found: found[0])
    chosen: list[Finding] = []
    for count in range(min(most, len(surest)), 0, -1):
        if surest[count - 1][0] > count * rate / len(asked):
            continue
        chosen = [_finding(model, *found, count * rate / len(asked)) for found in surest[:count]]
        if all(one.gap.interval[0] > 0 or one.gap.interval[1] < 0 for one in chosen):
            break
        chosen = []  # limits of small groups are wider than a normal error's: fewer are told, at a stricter level
    return Findings(tuple(chosen), len(asked), sum(map(len, asked)), rate)


def every_pair(model: Model) -> list[tuple[str, str]]:
    """Return every two attributes as (attribute, the one that makes the groups): groups by categories if there are."""
    pairs = combinations(model.schema.attributes, 2)
    return [
        (first.name, second.name) if first.ordered and not second.ordered else (second.name, first.name)
        for first, second in pairs
    ]


def _lines(model: Model, name: str, by: str) -> list[_Line]:
    """Return the differences between the groups that one attribute makes and everybody else, of another attribute."""
    index, other = model.attribute_index(name), model.attribute_index(by)
    if index == other:
        raise QueryError(f"a difference is of one attribute by another, got {name} twice")
    attribute, maker = model.schema.attributes[index], model.schema.attributes[other]
    bands = BANDS if maker.ordered and maker.value_levels > BANDS else None
    groups = [group for group in groups_of(model, by, bands=bands) if LEAST_SHARE <= group.share <= 1 - LEAST_SHARE]
    groups = [group for group in groups if group.label is not None]
    if len(groups) == 2 and sum(group.share for group in groups) > 1 - 1e-9:
        groups = groups[:1]  # each is the other's others
    joint = np.maximum(np.asarray(model.marginal(name, by)), 0.0)
    found = []
    for value, weights, counted in _outcomes(attribute, joint.sum(axis=1)):
        for group in groups:
            inside = _indicator(group, other, maker)
            parts, gap = [], 0.0
            for sign, members in ((1.0, inside), (-1.0, 1 - inside)):
                own = joint @ members
                size = float(own @ counted)
                if not size > 0:
                    break
                centre = float(own @ (weights * counted)) / size
                gap += sign * centre
                parts.append((sign / size, {index: (weights - centre) * counted, other: members}))
            if len(parts) == 2:
                found.append(_Line(name, value, by, group, gap, Functional(tuple(parts))))
    return found


def _outcomes(attribute: AnyAttribute, marginal: Floats) -> list[tuple[Label, Floats, Floats]]:
    """Return what is compared of an attribute: each one's value, the weight of every level, and which levels count."""
    everybody = np.ones(attribute.size)
    if attribute.ordered:
        values = level_values(attribute)
        rest = np.zeros(attribute.size - len(values))
        return [(None, np.append(values, rest), np.append(np.ones(len(values)), rest))]
    labels = level_labels(attribute)
    common = [
        level
        for level, label in enumerate(labels)
        if label is not None and LEAST_SHARE <= marginal[level] / max(marginal.sum(), 1e-300) <= 1 - LEAST_SHARE
    ]
    shown = common[-1:] if len(labels) == 2 else common
    return [(labels[level], np.eye(attribute.size)[level], everybody) for level in shown]


def _indicator(group: Group, index: int, attribute: AnyAttribute) -> Floats:
    """Return 1 for every level of the attribute that is in the group, 0 for the others."""
    ((product, _),) = group.terms.items()
    members = np.zeros(attribute.size)
    for start, stop in dict(product)[index]:
        members[int(start) : int(stop)] = 1.0
    return members


def _surest(model: Model, lines: Sequence[_Line]) -> tuple[float, _Line, int]:
    """Return a pair's chance, its surest line, and how many lines it has."""
    seen = assess(model, [line.functional for line in lines])
    gaps = np.array([line.gap for line in lines])
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.nan_to_num(np.abs(gaps) / seen.errors, nan=0.0, posinf=0.0)
    best = int(sizes.argmax())
    return min(1.0, len(lines) * 2 * NormalDist().cdf(-float(sizes[best]))), lines[best], len(lines)


def _finding(model: Model, chance: float, line: _Line, count: int, share: float) -> Finding:
    """Return a line as a finding, with the interval of the level that is left to it."""
    level = 1 - share / count
    inside: Answer | Estimate
    outside: Answer | Estimate
    if line.value is None:
        inside, outside = (model.mean(line.name, where=who) for who in (line.group.where, ~line.group.where))
    else:
        where = names_level(line.name, line.value)
        inside, outside = (model.answer(where, given=who) for who in (line.group.where, ~line.group.where))
    gap = difference(inside, outside, level=level)
    return Finding(line.name, line.value, line.by, line.group.label, inside, outside, gap, chance)
