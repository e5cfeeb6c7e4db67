"""How attributes go together: correlation and association with intervals, and the pairs that can be told from chance.

A correlation is a smooth function of the crowd, so its error is to first order that of its influence function,
z w - r (z^2 + w^2) / 2 for standardised attributes z and w. Its limits are those of Fisher's z, the inverse hyperbolic
tangent of r, which is nearer to normal than r and never beyond 1 (Fisher, 1915).

Association is Cramer's V over a few cells of each attribute: the length of the vector of standardised deviations from
independence, (p_ab - p_a p_b) / sqrt(p_a p_b). A length is never negative, so noise in every direction adds to it: its
upper limit adds the variance of all directions to the error along the vector itself, and its lower limit takes away as
much length as noise in all directions has, with the level's probability (a chi-square). Where the reports themselves,
without the model, show no more than their noise would, it is nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.errors import QueryError
from sottovoce.model.answer import Estimate
from sottovoce.model.belief import Limits, normal_factor
from sottovoce.model.evaluation import assess
from sottovoce.query.functional import Functional, require_ordered
from sottovoce.query.labels import level_values

if TYPE_CHECKING:
    from sottovoce.model.model import Model

_TOGETHER = 3.0  # errors of cells go together, and strong associations are shrunk: with 2 these seldom held
_SHARED = 3.0
"""How many cells' errors go together: one question tells of several, and small cells share their rows and columns."""

_ROOM = 0.1
"""Extremes of a correlation are moved by at least this part of their distance to 1: distributions are not known."""

_CELLS = 6
"""Pairs are compared over at most so many cells of equal share along each attribute, so that noise counts little."""


def correlation_matrix(model: Model) -> Floats:
    """Return the correlations between attributes, among those who answered both; NaN where one has no order."""
    names, attributes = model.schema.names, model.schema.attributes
    result = np.full((len(names), len(names)), np.nan)
    ordered = [index for index, attribute in enumerate(attributes) if attribute.ordered]
    for position, first in enumerate(ordered):
        result[first, first] = 1.0
        for second in ordered[position + 1 :]:
            values = [level_values(attributes[index]) for index in (first, second)]
            joint = model.marginal(names[first], names[second])[: len(values[0]), : len(values[1])]
            result[first, second] = result[second, first] = _correlation(np.maximum(joint, 0.0), *values)
    return result


def _correlation(joint: Floats, first: Floats, second: Floats) -> float:
    total = joint.sum()
    if not total > 0:
        return math.nan
    rows, columns = joint.sum(axis=1) / total, joint.sum(axis=0) / total
    first, second = first - first @ rows, second - second @ columns
    spread = math.sqrt(float(first**2 @ rows) * float(second**2 @ columns))
    return float(first @ joint @ second / total) / spread if spread > 0 else math.nan


@dataclass(frozen=True, slots=True)
class Association:
    """How much two attributes go together.

    Attributes:
        first: The one.
        second: The other.
        strength: Cramer's V, 0 for unrelated and 1 for fixed by each other, with its interval.
        told: Whether it can be told from chance: the interval's lower end is above 0.
    """

    first: str
    second: str
    strength: Estimate

    @property
    def told(self) -> bool:
        """Whether it can be told from chance."""
        return self.strength.interval[0] > 0


def associations(model: Model, *, level: float = 0.9) -> list[Association]:
    """Return all pairs of attributes with the strength of their association, the strongest first.

    Those that can be told from chance stand before those that cannot; the level is shared out over all pairs.
    """
    pairs = list(combinations(model.schema.names, 2))
    each = 1 - (1 - level) / max(1, len(pairs))
    found = [Association(first, second, association_of(model, first, second, level=each)) for first, second in pairs]
    return sorted(found, key=lambda pair: (not pair.told, -pair.strength))


