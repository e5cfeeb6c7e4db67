"""How attributes go together: correlation, association, and the strongest pairs."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from sottovoce._types import Floats
from sottovoce.query.labels import level_values

if TYPE_CHECKING:
    from sottovoce.model.model import Model

_CELLS = 6
"""Pairs are compared over at most so many cells of equal share along each attribute, so that noise counts little."""


def correlation_matrix(model: Model) -> Floats:
    """Return the correlations between attributes, among those who answered both; NaN where one has no order."""
    names, attributes = model.schema.names, model.schema.attributes
    result = np.full((len(names), len(names)), np.nan)
    ordered = [place for place, attribute in enumerate(attributes) if attribute.ordered]
    for position, first in enumerate(ordered):
        result[first, first] = 1.0
        for second in ordered[position + 1 :]:
            values = [level_values(attributes[place]) for place in (first, second)]
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


def strongest_pairs(model: Model) -> list[tuple[str, str, float]]:
    """Return all pairs of attributes with the strength of their association, the strongest first."""
    strengths = [
        (first, second, association(model.marginal(first, second)))
        for first, second in combinations(model.schema.names, 2)
    ]
    return sorted(strengths, key=lambda pair: -pair[2])


def association(joint: Floats) -> float:
    """Return Cramér's V of a joint distribution, its levels joined into a few cells of about equal share.

    Example:
        >>> association(np.eye(4) / 4), association(np.full((4, 4), 1 / 16))
        (1.0, 0.0)
    """
    joint = np.maximum(joint, 0.0)
    for axis in (0, 1):
        below = np.cumsum(joint.sum(axis=1 - axis)) / max(joint.sum(), 1e-300)
        cells = np.minimum(((below - 1e-9) * _CELLS).astype(np.intp), _CELLS - 1)
        joint = np.add.reduceat(joint, np.flatnonzero(np.diff(cells, prepend=-1)), axis=axis)
    joint = joint / max(joint.sum(), 1e-300)
    alone = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    if min(joint.shape) < 2:
        return 0.0
    chi_square = float(((joint - alone) ** 2 / np.maximum(alone, 1e-300))[alone > 0].sum())
    return round(float(np.sqrt(max(chi_square, 0.0) / (min(joint.shape) - 1))), 12)
