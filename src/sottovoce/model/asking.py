"""What every model can be asked in the user's own words: fractions, means, quantiles, groups, each with an interval.

A model has to give two things only: the expectation of products of weights, and the standard error of sums of them. All
that is here follows from those, whatever the mechanism.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from sottovoce.model.answer import INCLUDES, Answer, Estimate, check_population, normal_factor
from sottovoce.errors import QueryError
from sottovoce.query.batch import Batch, Floats
from sottovoce.query.functional import (
    Functional,
    Where,
    centred_moment,
    centred_share,
    fraction_of,
    fraction_within,
    linear_error,
    moment_of,
    parse,
    require_ordered,
    stretches,
    to_batch,
    value_at,
    value_range,
)
from sottovoce.query.labels import level_labels, level_values, names_level
from sottovoce.query.terms import conjunction
from sottovoce.schema.schema import Schema

EVERYBODY = "TRUE"

PRODUCTS_AT_ONCE = 2**11
"""How many products are put into one batch: their sums are a matrix."""


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

    @property
    def includes(self) -> str:
        """What the intervals include, and what not."""
        return INCLUDES

    def answer(
        self,
        where: Where = EVERYBODY,
        *,
        given: Where = EVERYBODY,
        level: float = 0.9,
        population: int | None = None,
    ) -> Answer:
        """Return the fraction of the crowd for which a predicate is true.

        Args:
            where: SQL text such as ``"age BETWEEN 30 AND 50 AND income >= 60000"``, or an expression made with `col`.
            given: Another predicate: the fraction is then of those for whom this one is true.
            level: The probability with which the interval should hold the true fraction.
            population: How many people the fraction is of, to give a count as well.
        """
        return self.answers([where], given=given, level=level, population=population)[0]

    def answers(
        self,
        wheres: Sequence[Where],
        *,
        given: Where = EVERYBODY,
        level: float = 0.9,
        population: int | None = None,
    ) -> list[Answer]:
        """Return the answers to many predicates at once."""
        if isinstance(wheres, str) or not isinstance(wheres, Sequence):
            raise QueryError(f"answers takes a list of predicates, got {wheres!r}: wrap it in [ ]")
        normal_factor(level)
        check_population(population)
        condition = parse(self.schema, given)
        asked = [fraction_of(self.schema, conjunction(parse(self.schema, where), condition)) for where in wheres]
        texts = [str(where) for where in wheres]
        if condition == parse(self.schema, EVERYBODY):
            values, errors = self._with_errors(asked)
            return self._answers(texts, values, asked, errors, level=level, population=population)
        whole = fraction_of(self.schema, condition)
        values, bottom = self._values(asked), float(self._values([whole])[0])
        if not bottom > 0:
            raise QueryError(f"nobody is selected by {given}, so there is no fraction of them")
        ratios = np.clip(values / bottom, 0.0, 1.0)
        off = [linear_error(top, whole, ratio, bottom) for top, ratio in zip(asked, ratios.tolist(), strict=True)]
        texts = [f"{text}, of those with {given}" for text in texts]
        return self._answers(texts, ratios, off, self._with_errors(off)[1], level=level, population=population)

    def _answers(
        self, wheres: Sequence[str], values: Floats, errors_of: Sequence[Functional], errors: Floats, **about: Any
    ) -> list[Answer]:
        """Return answers, each with the functional whose error is its own, so that differences can be taken."""
        about |= {"reports": self.reports, "includes": self.includes}
        return [
            Answer.make(value, error, where=where, source=(self, functional), **about)
            for where, value, functional, error in zip(wheres, values.tolist(), errors_of, errors.tolist(), strict=True)
        ]

    def mean(self, name: str, *, where: Where = EVERYBODY, level: float = 0.9) -> Estimate:
        """Return the mean of an attribute over those a predicate selects and who answered."""
        place = self._place(name)
        require_ordered(self.schema.attributes[place], "mean")
        terms = parse(self.schema, where)
        moment, fraction = moment_of(self.schema, terms, place)
        top, bottom = self._values([moment, fraction]).tolist()
        if not bottom > 0:
            raise QueryError(f"nobody is selected by {where}, so {name} has no mean there")
        lowest, highest = value_range(self.schema.attributes[place])
        mean = min(max(top / bottom, lowest), highest)
        off = centred_moment(self.schema, terms, place, mean, bottom)
        reach = normal_factor(level) * float(self._with_errors([off])[1][0])
        interval = max(mean - reach, lowest), min(mean + reach, highest)
        return Estimate(mean, interval=interval, level=level, includes=self.includes, source=(self, off))

    def quantile(self, name: str, probability: float, *, where: Where = EVERYBODY, level: float = 0.9) -> Estimate:
        """Return the value below which a fraction ``probability`` of those selected, and who answered, lies."""
        if isinstance(probability, bool) or not isinstance(probability, int | float) or not 0 <= probability <= 1:
            raise QueryError(f"a quantile's probability is a number from 0 to 1, got {probability!r}")
        place = self._place(name)
        attribute = self.schema.attributes[place]
        require_ordered(attribute, "quantile")
        terms = parse(self.schema, where)
        positions = stretches(self.schema, terms, place)
        parts = [
            fraction_within(self.schema, terms, place, start, stop) for start, stop in pairwise(positions.tolist())
        ]
        steps = np.concatenate([[0.0], np.cumsum(self._values(parts))])
        selected = float(steps[-1])
        if not selected > 0:
            raise QueryError(f"nobody is selected by {where}, so {name} has no quantile there")
        steps = np.maximum.accumulate(np.clip(steps / selected, 0.0, 1.0))
        position = _position(positions, steps, probability)
        off = centred_share(self.schema, terms, place, position, probability, selected)
        reach = normal_factor(level) * float(self._with_errors([off])[1][0])
        ends = [min(max(probability + side * reach, 0.0), 1.0) for side in (-1, 1)]
        low, high = (value_at(attribute, _position(positions, steps, end)) for end in ends)
        return Estimate(value_at(attribute, position), interval=(low, high), level=level, includes=self.includes)

    def group_by(
        self, name: str, *, where: Where = EVERYBODY, level: float = 0.9, population: int | None = None
    ) -> dict[Any, Answer]:
        """Return, for every value of an attribute, the fraction of the crowd that has it and that a predicate selects.

        The keys are the attribute's integers or texts, (low, high) for a numeric bin, and None for "no answer".
        """
        place = self._place(name)
        labels = level_labels(self.schema.attributes[place])
        terms = parse(self.schema, where)
        functionals = [fraction_of(self.schema, terms, (place, row)) for row in np.eye(len(labels))]
        besides = "" if terms == parse(self.schema, EVERYBODY) else f" AND ({where})"
        wheres = [f"{names_level(name, label)}{besides}" for label in labels]
        normal_factor(level)
        check_population(population)
        values, errors = self._with_errors(functionals)
        answers = self._answers(wheres, values, functionals, errors, level=level, population=population)
        return dict(zip(labels, answers, strict=True))

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
        joint = np.maximum(joint, 0.0)
        if not joint.sum() > 0:
            raise QueryError(f"nobody is selected by {where}, so there is no distribution among them")
        return np.asarray(joint / joint.sum())

    def marginal_deviations(self, name: str) -> Floats:
        """Return the standard error of every level's fraction in an attribute's marginal."""
        place = self._place(name)
        terms = parse(self.schema, EVERYBODY)
        rows = [fraction_of(self.schema, terms, (place, row)) for row in np.eye(self.schema.sizes[place])]
        return self.deviations(*to_batch(rows))

    def correlation(self) -> Floats:
        """Return the matrix of correlations between attributes, among those who answered both.

        A numeric bin counts by its middle; NaN stands where an attribute has no order.
        """
        names, count = self.schema.names, len(self.schema.names)
        result = np.full((count, count), np.nan)
        ordered = [place for place, attribute in enumerate(self.schema.attributes) if attribute.ordered]
        for position, first in enumerate(ordered):
            result[first, first] = 1.0
            for second in ordered[position + 1 :]:
                values = [level_values(self.schema.attributes[place]) for place in (first, second)]
                joint = self.marginal(names[first], names[second])[: len(values[0]), : len(values[1])]
                result[first, second] = result[second, first] = _correlation(np.maximum(joint, 0.0), *values)
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

    def _with_errors(self, functionals: Sequence[Functional]) -> tuple[Floats, Floats]:
        """Return values and standard errors; what selects nobody whatever the crowd is exactly nothing."""
        values, errors = np.zeros(len(functionals)), np.zeros(len(functionals))
        for part in _parts(functionals):
            batch, sums = to_batch([functionals[number] for number in part])
            values[part], errors[part] = sums @ self.evaluate(batch), self.deviations(batch, sums)
        return values, errors

    def _values(self, functionals: Sequence[Functional]) -> Floats:
        values = np.zeros(len(functionals))
        for part in _parts(functionals):
            batch, sums = to_batch([functionals[number] for number in part])
            values[part] = sums @ self.evaluate(batch)
        return values

    def _place(self, name: str) -> int:
        try:
            return self.schema.position(name)
        except (KeyError, TypeError) as error:
            raise QueryError(
                f"unknown attribute {name!r}; this collection has {', '.join(self.schema.names)}"
            ) from error


def difference(first: Answer | Estimate, second: Answer | Estimate, *, level: float = 0.9) -> Estimate:
    """Return ``first`` minus ``second``, with an interval: two groups of one model, or two collections.

    Fractions and means of one model share its errors, which partly cancel; what comes from two collections is taken as
    independent, and so are quantiles.
    """
    for given in (first, second):
        if not isinstance(given, Answer | Estimate):
            raise QueryError(f"difference takes two answers, or two estimates, got {type(given).__name__}")
    if isinstance(first, Answer) != isinstance(second, Answer):
        raise QueryError(f"a fraction and a number cannot be subtracted: got {first!r} and {second!r}")
    if first.source is not None and second.source is not None and first.source[0] is second.source[0]:
        model = first.source[0]
        negative = [(-coefficient, weights) for coefficient, weights in second.source[1].products]
        deviation = float(model._with_errors([Functional((*first.source[1].products, *negative))])[1][0])
    else:
        deviation = math.hypot(first.deviation, second.deviation)
    gap, reach = float(first) - float(second), normal_factor(level) * deviation
    low, high = gap - reach, gap + reach
    if isinstance(first, Answer):
        low, high = max(-1.0, low), min(1.0, high)
    return Estimate(gap, interval=(low, high), level=level, includes=first.includes)


def _position(positions: Floats, steps: Floats, probability: float) -> float:
    """Return where a cumulative distribution reaches a probability, linear between known positions."""
    place = int(np.searchsorted(steps, probability, side="left"))
    if place == 0:
        return float(positions[0])
    place = min(place, len(steps) - 1)
    rise, width = steps[place] - steps[place - 1], positions[place] - positions[place - 1]
    return float(positions[place - 1] + width * ((probability - steps[place - 1]) / rise if rise > 0 else 1.0))


def _correlation(joint: Floats, first: Floats, second: Floats) -> float:
    total = joint.sum()
    if not total > 0:
        return math.nan
    rows, columns = joint.sum(axis=1) / total, joint.sum(axis=0) / total
    first, second = first - first @ rows, second - second @ columns
    spread = math.sqrt(float(first**2 @ rows) * float(second**2 @ columns))
    return float(first @ joint @ second / total) / spread if spread > 0 else math.nan


def _parts(functionals: Sequence[Functional]) -> Iterator[list[int]]:
    """Yield the places of those that hold a product at all, in parts of bounded size."""
    part: list[int] = []
    products = 0
    for number, functional in enumerate(functionals):
        if part and products + len(functional.products) > PRODUCTS_AT_ONCE:
            yield part
            part, products = [], 0
        if functional.products:
            part.append(number)
            products += len(functional.products)
    if part:
        yield part