def association_of(model: Model, first: str, second: str, *, level: float) -> Estimate:
    """Return the association of two attributes, with its interval and how much of it was measured.

    Args:
        model: What is asked.
        first: An attribute,
        second: and another.
        level: The probability with which the interval should hold the truth.

    Returns:
        Cramer's V, from 0 to 1; its interval starts at 0 where the reports could be of independent attributes.
    """
    joint = np.maximum(model.marginal(first, second), 0.0)
    starts = [cell_starts(joint.sum(axis=1 - axis)) for axis in (0, 1)]
    strength = association(joint)
    if min(map(len, starts)) < 2:
        return Estimate(0.0, interval=(0.0, 0.0), level=level, interval_note=model.interval_note)
    indices = [model.attribute_index(name) for name in (first, second)]
    functionals, vector = _deviations(joint, starts, indices)
    cells = assess(model, functionals)
    errors = cells.errors
    degrees = min(map(len, starts)) - 1
    if not np.isfinite(errors).all():
        return Estimate(strength, interval=(0.0, 1.0), level=level, interval_note=model.interval_note)
    length = float(np.sqrt((vector**2).sum()))
    direction = vector / length if length > 0 else vector
    along = _combine(functionals, direction)
    seen = assess(model, [along])
    noise = normal_factor(level) * float(seen.errors[0])
    freedom = (len(starts[0]) - 1) * (len(starts[1]) - 1)
    spread = float((errors**2).sum()) * freedom / len(errors)
    alike = 1 + (freedom - 1) / _SHARED  # errors of cells go together, so noise comes in fewer directions than cells
    seldom = _chi_square(level, alike) / alike
    low = max(length - max(noise, math.sqrt(spread * seldom)), 0.0)
    measured, apart = float((cells.direct**2).sum()), float((cells.direct_errors**2).sum()) * freedom / len(errors)
    if measured < apart * seldom:  # what the reports themselves say could be their noise
        low = 0.0
    high = math.sqrt((length + noise) ** 2 + _TOGETHER * spread * seldom)
    interval = low / math.sqrt(degrees), min(high / math.sqrt(degrees), 1.0)
    evidence = seen.evidence[0]
    if evidence is not None and low > 0:  # what is told from chance was measured, though weaker dependence would not be
        evidence = max(evidence, 1 - (float(seen.errors[0]) / length) ** 2)
    return Estimate(strength, interval=interval, level=level, interval_note=model.interval_note, evidence=evidence)


