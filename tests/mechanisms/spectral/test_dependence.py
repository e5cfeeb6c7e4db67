"""Corrections pair by pair: the formulas against brute force, and what they do with pairs that do and do not depend."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from sottovoce.mechanisms.spectral.belief import BELIEF, Belief
from sottovoce.mechanisms.spectral.dependence import (
    Layout,
    asked_moments,
    correct,
    expected_shrinkage,
    hierarchy,
    model_moments,
    shrinkage,
)
from sottovoce.mechanisms.spectral.moments import Asked, Moments
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs


def test_shrinkage_is_the_best_linear_correction():
    """Truth - model = d - h n and left over = d + (1 - h) n, with d and n independent: regression by hand."""
    b, h, information = 0.02, 0.3, 50.0
    kept, bias, noise = (part.item() for part in shrinkage(np.array([b]), np.array([h]), np.array([information])))
    covariance, variance = b - h * (1 - h) / information, b + (1 - h) ** 2 / information
    assert kept == pytest.approx(covariance / variance)
    assert bias + noise == pytest.approx(b + h**2 / information - covariance**2 / variance)


def test_shrinkage_without_leverage_is_the_usual_posterior_and_never_turns_back():
    variance, information = np.array([0.01, 0.5]), np.array([10.0, 400.0])
    kept, bias, noise = shrinkage(variance, np.zeros(2), information)
    np.testing.assert_allclose(kept, variance * information / (1 + variance * information))
    np.testing.assert_allclose(bias + noise, variance / (1 + variance * information))
    kept, bias, noise = shrinkage(np.array([1e-9]), np.array([0.9]), np.array([10.0]))
    assert kept == 0
    assert noise == pytest.approx(0.9**2 / 10)


def test_an_uncertain_variance_is_followed_by_the_mean_of_the_best_parts():
    probable, variances = np.array([[0.5, 0.5]]), np.array([[0.001, 0.1]])
    leverage, information = np.array([0.2]), np.array([40.0])
    each = shrinkage(variances[0], np.repeat(leverage, 2), np.repeat(information, 2))[0]
    once = np.array([False])
    kept = expected_shrinkage(probable, variances, leverage, information, twice=once).item()
    assert kept == pytest.approx(each.mean())
    assert kept < shrinkage(variances.mean(axis=1), leverage, information)[0].item()
    # of a pair, what the first correction leaves is corrected by the same part again, if that is half or more
    for factor, counts in ((40, 1.0), (1, 2 * kept)):
        information = np.array([40.0 * factor])
        kept, again = (
            expected_shrinkage(probable, variances, leverage, information, twice=twice).item()
            for twice in (once, ~once)
        )
        assert again == pytest.approx(kept + counts * kept * (1 - kept))
    assert kept < 0.5


def test_the_hierarchy_agrees_with_summing_over_everything():
    belief = Belief(points=4)
    generator = np.random.default_rng(1)
    likelihood, owner = np.log(generator.random((3, 4))), np.array([0, 0, 1])
    top = belief.around(0.01, 1.0)
    inner, outer = belief.kernel(belief.block_spread), belief.kernel(belief.owner_spread)
    posterior = np.zeros((3, 4))
    for common in range(4):
        for owners in np.ndindex(4, 4):
            for blocks in np.ndindex(4, 4, 4):
                chance = np.exp(top[common]) * outer[owners[0], common] * outer[owners[1], common]
                for number, value in enumerate(blocks):
                    chance *= inner[value, owners[owner[number]]] * np.exp(likelihood[number, value])
                posterior[np.arange(3), blocks] += chance
    found, _ = hierarchy(likelihood, owner, top, belief, pooled=True)
    np.testing.assert_allclose(found, posterior / posterior.sum(axis=1, keepdims=True), rtol=1e-9)


def test_quantiles_of_variances_lie_where_the_probability_does():
    sure = np.zeros((1, BELIEF.points))
    sure[0, 7] = 1.0
    assert BELIEF.quantile(sure, 0.5)[0] == pytest.approx(BELIEF.grid[7])


def test_layouts_put_functions_into_bands():
    layout = Layout.of([2, 1])
    assert layout.attribute.tolist() == [-1, 0, 0, 1]
    assert layout.functions.tolist() == [0, 1, 2, 2, 3]


def two_pairs(strength, unasked=()):
    """Return three attributes of eight levels: the first two depend, by so much, and an independent model of them."""
    axes, asked = [Axis(8)] * 3, Asked.full([3, 3, 3])
    generator = np.random.default_rng(2)
    truth = np.full((8, 8), 1 / 64) + strength / 64 * np.outer(walsh_signs(8, 1)[:, 1], walsh_signs(8, 1)[:, 1])
    signs = walsh_signs(8, 3)[:, 1:]
    flat = np.full((1, 8), 1 / 8)
    model = model_moments(axes, asked, np.ones(1), [flat] * 3)
    estimate, information = model.copy(), np.full(model.shape, 400.0)
    for index in range(3):
        own = asked.indices(index)
        information[np.ix_(own, own)] = 0.0
    for one, other in permutations(unasked, 2):
        information[np.ix_(asked.indices(one), asked.indices(other))] = 0.0
    information[0, 0] = 0.0
    estimate[np.ix_(asked.indices(0), asked.indices(1))] = signs.T @ truth @ signs
    noise = np.triu(generator.standard_normal(model.shape), 1) / 20
    estimate += noise
    estimate = np.triu(estimate, 1) + np.triu(estimate, 1).T
    moments = Moments(np.where(information > 0, estimate, 0.0), information)
    where = asked_moments(moments)
    others = [moments.estimate + generator.normal(0, 0.05, model.shape) for _ in range(3)]
    parts = [(Moments(estimate[where], information[where]), model[where]) for estimate in others]
    return axes, asked, moments, model, parts


def test_a_pair_that_depends_is_followed_and_one_that_does_not_is_left():
    axes, asked, moments, model, parts = two_pairs(0.6)
    correction = correct(axes, asked, moments, model, parts)
    first = asked.indices(0)[0], asked.indices(1)[0]
    assert correction.target.estimate[first] == pytest.approx(moments.estimate[first], abs=0.06)
    rest = np.ix_(asked.indices(0), asked.indices(2))
    left, moved = moments.estimate[rest] - model[rest], correction.target.estimate[rest] - model[rest]
    assert np.square(moved).mean() < 0.1 * np.square(left).mean()


def test_a_target_counts_by_the_reports_and_is_the_model_where_nobody_was_asked():
    axes, asked, moments, model, parts = two_pairs(0.6, unasked=(0, 2))
    target = correct(axes, asked, moments, model, parts).target
    np.testing.assert_array_equal(target.information, moments.information)
    nobody = moments.information == 0
    np.testing.assert_array_equal(target.estimate[nobody], model[nobody])


def test_the_noise_of_single_attributes_counts_for_more_than_if_it_were_independent():
    axes, asked, moments, model, parts = two_pairs(0.3)
    doubt, plain = (
        correct(axes, asked, moments, model, parts, replace(BELIEF, single_noise=factor)).doubt for factor in (1.4, 1.0)
    )
    np.testing.assert_allclose(doubt.noise[0], 1.4 * plain.noise[0])
    np.testing.assert_array_equal(doubt.noise[1:, 1:], plain.noise[1:, 1:])
    np.testing.assert_array_equal(doubt.bias, plain.bias)


def test_doubt_is_symmetric_and_the_prior_where_nobody_was_asked():
    axes, asked, moments, model, parts = two_pairs(0.3, unasked=(0, 2))
    doubt = correct(axes, asked, moments, model, parts).doubt
    for table in (doubt.noise, doubt.bias, doubt.measured):
        np.testing.assert_array_equal(table, table.T)
    assert (doubt.bias[0, 1:] >= 0).all()
    assert np.isfinite(doubt.measured[0, 1:]).all()
    assert np.isinf(doubt.measured[1, 2])  # two bands of one attribute
    assert np.isinf(doubt.measured[1, 7])
    assert doubt.noise[1, 7] == 0
    assert doubt.bias[1, 7] > doubt.bias[1, 4]
