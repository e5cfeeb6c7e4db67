"""Answers as JSON: what a collector says when it is asked, and how it becomes an `Answer` again where it is read.

Numbers come through exactly. Null stands for a number that there is not: an end that is not bounded, a standard error
that nobody knows, a correlation of what has no order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec
import numpy as np

from sottovoce._types import Floats
from sottovoce.model.answer import Answer, Elsewhere, Estimate
from sottovoce.model.association import Association
from sottovoce.model.groups import Compared, Comparison, group_words
from sottovoce.model.labelled import Distribution, Groups
from sottovoce.query.labels import Label

Number = float | None
"""A number, null where it is not finite."""

LineLabel = int | str | tuple[int | float, int | float] | None
"""What a level or a band stands for: an integer, a text, [low, high], null for "no answer"."""

Line = TypeVar("Line")
Sourced = Callable[[Label], Elsewhere | None]
"""A group's label -> what its answer came from."""


class FitLine(msgspec.Struct, frozen=True):
    """A model that answered: its id, to how many reports it was fitted, and of a plan with waves, of which."""

    id: str
    reports: int
    wave: int | None = None


class Told(msgspec.Struct, Generic[Line], frozen=True, kw_only=True):
    """An answer, and what holds for all that the same model says.

    Attributes:
        reports: How many reports it rests on.
        fits: The model that answered; of several waves, theirs.
        interval_note: What the intervals include, and what not.
        caveats: What to keep in mind of this model.
        answer: The answer.
    """

    reports: int
    fits: list[FitLine]
    interval_note: str
    caveats: list[str]
    answer: Line


class ToldMany(msgspec.Struct, frozen=True, kw_only=True):
    """Answers in the order of what was asked, and what holds for all of them."""

    reports: int
    fits: list[FitLine]
    interval_note: str
    caveats: list[str]
    answers: list[AnswerLine]


class DirectLine(msgspec.Struct, frozen=True):
    """What the reports themselves say, without the model: unbiased, and wider."""

    value: Number
    interval: tuple[Number, Number]


class AnswerLine(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="fraction"):
    """The estimated fraction of the crowd inside one query, and where the true one lies with the level asked for.

    Attributes:
        fraction: The estimate.
        interval: (low, high).
        level: The probability with which the interval holds the truth.
        deviation: The standard error; null if it is not known.
        evidence: How much was measured rather than assumed, 0 to 1; null where that cannot be told.
        basis: The same in words.
        direct: What the reports themselves say, where these attributes were asked together.
        reports: How many reports the model was fitted to.
        where: The predicate, as asked; empty for a query by ranges.
        population: How many people the fraction is of, if stated.
        words: All of it as a sentence has it.
    """

    fraction: float
    interval: tuple[Number, Number]
    level: float
    deviation: Number
    evidence: Number = None
    basis: str = ""
    direct: DirectLine | None = None
    reports: int
    where: str = ""
    population: int | None = None
    words: str

    @classmethod
    def of(cls, answer: Answer, *, where: str | None = None) -> AnswerLine:
        """Return an answer as a line; ``where`` in the place of its predicate."""
        return cls(
            fraction=answer.fraction,
            interval=_limits(answer.interval),
            level=answer.level,
            deviation=_finite(answer.deviation),
            evidence=answer.evidence,
            basis=answer.basis,
            direct=_direct(answer.direct),
            reports=answer.reports,
            where=answer.where if where is None else where,
            population=answer.population,
            words=str(answer),
        )

    def value(self, note: str, source: Elsewhere | None = None) -> Answer:
        """Return the answer that the line stands for."""
        return Answer(
            self.fraction,
            interval=_ends(self.interval),
            level=self.level,
            deviation=math.inf if self.deviation is None else self.deviation,
            reports=self.reports,
            where=self.where,
            population=self.population,
            interval_note=note,
            evidence=self.evidence,
            direct=_read_direct(self.direct, self.level),
            source=source,
        )


class EstimateLine(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="number"):
    """A number about the crowd, and where the true one lies with the level asked for; the fields are `AnswerLine`'s."""

    value: Number
    interval: tuple[Number, Number]
    level: float
    evidence: Number = None
    basis: str = ""
    direct: DirectLine | None = None
    words: str

    @classmethod
    def of(cls, estimate: Estimate) -> EstimateLine:
        """Return an estimate as a line."""
        return cls(
            value=_finite(float(estimate)),
            interval=_limits(estimate.interval),
            level=estimate.level,
            evidence=estimate.evidence,
            basis=estimate.basis,
            direct=_direct(estimate.direct),
            words=str(estimate),
        )

    def estimate(self, note: str, source: Elsewhere | None = None) -> Estimate:
        """Return the estimate that the line stands for."""
        return Estimate(
            _number(self.value),
            interval=_ends(self.interval),
            level=self.level,
            interval_note=note,
            evidence=self.evidence,
            direct=_read_direct(self.direct, self.level),
            source=source,
        )


class GroupLine(msgspec.Struct, Generic[Line], frozen=True):
    """A group, and what was asked of it; ``words`` is the label as people read it."""

    label: LineLabel
    words: str
    answer: Line


class GroupsLine(msgspec.Struct, Generic[Line], frozen=True):
    """Answers by the groups that an attribute makes."""

    by: str
    groups: list[GroupLine[Line]]