def _chi_square(level: float, freedom: float) -> float:
    """Return what a chi-square of so many degrees of freedom seldom exceeds (Wilson and Hilferty, 1931)."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + normal_factor(level) * math.sqrt(part)) ** 3


def _deviations(joint: Floats, starts: list[NDArray[np.intp]], indices: list[int]) -> tuple[list[Functional], Floats]:
    """Return, for every pair of cells, the functional of its standardised deviation from independence, and its value.

    The marginals are taken as known: they are known far better than how attributes go together.
    """
    joined = np.add.reduceat(np.add.reduceat(joint, starts[0], axis=0), starts[1], axis=1)
    joined /= max(joined.sum(), 1e-300)
    rows, columns = joined.sum(axis=1), joined.sum(axis=0)
    scale = 1 / np.sqrt(np.maximum(np.outer(rows, columns), 1e-12))
    cells = [
        np.repeat(np.arange(len(own)), np.diff(np.append(own, size)))
        for own, size in zip(starts, joint.shape, strict=True)
    ]
    functionals = [
        Functional(
            ((float(scale[a, b]), {indices[0]: (cells[0] == a) - rows[a], indices[1]: (cells[1] == b) - columns[b]}),)
        )
        for a in range(len(rows))
        for b in range(len(columns))
    ]
    return functionals, ((joined - np.outer(rows, columns)) * scale).ravel()


def _combine(functionals: Sequence[Functional], weights: Floats) -> Functional:
    """Return the weighted sum of functionals."""
    return Functional(
        tuple(
            (weight * coefficient, selected)
            for functional, weight in zip(functionals, weights.tolist(), strict=True)
            for coefficient, selected in functional.products
        )
    )


def correlation_of_pair(model: Model, first: str, second: str, *, level: float) -> Estimate:
    """Return the correlation of two ordered attributes among those who answered both, with its interval.

    Args:
        model: What is asked.
        first: An ordered attribute,
        second: and another.
        level: The probability with which the interval should hold the truth.

    Returns:
        From -1 to 1; NaN where the model sees nobody, or one value only.

    Raises:
        QueryError: If one has no order, or both are the same.
    """
    indices = [model.attribute_index(name) for name in (first, second)]
    attributes = [model.schema.attributes[index] for index in indices]
    for attribute in attributes:
        require_ordered(attribute, "correlation")
    if indices[0] == indices[1]:
        raise QueryError(f"a correlation is of two different attributes, got {first} twice")
    values = [level_values(attribute) for attribute in attributes]
    joint = np.maximum(model.marginal(first, second)[: len(values[0]), : len(values[1])], 0.0)
    correlation = _correlation(joint, *values)
    if math.isnan(correlation):
        return Estimate(math.nan, interval=(-1.0, 1.0), level=level, interval_note=model.interval_note)
    share = joint.sum()
    people = [joint.sum(axis=1 - axis) / share for axis in (0, 1)]
    standard, answered = [], []
    for axis, (own, marginal) in enumerate(zip(values, people, strict=True)):
        centred = own - own @ marginal
        size = attributes[axis].size
        standard.append(np.append(centred / math.sqrt(centred**2 @ marginal), np.zeros(size - len(own))))
        answered.append(np.append(np.ones(len(own)), np.zeros(size - len(own))))
    one, other = indices
    influence = Functional(
        (
            (1 / share, {one: standard[0], other: standard[1]}),
            (-correlation / 2 / share, {one: standard[0] ** 2, other: answered[1]}),
            (-correlation / 2 / share, {one: answered[0], other: standard[1] ** 2}),
        )
    )
    squares = [Functional(((1 / share, {index: own**2}),)) for index, own in zip(indices, standard, strict=True)]
    seen = assess(model, [influence, *squares])
    reach, *room = (normal_factor(level) * seen.errors).tolist()
    extremes = _with_room(correlation_extremes(*people, *values), _ROOM + sum(room))
    return Estimate(
        correlation,
        interval=correlation_limits(correlation, reach, extremes),
        level=level,
        interval_note=model.interval_note,
        evidence=seen.evidence[0],
    )


def correlation_limits(value: float, reach: float, extremes: Limits = (-1.0, 1.0)) -> Limits:
    """Return the limits of a correlation by Fisher's z: further towards nothing, and never beyond what it can be.

    Args:
        value: The correlation.
        reach: How far its error reaches to first order; towards nothing limits reach at most twice as far.
        extremes: What it can be.

    Example:
        >>> low, high = correlation_limits(0.6, 0.3)
        >>> round(low, 3), round(high, 3)
        (0.221, 0.822)
    """
    if not math.isfinite(reach):
        return -1.0, 1.0
    inside = min(max(value, -1 + 1e-12), 1 - 1e-12)
    middle, moved = math.atanh(inside), reach / (1 - inside**2)
    low, high = max(math.tanh(middle - moved), value - 2 * reach), min(math.tanh(middle + moved), value + 2 * reach)
    return min(max(low, extremes[0]), value), max(min(high, extremes[1]), value)  # rounding may pass it


def _with_room(extremes: Limits, part: float) -> Limits:
    """Return extremes moved by such a part of their distance to -1 and 1."""
    left = max(1 - part, 0.0)
    return -1 + left * (1 + extremes[0]), 1 - left * (1 - extremes[1])


def correlation_extremes(rows: Floats, columns: Floats, one: Floats, other: Floats) -> Limits:
    """Return the smallest and the largest correlation of any table with these sums (Hoeffding, 1940; Fréchet, 1951).

    They are those of people in opposite orders, and of people in the same order.

    Args:
        rows: The distribution of the rows.
        columns: That of the columns.
        one: The values of the rows, rising.
        other: Those of the columns, rising.

    Example:
        >>> low, high = correlation_extremes(np.array([0.9, 0.1]), np.array([0.5, 0.5]), np.arange(2), np.arange(2))
        >>> round(low, 3), round(high, 3)
        (-0.333, 0.333)
    """
    spread = math.sqrt(_variance(rows, one) * _variance(columns, other))
    means = float(rows @ one) * float(columns @ other)
    opposite = _coupled(rows, columns[::-1], one, other[::-1])
    return (opposite - means) / spread, (_coupled(rows, columns, one, other) - means) / spread


def _variance(people: Floats, values: Floats) -> float:
    return float(people @ (values - people @ values) ** 2)


def _coupled(rows: Floats, columns: Floats, one: Floats, other: Floats) -> float:
    """Return the mean product if whoever is at some rank of the rows is at the same rank of the columns."""
    ends = [np.cumsum(own) / own.sum() for own in (rows, columns)]
    cuts = np.unique(np.concatenate([[0.0], *ends]))
    middle = (cuts[1:] + cuts[:-1]) / 2
    first, second = (np.minimum(np.searchsorted(own, middle), len(own) - 1) for own in ends)
    return float(np.diff(cuts) @ (one[first] * other[second]))


def association(joint: Floats) -> float:
    """Return Cramér's V of a joint distribution, its levels joined into a few cells of about equal share.

    Example:
        >>> association(np.eye(4) / 4), association(np.full((4, 4), 1 / 16))
        (1.0, 0.0)
    """
    joint = np.maximum(joint, 0.0)
    for axis in (0, 1):
        joint = np.add.reduceat(joint, cell_starts(joint.sum(axis=1 - axis)), axis=axis)
    joint = joint / max(joint.sum(), 1e-300)
    alone = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    if min(joint.shape) < 2:
        return 0.0
    chi_square = float(((joint - alone) ** 2 / np.maximum(alone, 1e-300))[alone > 0].sum())
    return round(float(np.sqrt(max(chi_square, 0.0) / (min(joint.shape) - 1))), 12)


def cell_starts(marginal: Floats) -> NDArray[np.intp]:
    """Return where cells of about equal share start along an attribute, at most six of them."""
    below = np.cumsum(marginal) / max(marginal.sum(), 1e-300)
    cells = np.minimum(((below - 1e-9) * _CELLS).astype(np.intp), _CELLS - 1)
    return np.flatnonzero(np.diff(cells, prepend=-1))
