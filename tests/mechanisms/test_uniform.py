"""The benchmark that knows nothing, and says so."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.mechanisms.uniform import UniformModel
from tests.chances import assert_drawn_from

SCHEMA = sv.Schema(
    [sv.Ordinal("a", 0, 9), sv.Categorical("b", ["x", "y", "z"]), sv.Numeric("c", 0, 8, bins=4, nullable=True)]
)
PLAN = sv.Plan.create(SCHEMA, epsilon=1, users=1000, mechanism="uniform")


@pytest.fixture(scope="module")
def model() -> sv.Model:
    people = {"a": np.zeros(500, int), "b": np.full(500, "x"), "c": np.zeros(500)}
    return sv.fit(PLAN, sv.simulate(PLAN, people, seed=1))


def test_every_level_is_as_likely_as_any_other_whatever_was_reported(model: sv.Model) -> None:
    queries = [{"a": (2, 4)}, {"b": ["x", "y"]}, {"c": (0, 3)}, {"a": (2, 4), "b": ["x"], "c": (0, 8)}, {}]
    np.testing.assert_allclose(model.answer_ranges(queries), [0.3, 2 / 3, 1.5 / 5, 0.3 / 3 * 4 / 5, 1], atol=1e-12)
    np.testing.assert_allclose(model.marginal("c"), 0.2)


def test_an_interval_is_everything_possible(model: sv.Model) -> None:
    answer = model.answer("a < 3")
    assert answer.fraction == pytest.approx(0.3)
    assert answer.interval == (0, 1)
    assert "ignores the reports" in model.interval_note


def test_one_question_is_asked_and_its_report_is_as_private_as_any() -> None:
    (question,) = PLAN.questions
    assert (question.attributes, question.shape) == ((0,), (2,))
    assert 1 - 1e-9 < PLAN.audit().epsilon <= 1


def test_people_are_drawn_evenly_from_all_there_could_be(model: sv.Model) -> None:
    """Seed 1: a correct program fails for less than one seed in 10^9."""
    assert isinstance(model, UniformModel)
    levels = model.draw_levels(30_000, np.random.default_rng(1))
    counts = np.bincount(np.ravel_multi_index(tuple(levels), SCHEMA.sizes), minlength=10 * 3 * 5)
    assert_drawn_from(counts, np.full(150, 1 / 150))
