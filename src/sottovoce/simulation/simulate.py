"""A whole collection drawn at once: the same distribution as `randomize` and `Tally.add`, at a fraction of the cost.

Simulation is for experiments: its randomness comes from a seed, so it protects nobody. Real reports come from
`sottovoce.client`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._checks import check_integer
from sottovoce.channels.exact import Words
from sottovoce.client.bulk import draw_questions, rows_by_question
from sottovoce.errors import PlanError, RecordError
from sottovoce.plan.bin_maps import BinMap
from sottovoce.plan.plan import SHARES, Plan, require_plan
from sottovoce.plan.questions import Question
from sottovoce.schema.frames import encode
from sottovoce.simulation.code_probabilities import code_probabilities
from sottovoce.tally.tally import Tally

TABLE_LIMIT = 2**20
"""The largest table of probabilities, cells by codes, from which codes are drawn in bulk."""

HISTOGRAM_LIMIT = 2**22
"""The largest joint histogram of levels that is made to find the cells of many questions."""

INDICATOR_LIMIT = 2**16
"""The largest table of indicators, bins by levels, by which a histogram is multiplied instead of added up."""

FAMILY_LIMIT = 2**22
"""The same for the tables of a family together, where its questions are drawn at once; they have few cells each."""

CODES_LIMIT = 2**20
"""The largest alphabet whose counts are drawn at once for people drawn with replacement."""

PEOPLE_AT_ONCE = 2**22
"""People drawn one by one are drawn in parts of this size."""

PAIRS_AT_ONCE = 2**20
"""Counts are added to the tally when there are this many."""

_STREAM = int.from_bytes(b"simulate", "big")


def simulate(plan: Plan, table: object, *, seed: int, users: int | None = None, wave: int | None = None) -> Tally:
    """Return the tally of a simulated collection.

    Args:
        plan: The plan that is answered.
        table: The population: a pandas, polars or Arrow table, or a dict of arrays.
        seed: The same seed gives the same tally.
        users: None lets each row report once; a number draws that many people from the rows, with replacement.
        wave: Of a plan with waves, the wave whose turn all these people have.
    """
    require_plan(plan)
    if plan.waves is not None:
        first, whole = (plan.waves.check_wave(wave) - 1) * plan.questions.per_wave, Tally(plan)
        questions, codes, counts = simulate(plan.one_wave, table, seed=seed, users=users).columns()
        whole.add_counts(questions + first, codes, counts)
        return whole
    if wave is not None:
        raise PlanError(f"this plan has no waves, got wave {wave!r}")
    levels = encode(plan.schema, table)
    if not len(levels[0]):
        raise RecordError("the table has no rows: there is nobody to report")
    if users is not None:
        users = check_integer("users, if given,", users, error=RecordError, least=1)
    generator = generator_for(seed)
    tally = Tally(plan)
    if users is None:
        _each_row_once(tally, levels, generator)
    else:
        _with_replacement(tally, levels, users, generator)
    return tally


def _each_row_once(tally: Tally, levels: list[NDArray[Any]], generator: np.random.Generator) -> None:
    plan, words, drawn = tally.plan, seeded_words(generator), _Drawn(tally)
    for index, rows in rows_by_question(draw_questions(plan, len(levels[0]), words)):
        question = plan.questions[index]
        cells = question.cells([levels[attribute][rows] for attribute in question.attributes])
        drawn.count(question, np.bincount(cells, minlength=0) if _bulk(question, len(cells)) else cells, generator)
    drawn.settle()


def _with_replacement(tally: Tally, levels: list[NDArray[Any]], users: int, generator: np.random.Generator) -> None:
    """People drawn with replacement are alike, so the codes of a question are one multinomial draw, whatever users is.

    Only where a question has too many codes, or too few people, for that are they drawn one by one.
    """
    plan, drawn = tally.plan, _Drawn(tally)
    reports = generator.multinomial(users, plan.questions.shares / SHARES)
    histograms: dict[tuple[int, ...], NDArray[np.float64] | None] = {}
    for family, (first, stop) in zip(plan.families, pairwise(plan.questions.offsets), strict=True):
        own = reports[first:stop]
        if not own.any():
            continue
        if family.attributes not in histograms:
            histograms[family.attributes] = _histogram(plan, levels, family.attributes)
        histogram = histograms[family.attributes]
        choices = [[plan.tables[table] for table in tables] for tables in family.tables]
        if histogram is not None and _at_once(choices):
            frequencies = _cell_counts(choices, histogram) / len(levels[0])
            mixed = code_probabilities(plan.questions[first].channel, frequencies)
            drawn.add(first, generator.multinomial(own, mixed))
            continue
        for index in (first + np.flatnonzero(own)).tolist():
            _one_question(drawn, plan.questions[index], histogram, levels, int(reports[index]), generator)
    drawn.settle()


def _one_question(
    drawn: _Drawn,
    question: Question,
    histogram: NDArray[np.float64] | None,
    levels: list[NDArray[Any]],
    count: int,
    generator: np.random.Generator,
) -> None:
    if histogram is not None and question.channel.codes <= min(CODES_LIMIT, 4 * count):
        (cells,) = _cell_counts([[table] for table in question.tables], histogram)
        mixed = code_probabilities(question.channel, cells / len(levels[0]))
        drawn.add(question.index, generator.multinomial([count], mixed))
        return
    for start in range(0, count, PEOPLE_AT_ONCE):
        rows = generator.integers(0, len(levels[0]), min(PEOPLE_AT_ONCE, count - start))
        people = question.cells([levels[attribute][rows] for attribute in question.attributes])
        drawn.count(question, people, generator)


def _at_once(choices: Sequence[Sequence[BinMap]]) -> bool:
    """Return whether the questions of a family are alike and few enough: as many bins each, of Walsh functions."""
    if any(table.walsh is None for tables in choices for table in tables):
        return False
    cells = math.prod(len(tables) * tables[0].bins for tables in choices)
    return cells <= FAMILY_LIMIT and all(
        len({table.bins for table in tables}) == 1
        and tables[0].bins * len(tables) * len(tables[0].array()) <= FAMILY_LIMIT
        for tables in choices
    )


def _bulk(question: Question, people: int) -> bool:
    """Return whether codes are cheaper to draw cell by cell than person by person."""
    table = question.channel.cells * question.channel.codes
    return table <= TABLE_LIMIT and table <= 4 * people


class _Drawn:
    """Codes drawn question by question, counted together: a tally takes a few large additions better than many."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.parts: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        self.pairs = 0

    def count(self, question: Question, cells: NDArray[Any], generator: np.random.Generator) -> None:
        """Draw codes and count them; ``cells`` is a count per cell where codes are drawn in bulk, else one a person."""
        channel = question.channel
        if len(cells) <= channel.cells and cells.dtype == np.int64:
            counts = generator.multinomial(cells, channel.probabilities()[: len(cells)]).sum(axis=0)
            self.add(question.index, counts[None])
        else:
            codes, counts = np.unique(channel.draw_many(cells, seeded_words(generator)), return_counts=True)
            self._keep(np.full(len(codes), question.index), codes, counts)

    def add(self, first: int, counts: NDArray[np.int64]) -> None:
        """Take how often each code of some questions in a row was drawn, questions by codes."""
        questions, codes = np.nonzero(counts)
        self._keep(first + questions, codes, counts[questions, codes])

    def _keep(self, questions: NDArray[np.intp], codes: NDArray[Any], counts: NDArray[np.int64]) -> None:
        self.parts.append((questions, codes.astype(np.int64), counts))
        self.pairs += len(codes)
        if self.pairs > PAIRS_AT_ONCE:
            self.settle()

    def settle(self) -> None:
        """Add what was drawn to the tally."""
        if self.parts:
            self.tally.add_counts(*(np.concatenate(columns) for columns in zip(*self.parts, strict=True)))
        self.parts, self.pairs = [], 0


