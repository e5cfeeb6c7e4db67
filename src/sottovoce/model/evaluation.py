"""From functionals to numbers: values, standard errors and joint distributions, by batches of bounded size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
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
    """Return the expectation of every functional; what selects nobody whatever the crowd is exactly nothing."""
    values = np.zeros(len(functionals))
    for part in _parts(functionals):
        batch, sums = to_batch([functionals[number] for number in part])
        values[part] = sums @ model.evaluate(batch)
    return values


def with_errors(model: Model, functionals: Sequence[Functional]) -> tuple[Floats, Floats]:
    """Return values and standard errors."""
    values, errors = np.zeros(len(functionals)), np.zeros(len(functionals))
    for part in _parts(functionals):
        batch, sums = to_batch([functionals[number] for number in part])
        values[part], errors[part] = sums @ model.evaluate(batch), model.deviations(batch, sums)
    return values, errors


def expectations(model: Model, places: Sequence[int], weights: Mapping[int, Floats]) -> Floats:
    """Return the expectation at every combination of levels of some attributes, under weights of any."""
    sizes = model.schema.sizes
    shape = tuple(sizes[place] for place in places)
    levels = np.unravel_index(np.arange(math.prod(shape)), shape)
    answers = np.empty(math.prod(shape))
    step = max(1, 2**22 // sum(sizes))
    for start in range(0, len(answers), step):
        part = slice(start, min(start + step, len(answers)))
        rows = {place: np.eye(sizes[place])[level[part]] for place, level in zip(places, levels, strict=True)}
        for place, vector in weights.items():
            rows[place] = rows.get(place, np.ones((part.stop - part.start, 1))) * vector
        answers[part] = model.evaluate(Batch.of(rows))
    return answers.reshape(shape)


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
