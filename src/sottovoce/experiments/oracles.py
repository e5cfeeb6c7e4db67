"""Randomisers that no plan can name, simulated for whoever compares with other programs.

A report here is one small integer. Optimised unary encoding (OUE), which the authors of TDG and HDG also ran, sends a
bit for every cell; the square wave as section 3.5 writes it sends a real number, and its delta is not a whole number of
levels. Neither can be collected by a plan, and both are simulated here from the counts of cells, in distribution as if
everybody had sent one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.client.bulk import draw_questions, rows_by_question
from sottovoce.errors import ExperimentError
from sottovoce.mechanisms import calm, hdg, msw, tdg
from sottovoce.mechanisms.grids import make_grids
from sottovoce.model.model import Model
from sottovoce.model.origin import Origin
from sottovoce.plan.plan import Plan
from sottovoce.plan.questions import Question
from sottovoce.simulation.simulate import generator_for, seeded_words

SIMULATED = ("oue", "continuous")
"""Optimised unary encoding, for the mechanisms of grids; the square wave over real numbers, for MSW."""

Levels = list[NDArray[Any]]

_FROM_GRIDS = {"hdg": hdg.from_grids, "tdg": tdg.from_grids, "calm": calm.from_grids}


def fit_simulated(oracle: str, plan: Plan, levels: Levels, *, seed: int) -> Model:
    """Return the model of a collection in which every person reports once through such a randomiser.

    Args:
        oracle: One of `SIMULATED`.
        plan: What would be asked; its own channels are not used.
        levels: The people, a column of levels for each attribute.
        seed: The same seed gives the same model.
    """
    able = {"oue": tuple(_FROM_GRIDS), "continuous": ("msw",)}
    if plan.mechanism not in able.get(oracle, ()):
        allowed = "; ".join(f"{name} for {', '.join(own)}" for name, own in able.items())
        raise ExperimentError(f"what can be simulated is: {allowed}; got {oracle!r} for {plan.mechanism}")
    return _MAKERS[oracle](plan, levels, generator_for(seed))


def _asked(plan: Plan, levels: Levels, generator: np.random.Generator) -> Iterator[tuple[Question, NDArray[np.int64]]]:
    """Yield every question that somebody was asked, with how many of those asked are in each of its cells."""
    for index, rows in rows_by_question(draw_questions(plan, len(levels[0]), seeded_words(generator))):
        question = plan.questions[index]
        cells = question.cells([levels[attribute][rows] for attribute in question.attributes])
        yield question, np.bincount(cells, minlength=question.channel.cells)


def _unary(plan: Plan, levels: Levels, generator: np.random.Generator) -> Model:
    """Return the model by unary encoding: the bit of one's own cell is kept by a coin, others are set by 1/(e^eps+1).

    The bits of a person are independent, so given the cells, so are the counts of bits.
    """
    growth = math.exp(plan.epsilon)
    false = 1 / (growth + 1)
    found: list[tuple[Floats, float]] = [
        (np.full(question.channel.cells, 1 / question.channel.cells), math.inf) for question in plan.questions
    ]
    for question, cells in _asked(plan, levels, generator):
        people = int(cells.sum())
        bits = generator.binomial(cells, 0.5) + generator.binomial(people - cells, false)
        variance = 4 * growth / ((growth - 1) ** 2 * people)
        found[question.index] = (bits / people - false) / (0.5 - false), variance
    return _FROM_GRIDS[plan.mechanism](_origin(plan, levels), plan, make_grids(plan, found))


def wave_delta(epsilon: float) -> float:
    """Return the square wave's delta (section 3.5): how far from the true value, of a range of one, is near.

    Example:
        >>> round(wave_delta(1.0), 4), round(wave_delta(4.0), 4)
        (0.2561, 0.0304)
    """
    growth = math.exp(epsilon)
    return (epsilon * growth - growth + 1) / (2 * growth * (growth - 1 - epsilon))


def wave_table(levels: int, epsilon: float) -> Floats:
    """Return the probability that a level's midpoint is reported in each of as many equal buckets, levels by buckets.

    The buckets divide [-delta, 1 + delta]; what is near a midpoint overlaps the outermost of its buckets in part.
    """
    growth, delta = math.exp(epsilon), wave_delta(epsilon)
    far = 1 / (2 * delta * growth + 1)
    edges = np.linspace(-delta, 1 + delta, levels + 1)
    midpoints = (np.arange(levels)[:, None] + 0.5) / levels
    overlap = np.minimum(edges[1:], midpoints + delta) - np.maximum(edges[:-1], midpoints - delta)
    return np.asarray(far * np.diff(edges) + far * (growth - 1) * np.maximum(overlap, 0.0))


def _continuous(plan: Plan, levels: Levels, generator: np.random.Generator) -> Model:
    found = [np.full(size, 1 / size) for size in plan.schema.sizes]
    for question, cells in _asked(plan, levels, generator):
        table = wave_table(len(cells), float(plan.epsilon))
        counts = generator.multinomial(cells, table / table.sum(axis=1, keepdims=True)).sum(axis=0)
        found[question.index] = msw.decode(table, counts, plan)
    return msw.ProductModel(_origin(plan, levels), distributions=found)


def _origin(plan: Plan, levels: Levels) -> Origin:
    return Origin(plan.schema, plan.mechanism, plan.epsilon, plan.collection, len(levels[0]))


_MAKERS: dict[str, Callable[[Plan, Levels, np.random.Generator], Model]] = {"oue": _unary, "continuous": _continuous}
