"""How strongly pairs depend: the evidence against a normal model, sums over all variances, and a cause in common."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from sottovoce.mechanisms.spectral.belief import BELIEF
from sottovoce.mechanisms.spectral.scale import CommonCause, Told, alone, pooled

VARIANCES = np.geomspace(1e-3, 10, 7)
ATTRIBUTES = 6
CLOSE = replace(BELIEF, least=1e-3, most=10.0, points=12, pair_spread=1.0, common=0.03, common_spread=3.0)
"""Pairs are much alike: what others show says something of each."""

PLANTED = np.array([[0.6, 0.3], [-0.6, 0.3], [0.6, -0.3], [-0.6, -0.3], [0.6, 0.3], [0.6, -0.3]])


def linear_model(seed, numbers, measured):
    """Return a matrix A and what was measured: y is normal about A theta with variance 1, so N = A'A and g = A'y."""
    generator = np.random.default_rng(seed)
    matrix, seen = 2 * generator.standard_normal((measured, numbers)), 3 * generator.standard_normal(measured)
    return matrix, seen, Told.of(matrix.T @ matrix, matrix.T @ seen, (1, numbers))


def changes(values):
    return values - values[0]


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 7), st.booleans())
def test_the_evidence_is_the_probability_of_what_was_measured(seed, numbers, measured, centred):
    """Theta is normal about its mean m with variance s, so y is normal about A m with variance 1 + s A A'."""
    matrix, seen, told = linear_model(seed, numbers, measured)
    mean = np.random.default_rng(seed + 1).standard_normal(numbers) if centred else None
    middle = matrix @ (np.zeros(numbers) if mean is None else mean)
    expected = [
        multivariate_normal.logpdf(seen, middle, np.eye(measured) + variance * matrix @ matrix.T)
        for variance in VARIANCES
    ]
    np.testing.assert_allclose(
        changes(told.evidence(VARIANCES, mean)), changes(np.array(expected)), atol=1e-6, rtol=1e-6
    )


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_an_uncertain_mean_counts_by_the_expected_log_probability(seed, numbers):
    """The quadratic form of y less A times the mean has, over means, its trace with their covariance in addition."""
    matrix, seen, told = linear_model(seed, numbers, 6)
    generator = np.random.default_rng(seed + 1)
    mean, spread = generator.standard_normal(numbers), generator.exponential(size=numbers)
    covariance = matrix @ (told.vectors * spread) @ told.vectors.T @ matrix.T
    expected = []
    for variance in VARIANCES:
        whole = np.eye(6) + variance * matrix @ matrix.T
        own = multivariate_normal.logpdf(seen, matrix @ mean, whole)
        expected.append(own - 0.5 * np.trace(np.linalg.solve(whole, covariance)))
    found = told.evidence(VARIANCES, mean, spread)
    np.testing.assert_allclose(changes(found), changes(np.array(expected)), atol=1e-6, rtol=1e-6)


def test_without_reports_no_variance_is_more_probable_than_another():
    told = Told.of(np.zeros((4, 4)), np.zeros(4), (2, 2))
    np.testing.assert_array_equal(told.evidence(VARIANCES), 0)


def evidence_of(*sizes, belief=BELIEF):
    """Return the evidence over a grid of pairs whose reports lie so many standard errors away from no dependence."""
    information = 300.0
    found = [
        Told.of(information * np.eye(4), np.full(4, size * information**0.5), (2, 2)).evidence(belief.grid)
        for size in sizes
    ]
    return np.array(found)


def middle(probabilities, belief=BELIEF):
    """Return the mean log variance of every pair."""
    return probabilities @ np.log(belief.grid)


@given(st.lists(st.lists(st.floats(-50, 50), min_size=4, max_size=4), min_size=1, max_size=3))
def test_pooling_is_the_sum_over_all_variances_of_all_pairs(evidence):
    belief = replace(BELIEF, points=4)
    prior = np.exp(belief.around(belief.common, belief.common_spread))
    kernel = belief.kernel(belief.pair_spread)
    rows = np.array(evidence)
    expected = np.zeros_like(rows)
    likely = np.exp(rows - rows.max(axis=1, keepdims=True))
    for shared in range(4):
        for chosen in product(range(4), repeat=len(rows)):
            weight = prior[shared] * np.prod([likely[k, v] * kernel[v, shared] for k, v in enumerate(chosen)])
            for pair, variance in enumerate(chosen):
                expected[pair, variance] += weight
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(pooled(rows, belief), expected, rtol=1e-6, atol=1e-12)


@given(st.lists(st.floats(0, 30), min_size=1, max_size=5))
def test_probabilities_of_variances_add_up_to_one(sizes):
    for found in (pooled(evidence_of(*sizes)), alone(evidence_of(*sizes))):
        assert (found >= 0).all()
        np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("function", [pooled, alone])