def _histogram(plan: Plan, levels: list[NDArray[Any]], attributes: tuple[int, ...]) -> NDArray[np.float64] | None:
    """Return how many rows have each combination of levels, as floats: they hold it exactly and multiply fast."""
    shape = tuple(plan.schema.sizes[attribute] for attribute in attributes)
    if math.prod(shape) > HISTOGRAM_LIMIT:
        return None
    joint = np.ravel_multi_index(tuple(levels[attribute] for attribute in attributes), shape)
    return np.bincount(joint, minlength=math.prod(shape)).reshape(shape).astype(np.float64)


def _cell_counts(choices: Sequence[Sequence[BinMap]], histogram: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many rows fall in each cell of each question, questions by cells, axis by axis.

    A question chooses one table for each axis; the tables of an axis have as many bins each.
    """
    for tables in choices:  # the axis in hand is the first one, and goes to the end when it is done
        bins, levels = tables[0].bins, len(histogram)
        if len(tables) > 1 or bins * levels <= INDICATOR_LIMIT:
            arrays = np.stack([table.array() for table in tables])
            indicator = (arrays[:, None] == np.arange(bins)[:, None]).reshape(-1, levels).astype(np.float64)
            added = (indicator @ histogram.reshape(levels, -1)).reshape(-1, *histogram.shape[1:])
        else:
            added = np.zeros((bins, *histogram.shape[1:]))
            np.add.at(added, tables[0].array(), histogram)
        histogram = np.moveaxis(added, 0, -1)
    split = histogram.reshape([size for tables in choices for size in (len(tables), tables[0].bins)])
    axes = range(2 * len(choices))
    return split.transpose(*axes[::2], *axes[1::2]).reshape(math.prod(map(len, choices)), -1)


def generator_for(seed: int) -> np.random.Generator:
    """Return the generator of a simulation: not ``default_rng(seed)`` itself.

    A population is often drawn from that one, with the same seed; then who is asked what would depend on who they are.
    """
    return np.random.default_rng([check_integer("seed", seed, error=RecordError, least=0), _STREAM])


def seeded_words(generator: np.random.Generator) -> Words:
    """Return a source of words that a seed determines."""
    return lambda count: generator.integers(0, 2**64, count, dtype=np.uint64)
