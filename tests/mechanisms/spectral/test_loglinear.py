"""Tables with given sums: the dependence stays, the sums are met, and what moves moves as the formulas say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sottovoce.mechanisms.spectral.loglinear import balance, moments_moved, score_sums, table
from tests.mechanisms.spectral.brute_force import scaled_table


def odds(joint):
    """Return the log odds ratios of neighbouring rows and columns."""
    return np.diff(np.diff(np.log(joint), axis=0), axis=1)


@st.composite
def cases(draw):
    """Draw an interaction and sums of rows and of columns."""
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    rows, columns = (generator.dirichlet(np.full(size, 2.0)) + 0.01 for size in shape)
    return generator.uniform(-1.5, 1.5, shape), rows / rows.sum(), columns / columns.sum()


@given(cases())
def test_the_table_has_the_given_sums(case):
    _, rows, columns = case
    joint = table(*case)
    assert (joint > 0).all()
    np.testing.assert_allclose(joint.sum(axis=1), rows, rtol=1e-12)
    np.testing.assert_allclose(joint.sum(axis=0), columns, rtol=1e-4)


def test_a_row_has_its_people_however_far_its_interaction_lies_below_the_others() -> None:
    interaction = np.array([[0.0, 0.0], [-2000.0, -2001.0]])
    joint = table(interaction, np.array([0.75, 0.25]), np.array([0.5, 0.5]))
    np.testing.assert_allclose(joint.sum(axis=1), [0.75, 0.25])
    np.testing.assert_allclose(odds(joint), -1, atol=1e-4)


@given(cases())
def test_the_table_has_the_odds_ratios_of_the_interaction(case):
    np.testing.assert_allclose(odds(table(*case)), np.diff(np.diff(case[0], axis=0), axis=1), atol=1e-9)


@given(cases(), st.integers(0, 10**6))
def test_functions_of_the_row_or_of_the_column_alone_change_nothing(case, seed):
    interaction, rows, columns = case
    generator = np.random.default_rng(seed)
    more = generator.standard_normal(len(rows))[:, None] + generator.standard_normal(len(columns))
    np.testing.assert_allclose(table(interaction + more, rows, columns), table(*case), atol=1e-6)


def test_without_interaction_it_is_the_product():
    rows, columns = np.array([0.2, 0.3, 0.5]), np.array([0.9, 0.1])
    np.testing.assert_allclose(table(np.full((3, 2), 7.0), rows, columns), np.outer(rows, columns), rtol=1e-12)


@pytest.mark.parametrize("correlation", [-0.9, 0.5, 0.8])
def test_the_interaction_of_normal_scores_is_a_bivariate_normal_distribution(correlation):
    """Its density is exp(rho / (1 - rho^2) x y) times a function of x and one of y; here on 400 points."""
    score = np.linspace(-5, 5, 400)
    people = norm.pdf(score) / norm.pdf(score).sum()
    joint = table(correlation / (1 - correlation**2) * np.outer(score, score), people, people)
    assert score @ joint @ score == pytest.approx(correlation, abs=1e-3)


def test_levels_with_next_to_nobody_do_no_harm():
    rows = np.array([1 - 2e-9, 1e-9, 1e-9])
    joint = table(np.array([[0.0, 0.0], [5.0, -5.0], [-300.0, 300.0]]), rows, np.array([0.5, 0.5]))
    np.testing.assert_allclose(joint.sum(axis=1), rows)
    np.testing.assert_allclose(joint.sum(axis=0), 0.5, atol=1e-6)


@given(cases(), st.integers(1, 3), st.integers(0, 10**6))
def test_balancing_gives_the_sums_that_are_wanted(case, directions, seed):
    joint = scaled_table(*case)
    generator = np.random.default_rng(seed)
    rows, columns = (generator.standard_normal((size, directions)) for size in joint.shape)
    columns += (rows.sum(axis=0) - columns.sum(axis=0)) / len(columns)
    alpha, beta = balance(joint, rows, columns)
    for index in range(directions):
        moved = joint * (alpha[:, index, None] + beta[:, index])
        np.testing.assert_allclose(moved.sum(axis=1), rows[:, index], atol=1e-8)
        np.testing.assert_allclose(moved.sum(axis=0), columns[:, index], atol=1e-8)
    np.testing.assert_allclose(joint.sum(axis=0) @ beta, 0, atol=1e-8)  # what is free to be chosen


@given(cases(), st.integers(1, 3), st.integers(1, 3))
def test_sums_of_products_of_scores_are_those_of_every_pair_of_scores(case, first, second):
    joint = scaled_table(*case)
    generator = np.random.default_rng(0)
    one, other = generator.standard_normal((len(joint), first)), generator.standard_normal((joint.shape[1], second))
    rows, columns = score_sums(joint, one, other)
    for index, (u, v) in enumerate(np.ndindex(first, second)):
        whole = joint * np.outer(one[:, u], other[:, v])
        np.testing.assert_allclose(rows[:, index], whole.sum(axis=1), atol=1e-12)
        np.testing.assert_allclose(columns[:, index], whole.sum(axis=0), atol=1e-12)


def test_means_of_products_move_as_finite_differences_say():
    generator = np.random.default_rng(5)
    shape, counts, units = (5, 4), (2, 3), (3, 2)
    rows, columns = (generator.dirichlet(np.full(size, 3.0)) for size in shape)
    one, other = (generator.standard_normal((size, count)) for size, count in zip(shape, counts, strict=True))
    left, right = (generator.standard_normal((size, count)) for size, count in zip(shape, units, strict=True))
    theta = 0.3 * generator.standard_normal(counts)

    def means(change):
        joint = scaled_table(one @ (theta + change.reshape(counts)) @ other.T, rows, columns)
        return (left.T @ joint @ right).ravel()

    joint = scaled_table(one @ theta @ other.T, rows, columns)
    moved, step = moments_moved(joint, (one, other), (left, right)), 1e-5
    assert moved.shape == (6, 6)
    for index, e in enumerate(np.eye(6)):
        expected = (means(step * e) - means(-step * e)) / (2 * step)
        np.testing.assert_allclose(moved[:, index], expected, atol=1e-8)


@given(cases())
def test_means_of_the_scores_themselves_rise_with_their_own_numbers(case):
    """How means of scores' products move with their numbers is a covariance: symmetric, and never negative."""
    joint = scaled_table(*case)
    generator = np.random.default_rng(1)
    own = tuple(generator.standard_normal((size, 2)) for size in joint.shape)
    moved = moments_moved(joint, own, own)
    np.testing.assert_allclose(moved, moved.T, atol=1e-9)
    assert np.linalg.eigvalsh(moved).min() > -1e-9
