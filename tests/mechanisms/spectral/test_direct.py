"""Direct answers: exactly what measured moments say, unbiased whatever the model, as uncertain as they are."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from sottovoce.mechanisms.spectral.direct import Direct, Layout, expansion, measured_by_band, model_moments
from sottovoce.mechanisms.spectral.moments import Asked, Shown, pool
from sottovoce.mechanisms.spectral.noise import Noise
from sottovoce.mechanisms.spectral.prior import PRIOR
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs
from tests.mechanisms.spectral.brute_force import expected_counts, marginal, shown

SIZES = (4, 8, 2)
AXES = [Axis(4), Axis(8, ordered=False), Axis(2)]
BLOCKS = [
    shown(SIZES, (0, (0, 1)), (1, (0, 1, 2))),
    shown(SIZES, (0, (0, 1)), (2, (0,))),
    shown(SIZES, (1, (2, 0))),
    shown(SIZES, (2, (0,))),
]


def drawn(sizes: tuple[int, ...], seed: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return weights and distributions of a mixture of three components."""
    generator = np.random.default_rng(seed)
    return generator.dirichlet(np.ones(3)), [generator.dirichlet(np.ones(size), 3) for size in sizes]


def made(blocks: list[Shown], counts: list, kept: list, axes: list[Axis] = AXES, seed: int = 1):
    """Return direct answers beyond a model that has nothing to do with the reports, and what was measured."""
    weights, factors = drawn(tuple(axis.size for axis in axes), seed)
    asked = Asked.of(len(axes), blocks)
    moments = pool(asked, blocks, counts, kept)
    whole = Asked.full([axis.bands for axis in axes])
    own = [whole.indices(index)[: (1 << bands) - 1] for index, bands in enumerate(asked.bands)]
    of = np.concatenate([[0], *own]).astype(int)
    residual = np.zeros((whole.size, whole.size))
    left = moments.estimate - model_moments(axes, asked, weights, factors)
    residual[np.ix_(of, of)] = np.where(moments.information > 0, left, 0.0)
    measured = measured_by_band(axes, asked, moments.information)
    direct = Direct(axes, weights, factors, residual, measured, Noise(blocks, counts, kept))
    return direct, np.einsum("r,ra,rb,rc->abc", weights, *factors), moments


def counted(seed: int) -> tuple[list, list, np.ndarray]:
    """Return noisy counts of the questions above, their attenuations, and the crowd's table."""
    generator = np.random.default_rng(seed)
    joint = np.random.default_rng(9).exponential(size=SIZES) ** 2
    joint /= joint.sum()
    expected, kept = zip(*(expected_counts(block, joint, "2", 1000.0) for block in BLOCKS), strict=True)
    drawn = [generator.multinomial(1000, own / own.sum(axis=-1, keepdims=True)).astype(float) for own in expected]
    return drawn, list(kept), joint


def batch_of(*weights: np.ndarray | None) -> dict:
    return {index: (np.array([0]), own[None]) for index, own in enumerate(weights) if own is not None}


@pytest.mark.parametrize("size", [2, 3, 5, 6, 7, 8, 12, 20])
def test_expansions_give_the_weights_back_at_the_least_cost(size):
    axis = Axis(size)
    generator = np.random.default_rng(size)
    cost = generator.random(1 << axis.bands) + 0.1
    matrix, signs = expansion(axis, cost), walsh_signs(size, axis.bands)
    np.testing.assert_allclose(signs @ matrix, np.eye(size), atol=1e-9)
    nothing = np.linalg.svd(signs)[2][size:]  # sums of functions that are zero at every level
    np.testing.assert_allclose(nothing @ (cost[:, None] * matrix), 0, atol=1e-9)  # no such sum makes it cheaper


def test_layouts_put_functions_into_bands():
    layout = Layout.of([2, 1])
    assert layout.attribute.tolist() == [-1, 0, 0, 1]
    assert layout.band.tolist() == [0, 0, 1, 0]
    assert layout.functions.tolist() == [0, 1, 2, 2, 3]
    assert layout.of_attribute(0).tolist() == [1, 2]
    assert layout.of_attribute(1).tolist() == [3]


def test_a_mixtures_moments_are_those_of_its_whole_records():
    weights, factors = drawn(SIZES, seed=2)
    joint = np.einsum("r,ra,rb,rc->abc", weights, *factors)
    asked = Asked.full([2, 2, 1])  # of the second attribute not all that there are
    levels = np.indices(SIZES).reshape(3, -1)
    functions = np.concatenate(
        [np.ones((joint.size, 1))]
        + [walsh_signs(s, b)[own, 1:] for s, b, own in zip(SIZES, asked.bands, levels, strict=True)],
        axis=1,
    )
    found = model_moments(AXES, asked, weights, factors)
    expected = functions.T @ (joint.reshape(-1, 1) * functions)
    attribute = np.concatenate([[-1], *(np.full(len(asked.indices(index)), index) for index in range(3))])
    apart = attribute[:, None] != attribute[None, :]  # of two functions of one attribute nothing is measured
    np.testing.assert_allclose(found[apart], expected[apart], atol=1e-12)


