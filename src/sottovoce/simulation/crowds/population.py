"""A population coded by levels, in which the truth of a question is counted exactly.

Numbers are treated as the library treats them: known by bins, spread evenly within one, and worth a bin's middle in a
mean. What is counted here is therefore what a perfect model would answer, and no estimate is blamed for the bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from sottovoce._types import Floats
from sottovoce.simulation.crowds.clauses import Attribute, Clause, levels_of

CELLS = 6
"""Into how many cells of about equal share an attribute's levels are joined to measure an association."""


class Population:
    """A crowd's people as levels: fractions, means, quantiles and dependence, without noise.

    Example:
        >>> crowd = sv.Schema([sv.Ordinal("marks", 1, 5)])
        >>> Population(crowd, {"marks": np.array([1, 2, 2, 5])}).mean("marks")
        2.5
    """

    def __init__(self, schema: sv.Schema, table: dict[str, NDArray[Any]]) -> None:
        self.schema = schema
        self.attributes: dict[str, Attribute] = {attribute.name: attribute for attribute in schema.attributes}
        self.levels = {name: levels_of(attribute, table[name]) for name, attribute in self.attributes.items()}
        self.count = len(self.levels[schema.names[0]])

    def selected(self, clauses: Sequence[Clause]) -> Floats:
        """Return how much of each person fulfils all clauses: 1, 0, or a part where a bound cuts a bin."""
        weights = np.ones(self.count)
        for clause in clauses:
            weights *= clause.weights(self.attributes[clause.name])[self.levels[clause.name]]
        return weights

    def share(self, where: Sequence[Clause], given: Sequence[Clause] = ()) -> float:
        """Return the fraction that fulfils one condition, of those that fulfil another."""
        group = self.selected(given)
        return float((group * self.selected(where)).sum() / group.sum())

    def histogram(self, name: str, given: Sequence[Clause] = ()) -> Floats:
        """Return how many people of a group are at each level that stands for a value of an attribute."""
        weights = np.bincount(self.levels[name], self.selected(given), self.attributes[name].size)
        return np.asarray(weights[: self.attributes[name].value_levels], dtype=np.float64)

    def mean(self, name: str, given: Sequence[Clause] = ()) -> float:
        """Return the mean of an attribute over those of a group who answered."""
        weights = self.histogram(name, given)
        return float(weights @ values_of(self.attributes[name]) / weights.sum())

    def deviation(self, name: str) -> float:
        """Return the standard deviation of an attribute over those who answered."""
        weights, values = self.histogram(name), values_of(self.attributes[name])
        return float(np.sqrt(weights @ (values - self.mean(name)) ** 2 / weights.sum()))

    def quantile(self, name: str, probability: float, given: Sequence[Clause] = ()) -> float:
        """Return the value below which a fraction of those of a group who answered lies.

        Args:
            name: An ordered attribute.
            probability: The fraction below, from 0 to 1.
            given: Conditions that all hold in the group; none for everybody.
        """
        weights, attribute = self.histogram(name, given), self.attributes[name]
        below = np.concatenate([[0.0], np.cumsum(weights) / weights.sum()])
        level = max(int(np.searchsorted(below, probability, side="left")) - 1, 0)
        if isinstance(attribute, sv.Ordinal):
            return float(attribute.low + level)
        assert isinstance(attribute, sv.Numeric)
        part = (probability - below[level]) / (below[level + 1] - below[level])
        return float(np.interp(level + part, np.arange(attribute.value_levels + 1), attribute.boundaries))

    def joint(self, first: str, second: str) -> Floats:
        """Return the joint distribution of two attributes, "no answer" included."""
        sizes = self.attributes[first].size, self.attributes[second].size
        cells = self.levels[first] * sizes[1] + self.levels[second]
        return np.bincount(cells, minlength=sizes[0] * sizes[1]).reshape(sizes) / self.count

    def correlation(self, first: str, second: str) -> float:
        """Return the correlation of two ordered attributes among those who answered both."""
        return correlation(self.joint(first, second), self.attributes[first], self.attributes[second])

    def association(self, first: str, second: str) -> float:
        """Return how strongly two attributes go together, from 0 to 1."""
        return association(self.joint(first, second))


def values_of(attribute: Attribute) -> Floats:
    """Return the value that each level of an ordered attribute stands for: a bin stands for its middle."""
    if isinstance(attribute, sv.Ordinal):
        return (attribute.low + np.arange(attribute.value_levels)).astype(np.float64)
    assert isinstance(attribute, sv.Numeric)
    edges = np.array(attribute.boundaries)
    return np.asarray((edges[:-1] + edges[1:]) / 2)


def correlation(joint: Floats, first: Attribute, second: Attribute) -> float:
    """Return the correlation in a joint distribution of levels, those without an answer left out.

    Args:
        joint: The fraction of people at every pair of levels.
        first: The attribute of the rows.
        second: The attribute of the columns.
    """
    joint = np.maximum(joint[: first.value_levels, : second.value_levels], 0.0)
    joint = joint / joint.sum()
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    one, other = (values_of(attribute) for attribute in (first, second))
    one, other = one - one @ rows, other - other @ columns
    return float(one @ joint @ other / np.sqrt((one**2 @ rows) * (other**2 @ columns)))


def association(joint: Floats) -> float:
    """Return Cramér's V of a joint distribution, neighbouring levels joined into six cells of about equal share.

    This is the library's own definition, written again so that the truth does not depend on what is measured.
    """
    joint = np.maximum(joint, 0.0)
    for axis in (0, 1):
        below = np.cumsum(joint.sum(axis=1 - axis)) / joint.sum()
        cells = np.minimum(((below - 1e-9) * CELLS).astype(np.intp), CELLS - 1)
        joint = np.add.reduceat(joint, np.flatnonzero(np.diff(cells, prepend=-1)), axis=axis)
    if min(joint.shape) < 2:
        return 0.0
    joint = joint / joint.sum()
    alone = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    chi_square = float(((joint - alone) ** 2 / np.maximum(alone, 1e-300))[alone > 0].sum())
    return float(np.sqrt(chi_square / (min(joint.shape) - 1)))
