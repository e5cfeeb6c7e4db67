"""A model that a collector keeps, asked over HTTP: the verbs of `Model`, and the same answers.

Nothing is computed here. What was asked, and by whose token, the collector writes down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import overload

import numpy as np

from sottovoce._checks import check_integer
from sottovoce._types import Floats
from sottovoce.errors import ModelError, QueryError
from sottovoce.model.answer import Answer, Elsewhere, Estimate
from sottovoce.model.answer_lines import (
    AnswerLine,
    AssociationLine,
    ComparisonLine,
    DistributionLine,
    EstimateLine,
    GroupsLine,
    Number,
    Told,
    ToldMany,
    WaveLine,
    read_answer_groups,
    read_estimate_groups,
    read_matrix,
)
from sottovoce.model.association import Association
from sottovoce.model.groups import Comparison
from sottovoce.model.labelled import Distribution, Groups
from sottovoce.model.model import EVERYBODY
from sottovoce.model.remote_calls import open_ends, predicate
from sottovoce.model.remote_collection import RemoteCollection
from sottovoce.query.functional import Where
from sottovoce.query.labels import Label, names_level
from sottovoce.query.ranges import Ranges

MOST_QUERIES = 10_000
"""The most queries by ranges of one request."""


class RemoteModel(RemoteCollection):
    """The model of a collection that a collector keeps: it answers as a `Model` does.

    Values, intervals, evidence and direct answers are those of the model itself, and `sottovoce.difference` of two of
    them is taken by the collector, which knows what errors they share. Needs ``sottovoce[http]``.

    Example:
        >>> model = RemoteModel("https://collect.example.org", "0" * 64, token="sv_0123456789ab_secret")
        >>> model
        <RemoteModel of plan 000000000000 at https://collect.example.org>
    """

    @property
    def waves(self) -> RemoteWaves:
        """The models of a plan's waves, and what changed between them."""
        return RemoteWaves(self if self._wave is None else self._of_wave(None))

    def answer(
        self,
        where: Where = EVERYBODY,
        *,
        given: Where = EVERYBODY,
        level: float = 0.9,
        population: int | None = None,
    ) -> Answer:
        """Return the fraction of the crowd for which a predicate is true, as `Model.answer` does.

        Args:
            where: A predicate: SQL text, or made with `col`.
            given: The fraction is of those for whom this one holds.
            level: The probability with which the interval should hold the true fraction.
            population: How many people the fraction is of.
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
        """Return the answers to many predicates at once, as `Model.answers` does.

        Args:
            wheres: The predicates.
            given: The fractions are of those for whom this one holds.
            level: The probability with which each interval should hold the truth.
            population: How many people the fractions are of.
        """
        if isinstance(wheres, str) or not isinstance(wheres, Sequence):
            raise QueryError(f"answers takes a list of predicates, got {wheres!r}: wrap it in [ ]")
        texts, condition = [predicate(where) for where in wheres], predicate(given)
        if not texts:
            return []
        body = {"where": texts, "given": condition, "level": level, "population": population, "wave": self._wave}
        told = self._calls.post(self._path(""), body, ToldMany)
        questions = [{"verb": "answer", "where": text, "given": condition} for text in texts]
        return [
            line.value(told.interval_note, self._source(question))
            for line, question in zip(told.answers, questions, strict=True)
        ]

    def answer_ranges(self, queries: Sequence[Ranges]) -> Floats:
        """Return the fraction of the crowd inside each query, as `Model.answer_ranges` does."""
        if isinstance(queries, dict | str) or not isinstance(queries, Sequence):
            raise QueryError(f"answer_ranges takes a list of queries, got {type(queries).__name__}: wrap it in [ ]")
        found: list[float] = []
        for start in range(0, len(queries), MOST_QUERIES):
            part = open_ends(list(queries[start : start + MOST_QUERIES]))
            told = self._calls.post(self._path(""), {"queries": part, "wave": self._wave}, ToldMany)
            found += [line.fraction for line in told.answers]
        return np.array(found, dtype=np.float64)

    def mean(self, name: str, *, where: Where = EVERYBODY, level: float = 0.9) -> Estimate:
        """Return the mean of an attribute over those a predicate selects and who answered, as `Model.mean` does.

        Args:
            name: An ordered attribute.
            where: Who is counted.
            level: The probability with which the interval should hold the true mean.
        """
        asked = {"name": name, "where": predicate(where)}
        told = self._ask("mean", {**asked, "level": level}, Told[EstimateLine])
        return told.answer.estimate(told.interval_note, self._source({"verb": "mean", **asked}))

    @overload
    def quantile(self, name: str, probability: float, *, where: Where = EVERYBODY, level: float = 0.9) -> Estimate: ...
    @overload
    def quantile(
        self, name: str, probability: Sequence[float], *, where: Where = EVERYBODY, level: float = 0.9
    ) -> list[Estimate]: ...
    def quantile(
        self, name: str, probability: float | Sequence[float], *, where: Where = EVERYBODY, level: float = 0.9
    ) -> Estimate | list[Estimate]:
        """Return the value below which a part of those selected lies, or several, as `Model.quantile` does.

        Args:
            name: An ordered attribute.
            probability: From 0 to 1, or several.
            where: Who is counted.
            level: The probability with which each interval should hold the truth.
        """
        body = {"name": name, "probability": probability, "where": predicate(where), "level": level}
        told = self._ask("quantile", body, Told[EstimateLine | list[EstimateLine]])
        if isinstance(told.answer, EstimateLine):
            return told.answer.estimate(told.interval_note)
        return [line.estimate(told.interval_note) for line in told.answer]

    def mean_by(
        self, name: str, by: str, *, where: Where = EVERYBODY, bands: int | None = None, level: float = 0.9
    ) -> Groups[Estimate]:
        """Return the mean of an attribute in every group that another makes, as `Model.mean_by` does.

        Args:
            name: An ordered attribute.
            by: The attribute that makes the groups.
            where: Who is counted at all.
            bands: How many bands of about equal share.
            level: The probability with which each interval should hold the truth.
        """
        selected = predicate(where)
        body = {"name": name, "by": by, "where": selected, "bands": bands, "level": level}
        told = self._ask("mean_by", body, Told[GroupsLine[EstimateLine]])

        def source(label: Label) -> Elsewhere:
            return self._source({"verb": "mean", "name": name, "where": _and(selected, by, label)})

        return read_estimate_groups(told.answer, told.interval_note, source)

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
        """Return a quantile of an attribute in every group that another makes, as `Model.quantile_by` does.

        Args:
            name: An ordered attribute.
            by: The attribute that makes the groups.
            probability: The quantile's.
            where: Who is counted at all.
            bands: How many bands of about equal share.
            level: The probability with which each interval should hold the truth.
        """
        body = {"name": name, "by": by, "probability": probability, "where": predicate(where), "bands": bands}
        told = self._ask("quantile_by", {**body, "level": level}, Told[GroupsLine[EstimateLine]])
        return read_estimate_groups(told.answer, told.interval_note, lambda label: None)

    def group_by(
        self,
        name: str,
        *,
        where: Where = EVERYBODY,
        given: Where = EVERYBODY,
        level: float = 0.9,
        population: int | None = None,
    ) -> Groups[Answer]:
        """Return the fraction of the crowd for every value of an attribute, as `Model.group_by` does.

        Args:
            name: The attribute.
            where: Who is counted besides.
            given: The fractions are of those for whom this holds.
            level: The probability with which each interval should hold the truth.
            population: How many people the fractions are of.
        """
        selected, condition = predicate(where), predicate(given)
        body = {"name": name, "where": selected, "given": condition, "level": level, "population": population}
        told = self._ask("group_by", body, Told[GroupsLine[AnswerLine]])

        def source(label: Label) -> Elsewhere:
            return self._source({"verb": "answer", "where": _and(selected, name, label), "given": condition})

        return read_answer_groups(told.answer, told.interval_note, source)

    def smallest_difference(self, name: str, by: str) -> float:
        """Return the smallest difference that these reports could tell, as `Model.smallest_difference` does."""
        told = self._ask("smallest_difference", {"name": name, "by": by}, Told[Number])
        return float("inf") if told.answer is None else told.answer

    def compare_groups(
        self, by: str, *, names: Sequence[str] | None = None, bands: int | None = None, level: float = 0.9
    ) -> Comparison:
        """Return every attribute by the groups of one, as `Model.compare_groups` does.

        Args:
            by: The attribute that makes the groups.
            names: The attributes to compare; by default all others.
            bands: How many bands an ordered ``by`` is cut into.
            level: Of the intervals; chance calls any difference told with at most 1 - level.
        """
        body = {"by": by, "names": names, "bands": bands, "level": level}
        told = self._ask("compare_groups", body, Told[ComparisonLine])
        return told.answer.comparison(told.interval_note, self._source(None))

    def marginal(self, *names: str, where: Where = EVERYBODY) -> Distribution:
        """Return the distribution of an attribute, or of several together, as `Model.marginal` does."""
        body = {"names": names, "where": predicate(where)}
        return self._ask("marginal", body, Told[DistributionLine]).answer.distribution()

    @overload
    def correlation(self) -> Floats: ...
    @overload
    def correlation(self, first: str, second: str, *, level: float = 0.9) -> Estimate: ...
    def correlation(
        self, first: str | None = None, second: str | None = None, *, level: float = 0.9
    ) -> Floats | Estimate:
        """Return the correlation of two attributes, or the matrix of all, as `Model.correlation` does.

        Args:
            first: An ordered attribute; left out with the other, all.
            second: Another.
            level: The probability with which the interval should hold the truth.
        """
        body = {"first": first, "second": second, "level": level}
        told = self._ask("correlation", body, Told[EstimateLine | list[list[Number]]])
        if isinstance(told.answer, EstimateLine):
            return told.answer.estimate(told.interval_note)
        return read_matrix(told.answer)

    @overload
    def association(self, *, level: float = 0.9) -> list[Association]: ...
    @overload
    def association(self, first: str, second: str, *, level: float = 0.9) -> Estimate: ...
    def association(
        self, first: str | None = None, second: str | None = None, *, level: float = 0.9
    ) -> list[Association] | Estimate:
        """Return how much two attributes go together, or that of all pairs, as `Model.association` does.

        Args:
            first: An attribute; left out with the other, all.
            second: Another.
            level: The probability with which the intervals hold the truth.
        """
        body = {"first": first, "second": second, "level": level}
        told = self._ask("association", body, Told[EstimateLine | list[AssociationLine]])
        if isinstance(told.answer, EstimateLine):
            return told.answer.estimate(told.interval_note)
        return [line.association(told.interval_note) for line in told.answer]


def _and(selected: str, name: str, label: Label) -> str:
    """Return the predicate of those selected who have one value of an attribute, or are in one band."""
    own = str(names_level(name, label))
    return own if selected == EVERYBODY else f"({own}) AND ({selected})"


class RemoteWaves(Mapping[int, RemoteModel]):
    """The models of a plan's waves that a collector keeps, by the number of the wave, as `WaveModels` are."""

    def __init__(self, model: RemoteModel) -> None:
        self._model = model

    def _fitted(self) -> list[int]:
        status = self._model.status()
        if "fits" not in status:
            raise ModelError("this plan has no waves; the model itself answers")
        return [fit["wave"] for fit in status["fits"]]

    def __getitem__(self, wave: int) -> RemoteModel:
        return self._model._of_wave(check_integer("wave", wave, error=QueryError, least=1))

    def __iter__(self) -> Iterator[int]:
        return iter(self._fitted())

    def __len__(self) -> int:
        return len(self._fitted())

    def trend(self, where: Where, *, level: float = 0.9) -> dict[int, Answer]:
        """Return the fraction that a predicate selects, wave by wave, as `WaveModels.trend` does."""
        text = predicate(where)
        told = self._model._ask("trend", {"where": text, "level": level}, Told[list[WaveLine]])
        return {line.wave: self._wave_answer(line, text, told.interval_note) for line in told.answer}

    def _wave_answer(self, line: WaveLine, where: str, note: str) -> Answer:
        return line.answer.value(note, self[line.wave]._source({"verb": "answer", "where": where}))

    def change(self, where: Where, *, between: tuple[int, int], level: float = 0.9) -> Estimate:
        """Return by how much the fraction that a predicate selects grew, as `WaveModels.change` does.

        Args:
            where: A predicate.
            between: The two waves, the earlier first.
            level: The probability with which the interval should hold the true change.
        """
        body = {"where": predicate(where), "between": between, "level": level}
        told = self._model._ask("change", body, Told[EstimateLine])
        return told.answer.estimate(told.interval_note)

    def __repr__(self) -> str:
        return f"<RemoteWaves of {self._model!r}>"
