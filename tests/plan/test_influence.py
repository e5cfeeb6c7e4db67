"""The bound on what liars can do holds for the worst of them, and is shown where people look."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from sottovoce.channels import GRR, Channel, LocalHash
from sottovoce.plan.influence import influence_bound, largest_influence
from tests.collectors import make_plan

CHANNELS: list[Channel] = [
    GRR.design(2, Decimal(1)),
    GRR.design(5, Decimal("0.5")),
    LocalHash.design(16, Decimal(1), seed="00"),
    LocalHash.design(40, Decimal(2), seed="07"),
]


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: f"{channel.kind}-{channel.cells}")
@pytest.mark.parametrize("liars", [1, 7, 400])
def test_no_lie_moves_a_cell_by_more_than_the_bound(channel: Channel, liars: int) -> None:
    """All honest people stand in one cell or nowhere near it; the expected tally is exact, every lie is tried."""
    left = channel.attenuation
    assert left is not None
    honest = 1_000
    table = channel.probabilities()
    bound = influence_bound(liars, honest, left)
    for cell in (0, channel.cells - 1):
        expected = table[cell] * honest
        truth = channel.estimate(expected)
        for code in range(channel.codes):
            lied = expected.copy()
            lied[code] += liars
            assert np.abs(channel.estimate(lied) - truth).max() <= bound + 1e-9


@pytest.mark.parametrize("cells", [2, 4])
def test_the_bound_is_nearly_attained_where_answers_are_signs(cells: int) -> None:
    channel = GRR.design(cells, Decimal(1))
    signs = np.where(np.arange(cells) < cells // 2, 1, -1)
    left = (channel.keep - channel.other) / channel.scale
    honest, liars = 1_000, 50
    expected = channel.probabilities()[0] * honest
    lied = expected.copy()
    lied[-1] += liars
    moved = abs(signs @ channel.estimate(lied) - signs @ channel.estimate(expected))
    assert moved == pytest.approx(influence_bound(liars, honest, left), rel=1e-9)


def test_the_attenuation_is_the_distance_between_two_rows_of_the_table() -> None:
    for channel in CHANNELS:
        table = channel.probabilities()
        assert channel.attenuation == pytest.approx(np.abs(table[0] - table[1]).sum() / 2)


def test_the_worst_question_is_the_one_where_liars_count_most() -> None:
    plan = make_plan()
    worst = largest_influence(plan.questions, 10_000, 100)
    assert worst is not None
    bounds = []
    for question in plan.questions:
        left = question.channel.attenuation
        assert left is not None
        bounds.append(influence_bound(100, 10_000 * question.share / 2**32, left))
    assert worst.bound == pytest.approx(max(bounds))
    assert bounds[worst.question] == pytest.approx(max(bounds))


def test_an_audit_says_what_one_in_a_thousand_and_one_in_a_hundred_can_do() -> None:
    plan = make_plan()
    influence = plan.audit().influence
    assert [one.liars for one in influence] == [10, 100]
    assert influence[0].bound < influence[1].bound
