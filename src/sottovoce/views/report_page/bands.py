"""Bands: the values of an attribute as few rows as a reader takes in, cut at round numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from sottovoce.query.expression import Expression
from sottovoce.query.labels import Label, band_label, level_labels, names_band, names_level
from sottovoce.schema.attributes import Numeric, Ordinal
from sottovoce.schema.schema import AnyAttribute

MOST_ROWS = 12
"""An ordered attribute with more values than this is shown in bands."""

FEWEST, MOST = 5, 10
"""Between so many bands."""

Band = tuple[Label, Expression, int, int]
"""What a row is called, the predicate that names it, and the levels from which to which it goes."""


def bands_of(attribute: AnyAttribute, *, rows: int = MOST_ROWS) -> list[Band]:
    """Return the rows of an attribute: its values, or bands where it has many ordered ones; "no answer" comes last."""
    levels = attribute.value_levels
    if attribute.ordered and levels > rows:
        edges = _edges(attribute, min(rows, MOST))
        found: list[Band] = [
            (band_label(attribute, start, stop), names_band(attribute, start, stop), start, stop)
            for start, stop in pairwise(edges)
        ]
    else:
        found = [
            (label, names_level(attribute.name, label), level, level + 1)
            for level, label in enumerate(level_labels(attribute)[:levels])
        ]
    if attribute.accepts_null:
        found.append((None, names_level(attribute.name, None), levels, levels + 1))
    return found


def _edges(attribute: AnyAttribute, most: int) -> list[int]:
    """Return the levels at which bands start, and the last one's end."""
    levels = attribute.value_levels
    if isinstance(attribute, Ordinal) and not attribute.values:
        return _round_steps(attribute.low, levels, most)
    if isinstance(attribute, Ordinal):  # integers with gaps are taken as they come
        return [*range(0, levels, math.ceil(levels / most)), levels]
    assert isinstance(attribute, Numeric)
    steps = range(math.ceil(levels / most), max(math.ceil(levels / min(FEWEST, most)), 1) + 1)
    step = min(steps, key=lambda step: _length([attribute.boundaries[level] for level in range(0, levels, step)]))
    return [*range(0, levels, step), levels]


def _round_steps(low: int, levels: int, most: int) -> list[int]:
    """Return the levels of integers from ``low`` on at which bands of a round width start."""
    wanted = levels / most
    unit = 10 ** math.floor(math.log10(wanted))
    step = next(unit * part for part in (1, 2, 5, 10, 20) if unit * part >= wanted)
    first = math.floor(low / step) * step + step - low
    inner = [edge for edge in range(first, levels, step) if edge > 0]
    edges = [0, *inner, levels]
    for narrow, left, right in ((-2, -2, -1), (1, 0, 1)):  # a last or first band of few values joins its neighbour
        if len(edges) > 2 and edges[right] - edges[left] < step / 2:
            del edges[narrow]
    return edges


def _length(numbers: Sequence[float]) -> float:
    """Return how many digits numbers need on average: round ones need few."""
    return sum(len(f"{number:.6g}".rstrip("0").rstrip(".")) for number in numbers) / len(numbers)
