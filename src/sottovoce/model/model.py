"""Models: what `fit` returns. Whatever the mechanism, a model answers in the user's own words, with intervals.

A mechanism's model has to give two things only: the expectation of products of weights, and the standard error of sums
of them. Fractions, means, quantiles and groups follow from those.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, overload

import msgspec
import numpy as np

from sottovoce._checks import check_fraction
from sottovoce._files import write_whole
from sottovoce._types import Floats
from sottovoce.errors import QueryError
from sottovoce.model.answer import Answer, Estimate, check_population
from sottovoce.model.asking import (
    Assessment,
    assess_fractions,
    assess_mean,
    assess_ratios,
    find_quantile,
    make_answer,
    make_estimate,
    refuse_nobody,
)
from sottovoce.model.association import (
    Association,
    association_of,
    associations,
    correlation_matrix,
    correlation_of_pair,
)
from sottovoce.model.belief import normal_factor
from sottovoce.model.evaluation import joint_distribution
from sottovoce.model.files import load_model, model_document
from sottovoce.model.fitted import Fitted
from sottovoce.model.groups import Comparison, compare_groups, groups_of, smallest_difference
from sottovoce.model.labelled import Distribution, Groups
from sottovoce.model.state_checks import seal
from sottovoce.query.batch import chunks
from sottovoce.query.functional import Functional, Where, fraction_of, parse
from sottovoce.query.labels import level_labels, names_level
from sottovoce.query.ranges import Ranges, ranges_to_batch
from sottovoce.query.terms import EVERYBODY as EVERYBODY_TERMS
from sottovoce.query.terms import Terms, conjunction
from sottovoce.schema.notebook import facts_html

EVERYBODY = "TRUE"
"""The predicate that selects everybody."""


class Model(Fitted):
    """What is known of the crowd: answers any range query. Mechanisms subclass it; models are made by `fit`."""

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
            answers[part] = self.evaluate(ranges_to_batch(self.schema, queries[part], first=part.start))
        return answers

    def document(self) -> dict[str, Any]:
        """Return what a model file holds."""
        return model_document(self)

    def save(self, path: str | Path) -> None:
        """Write the model as one JSON document."""
        write_whole(path, msgspec.json.encode(seal(self.document())))

    @classmethod
    def load(cls, path: str | Path) -> Model:
        """Return the model that `save` wrote, of whatever mechanism it is."""
        return load_model(path)

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
        """Return the answers to many predicates at once.

        Args:
            wheres: A list of predicates, as SQL or made of `col`.
            given: Answer among those whom this predicate selects.
            level: The probability with which an interval should hold the truth.
            population: How many people the crowd stands for; then answers have counts.

        Raises:
            QueryError: If a predicate cannot be understood, or nobody is left to answer about.
        """
        if isinstance(wheres, str) or not isinstance(wheres, Sequence):
            raise QueryError(f"answers takes a list of predicates, got {wheres!r}: wrap it in [ ]")
        normal_factor(level)
        check_population(population)
        condition = self._parse(given)
        asked = [fraction_of(self.schema, conjunction(self._parse(where), condition)) for where in wheres]
        texts = [str(where) if condition == EVERYBODY_TERMS else f"{where}, of those with {given}" for where in wheres]
        told = self._assess(asked, condition, given)
        return [make_answer(one, text, level, population) for one, text in zip(told, texts, strict=True)]

    def _assess(self, asked: Sequence[Functional], condition: Terms, given: Where) -> list[Assessment]:
        """Return what is said of fractions: of everybody, or of those for whom a condition holds."""
        if condition == EVERYBODY_TERMS:
            return assess_fractions(self, asked)
        told = assess_ratios(self, asked, fraction_of(self.schema, condition))
        if told is None:
            raise refuse_nobody(given, "fraction")
        return told

    def mean(self, name: str, *, where: Where = EVERYBODY, level: float = 0.9) -> Estimate:
        """Return the mean of an attribute over those a predicate selects and who answered.

        Args:
            name: An ordered attribute; a numeric bin counts by its middle.
            where: Over whom, as a predicate; everybody if left out.
            level: The probability with which the interval should hold the truth.

        Raises:
            QueryError: If the attribute is unknown or has no order, or the model sees nobody there.
        """
        told = assess_mean(self, self._parse(where), self.attribute_index(name))
        if told is None:
            raise refuse_nobody(where, f"mean {name}")
        return make_estimate(told, level)

    @overload
    def quantile(self, name: str, probability: float, *, where: Where = EVERYBODY, level: float = 0.9) -> Estimate: ...
    @overload
    def quantile(
        self, name: str, probability: Sequence[float], *, where: Where = EVERYBODY, level: float = 0.9
    ) -> list[Estimate]: ...
    def quantile(
        self, name: str, probability: float | Sequence[float], *, where: Where = EVERYBODY, level: float = 0.9
    ) -> Estimate | list[Estimate]:
        """Return the value below which a fraction ``probability`` of those selected, and who answered, lies.

        Args:
            name: An ordered attribute.
            probability: From 0 to 1, 0.5 for the median; or several, for as many values.
            where: Who is counted.
            level: The probability with which each interval should hold the true quantile.

        Raises:
            QueryError: For an attribute without order, or a predicate that selects nobody.
        """
        if isinstance(probability, Sequence | np.ndarray) and not isinstance(probability, str):
            return [self.quantile(name, each, where=where, level=level) for each in probability]
        probability = check_fraction("a quantile's probability", probability, error=QueryError, ends=True)
        found = find_quantile(self, self._parse(where), self.attribute_index(name), probability, level)
        if found is None:
            raise refuse_nobody(where, f"quantile of {name}")
        return found

    def mean_by(
        self, name: str, by: str, *, where: Where = EVERYBODY, bands: int | None = None, level: float = 0.9
    ) -> Groups[Estimate]:
        """Return the mean of an attribute in every group that another makes; groups without anybody are left out.

        Args:
            name: An ordered attribute.
            by: The attribute that makes the groups: by its values, or by bands where it has many ordered ones.
            where: Who is counted at all.
            bands: How many bands of about equal share.
            level: The probability with which each interval should hold the true mean.

        Returns:
            Estimates by the group's value, (low, high) for a band, None for "no answer".
        """
        terms, index = self._parse(where), self.attribute_index(name)
        told = {
            group.label: assess_mean(self, conjunction(terms, group.terms), index)
            for group in groups_of(self, by, bands=bands)
        }
        return Groups(by, ((label, make_estimate(one, level)) for label, one in told.items() if one is not None))

    def quantile_by(
        self,
        name: str,
        by: str,
        probability: float = 0.5,
        *,
        where: Where = EVERYBODY,
        bands: int | None = None,
        level: float = 0.9,
    ) -> Groups[Estimate]:
        """Return a quantile of an attribute, the median by default, in every group that another makes.

        Args:
            name: An ordered attribute.
            by: The attribute that makes the groups, as for `mean_by`.
            probability: The quantile's.
            where: Who is counted at all.
            bands: How many bands of about equal share.
            level: The probability with which each interval should hold the true quantile.

        Returns:
            Estimates by the group's value, (low, high) for a band, None for "no answer".
        """
        probability = check_fraction("a quantile's probability", probability, error=QueryError, ends=True)
        terms, index = self._parse(where), self.attribute_index(name)
        found = {
            group.label: find_quantile(self, conjunction(terms, group.terms), index, probability, level)
            for group in groups_of(self, by, bands=bands)
        }
        return Groups(by, ((label, one) for label, one in found.items() if one is not None))

    def group_by(
        self,
        name: str,
        *,
        where: Where = EVERYBODY,
        given: Where = EVERYBODY,
        level: float = 0.9,
        population: int | None = None,
    ) -> Groups[Answer]:
        """Return, for every value of an attribute, the fraction of the crowd that has it and that a predicate selects.

        Args:
            name: The attribute.
            where: Who is counted besides.
            given: The fractions are of those for whom this holds.
            level: The probability with which each interval should hold the true fraction.
            population: How many people the fractions are of, to give counts as well.

        Returns:
            Answers by the attribute's integers or texts, (low, high) for a numeric bin, None for "no answer".
        """
        index = self.attribute_index(name)
        labels = level_labels(self.schema.attributes[index])
        terms, condition = self._parse(where), self._parse(given)
        both = conjunction(terms, condition)
        functionals = [fraction_of(self.schema, both, (index, row)) for row in np.eye(len(labels))]
        besides = "" if terms == EVERYBODY_TERMS else f" AND ({where})"
        besides += "" if condition == EVERYBODY_TERMS else f", of those with {given}"
        normal_factor(level)
        check_population(population)
        told = self._assess(functionals, condition, given)
        return Groups(
            name,
            (
                (label, make_answer(one, f"{names_level(name, label)}{besides}", level, population))
                for label, one in zip(labels, told, strict=True)
            ),
        )

    def smallest_difference(self, name: str, by: str) -> float:
        """Return the smallest difference of shares between groups that these reports could tell from none.

        That is nine times in ten, between the two largest groups of ``by``, of the share with the upper half of
        ``name``, or with its most common value where it has no order.
        """
        return smallest_difference(self, name, by)

    def compare_groups(
        self, by: str, *, names: Sequence[str] | None = None, bands: int | None = None, level: float = 0.9
    ) -> Comparison:
        """Return every attribute by the groups of one, and which differences could be chance.

        Args:
            by: The attribute that makes the groups.
            names: The attributes to compare; by default all others.
            bands: How many bands an ordered ``by`` is cut into.
            level: Of the intervals; chance calls any difference told with at most 1 - level.
        """
        return compare_groups(self, by, names=names, bands=bands, level=level)

    def marginal(self, *names: str, where: Where = EVERYBODY) -> Distribution:
        """Return the distribution of an attribute, or of several together, among those a predicate selects.

        Args:
            *names: The attributes.
            where: Who is counted.

        Returns:
            An array with one axis per name, in the order given, that adds up to one; a nullable attribute's last
            level is "no answer". Its ``to_frame`` gives a table with labels.

        Raises:
            QueryError: For an unknown attribute, one named twice, or a predicate that selects nobody.
        """
        indices = [self.attribute_index(name) for name in names]
        if len(set(indices)) != len(indices) or not indices:
            raise QueryError(f"marginal takes one or more different attributes, got {names!r}")
        terms = self._parse(where)
        joint = joint_distribution(self, indices, fraction_of(self.schema, terms))
        if terms != EVERYBODY_TERMS:
            joint = np.maximum(joint, 0.0)
            if not joint.sum() > 0:
                raise refuse_nobody(where, "distribution")
            joint = joint / joint.sum()
        labels = [level_labels(self.schema.attributes[index]) for index in indices]
        return Distribution.of(joint, names, labels)

    def _parse(self, where: Where) -> Terms:
        """Return what a predicate stands for; the one for everybody is known without reading it."""
        return EVERYBODY_TERMS if isinstance(where, str) and where == EVERYBODY else parse(self.schema, where)

    @overload
    def correlation(self) -> Floats: ...
    @overload
    def correlation(self, first: str, second: str, *, level: float = 0.9) -> Estimate: ...
    def correlation(
        self, first: str | None = None, second: str | None = None, *, level: float = 0.9
    ) -> Floats | Estimate:
        """Return the correlation of two attributes, among those who answered both, or the matrix of all of them.

        A numeric bin counts by its middle; NaN stands in the matrix where an attribute has no order.

        Args:
            first: An ordered attribute,
            second: and another; leave both out for the matrix of all attributes.
            level: The probability with which the interval should hold the truth; the matrix has none.

        Raises:
            QueryError: If only one is given, or one is unknown or has no order.
        """
        normal_factor(level)
        if first is None and second is None:
            return correlation_matrix(self)
        if first is None or second is None:
            raise QueryError("correlation takes two attributes, or none for the matrix of all")
        return correlation_of_pair(self, first, second, level=level)

    @overload
    def association(self, *, level: float = 0.9) -> list[Association]: ...
    @overload
    def association(self, first: str, second: str, *, level: float = 0.9) -> Estimate: ...
    def association(
        self, first: str | None = None, second: str | None = None, *, level: float = 0.9
    ) -> list[Association] | Estimate:
        """Return how much two attributes go together (Cramer's V, 0 to 1), or that of all pairs, the strongest first.

        Of all pairs, those that can be told from chance come first, and the level holds for all of them together.

        Args:
            first: An attribute,
            second: and another; leave both out for all pairs.
            level: The probability with which the interval, or all of them together, should hold the truth.

        Raises:
            QueryError: If only one is given, or one is unknown.
        """
        normal_factor(level)
        if first is None and second is None:
            return associations(self, level=level)
        if first is None or second is None:
            raise QueryError("association takes two attributes, or none for all pairs")
        return association_of(self, first, second, level=level)

    def __repr__(self) -> str:
        origin = self.origin
        return (
            f"<{type(self).__name__} by {origin.mechanism}, {len(self.schema.attributes)} attributes, "
            f"{origin.reports:,} reports, epsilon {origin.epsilon:g}>"
        )

    def _repr_html_(self) -> str:
        origin = self.origin
        facts = {
            "fitted to": f"{origin.reports:,} reports, each with epsilon at most {origin.epsilon:g}",
            "intervals": self.interval_note,
            "caveats": " ".join(self.caveats),
            "collection": origin.collection,
        }
        return facts_html(f"Model by {origin.mechanism}", facts) + self.schema._repr_html_()
