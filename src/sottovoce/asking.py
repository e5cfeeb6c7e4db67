"""What every model can be asked in the user's own words: fractions, means, quantiles, groups, each with an interval.

A model has to give two things only: the expectation of products of weights, and the standard error of sums of them. All
that is here follows from those, whatever the mechanism.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from sottovoce.answer import Answer, Estimate, normal_factor
from sottovoce.attributes import Categorical, Numeric, Ordinal
from sottovoce.errors import QueryError
from sottovoce.query.batch import Batch, Floats
from sottovoce.query.functional import (
    Functional,
    Where,
    cumulative,
    fraction_of,
    moment_of,
    parse,
    require_ordered,
    to_batch,
    value_at,
)
from sottovoce.schema import AnyAttribute, Schema

EVERYBODY = "TRUE"


class Asking(ABC):
    """Questions about the crowd, answered with intervals."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """What was asked."""

    @property
    @abstractmethod
    def reports(self) -> int:
        """How many reports the model was fitted to."""

    @abstractmethod
    def evaluate(self, batch: Batch) -> Floats:
        """Return the expected product of weights for every query of a batch."""

    @abstractmethod
    def deviations(self, batch: Batch, sums: Floats) -> Floats:
        """Return the standard error of each sum (a row of ``sums``) of the batch's answers; infinite if unknown."""

    def answer(self, where: Where = EVERYBODY, *, level: float = 0.9, population: int | None = None) -> Answer:
        """Return the fraction of the crowd for which a predicate is true.

        Args:
            where: SQL text such as ``"age BETWEEN 30 AND 50 AND income >= 60000"``, or an expression made with `col`.
            level: The probability with which the interval should hold the true fraction.
            population: How many people the crowd stands for, to give a count as well.
        """
        return self.answers([where], level=level, population=population)[0]

    def answers(self, wheres: Sequence[Where], *, level: float = 0.9, population: int | None = None) -> list[Answer]:
        """Return the answers to many predicates at once."""
        normal_factor(level)
        functionals = [fraction_of(self.schema, parse(self.schema, where)) for where in wheres]
        fractions, deviations = self._estimate(functionals)
        return [
            Answer.make(
                fraction,
                deviation,
                level=level,
                reports=self.reports,
                where=str(where),
                population=population,
                source=(self, functional),
            )
            for where, functional, fraction, deviation in zip(
                wheres, functionals, fractions.tolist(), deviations.tolist(), strict=True
            )
        ]

    def mean(self, name: str, *, where: Where = EVERYBODY, level: float = 0.9) -> Estimate:
        """Return the mean of an attribute over those a predicate selects and who answered."""
        place = self._place(name)
        require_ordered(self.schema.attributes[place], "mean")
        moment, fraction = moment_of(self.schema, parse(self.schema, where), place)
        return self._ratio(moment, fraction, level, f"mean of {name} where {where}")

    def quantile(self, name: str, probability: float, *, where: Where = EVERYBODY, level: float = 0.9) -> Estimate:
        """Return the value below which a fraction ``probability`` of those selected, and who answered, lies."""
        if isinstance(probability, bool) or not isinstance(probability, int | float) or not 0 <= probability <= 1:
            raise QueryError(f"a quantile's probability is a number from 0 to 1, got {probability!r}")
        place = self._place(name)
        attribute = self.schema.attributes[place]
        require_ordered(attribute, "quantile")
        steps = np.concatenate([[0.0], np.cumsum(self.marginal(name, where=where)[: attribute.value_levels])])
        if not steps[-1] > 0:
            raise QueryError(f"nobody is selected by {where}, so {name} has no quantile there")
        steps = np.maximum.accumulate(steps / steps[-1])
        position = _position(steps, probability)
        terms = parse(self.schema, where)
        below = fraction_of(self.schema, terms, (place, cumulative(attribute, position)))
        answered = fraction_of(self.schema, terms, (place, cumulative(attribute, attribute.value_levels)))
        reach = normal_factor(level) * self._ratio_deviation(below, answered)
        ends = [min(max(probability + side * reach, 0.0), 1.0) for side in (-1, 1)]
        low, high = (value_at(attribute, _position(steps, end)) for end in ends)
        return Estimate(value_at(attribute, position), interval=(low, high), level=level)

    def group_by(self, name: str, *, where: Where = EVERYBODY, level: float = 0.9) -> dict[Any, Answer]:
        """Return, for every value of an attribute, the fraction of the crowd that has it and that a predicate selects.

        The keys are the attribute's integers or texts, (low, high) for a numeric bin, and None for "no answer".
        """
        place = self._place(name)
        labels = level_labels(self.schema.attributes[place])
        terms = parse(self.schema, where)
        functionals = [fraction_of(self.schema, terms, (place, row)) for row in np.eye(len(labels))]
        fractions, deviations = self._estimate(functionals)
        return {
            label: Answer.make(
                float(fraction),
                float(deviation),
                level=level,
                reports=self.reports,
                where=f"{name} = {label!r} AND {where}",
                source=(self, functional),
            )
            for label, functional, fraction, deviation in zip(labels, functionals, fractions, deviations, strict=True)
        }

    def marginal(self, *names: str, where: Where = EVERYBODY) -> Floats:
        """Return the distribution of an attribute, or of several together, among those a predicate selects.

        The result has one axis per name, in the order given, and adds up to one; a nullable attribute's last level is
        "no answer".
        """
        places = [self._place(name) for name in names]
        if len(set(places)) != len(places) or not places:
            raise QueryError(f"marginal takes one or more different attributes, got {names!r}")
        terms = parse(self.schema, where)
        shape = tuple(self.schema.sizes[place] for place in places)
        joint = np.zeros(shape)
        for coefficient, weights in fraction_of(self.schema, terms).products:
            joint += coefficient * self._joint(places, weights)
        if terms == {(): 1}:
            return joint
        selected = float(self._values([fraction_of(self.schema, terms)])[0])
        if not selected > 0:
            raise QueryError(f"nobody is selected by {where}, so there is no distribution among them")
        return joint / selected

    def marginal_deviations(self, name: str) -> Floats:
        """Return the standard error of every level's fraction in an attribute's marginal."""
        place = self._place(name)
        terms = parse(self.schema, EVERYBODY)
        rows = [fraction_of(self.schema, terms, (place, row)) for row in np.eye(self.schema.sizes[place])]
        return self.deviations(*to_batch(rows))

    def correlation(self) -> Floats:
        """Return the matrix of correlations between attributes' levels; NaN where an attribute has no order."""
        names, count = self.schema.names, len(self.schema.names)
        result = np.full((count, count), np.nan)
        ordered = [place for place, attribute in enumerate(self.schema.attributes) if attribute.ordered]
        for position, first in enumerate(ordered):
            result[first, first] = 1.0
            for second in ordered[position + 1 :]:
                joint = self.marginal(names[first], names[second])
                result[first, second] = result[second, first] = _correlation(
                    joint[: self.schema.attributes[first].value_levels, : self.schema.attributes[second].value_levels]
                )
        return result

    def _joint(self, places: Sequence[int], weights: dict[int, Floats]) -> Floats:
        """Return the expectation at every combination of levels of some attributes, under weights of any."""
        shape = tuple(self.schema.sizes[place] for place in places)
        levels = np.unravel_index(np.arange(math.prod(shape)), shape)
        answers = np.empty(math.prod(shape))
        step = max(1, 2**22 // sum(self.schema.sizes))
        for start in range(0, len(answers), step):
            part = slice(start, min(start + step, len(answers)))
            rows = {
                place: np.eye(self.schema.sizes[place])[level[part]]
                for place, level in zip(places, levels, strict=True)
            }
            for place, vector in weights.items():
                rows[place] = rows.get(place, np.ones((part.stop - part.start, 1))) * vector
            answers[part] = self.evaluate(Batch.of(rows))
        return answers.reshape(shape)

    def _estimate(self, functionals: Sequence[Functional]) -> tuple[Floats, Floats]:
        batch, sums = to_batch(functionals)
        if not batch.count:
            return np.zeros(len(functionals)), np.zeros(len(functionals))
        return sums @ self.evaluate(batch), self.deviations(batch, sums)

    def _values(self, functionals: Sequence[Functional]) -> Floats:
        batch, sums = to_batch(functionals)
        return np.asarray(sums @ self.evaluate(batch))

    def _ratio(self, numerator: Functional, denominator: Functional, level: float, what: str) -> Estimate:
        top, bottom = self._values([numerator, denominator]).tolist()
        if not bottom > 0:
            raise QueryError(f"nobody is selected, so there is no {what}")
        reach = normal_factor(level) * self._ratio_deviation(numerator, denominator)
        return Estimate(top / bottom, interval=(top / bottom - reach, top / bottom + reach), level=level)

    def _ratio_deviation(self, numerator: Functional, denominator: Functional) -> float:
        """Return the standard error of a ratio, to first order: of (numerator - ratio * denominator) / denominator."""
        top, bottom = self._values([numerator, denominator]).tolist()
        shifted = [(-coefficient * top / bottom, weights) for coefficient, weights in denominator.products]
        combined = Functional((*numerator.products, *shifted))
        return float(self.deviations(*to_batch([combined]))[0] / bottom)

    def _place(self, name: str) -> int:
        try:
            return self.schema.position(name)
        except (KeyError, TypeError) as error:
            raise QueryError(
                f"unknown attribute {name!r}; this collection has {', '.join(self.schema.names)}"
            ) from error


def difference(first: Answer, second: Answer, *, level: float = 0.9) -> Estimate:
    """Return ``first`` minus ``second``, with an interval: two groups of one model, or two collections.

    Answers of one model share its errors, which partly cancel; those of two collections are independent.
    """
    for answer in (first, second):
        if not isinstance(answer, Answer):
            raise QueryError(f"difference takes two answers, got {type(answer).__name__}")
    if first.source is not None and second.source is not None and first.source[0] is second.source[0]:
        model = first.source[0]
        negative = [(-coefficient, weights) for coefficient, weights in second.source[1].products]
        combined = Functional((*first.source[1].products, *negative))
        deviation = float(model.deviations(*to_batch([combined]))[0]) if combined.products else 0.0
    else:
        deviation = math.hypot(first.deviation, second.deviation)
    gap, reach = first.fraction - second.fraction, normal_factor(level) * deviation
    return Estimate(gap, interval=(max(-1.0, gap - reach), min(1.0, gap + reach)), level=level)


def level_labels(attribute: AnyAttribute) -> list[Any]:
    """Return what each level stands for: an integer, a text, (low, high) for a numeric bin, None for "no answer"."""
    if isinstance(attribute, Categorical):
        labels: list[Any] = list(attribute.values)
    elif isinstance(attribute, Ordinal):
        labels = list(range(attribute.low, attribute.high + 1))
    else:
        assert isinstance(attribute, Numeric)
        labels = list(zip(attribute.boundaries[:-1], attribute.boundaries[1:], strict=True))
    return [*labels, None] if attribute.accepts_null else labels


def _position(steps: Floats, probability: float) -> float:
    """Return where a cumulative distribution over level edges reaches a probability, linear between edges."""
    level = int(np.searchsorted(steps, probability, side="left"))
    if level == 0:
        return 0.0
    level = min(level, len(steps) - 1)
    rise = steps[level] - steps[level - 1]
    return level - 1 + float((probability - steps[level - 1]) / rise if rise > 0 else 1.0)


def _correlation(joint: Floats) -> float:
    total = joint.sum()
    rows, columns = np.arange(joint.shape[0]), np.arange(joint.shape[1])
    first, second = joint.sum(axis=1) / total, joint.sum(axis=0) / total
    centred_rows, centred_columns = rows - rows @ first, columns - columns @ second
    spread = math.sqrt(float(centred_rows**2 @ first) * float(centred_columns**2 @ second))
    return float(centred_rows @ joint @ centred_columns / total) / spread if spread > 0 else math.nan