def test_what_was_measured_is_the_mean_variance_of_a_band_and_nothing_where_nobody_was_asked():
    axes, asked = [Axis(8), Axis(4)], Asked.full([2, 1])
    information = np.zeros((asked.size, asked.size))
    information[0, 1], information[0, 2], information[0, 3] = 10.0, 20.0, 5.0
    information[2, 4], information[3, 4] = 2.0, 4.0
    information += information.T
    expected = np.zeros((6, 6))  # the constant, three bands of the first attribute, two of the second
    expected[0, 1], expected[0, 2], expected[2, 4] = 0.1, (0.05 + 0.2) / 2, (0.5 + 0.25) / 2
    np.testing.assert_allclose(measured_by_band(axes, asked, information), expected + expected.T)


def test_if_all_was_asked_direct_answers_are_what_measured_moments_say_alone():
    """Sizes are powers of two, so the table of the first two attributes is the inverse transform of their moments."""
    counts, kept, _ = counted(1)
    direct, model, moments = made(BLOCKS, counts, kept)
    asked = Asked.full([2, 3, 1])
    rows, columns = (np.concatenate([[0], asked.indices(index)]) for index in (0, 1))
    estimate = moments.estimate.copy()
    estimate[0, 0] = 1.0
    measured = walsh_signs(4, 2) @ estimate[np.ix_(rows, columns)] @ walsh_signs(8, 3).T / 32
    generator = np.random.default_rng(3)
    for f, g in ((np.eye(4)[1], np.eye(8)[5]), (generator.random(4), generator.random(8))):
        shift, _ = direct.spread(1, batch_of(f, g, None), np.eye(1))
        assert f @ marginal(model, 0, 1) @ g + shift[0] == pytest.approx(f @ measured @ g)
        shift, _ = direct.spread(1, batch_of(None, g, None), np.eye(1))
        assert marginal(model, 1) @ g + shift[0] == pytest.approx(measured.sum(axis=0) @ g)


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_the_model_direct_answers_are_the_same(seed):
    counts, kept, _ = counted(1)
    f, g = np.array([1.0, 0.5, 0, 0]), np.array([0.0, 1, 1, 0, 1, 0, 0, 0.3])
    found = []
    for other in (seed, seed + 10):
        direct, model, _ = made(BLOCKS, counts, kept, seed=other)
        shift, variance = direct.spread(1, batch_of(f, g, None), np.eye(1))
        found.append((f @ marginal(model, 0, 1) @ g + shift[0], variance[0]))
    assert found[0] == pytest.approx(found[1])


def test_direct_answers_are_unbiased_and_vary_as_they_say():
    """Seeds 0 to 299; false alarms: 4 answers, each at 1e-6 for its mean and for each side of its spread."""
    wheres = [
        (np.array([1.0, 1, 0, 0]), None, None),
        (None, np.array([1.0, 0, 1, 1, 0, 0, 0, 1]), None),
        (np.array([1.0, 0, 0, 1]), np.array([1.0, 1, 1, 0, 0, 0, 0, 0]), None),
        (np.array([1.0, 1, 0.5, 0]), None, np.array([0.0, 1])),
    ]
    found, stated, joint = [], [], np.zeros(SIZES)
    for seed in range(300):
        counts, kept, joint = counted(seed)
        direct, model, _ = made(BLOCKS, counts, kept)
        own = [direct.spread(1, batch_of(*where), np.eye(1)) for where in wheres]
        found.append([shift[0] for shift, _ in own])
        stated.append([variance[0] for _, variance in own])
    ones = [np.ones(size) for size in SIZES]
    weights = [[own if own is not None else one for own, one in zip(where, ones, strict=True)] for where in wheres]
    truth, of_model = (np.array([np.einsum("abc,a,b,c", t, *own) for own in weights]) for t in (joint, model))
    means, spread = np.mean(found, axis=0) + of_model, np.var(found, axis=0, ddof=1)
    reach = stats.t(299).ppf(1 - 5e-7)
    assert (np.abs(means - truth) < reach * np.sqrt(spread / 300)).all()
    low, high = stats.chi2(299).ppf([1e-6, 1 - 1e-6]) / 299
    ratio = spread / np.mean(stated, axis=0)
    assert ((low < ratio) & (ratio < high)).all()


