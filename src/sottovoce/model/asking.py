"""Fractions, means and quantiles, each with limits that hold for small groups too, evidence and a direct answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce._types import Floats
from sottovoce.errors import QueryError
from sottovoce.model.answer import Answer, Estimate, Source
from sottovoce.model.belief import Limits, Normal, Ratio, lopsided, normal_factor
from sottovoce.model.evaluation import Assessed, assess, errors_of, values_of
from sottovoce.query.functional import (
    Functional,
    breakpoints,
    cdf_influence,
    fraction_within,
    less,
    linear_error,
    moment_of,
    require_ordered,
    scaled,
    value_at,
    value_range,
)
from sottovoce.query.terms import Terms

if TYPE_CHECKING:
    from sottovoce.model.model import Model

MOST_POSITIONS = 256
"""A quantile's limits are looked for at no more positions than this along an attribute."""

MOST_LOPSIDED = 0.2
"""How far limits of the share below a position are lopsided: with 1 medians of groups have limits 1.4 times as wide."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a model says of one functional or ratio: its belief, evidence and direct belief."""

    source: Source
    evidence: float | None

    def direct(self, level: float) -> Estimate | None:
        """Return the direct answer, if there is one."""
        belief = self.source.direct
        return None if belief is None else Estimate(belief.value, interval=belief.limits(level), level=level)


def assess_fractions(model: Model, functionals: Sequence[Functional]) -> list[Assessment]:
    """Return what a model says of fractions of the whole crowd."""
    found = assess(model, functionals)
    told = []
    for index, functional in enumerate(functionals):
        belief = Normal.share(min(max(float(found.values[index]), 0.0), 1.0), float(found.errors[index]))
        apart, error = float(found.direct[index]), float(found.direct_errors[index])
        direct = None if math.isnan(error) else Normal(apart, error)
        told.append(Assessment(Source(model, functional, belief, direct), found.evidence[index]))
    return told


def assess_ratios(
    model: Model,
    tops: Sequence[Functional],
    bottom: Functional,
    bounds: Limits | None = None,
    *,
    answering: int | None = None,
) -> list[Assessment] | None:
    """Return what a model says of ratios that share a denominator; None if it sees nobody there.

    Args:
        model: The model.
        tops: The numerators.
        bottom: The denominator.
        bounds: What the ratios lie between; they are fractions unless it is given.
        answering: The number of the attribute that only who answered it counts of, if there is one: errors are then
            those of a group in which as many answer as of everybody (sottovoce.query.functional.imputed).
    """
    found = assess(model, [bottom, *tops])
    if not found.values[0] > 0:
        return None
    lowest, highest = (0.0, 1.0) if bounds is None else bounds
    ratios = np.clip(found.values[1:] / found.values[0], lowest, highest)
    influences, errors = _ratio_errors(model, tops, bottom, ratios, float(found.values[0]), answering)
    directs: list[Ratio | None] = [None] * len(tops)
    if found.direct[0] > 0 and not np.isnan(found.direct_errors).any():
        apart = found.direct[1:] / found.direct[0]
        _, direct_errors = _ratio_errors(model, tops, bottom, apart, float(found.direct[0]))
        directs = [_ratio(float(value), direct_errors.direct_errors, index) for index, value in enumerate(apart)]
    told = []
    for index, (functional, own) in enumerate(influences):
        plain = _ratio(float(ratios[index]), errors.errors, index)
        # a model's group is a share above zero, and its ratios have bounds; direct answers may be anything
        belief = replace(plain, lowest=lowest, highest=highest, positive=True, fraction=bounds is None)
        source = Source(model, functional, belief, directs[index], None if own is functional else own)
        told.append(Assessment(source, errors.evidence[1 + 2 * index]))
    return told


def _ratio_errors(
    model: Model,
    tops: Sequence[Functional],
    bottom: Functional,
    ratios: Floats,
    divisor: float,
    answering: int | None = None,
) -> tuple[list[tuple[Functional, Functional]], Assessed]:
    """Return what each ratio's error is to first order, of the model and of its reports, and what is known of it.

    Assessed are the bottom as a part of its value, then for each ratio its own error and that less the bottom's.
    """
    whole = scaled(bottom, 1 / divisor)
    plain = [linear_error(top, bottom, ratio, divisor) for top, ratio in zip(tops, ratios.tolist(), strict=True)]
    influences = plain
    if answering is not None:
        whole, *influences = (model.imputed(one, answering) for one in (whole, *plain))
    assessed = assess(model, [whole, *(each for one in influences for each in (one, less(one, whole)))])
    return list(zip(influences, plain, strict=True)), assessed


def _ratio(value: float, errors: Floats, index: int) -> Ratio:
    """Return the belief in one ratio, from the errors that `_ratio_errors` gives."""
    bottom, own, apart = (float(errors[row]) ** 2 for row in (0, 1 + 2 * index, 2 + 2 * index))
    covariance = 0.0
    if math.isfinite(bottom + own + apart):
        limit = math.sqrt(own * bottom)
        covariance = min(max((own + bottom - apart) / 2, -limit), limit)
    return Ratio(value, own, bottom, covariance)


def make_answer(told: Assessment, where: str, level: float, population: int | None) -> Answer:
    """Return a fraction as an answer.

    Args:
        told: What the model says of the fraction.
        where: What was asked, as people read it.
        level: The probability with which the interval should hold the truth.
        population: How many people the crowd stands for, if it is known; then the answer has a count.
    """
    low, high = told.source.belief.limits(level)
    belief, model = told.source.belief, told.source.model
    deviation = belief.deviation if isinstance(belief, Normal) else (high - low) / 2 / normal_factor(level)
    return Answer(
        belief.value,
        interval=(low, high),
        level=level,
        deviation=deviation,
        reports=model.reports,
        where=where,
        population=population,
        interval_note=model.interval_note,
        evidence=told.evidence,
        direct=told.direct(level),
        source=told.source,
    )


