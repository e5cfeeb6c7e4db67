"""Models: what `fit` returns. Whatever the mechanism, a model answers in the user's own words, with intervals.

A mechanism's model has to give two things only: the expectation of products of weights, and the standard error of sums
of them. Fractions, means, quantiles and groups follow from those.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np

from sottovoce._checks import check_fraction
from sottovoce._files import write_whole
from sottovoce._types import Floats
from sottovoce.errors import ModelError, QueryError
from sottovoce.model.answer import INCLUDES, Answer, Estimate, check_population, normal_factor
from sottovoce.model.association import correlation_matrix
from sottovoce.model.evaluation import expectations, values_of, with_errors
from sottovoce.model.files import model_document
from sottovoce.model.origin import Origin
from sottovoce.plan.registry import every_mechanism
from sottovoce.query.batch import Batch, chunks
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
from sottovoce.query.labels import level_labels, names_level
from sottovoce.query.ranges import Ranges, ranges_to_batch
from sottovoce.query.terms import EVERYBODY as EVERYBODY_TERMS
from sottovoce.query.terms import Terms, conjunction
from sottovoce.schema.schema import Schema

EVERYBODY = "TRUE"
"""The predicate that selects everybody."""


class Model(ABC):
    """What is known of the crowd: answers any range query. Subclasses say how; they are made by `fit`."""

    kind: ClassVar[str]
    joint: ClassVar[bool] = False
    resampled: ClassVar[bool] = True
    """Whether `deviations` needs replicates; a model that knows its own error does without."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self._refit: Callable[[], Sequence[Model]] | None = None
        self._replicates: list[Model] | None = None

    @property
    def schema(self) -> Schema:
        """What was asked."""
        return self.origin.schema

    @property
    def reports(self) -> int:
        """How many reports the model was fitted to."""
        return self.origin.reports

    @abstractmethod
    def evaluate(self, batch: Batch) -> Floats:
        """Return the expected product of weights for every query of a batch."""

    @property
    def replicates(self) -> list[Model]:
        """The same fit to resampled tallies, made when first needed; none for a model that was not fitted here."""
        self.prepare_intervals()
        return self._replicates or []

    def refit_by(self, refit: Callable[[], Sequence[Model]]) -> None:
        """Take note of how to repeat the fit."""
        self._refit = refit

    def keep_replicates(self, replicates: Sequence[Model]) -> None:
        """Take the repeated fits that a file holds."""
        self._replicates = list(replicates)

    def prepare_intervals(self) -> None:
        """Repeat the fit now, which otherwise happens when an interval is first asked for."""
        if self._replicates is None:
            self._replicates = list(self._refit()) if self._refit is not None else []

    def deviations(self, batch: Batch, sums: Floats) -> Floats:
        """Return the standard error of each sum of the batch's answers: replicates' spread and drift, and bias."""
        if not self.replicates:
            return np.full(len(sums), np.inf)
        again = np.array([sums @ replicate.evaluate(batch) for replicate in self.replicates])
        drift = again.mean(axis=0) - sums @ self.evaluate(batch)  # what fitting once more does, fitting did before
        return np.asarray(np.sqrt(again.var(axis=0, ddof=1) + drift**2 + self.bias(batch, sums) ** 2))

    def bias(self, batch: Batch, sums: Floats) -> Floats:
        """Return how far off each sum may be on average over collections; nothing, unless a model knows better."""
        return np.zeros(len(sums))

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return what `from_state` needs to make this model again: numbers, texts and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls, origin: Origin, state: dict[str, Any]) -> Model:
        """Return the model that `state` describes."""

    def answer_ranges(self, queries: Sequence[Ranges]) -> Floats:
        """Return the fraction of the crowd inside each query.

        Args:
            queries: For each query a dict from attribute names to (low, high), both ends included, in the user's own
                values; to a list of values for a categorical attribute. ``{}`` asks for everybody. A bound outside the
                domain is cut to it.
        """
        if isinstance(queries, dict | str) or not isinstance(queries, Sequence):
            raise QueryError(f"answer_ranges takes a list of queries, got {type(queries).__name__}: wrap it in [ ]")
        answers = np.empty(len(queries))
        for part in chunks(len(queries), sum(self.schema.sizes)):
            answers[part] = self.evaluate(ranges_to_batch(self.schema, queries[part]))
        return answers

    def sample(self, count: int, *, seed: int = 0, frame: str = "pandas") -> Any:
        """Return made-up people that follow the model, as a table; a model that knows no whole records refuses."""
        raise ModelError(self._not_joint("draws no people"))

    def calibrate(self, known: Mapping[str, Any]) -> Model:
        """Return the model reweighted to publicly known marginals; one that knows no whole records refuses."""
        raise ModelError(self._not_joint("cannot be reweighted"))

    def reweighted(self, weights: Mapping[int, Floats]) -> Model:
        """Return the model in which each level of some attributes counts by a weight; for `calibrate` and files."""
        raise ModelError(self._not_joint("cannot be reweighted"))

    def _not_joint(self, what: str) -> str:
        able = [mechanism.name for mechanism in every_mechanism() if mechanism.model.joint]
        return (
            f"a model by {self.origin.mechanism} answers from parts of records and {what}: "
            f"that takes a mechanism that models whole records ({', '.join(able)})"
        )

    def document(self) -> dict[str, Any]:
        """Return what a model file holds."""
        return model_document(self)

    def save(self, path: str | Path) -> None:
        """Write the model as one JSON document."""
        write_whole(path, msgspec.json.encode(self.document()))

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
        condition = self._parse(given)
        asked = [fraction_of(self.schema, conjunction(self._parse(where), condition)) for where in wheres]
        texts = [str(where) for where in wheres]
        if condition == EVERYBODY_TERMS:
            values, errors = with_errors(self, asked)
            return self._answers(texts, values, asked, errors, level=level, population=population)
        whole = fraction_of(self.schema, condition)
        values, bottom = values_of(self, asked), float(values_of(self, [whole])[0])
        if not bottom > 0:
            raise QueryError(f"nobody is selected by {given}, so there is no fraction of them")
        ratios = np.clip(values / bottom, 0.0, 1.0)
        off = [linear_error(top, whole, ratio, bottom) for top, ratio in zip(asked, ratios.tolist(), strict=True)]
        texts = [f"{text}, of those with {given}" for text in texts]
        return self._answers(texts, ratios, off, with_errors(self, off)[1], level=level, population=population)

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
        terms = self._parse(where)
        moment, fraction = moment_of(self.schema, terms, place)
        top, bottom = values_of(self, [moment, fraction]).tolist()
        if not bottom > 0:
            raise QueryError(f"nobody is selected by {where}, so {name} has no mean there")
        lowest, highest = value_range(self.schema.attributes[place])
        mean = min(max(top / bottom, lowest), highest)
        off = centred_moment(self.schema, terms, place, mean, bottom)
        reach = normal_factor(level) * float(with_errors(self, [off])[1][0])
        interval = max(mean - reach, lowest), min(mean + reach, highest)
        return Estimate(mean, interval=interval, level=level, includes=self.includes, source=(self, off))

    def quantile(self, name: str, probability: float, *, where: Where = EVERYBODY, level: float = 0.9) -> Estimate:
        """Return the value below which a fraction ``probability`` of those selected, and who answered, lies."""
        probability = check_fraction("a quantile's probability", probability, error=QueryError, ends=True)
        place = self._place(name)
        attribute = self.schema.attributes[place]
        require_ordered(attribute, "quantile")
        terms = self._parse(where)
        positions = stretches(self.schema, terms, place)
        parts = [
            fraction_within(self.schema, terms, place, start, stop) for start, stop in pairwise(positions.tolist())
        ]
        steps = np.concatenate([[0.0], np.cumsum(values_of(self, parts))])
        selected = float(steps[-1])
        if not selected > 0:
            raise QueryError(f"nobody is selected by {where}, so {name} has no quantile there")
        steps = np.maximum.accumulate(np.clip(steps / selected, 0.0, 1.0))
        position = _position(positions, steps, probability)
        off = centred_share(self.schema, terms, place, position, probability, selected)
        reach = normal_factor(level) * float(with_errors(self, [off])[1][0])
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
        terms = self._parse(where)
        functionals = [fraction_of(self.schema, terms, (place, row)) for row in np.eye(len(labels))]
        besides = "" if terms == EVERYBODY_TERMS else f" AND ({where})"
        wheres = [f"{names_level(name, label)}{besides}" for label in labels]
        normal_factor(level)
        check_population(population)
        values, errors = with_errors(self, functionals)
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
        terms = self._parse(where)
        shape = tuple(self.schema.sizes[place] for place in places)
        joint = np.zeros(shape)
        for coefficient, weights in fraction_of(self.schema, terms).products:
            joint += coefficient * expectations(self, places, weights)
        if terms == EVERYBODY_TERMS:
            return joint
        joint = np.maximum(joint, 0.0)
        if not joint.sum() > 0:
            raise QueryError(f"nobody is selected by {where}, so there is no distribution among them")
        return np.asarray(joint / joint.sum())

    def marginal_deviations(self, name: str) -> Floats:
        """Return the standard error of every level's fraction in an attribute's marginal."""
        place = self._place(name)
        rows = [fraction_of(self.schema, EVERYBODY_TERMS, (place, row)) for row in np.eye(self.schema.sizes[place])]
        return self.deviations(*to_batch(rows))

    def _parse(self, where: Where) -> Terms:
        """Return what a predicate stands for; the one for everybody is known without reading it."""
        return EVERYBODY_TERMS if isinstance(where, str) and where == EVERYBODY else parse(self.schema, where)

    def _place(self, name: str) -> int:
        try:
            return self.schema.position(name)
        except (KeyError, TypeError) as error:
            raise QueryError(
                f"unknown attribute {name!r}; this collection has {', '.join(self.schema.names)}"
            ) from error

    def correlation(self) -> Floats:
        """Return the matrix of correlations between attributes, among those who answered both.

        A numeric bin counts by its middle; NaN stands where an attribute has no order.
        """
        return correlation_matrix(self)

    def __repr__(self) -> str:
        origin = self.origin
        return (
            f"<{type(self).__name__} by {origin.mechanism}, {len(self.schema.attributes)} attributes, "
            f"{origin.reports:,} reports, epsilon {origin.epsilon:g}>"
        )


def _position(positions: Floats, steps: Floats, probability: float) -> float:
    """Return where a cumulative distribution reaches a probability, linear between known positions."""
    place = int(np.searchsorted(steps, probability, side="left"))
    if place == 0:
        return float(positions[0])
    place = min(place, len(steps) - 1)
    rise, width = steps[place] - steps[place - 1], positions[place] - positions[place - 1]
    return float(positions[place - 1] + width * ((probability - steps[place - 1]) / rise if rise > 0 else 1.0))