def answer_groups(groups: Groups[Answer]) -> GroupsLine[AnswerLine]:
    """Return fractions by group as a document."""
    lines = [GroupLine(label, group_words(label), AnswerLine.of(each)) for label, each in groups.items()]
    return GroupsLine(groups.by, lines)


def estimate_groups(groups: Groups[Estimate]) -> GroupsLine[EstimateLine]:
    """Return means or quantiles by group as a document."""
    lines = [GroupLine(label, group_words(label), EstimateLine.of(each)) for label, each in groups.items()]
    return GroupsLine(groups.by, lines)


def read_answer_groups(line: GroupsLine[AnswerLine], note: str, sourced: Sourced) -> Groups[Answer]:
    """Return the fractions by group that a document stands for.

    Args:
        line: The document.
        note: What the intervals include.
        sourced: Gives what the answer of a group came from.
    """
    return Groups(line.by, ((each.label, each.answer.value(note, sourced(each.label))) for each in line.groups))


def read_estimate_groups(line: GroupsLine[EstimateLine], note: str, sourced: Sourced) -> Groups[Estimate]:
    """Return the means or quantiles by group that a document stands for.

    Args:
        line: The document.
        note: What the intervals include.
        sourced: Gives what the estimate of a group came from.
    """
    return Groups(line.by, ((each.label, each.answer.estimate(note, sourced(each.label))) for each in line.groups))


class ComparedLine(msgspec.Struct, frozen=True):
    """One line of a comparison: what a group has, its gap to everybody else, and whether that could be chance."""

    what: str
    group: LineLabel
    words: str
    value: AnswerLine | EstimateLine
    gap: EstimateLine
    probability: float
    told: bool


class ComparisonLine(msgspec.Struct, frozen=True):
    """Every attribute by the groups that one of them makes."""

    by: str
    level: float
    summary: str
    lines: list[ComparedLine]

    @classmethod
    def of(cls, comparison: Comparison) -> ComparisonLine:
        """Return a comparison as a document."""
        lines = [
            ComparedLine(
                line.what,
                line.group,
                group_words(line.group),
                AnswerLine.of(line.value) if isinstance(line.value, Answer) else EstimateLine.of(line.value),
                EstimateLine.of(line.gap),
                line.probability,
                line.told,
            )
            for line in comparison.lines
        ]
        return cls(comparison.by, comparison.level, comparison.summary(), lines)

    def comparison(self, note: str, source: Elsewhere) -> Comparison:
        """Return the comparison that the document stands for."""
        lines = [
            Compared(
                line.what,
                line.group,
                line.value.value(note, source)
                if isinstance(line.value, AnswerLine)
                else line.value.estimate(note, source),
                line.gap.estimate(note),
                line.probability,
                line.told,
            )
            for line in self.lines
        ]
        return Comparison(self.by, tuple(lines), self.level)


class AssociationLine(msgspec.Struct, frozen=True):
    """How much two attributes go together, and whether that can be told from chance."""

    first: str
    second: str
    strength: EstimateLine
    told: bool

    @classmethod
    def of(cls, pair: Association) -> AssociationLine:
        """Return a pair as a line."""
        return cls(pair.first, pair.second, EstimateLine.of(pair.strength), pair.told)

    def association(self, note: str) -> Association:
        """Return the pair that the line stands for."""
        return Association(self.first, self.second, self.strength.estimate(note))


class DistributionLine(msgspec.Struct, frozen=True):
    """Fractions of the crowd by level, row by row: of several attributes, the last one's levels come first."""

    names: list[str]
    labels: list[list[LineLabel]]
    fractions: list[float]

    @classmethod
    def of(cls, found: Distribution) -> DistributionLine:
        """Return a distribution as a document."""
        return cls(list(found.names), [list(each) for each in found.labels], np.asarray(found).ravel().tolist())

    def distribution(self) -> Distribution:
        """Return the distribution that the document stands for."""
        shape = tuple(map(len, self.labels))
        return Distribution.of(np.array(self.fractions, dtype=np.float64).reshape(shape), self.names, self.labels)


class WaveLine(msgspec.Struct, frozen=True):
    """An answer of one wave."""

    wave: int
    answer: AnswerLine


def matrix_lines(matrix: Floats) -> list[list[Number]]:
    """Return a matrix row by row, null where it holds no number."""
    return [[_finite(each) for each in row] for row in matrix.tolist()]


def read_matrix(lines: list[list[Number]]) -> Floats:
    """Return the matrix that the rows stand for."""
    return np.array([[_number(each) for each in row] for row in lines], dtype=np.float64)


def _finite(value: float) -> Number:
    return value if math.isfinite(value) else None


def _number(value: Number) -> float:
    return math.nan if value is None else value


def _limits(interval: tuple[float, float]) -> tuple[Number, Number]:
    return _finite(interval[0]), _finite(interval[1])


def _ends(interval: tuple[Number, Number]) -> tuple[float, float]:
    low, high = interval
    return -math.inf if low is None else low, math.inf if high is None else high


def _direct(direct: Estimate | None) -> DirectLine | None:
    return None if direct is None else DirectLine(_finite(float(direct)), _limits(direct.interval))


def _read_direct(line: DirectLine | None, level: float) -> Estimate | None:
    return None if line is None else Estimate(_number(line.value), interval=_ends(line.interval), level=level)
