"""Many records at once: one randomised report for every row of a table, by the operating system's randomness."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sottovoce.channels.exact import Words, system_words
from sottovoce.client.report import COLLECTION_KEY, PLAN_KEY
from sottovoce.client.trust import require_own_channels
from sottovoce.errors import PlanError
from sottovoce.plan.plan import Plan, require_plan
from sottovoce.schema.frames import encode


def randomize(plan: Plan, table: object, *, wave: int | None = None, plugins: bool = False) -> pa.Table:
    """Return one randomised report per row, as an Arrow table of (question, code), by the system's randomness.

    Args:
        plan: The plan to answer.
        table: A pandas, polars or Arrow table, or a dict of arrays, with the schema's attributes as columns.
        wave: Of a plan with waves, the wave whose turn all these people have: nobody is in the table of two.
        plugins: Whether channels that other packages bring may draw.
    """
    require_plan(plan)
    require_own_channels(plan, plugins)
    levels = encode(plan.schema, table)
    questions, codes = draw_reports(plan.one_wave, levels, system_words)
    if plan.waves is not None:
        first = (plan.waves.check_wave(wave) - 1) * plan.questions.per_wave
        questions = (questions.astype(np.int64) + first).astype(np.min_scalar_type(len(plan.questions) - 1))
    elif wave is not None:
        raise PlanError(f"this plan has no waves, got wave {wave!r}")
    metadata = {PLAN_KEY: plan.fingerprint, COLLECTION_KEY: plan.collection}
    return pa.table({"question": questions, "code": codes}).replace_schema_metadata(metadata)


def draw_reports(
    plan: Plan, levels: list[NDArray[Any]], words: Words
) -> tuple[NDArray[np.unsignedinteger[Any]], NDArray[np.unsignedinteger[Any]]]:
    """Return a question and a code for every row of levels.

    Args:
        plan: The plan that is answered; one without waves.
        levels: One array for every attribute of the schema, all as long as there are people.
        words: Where 64-bit words come from: the operating system, or a seeded generator in simulations.

    Returns:
        Questions and codes, in the smallest unsigned types.
    """
    questions = draw_questions(plan, len(levels[0]), words)
    codes = np.zeros(len(questions), dtype=np.min_scalar_type(int(plan.questions.codes.max()) - 1))
    for index, rows in rows_by_question(questions):
        question = plan.questions[index]
        cells = question.cells([levels[attribute][rows] for attribute in question.attributes])
        codes[rows] = question.channel.draw_many(cells, words)
    return questions, codes


def draw_questions(plan: Plan, count: int, words: Words) -> NDArray[np.unsignedinteger[Any]]:
    """Return a random question for each of ``count`` people, exactly by the plan's shares.

    Args:
        plan: The plan that is answered; one without waves.
        count: How many people.
        words: Where 64-bit words come from; each person takes 32 bits.

    Raises:
        PlanError: If the plan has waves.
    """
    if plan.waves is not None:
        raise PlanError("this plan has waves: randomize(plan, table, wave=3) takes the people of one")
    ends = np.cumsum(plan.questions.shares)
    positions = words((count + 1) // 2).view(np.uint32)[:count]
    return np.searchsorted(ends, positions, side="right").astype(np.min_scalar_type(len(ends) - 1))


def rows_by_question(questions: NDArray[Any]) -> list[tuple[int, NDArray[np.intp]]]:
    """Return each question that was drawn, with the rows that drew it."""
    counts = np.bincount(questions)
    drawn = np.flatnonzero(counts)
    rows = np.split(np.argsort(questions, kind="stable"), np.cumsum(counts[drawn])[:-1])
    return list(zip(drawn.tolist(), rows, strict=False))
