"""Direct answers of grids against theory: unbiased, with the error that they have, for every sum of products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.channels import Support
from sottovoce.mechanisms.direct_answers import HIDDEN, DirectAnswers
from sottovoce.mechanisms.pairwise_model import PairwiseModel
from sottovoce.mechanisms.raw_grids import RawGrid
from sottovoce.query.batch import Batch, Selection
from sottovoce.query.ranges import ranges_to_batch
from tests.crowds import fraction_inside, normal_crowd, square_schema

USERS, TALLIES = 20_000, 150

QUERIES: list[dict[str, Any]] = [{"a": (0, 3)}, {"b": (2, 5)}, {"a": (0, 3), "b": (4, 7)}, {"a": (0, 3), "c": (0, 3)}]
"""All of them end where cells of every grid below do."""

SUMS = np.vstack([np.eye(4), [0.5, 0.0, -1.0, 2.0]])
"""Each query by itself, and a sum whose parts share grids."""

FALSE_ALARM = 1e-6
"""How often, at the most, a correct program fails one of the tests of many tallies on other seeds than theirs."""


def crowd() -> dict[str, np.ndarray]:
    """Return 500 people who fill eight levels of three attributes that go together."""
    table = normal_crowd(500, attributes=3, levels=8, seed=3)
    return {name: np.clip(2 * (levels - 2), 0, 7) for name, levels in table.items()}


def fitted(mechanism: str, *, seed: int, **options: Any) -> PairwiseModel:
    plan = sv.Plan.create(square_schema(3, 8), epsilon=1, users=USERS, mechanism=mechanism, **options)
    model = sv.fit(plan, sv.simulate(plan, crowd(), seed=seed, users=USERS))
    assert isinstance(model, PairwiseModel)
    return model


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [
        ("hdg", {"g1": 4, "g2": 2}),
        ("hdg", {"g1": 4, "g2": 2, "oracle": "grr"}),
        ("hdg", {"g1": 4, "g2": 2, "postprocess": False}),
        ("tdg", {"g2": 4}),
        ("calm", {"oracle": "adaptive"}),
        ("lhio", {"oracle": "adaptive"}),
    ],
    ids=str,
)
def test_over_many_tallies_direct_answers_are_unbiased_with_the_error_that_they_state(
    mechanism: str, options: dict[str, Any]
) -> None:
    """Seeds 0 to 149. With z the error over the standard error: its mean, mean square, and how many intervals held.

    The stated variance is right on average over where local hashing places cells; one placement may make it off by a
    tenth, for which the bounds leave room.
    """
    table = crowd()
    truth = SUMS @ [fraction_inside(table, query) for query in QUERIES]
    scores = []
    for seed in range(TALLIES):
        model = fitted(mechanism, seed=seed, **options)
        answers, errors = model.direct.answer(ranges_to_batch(model.schema, QUERIES), SUMS)
        scores.append((answers - truth) / errors)
    found, chance = np.array(scores), FALSE_ALARM / 6 / len(SUMS)
    assert np.abs(found.mean(axis=0)).max() < 1.05 * stats.norm.isf(chance) / np.sqrt(TALLIES)
    squares = (found**2).sum(axis=0)
    assert squares.max() < 1.1 * stats.chi2.isf(chance, TALLIES)
    assert squares.min() > 0.9 * stats.chi2.ppf(chance, TALLIES)
    held = (np.abs(found) < stats.norm.isf(0.05)).sum(axis=0)
    assert held.min() >= stats.binom.ppf(chance, TALLIES, 0.88)
    assert held.max() <= stats.binom.isf(chance, TALLIES, 0.92)


def test_everybody_is_exactly_one_and_a_part_and_its_rest_add_up_to_that() -> None:
    model = fitted("hdg", seed=1)
    batch = ranges_to_batch(model.schema, [{}, {"a": (0, 7)}, {"a": (0, 7), "b": (0, 7)}, {"a": (0, 2)}, {"a": (3, 7)}])
    answers, errors = model.direct.answer(batch, np.vstack([np.eye(5), [0, 0, 0, 1, 1]]))
    assert answers[[0, 1, 2, 5]] == pytest.approx(1)
    assert errors[[0, 1, 2]] == pytest.approx(0, abs=1e-7)
    assert errors[3] == pytest.approx(errors[4])


def test_a_single_attribute_is_known_better_from_all_grids_than_from_one() -> None:
    model = fitted("calm", seed=1)
    batch = ranges_to_batch(model.schema, [{"a": (0, 3)}, {"a": (0, 3), "b": (0, 7)}, {"a": (0, 3), "b": (0, 3)}])
    answers, errors = model.direct.answer(batch, np.eye(3))
    assert answers[1] == pytest.approx(answers[0])  # who names an attribute without choosing has not named it
    assert errors[1] == pytest.approx(errors[0])
    alone = {}
    for pair in ((0, 1), (0, 2)):
        own = [grid for grid in model.raw if grid.attributes == pair]
        alone[pair] = PairwiseModel(
            model.origin, estimator=model.estimator, blocks=model.blocks, matrices=model.matrices, raw=own
        ).direct.answer(batch, np.eye(3))
    assert errors[0] == pytest.approx(alone[0, 1][1][0] / np.sqrt(2), rel=0.05)  # of two grids with as many reports
    assert min(each[0][0] for each in alone.values()) < answers[0] < max(each[0][0] for each in alone.values())
    assert errors[2] < 0.9 * alone[0, 1][1][2]  # a pair gains what its attributes by themselves do


def test_more_than_two_attributes_and_grids_that_nobody_reported_on_have_no_direct_answer() -> None:
    model = fitted("tdg", seed=1, g2=4)
    batch = ranges_to_batch(
        model.schema, [{"a": (0, 3), "b": (0, 3), "c": (0, 3)}, {"a": (0, 3)}, {"a": (0, 3), "b": (0, 3)}]
    )
    answers, errors = model.direct.answer(batch, np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]]))
    np.testing.assert_array_equal(np.isnan(answers), [True, False, False, True])
    np.testing.assert_array_equal(np.isnan(errors), np.isnan(answers))
    model.raw = [grid for grid in model.raw if grid.attributes != (0, 1)]
    del model.direct
    left, _ = model.direct.answer(batch, np.eye(3))
    np.testing.assert_array_equal(np.isnan(left), [True, False, True])
    model.raw = []
    del model.direct
    assert np.isnan(model.direct.answer(batch, np.eye(3))[0]).all()


def test_nodes_of_a_hierarchy_answer_as_the_leaves_that_fit_them_best() -> None:
    """Randomised response of every grid adds up to one; then the leaves of least squares are the model, unsmoothed.

    Weights that add up to nothing over every attribute are a matter of the pair's own hierarchy.
    """
    model = fitted("lhio", seed=1, oracle="grr", postprocess=False)
    generator = np.random.default_rng(1)
    weights = [own - own.mean() for own in generator.random((4, 8))]
    first, second = np.array([0]), np.array([1])
    both = Selection(np.array([0, 1]), np.array([weights[1], weights[2]]))
    batch = Batch(2, {0: Selection(first, weights[0][None]), 1: both, 2: Selection(second, weights[3][None])})
    answers, _ = model.direct.answer(batch, np.eye(2))
    np.testing.assert_allclose(answers, model.evaluate(batch), atol=1e-9)
    missing = next(grid for grid in model.raw if grid.attributes == (0, 1))
    model.raw = [grid for grid in model.raw if grid is not missing]
    del model.direct
    left, _ = model.direct.answer(batch, np.eye(2))
    np.testing.assert_array_equal(np.isnan(left), [True, False])


def small(matrix: list[list[float]]) -> DirectAnswers:
    """Return direct answers of two attributes of four levels: blocks of two levels, one grid of a bin by two."""
    even = np.kron(np.eye(2), np.full((2, 1), 0.5))
    own = np.array(matrix)
    grid = RawGrid((0, 1), (np.array([0, 0]), np.array([0, 1])), np.array([[0.7, 0.3]]), 101.0, Support(0.8, 0.2, 0, 0))
    return DirectAnswers([grid], [even, even], [own.sum(axis=1), own.sum(axis=0)], {(0, 1): own})


def weigh(first: list[float], second: list[float]) -> Batch:
    return Batch.of({0: np.array([first]), 1: np.array([second])})


def test_within_a_cell_weights_are_averaged_as_the_model_has_people_there() -> None:
    answers, errors = small([[0.3, 0.1], [0.1, 0.5]]).answer(weigh([1, 1, 0, 0], [1, 1, 1, 1]), np.eye(1))
    means = np.array([0.3 / 0.4, 0.1 / 0.6])
    assert answers[0] == pytest.approx(means @ [0.7, 0.3])
    noise = Support(0.8, 0.2, 0, 0).variance(means - means.mean(), np.array([0.7, 0.3]), 101)
    hidden = HIDDEN * ([0.4, 0.6] @ np.diag([0.4, 0.6]) @ (means * (1 - means)))
    assert errors[0] == pytest.approx(np.sqrt(noise + hidden))


def test_where_the_model_has_nobody_levels_count_alike() -> None:
    answers, _ = small([[0.5, 0.0], [0.5, 0.0]]).answer(weigh([1, 0, 0, 0], [0, 0, 1, 1]), np.eye(1))
    assert answers[0] == pytest.approx(0.25 * 0.3)


def test_what_a_sum_takes_back_within_cells_hides_nothing() -> None:
    direct = small([[0.25, 0.25], [0.25, 0.25]])
    batch = Batch.of({0: np.array([[1.0, 0, 0, 0], [0, 1, 1, 1]]), 1: np.ones((2, 4))})
    _, apart = direct.answer(batch, np.eye(2))
    _, together = direct.answer(batch, np.ones((1, 2)))
    assert together[0] == pytest.approx(0, abs=1e-7)
    assert apart.min() > 0.1


def test_direct_answers_reach_shares_means_conditionals_and_differences() -> None:
    table, model = crowd(), fitted("hdg", seed=2, g1=8, g2=4)
    low, high = (model.answer("b >= 4", given=f"a {side}") for side in ("< 4", ">= 4"))
    gap = sv.difference(high, low)
    truth = [np.mean(table["b"][inside] >= 4) for inside in (table["a"] < 4, table["a"] >= 4)]
    for found, true in ((low, truth[0]), (high, truth[1]), (gap, truth[1] - truth[0])):
        assert found.direct is not None
        assert abs(float(found.direct) - true) < 4 * found.direct.deviation
    mean = model.mean("c").direct
    assert mean is not None
    assert abs(float(mean) - table["c"].mean()) < 4 * mean.deviation
    assert model.answer("a < 4 AND b < 4 AND c < 4").direct is None
