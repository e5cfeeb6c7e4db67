"""The mixture's objective, its descent and the whole fit."""

from itertools import islice, pairwise

import numpy as np
import pytest

from sottovoce.mechanisms.spectral.blocks import Block
from sottovoce.mechanisms.spectral.dependence import model_moments
from sottovoce.mechanisms.spectral.fitting import Answers, Effort, average, choose_textures, fit_mixture
from sottovoce.mechanisms.spectral.moments import Asked, Moments, Shown
from sottovoce.mechanisms.spectral.objective import TEXTURES, Mixture, Objective, Texture, descend, logit_basis
from sottovoce.mechanisms.spectral.patterns import pattern_bases
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs

AXES = [Axis(8), Axis(5, ordered=False), Axis(8), Axis(4, nullable=True)]
PATTERNS = [((0, (2,)), (1, (1,))), ((2, (1,)), (3, (1,))), ((0, (0,)), (2, (0,))), ((1, (0,)), (3, (0,)))]
BLOCKS = [
    Shown.of([index for index, _ in patterns], Block(patterns).tables, [axis.size for axis in AXES])
    for patterns in PATTERNS
]
SMOOTH, ROUGH = Texture(5.0, 0.0), Texture(5.0, 0.5)
EFFORT = Effort(folds=2, fits=2, components=3, most_steps=60)


def objective(textures=(SMOOTH,) * 4, components=3):
    generator = np.random.default_rng(4)
    asked = Asked.of(len(AXES), BLOCKS)
    estimate = generator.uniform(-0.5, 0.5, (asked.size, asked.size))
    information = generator.exponential(200, (asked.size, asked.size)) * (generator.random(estimate.shape) < 0.5)
    moments = Moments(estimate + estimate.T, information + information.T)
    return Objective(AXES, asked, moments, components=components, textures=textures)


