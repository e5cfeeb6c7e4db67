"""From functionals to numbers: values, errors, evidence and direct answers, by batches of bounded size.

What selects nobody whatever the crowd is exactly nothing: it has no product, value 0 and error 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sottovoce._types import Floats
from sottovoce.query.batch import Batch
from sottovoce.query.functional import Functional, to_batch

if TYPE_CHECKING:
    from sottovoce.model.model import Model

PRODUCTS_AT_ONCE = 2**11
"""How many products are put into one batch: their sums are a matrix."""


def values_of(model: Model, functionals: Sequence[Functional]) -> Floats:
    """Return the expectation of every functional."""
    return _collect(functionals, lambda batch, sums: [sums @ model.evaluate(batch)])[0]


def errors_of(model: Model, functionals: Sequence[Functional]) -> Floats:
    """Return the standard error of every functional's value."""
    return _collect(functionals, lambda batch, sums: [model.deviations(batch, sums)])[0]


@dataclass(frozen=True, slots=True)
class Assessed:
    """What a model says of functionals: their values, and all that it knows of their errors."""

    values: Floats
    errors: Floats
    evidence: list[float | None]
    direct: Floats
    direct_errors: Floats


def assess(model: Model, functionals: Sequence[Functional]) -> Assessed:
    """Return values, standard errors, evidence and direct answers (NaN where there is none) of functionals."""

    def ask(batch: Batch, sums: Floats) -> list[Floats]:
        spread = model.spread(batch, sums)
        return [sums @ model.evaluate(batch), spread.error, spread.evidence, spread.direct, spread.direct_error]

    values, errors, evidence, direct, direct_errors = _collect(functionals, ask, count=5)
    told = [None if math.isnan(one) else float(one) for one in evidence.tolist()]
    return Assessed(values, errors, told, direct, direct_errors)


def correlation_from(one: float, other: float, apart: float) -> float:
    """Return the correlation between two errors, from their sizes and that of their difference.

    Args:
        one: The standard error of an estimate,
        other: that of another,
        apart: and that of their difference.

    Returns:
        From -1 to 1; 0 where an error is zero or unknown.
    """
    if not (one > 0 and other > 0 and math.isfinite(one + other + apart)):
        return 0.0
    return min(max((one**2 + other**2 - apart**2) / (2 * one * other), -1.0), 1.0)


def expectations(model: Model, indices: Sequence[int], weights: Mapping[int, Floats]) -> Floats:
    """Return the expectation at every combination of levels of some attributes, under weights of any.

    Args:
        model: What is asked.
        indices: The attributes' numbers in the schema.
        weights: Weights over the levels of some attributes, these or others.

    Returns:
        An array with an axis for each of the attributes.
    """
    sizes = model.schema.sizes
    shape = tuple(sizes[index] for index in indices)
    levels = np.unravel_index(np.arange(math.prod(shape)), shape)
    answers = np.empty(math.prod(shape))
    step = max(1, 2**22 // sum(sizes))
    for start in range(0, len(answers), step):
        part = slice(start, min(start + step, len(answers)))
        rows = {index: np.eye(sizes[index])[level[part]] for index, level in zip(indices, levels, strict=True)}
        for index, vector in weights.items():
            rows[index] = rows.get(index, np.ones((part.stop - part.start, 1))) * vector
        answers[part] = model.evaluate(Batch.of(rows))
    return answers.reshape(shape)


def joint_distribution(model: Model, indices: Sequence[int], functional: Functional) -> Floats:
    """Return, at every combination of levels of some attributes, the fraction that a functional selects there.

    Args:
        model: What is asked.
        indices: The attributes' numbers in the schema.
        functional: Whom a predicate selects, such as `fraction_of` gives.

    Returns:
        An array with an axis for each of the attributes; its sum is the fraction selected.
    """
    joint = np.zeros(tuple(model.schema.sizes[index] for index in indices))
    for coefficient, weights in functional.products:
        joint += coefficient * expectations(model, indices, weights)
    return joint


def _collect(
    functionals: Sequence[Functional], ask: Callable[[Batch, Floats], Sequence[Floats]], *, count: int = 1
) -> list[Floats]:
    """Return what ``ask`` gives for batches of functionals, put together."""
    collected = [np.zeros(len(functionals)) for _ in range(count)]
    for part in _parts(functionals):
        for whole, answers in zip(collected, ask(*to_batch([functionals[index] for index in part])), strict=True):
            whole[part] = answers
    return collected


def _parts(functionals: Sequence[Functional]) -> Iterator[list[int]]:
    """Yield the indices of those that hold a product at all, in parts of bounded size."""
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