def make_estimate(told: Assessment, level: float) -> Estimate:
    """Return a number about the crowd as an estimate."""
    belief = told.source.belief
    return Estimate(
        belief.value,
        interval=belief.limits(level),
        level=level,
        interval_note=told.source.model.interval_note,
        evidence=told.evidence,
        direct=told.direct(level),
        source=told.source,
    )


def assess_mean(model: Model, terms: Terms, index: int) -> Assessment | None:
    """Return what a model says of an attribute's mean over those selected; None if it sees nobody there.

    Args:
        model: What is asked.
        terms: Whom the predicate selects.
        index: The attribute's number in the schema; one with an order.

    Raises:
        QueryError: If the attribute has no order.
    """
    attribute = model.schema.attributes[index]
    require_ordered(attribute, "mean")
    moment, fraction = moment_of(model.schema, terms, index)
    grouped = any(other != index for product in terms for other, _ in product)
    answering = index if grouped and attribute.value_levels < attribute.size else None
    told = assess_ratios(model, [moment], fraction, value_range(attribute), answering=answering)
    return None if told is None else told[0]


def find_quantile(model: Model, terms: Terms, index: int, probability: float, level: float) -> Estimate | None:
    """Return a quantile of an attribute over those selected; None if the model sees nobody there.

    Its limits are the positions at which the share below could be the probability asked for: where
    P(below and selected) - probability * P(selected), which is linear, is within its own error of nothing. The error is
    lopsided, as that of any fraction, but less so.

    Args:
        model: What is asked.
        terms: Whom the predicate selects.
        index: The attribute's number in the schema; one with an order.
        probability: The fraction of those selected who lie below, from 0 to 1.
        level: The probability with which the interval should hold the truth.

    Raises:
        QueryError: If the attribute has no order.
    """
    attribute = model.schema.attributes[index]
    require_ordered(attribute, "quantile")
    positions = breakpoints(model.schema, terms, index)
    parts = [fraction_within(model.schema, terms, index, start, stop) for start, stop in pairwise(positions.tolist())]
    steps = np.concatenate([[0.0], np.cumsum(values_of(model, parts))])
    selected = float(steps[-1])
    if not selected > 0:
        return None
    steps = np.maximum.accumulate(np.clip(steps / selected, 0.0, 1.0))
    looked = positions[:: -(-len(positions) // MOST_POSITIONS)]
    looked = looked if looked[-1] == positions[-1] else np.append(looked, positions[-1])
    position = _position(positions, steps, probability)
    *influences, here = _cdf_influences(model, terms, index, [*looked.tolist(), position], probability, selected)
    errors = normal_factor(level) * errors_of(model, influences)
    below = np.interp(looked, positions, steps)
    limits = [
        lopsided(share, (share - reach, share + reach), most=MOST_LOPSIDED)
        for share, reach in zip(below.tolist(), errors.tolist(), strict=True)
    ]
    low, high = (value_at(attribute, end) for end in _possible(looked, np.array(limits) - probability))
    value = value_at(attribute, position)
    return Estimate(
        value,
        interval=(min(low, value), max(high, value)),
        level=level,
        interval_note=model.interval_note,
        evidence=assess(model, [here]).evidence[0],
    )


def _cdf_influences(
    model: Model, terms: Terms, index: int, ends: Sequence[float], probability: float, selected: float
) -> list[Functional]:
    """Return the functionals whose errors are those of the shares below some positions, of those who answered."""
    attribute = model.schema.attributes[index]
    found = [cdf_influence(model.schema, terms, index, end, probability, selected) for end in ends]
    if attribute.value_levels == attribute.size:
        return found
    return [model.imputed(influence, index) for influence in found]


def _possible(positions: Floats, gaps: Floats) -> tuple[float, float]:
    """Return the first and the last position at which a gap, of lower and upper limits, could be nothing."""
    if not np.isfinite(gaps).all():
        return float(positions[0]), float(positions[-1])
    return _crossing(positions, gaps[:, 1]), _crossing(positions[::-1], -gaps[::-1, 0])


def _crossing(positions: Floats, height: Floats) -> float:
    """Return where a height first reaches nothing from below."""
    index = int(np.argmax(height >= 0)) if (height >= 0).any() else len(height) - 1
    if index == 0:
        return float(positions[0])
    below, above = height[index - 1], height[index]
    part = -below / (above - below) if above > below else 1.0
    return float(positions[index - 1] + min(max(part, 0.0), 1.0) * (positions[index] - positions[index - 1]))


def _position(positions: Floats, steps: Floats, probability: float) -> float:
    """Return where a cumulative distribution reaches a probability, linear between known positions."""
    index = int(np.searchsorted(steps, probability, side="left"))
    if index == 0:
        return float(positions[0])
    index = min(index, len(steps) - 1)
    rise, width = steps[index] - steps[index - 1], positions[index] - positions[index - 1]
    return float(positions[index - 1] + width * ((probability - steps[index - 1]) / rise if rise > 0 else 1.0))


def refuse_nobody(where: Any, what: str) -> QueryError:
    """Return the error for a group in which the model sees nobody."""
    return QueryError(f"nobody is selected by {where}, so there is no {what} of them")