def answers(reports=20_000, seed=5):
    """Return noiseless-looking answers: counts drawn at random with seed 5, skewed from code to code."""
    generator = np.random.default_rng(seed)
    counts = []
    for block in BLOCKS:
        odds = generator.dirichlet([5, 3, 3, 5], block.shape)
        counts.append(generator.multinomial(reports // int(np.prod(block.shape)), odds).astype(np.int64))
    return Answers(AXES, BLOCKS, counts, [0.4] * len(BLOCKS))


@pytest.mark.parametrize(
    "textures", [(SMOOTH,) * 4, (ROUGH,) * 4, (SMOOTH, SMOOTH, ROUGH, TEXTURES[5])], ids=["smooth", "rough", "mixed"]
)
def test_the_gradient_is_that_of_finite_differences(textures):
    function = objective(textures)
    generator = np.random.default_rng(6)
    point = 0.3 * generator.standard_normal(function.length)
    _, gradient = function(point)
    step = 1e-6
    for index in [*generator.choice(function.length, 40, replace=False).tolist(), function.length - 1]:
        e = np.zeros(function.length)
        e[index] = step
        slope = (function(point + e)[0] - function(point - e)[0]) / (2 * step)
        assert gradient[index] == pytest.approx(slope, rel=1e-5, abs=1e-4)


def test_curvature_is_the_weighted_square_of_how_moments_move():
    given = answers()
    moments, asked = given.moments(), given.asked
    function = Objective(AXES, asked, moments, components=3, textures=(SMOOTH,) * 4)
    generator = np.random.default_rng(8)
    point = 0.3 * generator.standard_normal(function.length)
    curvature, step = function.curvature(point), 1e-5
    marks = np.zeros(function.length)
    for view in function.views(marks):
        view[:, -1] = 1.0
    own = np.flatnonzero(marks[: -function.components] == 0)
    for index in generator.choice(own, 20, replace=False).tolist():
        e = np.zeros(function.length)
        e[index] = step
        ends = [function.mixture(point + sign * e) for sign in (1, -1)]
        moved = np.subtract(*(model_moments(AXES, asked, end.weights, end.factors) for end in ends)) / (2 * step)
        assert curvature[index] == pytest.approx((np.triu(moments.information) * moved**2).sum(), rel=1e-4, abs=1e-9)
    assert (curvature >= 0).all()


def test_the_misfit_is_the_objective_without_the_prior():
    function = objective()
    at_zero = np.zeros(function.length)
    assert function.misfit(at_zero) == pytest.approx(function(at_zero)[0])
    point = np.random.default_rng(7).standard_normal(function.length)
    assert function.misfit(point) < function(point)[0]


def test_the_misfit_is_the_weighted_square_of_what_the_mixture_gets_wrong():
    function = objective()
    mixture = function.mixture(0.5 * np.random.default_rng(8).standard_normal(function.length))
    asked, total = Asked.of(len(AXES), BLOCKS), 0.0
    means = np.concatenate(
        [np.ones((3, 1))]
        + [f @ walsh_signs(a.size, b)[:, 1:] for f, a, b in zip(mixture.factors, AXES, asked.bands, strict=True)],
        axis=1,
    )
    model = np.einsum("r,ru,rv->uv", mixture.weights, means, means)
    for row, column in zip(*np.triu_indices(asked.size), strict=True):
        half = 0.25 if row == column else 0.5
        residual = model[row, column] - function.moments.estimate[row, column]
        total += half * function.moments.information[row, column] * residual**2
    assert function.misfit(0.5 * np.random.default_rng(8).standard_normal(function.length)) == pytest.approx(total)


def test_a_mixture_is_made_of_distributions():
    function = objective()
    mixture = function.mixture(3 * np.random.default_rng(9).standard_normal(function.length))
    assert [factor.shape for factor in mixture.factors] == [(3, axis.size) for axis in AXES]
    for factor in mixture.factors:
        assert (factor >= 0).all()
        np.testing.assert_allclose(factor.sum(axis=1), 1)
    assert mixture.weights.sum() == pytest.approx(1)


def test_descending_never_climbs_and_flattens_the_gradient():
    function = objective()
    start = 0.1 * np.random.default_rng(10).standard_normal(function.length)
    points = list(islice(descend(function, start), 400))
    values = [function(point)[0] for point in [start, *points]]
    assert all(later <= earlier + 1e-9 * abs(earlier) for earlier, later in pairwise(values))
    assert np.linalg.norm(function(points[-1])[1]) < 0.02 * np.linalg.norm(function(start)[1])


def test_descending_solves_a_quadratic():
    generator = np.random.default_rng(11)
    root = generator.standard_normal((30, 30))
    matrix, target = root @ root.T + np.eye(30), generator.standard_normal(30)

    def quadratic(point):
        off = matrix @ (point - target)
        return 0.5 * float((point - target) @ off), off

    point = next(islice(descend(quadratic, np.zeros(30)), 200, None))
    np.testing.assert_allclose(point, target, atol=1e-4)


@pytest.mark.parametrize("texture", TEXTURES, ids=str)
@pytest.mark.parametrize(
    "axis", [Axis(2), Axis(3), Axis(64), Axis(4096), Axis(3, nullable=True), Axis(65, nullable=True)], ids=repr
)
def test_the_basis_covers_any_size_smoothest_first(axis, texture):
    basis = logit_basis(axis, texture)
    assert basis.shape[0] == axis.size
    assert np.isfinite(basis).all()
    smooth = basis[:-1, 1:] if axis.nullable else basis
    amplitude = np.sqrt((smooth**2).mean(axis=0))
    assert all(later <= 1.05 * earlier for earlier, later in pairwise(amplitude))


def test_logits_without_order_are_free():
    np.testing.assert_array_equal(logit_basis(Axis(5, ordered=False), SMOOTH), 2 * np.eye(5))


def test_every_attribute_has_the_texture_of_its_own_means():
    """Seed 9: noise of a hundredth on every mean of a bell, of five separate values, and of values without order."""
    bell = np.exp(-(((np.arange(64) - 30) / 9) ** 2) / 2)
    spikes = np.full(64, 0.002)
    spikes[[0, 13, 26, 40, 52]] = 0.2
    axes = [Axis(64), Axis(64), Axis(4, ordered=False), Axis(64)]
    blocks = [
        Shown.of([index], [pattern_bases((band,))], [axis.size for axis in axes])
        for index in range(3)
        for band in range(axes[index].bands)
    ]
    asked = Asked.of(4, blocks)
    estimate, information = np.zeros((asked.size, asked.size)), np.zeros((asked.size, asked.size))
    generator = np.random.default_rng(9)
    for index, levels in enumerate((bell, spikes, np.array([0.1, 0.2, 0.3, 0.4]))):
        means = walsh_signs(axes[index].size, axes[index].bands)[:, 1:].T @ (levels / levels.sum())
        estimate[0, asked.indices(index)] = means + 0.01 * generator.standard_normal(len(means))
        information[0, asked.indices(index)] = 1e4
    chosen = choose_textures(axes, asked, Moments(estimate, information))
    assert chosen[0].least == 0
    assert chosen[1].least >= 0.15
    assert chosen[2:] == [TEXTURES[0]] * 2  # without order there is nothing to choose, without reports no reason to


def test_the_average_of_mixtures_answers_their_mean():
    one = Mixture(np.array([0.3, 0.7]), [np.array([[0.1, 0.9], [0.5, 0.5]])])
    two = Mixture(np.array([1.0]), [np.array([[0.8, 0.2]])])
    both = average([one, two])
    expected = (one.weights @ one.factors[0] + two.weights @ two.factors[0]) / 2
    np.testing.assert_allclose(both.weights @ both.factors[0], expected)
    assert both.weights.sum() == pytest.approx(1)


def test_the_same_answers_give_the_same_fit():
    data = answers()
    one, same = (fit_mixture(data, EFFORT) for _ in range(2))
    np.testing.assert_array_equal(one.mixture.weights, same.mixture.weights)
    for a, b in zip(one.mixture.factors, same.mixture.factors, strict=True):
        np.testing.assert_array_equal(a, b)


def test_progress_runs_from_start_to_end():
    done: list[float] = []
    fit_mixture(answers(), EFFORT, progress=done.append)
    assert done == sorted(done)
    assert 0 < done[0] < done[-1] == pytest.approx(1)


def test_the_fit_explains_the_answers_better_than_independence():
    data = answers(200_000)
    fitted = fit_mixture(data, EFFORT)
    assert len(fitted.mixture.weights) == EFFORT.fits * EFFORT.components
    moments = data.moments()
    alone = Mixture(np.ones(1), [(fitted.mixture.weights @ factor)[None] for factor in fitted.mixture.factors])
    apart = model_moments(data.axes, data.asked, alone.weights, alone.factors) - moments.estimate
    assert (moments.information * fitted.residual**2).sum() < 0.5 * (moments.information * apart**2).sum()


def test_joined_components_are_the_average_of_the_fits():
    data = answers()
    textures = choose_textures(data.axes, data.asked, data.moments())
    small = Objective(data.axes, data.asked, data.moments(), components=2, textures=textures)
    large = Objective(data.axes, data.asked, data.moments(), components=6, textures=textures)
    generator = np.random.default_rng(1)
    points = [generator.standard_normal(small.length) for _ in range(3)]
    expected = average([small.mixture(point) for point in points])
    joined = large.mixture(large.joining(small, points))
    np.testing.assert_allclose(joined.weights, expected.weights, atol=1e-12)
    for found, factor in zip(joined.factors, expected.factors, strict=True):
        np.testing.assert_allclose(found, factor, atol=1e-9)