def test_functions_that_nobody_was_asked_for_count_by_their_prior():
    """The first attribute's second band and products with it are not asked: squares times the prior are added."""
    blocks = [shown(SIZES, (0, (0,)), (1, (0, 1, 2))), shown(SIZES, (2, (0,)))]
    joint = np.full(SIZES, 1 / 64)
    counts, kept = (list(own) for own in zip(*(expected_counts(b, joint, "2", 500.0) for b in blocks), strict=True))
    direct, _, _ = made(blocks, counts, kept)
    f, g = np.array([1.0, 0, 0, 0]), np.array([1.0, 0, 0, 1, 0, 1, 0, 0])
    one, other = walsh_signs(4, 2).T @ f / 4, walsh_signs(8, 3).T @ g / 8
    noise = Noise(blocks, counts, kept)
    _, variance = direct.spread(1, batch_of(f, None, None), np.eye(1))
    finest = (one[2:] ** 2).sum()
    weights = {(0,): one[None, 1:]}
    assert variance[0] == pytest.approx(noise.variance(weights, 1)[0] + PRIOR.single(AXES[0])[1] * finest)
    _, variance = direct.spread(1, batch_of(f, g, None), np.eye(1))
    bands = [other[1 << band : 2 << band] for band in range(3)]
    unasked = finest * PRIOR.single(AXES[0])[1] * other[0] ** 2
    unasked += (
        finest
        * PRIOR.pair(AXES[0])[1]
        * sum(prior * (own**2).sum() for prior, own in zip(PRIOR.pair(AXES[1]), bands, strict=True))
    )
    both = {
        (0,): one[None, 1:] * other[0],
        (1,): other[None, 1:] * one[0],
        (0, 1): np.outer(one[1:], other[1:])[None],
    }
    assert variance[0] == pytest.approx(noise.variance(both, 1)[0] + unasked)


def test_attributes_that_were_not_asked_together_have_no_direct_answer():
    counts, kept, _ = counted(2)
    direct, _, _ = made(BLOCKS, counts, kept)
    half = [np.repeat([1.0, 0.0], size // 2) for size in SIZES]
    for named, asked in {(0,): True, (0, 1): True, (0, 2): True, (1, 2): False, (0, 1, 2): False}.items():
        batch = batch_of(*(own if index in named else None for index, own in enumerate(half)))
        assert np.isfinite(direct.spread(1, batch, np.eye(1))[1][0]) == asked


def test_many_sums_are_those_one_by_one_and_differences_cancel(monkeypatch):
    counts, kept, _ = counted(3)
    direct, _, _ = made(BLOCKS, counts, kept)
    generator = np.random.default_rng(4)
    batch = {0: (np.arange(6), generator.random((6, 4))), 1: (np.array([1, 3, 5]), generator.random((3, 8)))}
    sums = generator.random((9, 6)) * (generator.random((9, 6)) < 0.5)
    whole = direct.spread(6, batch, sums)
    monkeypatch.setattr("sottovoce.mechanisms.spectral.posterior._NUMBERS_AT_ONCE", 10_000)
    for number in range(9):
        alone = direct.spread(6, batch, sums[number : number + 1])
        assert (whole[0][number], whole[1][number]) == pytest.approx((alone[0][0], alone[1][0]))
    same = {0: (np.arange(2), np.tile(generator.random(4), (2, 1)))}
    np.testing.assert_allclose(direct.spread(2, same, np.array([[1.0, -1.0]])), 0, atol=1e-15)


def test_expected_counts_of_sizes_that_are_no_powers_of_two_give_the_truth():
    sizes = (3, 5, 2)
    axes = [Axis(size) for size in sizes]
    blocks = [
        shown(sizes, (one, tuple(range(axes[one].bands))), (other, tuple(range(axes[other].bands))))
        for one, other in combinations(range(3), 2)
    ]
    joint = np.random.default_rng(5).exponential(size=sizes)
    joint /= joint.sum()
    counts, kept = (list(own) for own in zip(*(expected_counts(b, joint, "2", 1e6) for b in blocks), strict=True))
    direct, model, _ = made(blocks, counts, kept, axes)
    for where in ((np.eye(3)[0], None, None), (np.eye(3)[1], np.array([1.0, 0, 1, 1, 0]), None)):
        weights = [np.ones(size) if own is None else own for own, size in zip(where, sizes, strict=True)]
        shift, variance = direct.spread(1, batch_of(*where), np.eye(1))
        truth, shown_by_model = (np.einsum("abc,a,b,c", table, *weights) for table in (joint, model))
        assert shown_by_model + shift[0] == pytest.approx(truth, abs=1e-9)
        assert 0 < variance[0] < 1e-4
