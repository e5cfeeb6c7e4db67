"""Levels in the user's own words: what each stands for, its value as a number, and the predicate that names it."""

from __future__ import annotations

import numpy as np

from sottovoce._types import Floats
from sottovoce.query.expression import Between, Compare, Expression, IsNull
from sottovoce.schema.attributes import Categorical, Numeric, Ordinal
from sottovoce.schema.schema import AnyAttribute

Label = int | str | tuple[float, float] | None
"""What a level or a band stands for: an integer, a text, (low, high), None for "no answer"."""


def level_labels(attribute: AnyAttribute) -> list[Label]:
    """Return what each level stands for: an integer, a text, (low, high) for a numeric bin, None for "no answer"."""
    if isinstance(attribute, Categorical):
        labels: list[Label] = list(attribute.values)
    elif isinstance(attribute, Ordinal):
        labels = list(attribute.integers)
    else:
        assert isinstance(attribute, Numeric)
        labels = list(zip(attribute.boundaries[:-1], attribute.boundaries[1:], strict=True))
    return [*labels, None] if attribute.accepts_null else labels


def level_values(attribute: AnyAttribute) -> Floats:
    """Return the value of every level of an ordered attribute, "no answer" left out; a bin's is its middle."""
    if isinstance(attribute, Ordinal):
        return np.array(attribute.integers, dtype=np.float64)
    assert isinstance(attribute, Numeric)
    boundaries = np.array(attribute.boundaries)
    return np.asarray((boundaries[:-1] + boundaries[1:]) / 2)


def names_level(name: str, label: Label) -> Expression:
    """Return the predicate that holds at one level only."""
    if label is None:
        return IsNull(name)
    return Between(name, *label) if isinstance(label, tuple) else Compare(name, "=", label)


def band_label(attribute: AnyAttribute, start: int, stop: int) -> tuple[float, float]:
    """Return the smallest and the largest value of a run of levels of an ordered attribute.

    Args:
        attribute: Ordinal or numeric.
        start: The first level of the run.
        stop: One more than the last.
    """
    if isinstance(attribute, Ordinal):
        return attribute.integers[start], attribute.integers[stop - 1]
    assert isinstance(attribute, Numeric)
    return attribute.boundaries[start], attribute.boundaries[stop]


def names_band(attribute: AnyAttribute, start: int, stop: int) -> Expression:
    """Return the predicate that holds on a run of levels of an ordered attribute, and nowhere else.

    Args:
        attribute: Ordinal or numeric.
        start: The first level of the run.
        stop: One more than the last.
    """
    return Between(attribute.name, *band_label(attribute, start, stop))
