"""TDG: one coarse grid for every pair, levels within a cell taken as alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.mechanisms.tdg import TDGOptions
from sottovoce.plan.plan import SHARES
from tests.crowds import normal_crowd, square_schema
from tests.mechanisms.noiseless import sharp


def test_every_pair_is_asked_once_by_as_many_people() -> None:
    plan = sv.Plan.create(square_schema(4, 16), epsilon=1, users=10**6, mechanism="tdg", g2=4)
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert [question.attributes for question in plan.questions] == pairs
    assert {question.shape for question in plan.questions} == {(4, 4)}
    assert plan.questions.shares.sum() == SHARES
    assert plan.questions.shares.max() - plan.questions.shares.min() <= 1


def test_more_people_or_less_privacy_make_the_guidelines_grid_finer() -> None:
    def chosen(users: int, epsilon: float, **options: float) -> int:
        plan = sv.Plan.create(square_schema(3, 64), epsilon=epsilon, users=users, mechanism="tdg", **options)
        return int(plan.parameters["g2"])

    base = chosen(10**5, 0.5)
    assert chosen(10**8, 0.5) > base
    assert chosen(10**5, 3) > base
    assert chosen(10**5, 0.5, alpha2=3.0) > base


def test_levels_within_a_cell_are_taken_as_alike() -> None:
    """Seed 1: at 50 million people and next to no noise a cell's error is below 0.001."""
    crowd = normal_crowd(20_000, attributes=2, levels=16, seed=1)
    model = sharp("tdg", crowd, square_schema(2, 16), g2=4)
    joint = model.marginal("a", "b")
    blocks = joint.reshape(4, 4, 4, 4)
    np.testing.assert_allclose(blocks, np.broadcast_to(blocks[:, :1, :, :1], blocks.shape), atol=1e-12)
    truth = np.histogram2d(crowd["a"], crowd["b"], bins=(range(0, 17, 4), range(0, 17, 4)))[0] / 20_000
    np.testing.assert_allclose(blocks.sum(axis=(1, 3)), truth, atol=1e-3)


def test_post_processing_makes_every_pair_a_distribution_and_without_it_none_need_be() -> None:
    """Seed 1: at epsilon 0.1 with 2,000 people raw cells are far below zero."""
    crowd = normal_crowd(2000, attributes=3, levels=16, seed=1)
    lowest = {}
    for postprocess in (True, False):
        plan = sv.Plan.create(square_schema(3, 16), epsilon=0.1, users=10**6, mechanism="tdg", postprocess=postprocess)
        model = sv.fit(plan, sv.simulate(plan, crowd, seed=1))
        lowest[postprocess] = min(model.marginal(*pair).min() for pair in ("ab", "ac", "bc"))
    assert lowest[False] < 0
    assert lowest[True] >= 0


@pytest.mark.parametrize(
    ("options", "message"), [({"g2": 1}, "g2 is at least 2"), ({"alpha2": 0.0}, "alpha2 is a positive number")]
)
def test_impossible_options_are_refused_by_name(options: dict[str, Any], message: str) -> None:
    with pytest.raises(sv.PlanError, match=message):
        TDGOptions(**options)
