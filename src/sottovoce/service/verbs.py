"""The verbs of a model over HTTP: what each takes, and how a model answers it.

A verb's name and what it takes are those of `sottovoce.model.model.Model`; its answer is one of
`sottovoce.model.answer_lines`, from which `sottovoce.model.remote` makes the same values again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sottovoce.errors import QueryError
from sottovoce.model.answer import Answer, Estimate, difference
from sottovoce.model.answer_lines import (
    AnswerLine,
    AssociationLine,
    ComparisonLine,
    DistributionLine,
    EstimateLine,
    GroupsLine,
    Number,
    WaveLine,
    answer_groups,
    estimate_groups,
    matrix_lines,
)
from sottovoce.model.model import EVERYBODY, Model
from sottovoce.model.waves import WaveModels

MOST_CELLS = 200_000
"""The most cells of a distribution that is told at once: a few megabytes."""

Level = Annotated[float, Field(gt=0, lt=1, description="The probability with which intervals hold the truth.")]
Probability = Annotated[float, Field(ge=0, le=1)]
Predicate = Annotated[str, Field(description="Who is counted, in SQL.", examples=["age BETWEEN 30 AND 50"])]
Bands = Annotated[int | None, Field(ge=2, le=10_000, description="How many bands of about equal share make groups.")]
Population = Annotated[
    int | None, Field(ge=1, le=2**63 - 1, description="How many people the fraction is of, to give counts as well.")
]


class _Body(BaseModel):
    """What every verb refuses: names that it does not know."""

    model_config = ConfigDict(extra="forbid")


class Question(_Body):
    """What most verbs take."""

    level: Level = 0.9
    wave: int | None = Field(
        default=None, ge=1, description="Of a plan with waves, whose model answers; the last fit if null."
    )


class MeanQuestion(Question):
    """The mean of an ordered attribute among those selected."""

    name: str
    where: Predicate = EVERYBODY


class QuantileQuestion(Question):
    """The value below which a part of those selected lies; several probabilities give as many values."""

    name: str
    probability: Probability | Annotated[list[Probability], Field(max_length=1_000)] = 0.5
    where: Predicate = EVERYBODY


class GroupQuestion(Question):
    """For every value of an attribute, the fraction that has it and is selected."""

    name: str
    where: Predicate = EVERYBODY
    given: Predicate = EVERYBODY
    population: Population = None


class MeanByQuestion(Question):
    """The mean of an attribute in every group that another makes."""

    name: str
    by: str
    where: Predicate = EVERYBODY
    bands: Bands = None


class QuantileByQuestion(MeanByQuestion):
    """A quantile of an attribute in every group that another makes."""

    probability: Probability = 0.5


class FractionPart(_Body):
    """One side of a difference: the fraction that a predicate selects, of everybody or of those ``given``."""

    verb: Literal["answer"]
    where: Predicate = EVERYBODY
    given: Predicate = EVERYBODY


class MeanPart(_Body):
    """One side of a difference: a mean."""

    verb: Literal["mean"]
    name: str
    where: Predicate = EVERYBODY


class QuantilePart(_Body):
    """One side of a difference: a quantile."""

    verb: Literal["quantile"]
    name: str
    probability: Probability = 0.5
    where: Predicate = EVERYBODY


Part = Annotated[FractionPart | MeanPart | QuantilePart, Field(discriminator="verb")]


class DifferenceQuestion(Question):
    """One answer less another, of the same model, whose errors partly cancel."""

    first: Part
    second: Part


class CompareQuestion(Question):
    """Every attribute, or those named, by the groups of one, and which differences could be chance."""

    by: str
    names: list[str] | None = Field(default=None, max_length=10_000)
    bands: Bands = None


class PairQuestion(Question):
    """Two attributes; or none, for all of them."""

    first: str | None = None
    second: str | None = None

    @model_validator(mode="after")
    def _both_or_none(self) -> PairQuestion:
        if (self.first is None) != (self.second is None):
            raise ValueError("give two attributes, first and second, or none for all of them")
        return self


class SmallestQuestion(_Body):
    """What difference of an attribute between two groups these reports could tell from none."""

    name: str
    by: str
    wave: int | None = Field(default=None, ge=1, description="As for every verb.")


class MarginalQuestion(_Body):
    """The distribution of one or more attributes among those selected."""

    names: list[str] = Field(min_length=1, max_length=100)
    where: Predicate = EVERYBODY
    wave: int | None = Field(default=None, ge=1, description="As for every verb.")


class TrendQuestion(_Body):
    """A fraction wave by wave, of all waves that were fitted."""

    where: Predicate = EVERYBODY
    level: Level = 0.9


class ChangeQuestion(TrendQuestion):
    """By how much a fraction grew from one wave to another."""

    between: tuple[int, int] = Field(description="The two waves, the earlier first.", examples=[[1, 2]])


@dataclass(frozen=True)
class Verb:
    """A verb of a model.

    Attributes:
        form: What it takes.
        gives: The form of its answer.
        answer: Asks a model, or where ``waves`` the models of all waves that it names.
        summary: What it is, for the description of the API.
        waves: Whether it is about several waves.
    """

    form: type[BaseModel]
    gives: Any
    answer: Callable[[Any, Any], Any]
    summary: str
    waves: bool = False


def _quantile(model: Model, asked: QuantileQuestion) -> EstimateLine | list[EstimateLine]:
    found = model.quantile(asked.name, asked.probability, where=asked.where, level=asked.level)
    return EstimateLine.of(found) if isinstance(found, Estimate) else [EstimateLine.of(each) for each in found]


def _part(model: Model, part: FractionPart | MeanPart | QuantilePart, level: float) -> Answer | Estimate:
    if isinstance(part, FractionPart):
        return model.answer(part.where, given=part.given, level=level)
    if isinstance(part, MeanPart):
        return model.mean(part.name, where=part.where, level=level)
    return model.quantile(part.name, part.probability, where=part.where, level=level)


def _difference(model: Model, asked: DifferenceQuestion) -> EstimateLine:
    first, second = (_part(model, each, asked.level) for each in (asked.first, asked.second))
    return EstimateLine.of(difference(first, second, level=asked.level))


def _association(model: Model, asked: PairQuestion) -> EstimateLine | list[AssociationLine]:
    if asked.first is None or asked.second is None:
        return [AssociationLine.of(pair) for pair in model.association(level=asked.level)]
    return EstimateLine.of(model.association(asked.first, asked.second, level=asked.level))


def _correlation(model: Model, asked: PairQuestion) -> EstimateLine | list[list[Number]]:
    if asked.first is None or asked.second is None:
        return matrix_lines(model.correlation())
    return EstimateLine.of(model.correlation(asked.first, asked.second, level=asked.level))


def _smallest(model: Model, asked: SmallestQuestion) -> Number:
    found = model.smallest_difference(asked.name, asked.by)
    return found if math.isfinite(found) else None


def _marginal(model: Model, asked: MarginalQuestion) -> DistributionLine:
    cells = math.prod(model.schema.sizes[model.attribute_index(name)] for name in asked.names)
    if cells > MOST_CELLS:
        raise QueryError(
            f"a distribution of {cells:,} cells was asked for, and at most {MOST_CELLS:,} are told at once: "
            "name fewer attributes, or take the tally (GET .../tally) and fit it yourself"
        )
    return DistributionLine.of(model.marginal(*asked.names, where=asked.where))


def _trend(models: WaveModels, asked: TrendQuestion) -> list[WaveLine]:
    found = models.trend(asked.where, level=asked.level)
    return [WaveLine(wave, AnswerLine.of(answer)) for wave, answer in found.items()]


def _change(models: WaveModels, asked: ChangeQuestion) -> EstimateLine:
    return EstimateLine.of(models.change(asked.where, between=asked.between, level=asked.level))


VERBS: Mapping[str, Verb] = {
    "mean": Verb(
        MeanQuestion,
        EstimateLine,
        lambda model, asked: EstimateLine.of(model.mean(asked.name, where=asked.where, level=asked.level)),
        "The mean of an attribute",
    ),
    "quantile": Verb(QuantileQuestion, EstimateLine | list[EstimateLine], _quantile, "A quantile of an attribute"),
    "group_by": Verb(
        GroupQuestion,
        GroupsLine[AnswerLine],
        lambda model, asked: answer_groups(
            model.group_by(
                asked.name, where=asked.where, given=asked.given, level=asked.level, population=asked.population
            )
        ),
        "Fractions by the values of an attribute",
    ),
    "mean_by": Verb(
        MeanByQuestion,
        GroupsLine[EstimateLine],
        lambda model, asked: estimate_groups(
            model.mean_by(asked.name, asked.by, where=asked.where, bands=asked.bands, level=asked.level)
        ),
        "Means by group",
    ),
    "quantile_by": Verb(
        QuantileByQuestion,
        GroupsLine[EstimateLine],
        lambda model, asked: estimate_groups(
            model.quantile_by(
                asked.name, asked.by, asked.probability, where=asked.where, bands=asked.bands, level=asked.level
            )
        ),
        "Quantiles by group",
    ),
    "difference": Verb(DifferenceQuestion, EstimateLine, _difference, "One answer less another"),
    "compare_groups": Verb(
        CompareQuestion,
        ComparisonLine,
        lambda model, asked: ComparisonLine.of(
            model.compare_groups(asked.by, names=asked.names, bands=asked.bands, level=asked.level)
        ),
        "Everything by the groups of one attribute",
    ),
    "association": Verb(
        PairQuestion, EstimateLine | list[AssociationLine], _association, "How much attributes go together"
    ),
    "correlation": Verb(PairQuestion, EstimateLine | list[list[Number]], _correlation, "Correlations of attributes"),
    "smallest_difference": Verb(SmallestQuestion, Number, _smallest, "What difference could be told from none"),
    "marginal": Verb(MarginalQuestion, DistributionLine, _marginal, "The distribution of attributes"),
    "trend": Verb(TrendQuestion, list[WaveLine], _trend, "A fraction wave by wave", waves=True),
    "change": Verb(ChangeQuestion, EstimateLine, _change, "What changed between two waves", waves=True),
}
"""Every verb but ``answer``, which is the route above them all."""
