from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.channels import GRR, LocalHash, Parity
from sottovoce.schema.frames import encode
from sottovoce.simulation.code_probabilities import code_probabilities
from sottovoce.simulation.simulate import _cell_counts, _histogram
from tests.crowds import mixed_crowd, mixed_schema


@pytest.mark.parametrize(
    "channel",
    [
        GRR.design(2, Decimal(1)),
        GRR.design(9, Decimal("0.3")),
        Parity.design(8, Decimal(1)),
        Parity.of_shape((8, 8), Decimal(2)),
        LocalHash.design(16, Decimal(1), seed="00"),
        LocalHash.design(40, Decimal(3), seed="0f"),
        LocalHash.design(5, Decimal("0.1"), seed="a0"),
    ],
    ids=repr,
)
def test_a_crowd_gives_codes_as_the_full_table_says(channel: GRR | LocalHash | Parity) -> None:
    frequencies = np.random.default_rng(3).dirichlet(np.ones(channel.cells))
    mixed = code_probabilities(channel, frequencies)
    np.testing.assert_allclose(mixed, frequencies @ channel.probabilities(), rtol=1e-12)
    assert mixed.sum() == pytest.approx(1, abs=1e-12)


def test_many_crowds_are_told_at_once() -> None:
    frequencies = np.random.default_rng(4).dirichlet(np.ones(16), (3, 2))
    for channel in (GRR.design(16, Decimal(1)), Parity.of_shape((4, 4), Decimal(1))):
        mixed = code_probabilities(channel, frequencies)
        np.testing.assert_allclose(mixed, frequencies @ channel.probabilities(), rtol=1e-12)


def test_a_crowd_in_one_cell_gives_that_cells_row() -> None:
    channel = LocalHash.design(20, Decimal(1), seed="00")
    for cell in range(20):
        frequencies = np.eye(20)[cell]
        np.testing.assert_allclose(code_probabilities(channel, frequencies), channel.probabilities()[cell], rtol=1e-9)


@pytest.mark.parametrize("limit", [2**16, 0])
def test_cells_are_counted_alike_by_product_and_by_addition(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sottovoce.simulation.simulate.INDICATOR_LIMIT", limit)
    plan = sv.Plan.create(mixed_schema(3), epsilon=1, users=10_000)
    levels = encode(plan.schema, mixed_crowd(2000, seed=5))
    for question in plan.questions:
        histogram = _histogram(plan, levels, question.attributes)
        assert histogram is not None
        people = question.cells([levels[attribute] for attribute in question.attributes])
        expected = np.bincount(people, minlength=question.channel.cells)
        (found,) = _cell_counts([[table] for table in question.tables], histogram)
        np.testing.assert_array_equal(found, expected)


def test_the_cells_of_a_familys_questions_are_counted_in_their_order() -> None:
    plan = sv.Plan.create(mixed_schema(3), epsilon=1, users=10_000_000, mechanism="spectral")
    levels = encode(plan.schema, mixed_crowd(2000, seed=5))
    for family, first in zip(plan.families, plan.questions.offsets, strict=False):
        histogram = _histogram(plan, levels, family.attributes)
        assert histogram is not None
        found = _cell_counts([[plan.tables[table] for table in tables] for tables in family.tables], histogram)
        assert len(found) == family.count
        for number in {0, family.count // 3, family.count - 1}:
            question = plan.questions[first + number]
            people = question.cells([levels[attribute] for attribute in question.attributes])
            np.testing.assert_array_equal(found[number], np.bincount(people, minlength=question.channel.cells))


def test_a_billion_people_are_drawn_and_their_codes_are_where_the_channel_puts_them() -> None:
    """Seed 11; every code within 6 standard deviations, false alarm below 1e-5 over some 2,000 codes."""
    plan = sv.Plan.create(mixed_schema(3), epsilon=1, users=10**9)
    crowd = mixed_crowd(5000, seed=1)
    tally = sv.simulate(plan, crowd, seed=11, users=10**9)
    assert tally.total == 10**9
    levels = encode(plan.schema, crowd)
    for question in plan.questions:
        people = question.cells([levels[attribute] for attribute in question.attributes])
        frequencies = np.bincount(people, minlength=question.channel.cells) / 5000
        expected = frequencies @ question.channel.probabilities() * tally.question_totals[question.index]
        deviation = (tally.counts(question.index) - expected) / np.sqrt(expected)
        assert np.abs(deviation).max() < 6
        assert question.share / 2**32 == pytest.approx(tally.question_totals[question.index] / 10**9, abs=1e-4)
