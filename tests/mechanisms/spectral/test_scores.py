"""Scores: normal scores and cosines of ordered levels, one for every value without order, and cells of many levels."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, truncnorm

from sottovoce.mechanisms.spectral.belief import BELIEF
from sottovoce.mechanisms.spectral.scores import Cells, scores, unit_scores
from sottovoce.mechanisms.spectral.walsh import Axis


@st.composite
def people(draw, least=2, most=30, floor=1e-5):
    """Draw a distribution over cells, from even to spiky."""
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    size, evenness = draw(st.integers(least, most)), draw(st.sampled_from([0.3, 1.0, 20.0]))
    shares = np.maximum(generator.dirichlet(np.full(size, evenness)), floor)
    return shares / shares.sum()


@given(people(), st.integers(1, 10))
def test_over_people_every_score_has_the_mean_zero_and_the_normal_score_the_variance_one(cells, most):
    found = scores(Axis(len(cells)), cells, most=most)
    assert found.shape == (len(cells), min(most, len(cells) - 1))
    np.testing.assert_allclose(cells @ found, 0, atol=1e-9)
    assert cells @ found[:, 0] ** 2 == pytest.approx(1)
    assert (np.diff(found[:, 0]) > 0).all()


@given(people(floor=2e-3))
def test_the_normal_score_is_the_mean_of_a_normal_variable_over_a_levels_part_of_it(cells):
    """Scaled to variance 1; where a level is not so rare that its score is cut."""
    ends = norm.ppf(np.concatenate([[0.0], np.cumsum(cells)[:-1], [1.0]]))
    means = np.array([truncnorm.mean(*pair) for pair in pairwise(ends)])
    expected = means / np.sqrt(cells @ means**2)
    np.testing.assert_allclose(scores(Axis(len(cells)), cells, most=1)[:, 0], expected, atol=1e-5)


@given(people(least=4), st.floats(0.5, 3))
def test_further_scores_are_cosines_of_the_rank_apart_from_the_first(cells, decay):
    found = scores(Axis(len(cells)), cells, most=6, belief=replace(BELIEF, score_decay=decay))
    middle = np.cumsum(cells) - cells / 2
    for index in range(1, found.shape[1]):
        wave = np.sqrt(2) * np.cos(np.pi * (index + 1) * middle)
        basis = np.stack([np.ones(len(cells)), found[:, 0]], axis=1)
        left = wave - basis @ np.linalg.solve(basis.T @ (cells[:, None] * basis), basis.T @ (cells * wave))
        np.testing.assert_allclose(found[:, index], (index + 1) ** -decay * left, atol=1e-7)
        assert cells @ (found[:, 0] * found[:, index]) == pytest.approx(0, abs=1e-9)


@given(people(least=3))
def test_no_answer_has_a_score_of_its_own_and_the_others_leave_it_out(cells):
    found = scores(Axis(len(cells), nullable=True), cells, most=3)
    answered = cells[:-1] / cells[:-1].sum()
    plain = scores(Axis(len(answered)), answered, most=3)
    np.testing.assert_allclose(found[:-1, 1:], plain, atol=1e-9)
    np.testing.assert_allclose(found[-1, 1:], 0, atol=1e-9)
    assert np.ptp(found[:-1, 0]) == pytest.approx(0, abs=1e-9)
    assert found[-1, 0] > 0 > found[0, 0]
    np.testing.assert_allclose(cells @ found, 0, atol=1e-9)


@given(people(most=15), st.floats(0.1, 2), st.booleans())
def test_every_value_without_order_has_a_score_that_stands_out_at_itself(cells, size, nullable):
    axis = Axis(len(cells), ordered=False, nullable=nullable)
    found = scores(axis, cells, most=2, belief=replace(BELIEF, value_score=size))
    assert found.shape == (len(cells), len(cells))
    np.testing.assert_allclose(cells @ found, 0, atol=1e-9)
    for value, column in enumerate(found.T):
        others = np.delete(column, value)
        assert np.ptp(others) == pytest.approx(0, abs=1e-9)
        height = column[value] - others[0]
        assert height <= size * cells[value] ** -0.5 * (1 + 1e-9)  # what few people have weighs less
        if cells[value] > 0.01:
            assert height == pytest.approx(size * cells[value] ** -0.5)


@given(people(), st.booleans())
def test_unit_scores_are_uncorrelated_of_variance_one_and_span_the_scores(cells, ordered):
    given_scores = scores(Axis(len(cells), ordered=ordered), cells, most=6)
    found, kept = unit_scores(cells, given_scores)
    np.testing.assert_allclose(found.T @ (cells[:, None] * found), np.eye(len(kept)), atol=1e-7)
    np.testing.assert_allclose(cells @ found, 0, atol=1e-7)
    parts = found.T @ (cells[:, None] * given_scores)
    left = (given_scores - found @ parts) * np.sqrt(cells)[:, None]
    assert np.linalg.norm(left) < 1e-5 * np.linalg.norm(given_scores * np.sqrt(cells)[:, None])
    assert len(kept) <= len(cells) - 1
    # each adds one score to those before, in whose direction it points
    np.testing.assert_allclose(np.tril(parts[:, kept], -1), 0, atol=1e-5 * np.abs(parts).max())
    assert (np.diag(parts[:, kept]) > 0).all()


def test_the_last_value_of_a_list_follows_from_the_others():
    cells = np.array([0.5, 0.2, 0.3])
    _, kept = unit_scores(cells, scores(Axis(3, ordered=False), cells, most=1))
    assert kept.tolist() == [0, 1]


@pytest.mark.parametrize("axis", [Axis(2), Axis(7), Axis(5, nullable=True), Axis(6, ordered=False)], ids=repr)
def test_few_levels_are_cells_of_their_own(axis):
    cells = Cells.joining(axis, np.full(axis.size, 1 / axis.size))
    assert cells.of.tolist() == list(range(axis.size))
    assert cells.count == axis.size


@pytest.mark.parametrize("size", [100, 1000, 4096])
@pytest.mark.parametrize("nullable", [False, True])
def test_many_ordered_levels_are_joined_to_neighbours_and_no_answer_stays_apart(size, nullable):
    axis = Axis(size + nullable, nullable=nullable)
    cells = Cells.joining(axis, np.full(axis.size, 1 / axis.size))
    values = cells.of[:size]
    assert cells.count < size / 1.5
    assert set(np.diff(values)) <= {0, 1}
    assert np.ptp(np.bincount(values)) <= 1
    if nullable:
        assert (cells.of[-1], (cells.of == cells.of[-1]).sum()) == (cells.count - 1, 1)


def test_of_a_long_list_those_with_the_most_people_stay_apart():
    levels = np.random.default_rng(1).dirichlet(np.full(200, 0.5))
    cells = Cells.joining(Axis(200, ordered=False), levels)
    joined = cells.of == cells.count - 1
    assert sorted(cells.of[~joined].tolist()) == list(range(cells.count - 1))
    assert levels[joined].max() <= levels[~joined].min()


@pytest.mark.parametrize("axis", [Axis(300), Axis(301, nullable=True), Axis(90, ordered=False)], ids=repr)
def test_levels_within_cells_and_sums_over_cells_undo_each_other(axis):
    levels = np.random.default_rng(2).dirichlet(np.ones(axis.size))
    cells = Cells.joining(axis, levels)
    sums, within = cells.sums(levels), cells.within(levels)
    assert sums.shape == (cells.count,)
    np.testing.assert_allclose(cells.sums(within), np.eye(cells.count), atol=1e-12)
    np.testing.assert_allclose(within @ sums, levels, atol=1e-7)


def test_a_cell_without_people_has_its_levels_evenly():
    cells = Cells(np.array([0, 0, 1]), 2)
    np.testing.assert_allclose(cells.within(np.array([0.0, 0.0, 1.0]))[:, 0], [0.5, 0.5, 0.0])
