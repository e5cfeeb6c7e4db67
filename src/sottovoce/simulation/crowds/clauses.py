"""Clauses: a condition on one attribute that can be said in SQL and weighed level by level, both from one description.

A question must mean the same to a model, which reads SQL, and to the truth, which is counted in the population. So a
clause is data, not a function: which attribute, and which of its values.

    >>> minutes = sv.Ordinal("minutes", 0, 90)
    >>> at_least("minutes", 45).sql(minutes)
    'minutes >= 45'
    >>> int(at_least("minutes", 45).weights(minutes).sum())
    46
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from sottovoce._types import Floats

Attribute = sv.Ordinal | sv.Numeric | sv.Categorical


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition on one attribute.

    Attributes:
        name: The attribute.
        values: The categories that fulfil it, if it is categorical.
        low: The least value that fulfils it, included.
        high: The greatest, included for integers; for numbers in bins the bound itself.
        missing: Whether it is "no answer" that fulfils it.
    """

    name: str
    values: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    missing: bool = False

    def sql(self, attribute: Attribute) -> str:
        """Return the clause as a predicate."""
        if self.missing:
            return f"{self.name} IS NULL"
        if len(self.values) == 1:
            return f"{self.name} = '{self.values[0]}'"
        if self.values:
            return f"{self.name} IN ({', '.join(repr(value) for value in self.values)})"
        if isinstance(attribute, sv.Ordinal) and self.low is not None and self.high is not None:
            return f"{self.name} BETWEEN {self.low:g} AND {self.high:g}"
        above = [] if self.low is None else [f"{self.name} >= {self.low:g}"]
        sign = "<=" if isinstance(attribute, sv.Ordinal) else "<"
        return " AND ".join([*above, *([] if self.high is None else [f"{self.name} {sign} {self.high:g}"])])

    def weights(self, attribute: Attribute) -> Floats:
        """Return how much of each level fulfils the clause: a numeric bin that a bound cuts counts in part."""
        weights = np.zeros(attribute.size)
        if self.missing:
            weights[attribute.value_levels :] = 1.0
        elif isinstance(attribute, sv.Categorical):
            weights[[attribute.values.index(value) for value in self.values]] = 1.0
        else:
            low = -np.inf if self.low is None else self.low
            high = np.inf if self.high is None else self.high
            weights[: attribute.value_levels] = _covered(attribute, low, high)
        return weights


def _covered(attribute: sv.Ordinal | sv.Numeric, low: float, high: float) -> Floats:
    """Return the part of each level of values that lies between two bounds."""
    if isinstance(attribute, sv.Ordinal):
        values = attribute.low + np.arange(attribute.value_levels)
        return ((values >= low) & (values <= high)).astype(np.float64)
    edges = np.array(attribute.boundaries)
    inside = np.minimum(edges[1:], high) - np.maximum(edges[:-1], low)
    return np.asarray(np.clip(inside / np.diff(edges), 0.0, 1.0))


def is_in(name: str, *values: str) -> Clause:
    """Return the clause "the category is one of these"."""
    return Clause(name, values=values)


def each_of(name: str, *values: str) -> tuple[Clause, ...]:
    """Return one clause per category, to compare groups with."""
    return tuple(Clause(name, values=(value,)) for value in values)


def at_least(name: str, low: float) -> Clause:
    """Return the clause "at least this much"."""
    return Clause(name, low=low)


def at_most(name: str, high: float) -> Clause:
    """Return the clause "at most this much"; for numbers in bins "below this bound"."""
    return Clause(name, high=high)


def between(name: str, low: float, high: float) -> Clause:
    """Return the clause "from this to that".

    Args:
        name: An ordered attribute.
        low: The smallest value that belongs to it.
        high: The largest.
    """
    return Clause(name, low=low, high=high)


def missing(name: str) -> Clause:
    """Return the clause "gave no answer"."""
    return Clause(name, missing=True)


def say(schema: sv.Schema, clauses: Sequence[Clause]) -> str:
    """Return SQL for "all of these clauses", TRUE for none."""
    named = {attribute.name: attribute for attribute in schema.attributes}
    return " AND ".join(clause.sql(named[clause.name]) for clause in clauses) or "TRUE"


def levels_of(attribute: Attribute, column: NDArray[Any]) -> NDArray[np.intp]:
    """Return the level of every value of a column, NaN being "no answer"; outside the domain pulled to the edge."""
    if isinstance(attribute, sv.Categorical):
        present, where = np.unique(column, return_inverse=True)
        return np.array([attribute.values.index(value) for value in present.tolist()], np.intp)[where]
    absent = np.isnan(column.astype(np.float64))
    if isinstance(attribute, sv.Ordinal):
        levels = np.where(absent, 0, column) - attribute.low
    else:
        levels = np.searchsorted(np.array(attribute.boundaries), np.where(absent, 0, column), side="right") - 1
    return np.where(absent, attribute.value_levels, np.clip(levels, 0, attribute.value_levels - 1)).astype(np.intp)