def test_a_pair_that_shows_more_gets_a_larger_variance(function):
    centres = middle(function(evidence_of(0.0, 1.0, 3.0, 10.0, 30.0)))
    assert (np.diff(centres) > 0).all()


def test_a_pair_hears_of_others_when_pooled_and_not_when_alone():
    weak, strong = (evidence_of(1.0, *others, belief=CLOSE) for others in ((0.0,) * 3, (20.0,) * 3))
    before, after = (middle(pooled(evidence, CLOSE), CLOSE)[0] for evidence in (weak, strong))
    assert after > before + 0.5
    np.testing.assert_array_equal(alone(strong, CLOSE)[0], alone(weak, CLOSE)[0])


def test_reports_that_show_much_are_believed_whatever_others_show():
    """Dependence of ten times the common one: others take back less than half of the factor."""
    without, others = (evidence_of(10.0, *(0.0,) * many, belief=CLOSE) for many in (0, 3))
    before, after = (middle(pooled(evidence, CLOSE), CLOSE)[0] for evidence in (without, others))
    assert before - np.log(10) / 2 < after < before


def told_of(planted, seed, reports=400.0):
    """Return what reports tell of pairs whose theta is the product of two vectors, with noise of this seed."""
    generator, found = np.random.default_rng(seed), {}
    for one, other in combinations(range(ATTRIBUTES), 2):
        root = np.eye(4) + 0.3 * generator.standard_normal((4, 4))
        information = reports * root @ root.T
        noise = np.sqrt(reports) * root @ generator.standard_normal(4)
        theta = np.outer(planted[one], planted[other]).ravel()
        found[one, other] = Told.of(information, information @ theta + noise, (2, 2))
    return found


def learned(told, sweeps=15, variance=1e-3):
    cause = CommonCause([2] * ATTRIBUTES)
    for _ in range(sweeps):
        cause.learn(told, dict.fromkeys(told, variance))
    return cause


def test_a_cause_that_attributes_share_is_found():
    """Seed 1; products are up to 0.36, and their largest error stayed below 0.12 with each of 1000 seeds."""
    told = told_of(PLANTED, 1)
    cause = learned(told)
    for one, other in told:
        np.testing.assert_allclose(cause.mean((one, other)), np.outer(PLANTED[one], PLANTED[other]).ravel(), atol=0.12)


def test_what_is_found_is_nearer_to_the_truth_than_each_pair_by_itself():
    """Seed 2; the squared error was below half of that of each pair by itself with each of 1000 seeds."""
    told = told_of(PLANTED, 2)
    cause = learned(told)
    errors = np.zeros(2)
    for (one, other), own in told.items():
        truth = np.outer(PLANTED[one], PLANTED[other]).ravel()
        for index, found in enumerate((cause.mean((one, other)), own.vectors @ (own.slope / own.values))):
            errors[index] += ((found - truth) ** 2).sum()
    assert errors[0] < 0.5 * errors[1]


def test_a_cause_that_reports_do_not_show_vanishes():
    """Seed 3; of noise alone, a product above a hundredth was left with one of 1000 seeds."""
    told = told_of(0 * PLANTED, 3)
    cause = learned(told)
    assert max(np.abs(cause.mean(key)).max() for key in told) < 0.01


def test_nothing_is_expected_before_anything_is_learned():
    told = told_of(PLANTED, 4)
    cause = CommonCause([2] * ATTRIBUTES)
    for key, own in told.items():
        np.testing.assert_array_equal(cause.mean(key), 0)
        np.testing.assert_array_equal(cause.spread(key, own), 0)


def test_more_reports_leave_less_uncertainty():
    few, many = told_of(PLANTED, 5), told_of(PLANTED, 5, reports=40_000.0)
    for key in few:
        before, after = (learned(told, variance=1e-6).spread(key, told[key]) for told in (few, many))
        assert (after > 0).all()
        assert (after < 0.1 * before).all()


def test_the_order_of_attributes_within_a_pair_is_followed():
    """Attributes with different counts of numbers: the mean of a pair has the first one's as rows."""
    first, second, third = np.array([0.8]), np.array([0.5, -0.5, 0.2]), np.array([0.4, 0.6])
    planted, told = [first, second, third], {}
    for one, other in combinations(range(3), 2):
        theta = np.outer(planted[one], planted[other])
        told[one, other] = Told.of(1e6 * np.eye(theta.size), 1e6 * theta.ravel(), theta.shape)
    cause = CommonCause([1, 3, 2])
    for _ in range(30):
        cause.learn(told, dict.fromkeys(told, 1e-6))
    for one, other in told:
        np.testing.assert_allclose(cause.mean((one, other)), np.outer(planted[one], planted[other]).ravel(), atol=1e-3)
