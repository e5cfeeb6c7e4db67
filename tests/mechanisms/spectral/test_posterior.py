"""Variances of answers: weights and formulas against brute force on small domains."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from sottovoce.mechanisms.spectral.belief import Belief
from sottovoce.mechanisms.spectral.dependence import Doubt, Layout
from sottovoce.mechanisms.spectral.moments import Shown
from sottovoce.mechanisms.spectral.noise import Noise
from sottovoce.mechanisms.spectral.posterior import Posterior, expansion
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs

AXES = [Axis(4), Axis(3, ordered=False), Axis(2)]
PLAIN = Belief(coherent=0.0, coherent_pair=0.0, coherent_listed=0.0, triple=0.0)


def made(belief=PLAIN, seed=1):
    generator = np.random.default_rng(seed)
    weights = generator.dirichlet(np.ones(3))
    factors = [generator.dirichlet(np.ones(axis.size), 3) for axis in AXES]
    layout = Layout.of([axis.bands for axis in AXES])
    tables = generator.random((3, len(layout.band), len(layout.band))) / 100
    tables = tables + tables.transpose(0, 2, 1)
    size = len(layout.functions)
    moves = generator.normal(0, 0.01, (2, size, size))
    moves = moves + moves.transpose(0, 2, 1)
    return Posterior(AXES, weights, factors, Doubt(*tables), moves[0], np.zeros((size, size)), belief=belief)


def coefficients(model, index, weights):
    return model.expansions[index] @ weights


@pytest.mark.parametrize("size", [2, 3, 5, 6, 7, 8, 12, 20])
def test_expansions_give_the_weights_back_at_the_least_cost(size):
    axis = Axis(size)
    generator = np.random.default_rng(size)
    cost = generator.random(1 << axis.bands) + 0.1
    matrix, signs = expansion(axis, cost), walsh_signs(size, axis.bands)
    np.testing.assert_allclose(signs @ matrix, np.eye(size), atol=1e-9)
    nothing = np.linalg.svd(signs)[2][size:]  # sums of functions that are zero at every level
    np.testing.assert_allclose(nothing @ (cost[:, None] * matrix), 0, atol=1e-9)  # no such sum makes it cheaper


def test_one_attribute_by_hand():
    model = made()
    weights = np.array([1.0, 1.0, 0.0, 0.0])
    spread = model.spread(1, {0: (np.array([0]), weights[None])}, np.eye(1))
    own = coefficients(model, 0, weights)[1:]
    table = (model.doubt.noise + model.doubt.bias)[0, [1, 2, 2]]
    assert spread.variance[0] == pytest.approx(float(own**2 @ table))
    assert spread.shift[0] == pytest.approx(float(own @ model.residual[0, 1:4]))
    assert spread.direct[0] == np.inf  # nothing is known of the noise
    block = Shown.of([0], [[(1, 2)]], [4])
    model.noise = Noise([block], [np.array([[40, 30, 20, 10]])], [np.array([0.5])])
    spread = model.spread(1, {0: (np.array([0]), weights[None])}, np.eye(1))
    assert spread.direct[0] == pytest.approx(float(model.noise.variance({(0,): own[None]}, 1)[0]))


def test_differences_of_pairs_agree_with_every_moment_moved_one_by_one():
    """E of f(x) g(y) is exactly linear in the means of functions and products: move each and add the squares."""
    model = made()
    generator = np.random.default_rng(5)
    one, other = generator.random((2, 4)), generator.random((2, 3))
    sums = np.array([[1.0, -0.7]])
    spread = model.spread(2, {0: (np.arange(2), one), 1: (np.arange(2), other)}, sums)
    f, g = one @ model.expansions[0].T, other @ model.expansions[1].T
    functions, table = Layout.of([2, 2, 1]).functions, model.doubt.noise + model.doubt.bias
    expected, shift = 0.0, 0.0
    for u, v in product(range(4), range(4)):
        if u == v == 0:
            continue
        weight = float(sums[0] @ (f[:, u] * g[:, v]))
        index = (u, 3 + v if v else 0)
        expected += weight**2 * table[functions[index[0]], functions[index[1]]]
        shift += weight * model.residual[index]
    assert spread.variance[0] == pytest.approx(expected)
    assert spread.shift[0] == pytest.approx(shift)


def test_three_attributes_take_the_others_as_they_are_in_the_model():
    """Move the mean of one product of two functions, the third attribute independent of the change."""
    model = made()
    weights = [np.array([1.0, 0, 1, 0]), np.array([1.0, 0, 0]), np.array([0.0, 1])]
    batch = {index: (np.array([0]), own[None]) for index, own in enumerate(weights)}
    model.residual[:] = 0.0
    model.residual[1, 4] = model.residual[4, 1] = 0.01
    shift = model.spread(1, batch, np.eye(1)).shift[0]
    third = float(model.marginals[2] @ weights[2])
    expected = 0.01 * coefficients(model, 0, weights[0])[1] * coefficients(model, 1, weights[1])[1] * third
    assert shift == pytest.approx(expected)
    assert np.isinf(model.spread(1, batch, np.eye(1)).direct[0])


def test_triples_and_errors_at_few_levels_only_widen():
    batch = {index: (np.array([0]), np.eye(axis.size)[:1]) for index, axis in enumerate(AXES)}
    plain = made().spread(1, batch, np.eye(1)).variance[0]
    for wider in ({"triple": 0.01}, {"coherent": 1.0}, {"coherent_pair": 1.0}, {"coherent_listed": 1.0}):
        assert made(replace(PLAIN, **wider)).spread(1, batch, np.eye(1)).variance[0] > plain


def test_only_pairs_with_a_category_take_the_weight_of_listed_values():
    ordered = {0: (np.array([0]), np.eye(4)[:1]), 2: (np.array([0]), np.eye(2)[:1])}
    category = {0: (np.array([0]), np.eye(4)[:1]), 1: (np.array([0]), np.eye(3)[:1])}
    plain, listed = made(), made(replace(PLAIN, coherent_listed=1.0))
    same, more = (
        [model.spread(1, batch, np.eye(1)).variance[0] for model in (plain, listed)] for batch in (ordered, category)
    )
    assert same[0] == same[1]
    assert more[0] < more[1]


def test_evidence_asks_more_where_a_value_is_rare():
    model = made()
    found = []
    for share in (0.5, 0.02):
        factors = [*model.factors[:2], np.tile([1 - share, share], (3, 1))]
        other = Posterior(AXES, model.weights, factors, model.doubt, model.residual, model.gap, belief=PLAIN)
        batch = {0: (np.array([0]), np.eye(4)[:1]), 2: (np.array([0]), np.eye(2)[1:])}
        found.append(other.spread(1, batch, np.eye(1)).prior[0])
    assert found[1] < found[0]


def test_variances_are_quadratic_so_that_covariances_follow():
    model = made(Belief())
    generator = np.random.default_rng(3)
    batch = {0: (np.arange(3), generator.random((3, 4))), 2: (np.array([0, 2]), generator.random((2, 2)))}
    sums = np.array([[1.0, 0.5, 0], [0, -1, 2.0], [1, -0.5, 2], [1, 1.5, -2]])
    first, second, total, apart = model.spread(3, batch, sums).variance
    assert total + apart == pytest.approx(2 * (first + second))


def test_many_sums_at_once_are_those_one_by_one(monkeypatch):
    model = made(Belief())
    generator = np.random.default_rng(4)
    batch = {0: (np.arange(6), generator.random((6, 4))), 1: (np.array([1, 3, 5]), generator.random((3, 3)))}
    sums = generator.random((9, 6)) * (generator.random((9, 6)) < 0.5)
    monkeypatch.setattr("sottovoce.mechanisms.spectral.posterior._NUMBERS_AT_ONCE", 10_000)
    whole = model.spread(6, batch, sums)
    for number in range(9):
        alone = model.spread(6, batch, sums[number : number + 1])
        assert whole.variance[number] == pytest.approx(alone.variance[0])
        assert whole.shift[number] == pytest.approx(alone.shift[0])


def test_evidence_is_nothing_where_nothing_was_measured():
    model = made()
    unknown = Posterior(
        AXES,
        model.weights,
        model.factors,
        Doubt(
            np.zeros_like(model.doubt.noise), np.ones_like(model.doubt.bias), np.full_like(model.doubt.noise, np.inf)
        ),
        np.zeros_like(model.residual),
        np.zeros_like(model.residual),
        belief=PLAIN,
    )
    batch = {0: (np.array([0]), np.eye(4)[:1]), 1: (np.array([0]), np.eye(3)[:1])}
    spread = unknown.spread(1, batch, np.eye(1))
    assert spread.evidence[0] == 0
    assert np.isinf(spread.direct[0])
    assert 0 < made().spread(1, {0: batch[0]}, np.eye(1)).evidence[0] <= 1


def test_the_parts_of_the_prior_give_all_of_it():
    model = made(Belief())
    parts, prior = model.prior_parts(), model._tables["prior"]
    assert parts["single"] == pytest.approx(prior[0, 1:])
    assert np.outer(parts["pair"], parts["pair"]) == pytest.approx(prior[1:, 1:])
    triples = np.concatenate([model._triple(index) for index in range(len(model.axes))])
    assert parts["triple"] ** 3 == pytest.approx(Belief().triple * triples**3)
