"""All attributes and pairs at once: the truth from many reports, independence from few, and pairs shrunk one by one."""

from dataclasses import replace

import numpy as np
import pytest

from sottovoce.mechanisms.spectral.belief import BELIEF
from sottovoce.mechanisms.spectral.joint import estimate
from sottovoce.mechanisms.spectral.numbers import Numbers
from sottovoce.mechanisms.spectral.observations import observations
from sottovoce.mechanisms.spectral.scale import Told, alone
from sottovoce.mechanisms.spectral.single import fit_single
from sottovoce.mechanisms.spectral.walsh import Axis
from tests.mechanisms.spectral.brute_force import expected_counts, marginal, questions_on_pairs, seen_of, shown

CROWDS = {
    "two lists": [Axis(3, ordered=False), Axis(4, ordered=False)],
    "ordered and a list": [Axis(4), Axis(3, ordered=False)],
    "two ordered": [Axis(4), Axis(5)],
    "three": [Axis(4), Axis(3, ordered=False), Axis(5, nullable=True)],
}


def crowd(axes, seed=1):
    """Return a table of whole records in which every pair depends."""
    sizes = tuple(axis.size for axis in axes)
    joint = np.random.default_rng(seed).exponential(size=sizes) + 0.1
    return joint / joint.sum()


def found_of(axes, seen, steps=10, **options):
    return estimate(axes, seen, steps=steps, most_scores=8, **options)


def apart(joint):
    return np.outer(joint.sum(axis=1), joint.sum(axis=0))


@pytest.mark.parametrize("kind", list(CROWDS))
def test_many_reports_give_the_true_tables_back(kind):
    """A hundred million reports on every pair, without noise; scores span all tables of so few levels."""
    axes = CROWDS[kind]
    joint = crowd(axes)
    found = found_of(axes, seen_of(axes, joint, 1e8))
    for index, single in enumerate(found.singles):
        np.testing.assert_allclose(single.levels, marginal(joint, index), atol=1e-3)
    for key, pair in found.pairs.items():
        truth = marginal(joint, *key)
        np.testing.assert_allclose(pair.joint, truth, atol=2e-3)
        assert np.abs(pair.joint - truth).max() < 0.1 * np.abs(truth - apart(truth)).max()


@pytest.mark.parametrize("kind", list(CROWDS))
def test_few_reports_leave_attributes_apart(kind):
    """Five reports on every pair could not show what the crowd's pairs do."""
    axes = CROWDS[kind]
    found = found_of(axes, seen_of(axes, crowd(axes), 5.0))
    for pair in found.pairs.values():
        np.testing.assert_allclose(pair.joint, apart(pair.joint), atol=0.01)


@pytest.mark.parametrize("kind", list(CROWDS))
def test_without_dependence_none_is_found_however_many_the_reports(kind):
    axes = CROWDS[kind]
    levels = [marginal(crowd(axes), index) for index in range(len(axes))]
    joint = levels[0]
    for own in levels[1:]:
        joint = joint[..., None] * own
    found = found_of(axes, seen_of(axes, joint, 1e6))
    for (one, other), pair in found.pairs.items():
        np.testing.assert_allclose(pair.joint, np.outer(levels[one], levels[other]), atol=1e-3)


@pytest.mark.parametrize("reports", [100.0, 1e6])
@pytest.mark.parametrize("kind", list(CROWDS))
def test_tables_are_distributions_with_the_sums_of_their_attributes(kind, reports):
    axes = CROWDS[kind]
    found = found_of(axes, seen_of(axes, crowd(axes), reports), steps=4)
    for (one, other), pair in found.pairs.items():
        assert (pair.joint > 0).all()
        sums = [found.cells[index].sums(found.singles[index].levels) for index in (one, other)]
        np.testing.assert_allclose(pair.joint.sum(axis=1), sums[0], atol=1e-4)
        np.testing.assert_allclose(pair.joint.sum(axis=0), sums[1], atol=1e-4)


@pytest.mark.parametrize("kind", list(CROWDS))
def test_the_log_table_is_a_sum_over_products_of_scores_and_of_functions_of_one_attribute(kind):
    axes = CROWDS[kind]
    found = found_of(axes, seen_of(axes, crowd(axes), 1e4), steps=4)
    for (one, other), pair in found.pairs.items():
        left, right = found.scores[one], found.scores[other]
        interaction = left @ pair.theta.reshape(left.shape[1], right.shape[1]) @ right.T
        odds, expected = (np.diff(np.diff(own, axis=0), axis=1) for own in (np.log(pair.joint), interaction))
        np.testing.assert_allclose(odds, expected, atol=1e-9)


def test_more_reports_bring_tables_nearer_to_the_truth():
    axes = CROWDS["three"]
    joint = crowd(axes)
    errors = []
    for reports in (1e2, 1e3, 1e4, 1e5, 1e6):
        found = found_of(axes, seen_of(axes, joint, reports))
        errors.append(sum(np.abs(pair.joint - marginal(joint, *key)).sum() for key, pair in found.pairs.items()))
    assert (np.diff(errors) < 0).all()


def test_questions_on_three_attributes_parities_and_single_ones_say_the_same():
    """Each kind has a hundred million reports on every question; together with the others it gives the truth back."""
    axes = [Axis(4), Axis(3, ordered=False), Axis(4)]
    sizes, joint = (4, 3, 4), crowd(axes)
    blocks = [
        shown(sizes, (0, (0, 1)), (1, (0, 1)), (2, (0, 1))),
        shown(sizes, (2, (0,)), (0, (1,)), parity=True),
        shown(sizes, (2, (0, 1)), (0, (0, 1)), parity=True),
        shown(sizes, (1, (0, 1))),
    ]
    counts, kept = zip(*(expected_counts(block, joint, "2", 1e8) for block in blocks), strict=True)
    found = found_of(axes, observations(3, blocks, counts, kept))
    for key, pair in found.pairs.items():
        np.testing.assert_allclose(pair.joint, marginal(joint, *key), atol=3e-3)


def test_one_attribute_has_no_pairs_and_is_found_as_it_is_alone():
    axes = [Axis(8)]
    levels = np.random.default_rng(2).dirichlet(np.full(8, 2.0))
    seen = seen_of(axes, levels, 1e5)
    found = found_of(axes, seen)
    assert found.pairs == {}
    np.testing.assert_allclose(found.singles[0].levels, fit_single(axes[0], seen.single[0]).levels, atol=1e-3)


def test_a_pair_that_nobody_was_asked_about_stays_apart_unless_others_share_a_cause():
    axes = [Axis(4), Axis(4), Axis(4)]
    seen = seen_of(axes, crowd(axes), 1e6)
    del seen.pair[0, 2]
    found = found_of(axes, seen, common=False)
    np.testing.assert_allclose(found.pairs[0, 2].joint, apart(found.pairs[0, 2].joint), atol=1e-9)
    assert np.abs(found.pairs[0, 1].joint - apart(found.pairs[0, 1].joint)).max() > 5e-3


def test_the_same_tally_gives_the_same_tables():
    axes = CROWDS["three"]
    seen = seen_of(axes, crowd(axes), 1000.0)
    one, same = (found_of(axes, seen, steps=4) for _ in range(2))
    for key, pair in one.pairs.items():
        np.testing.assert_array_equal(pair.joint, same.pairs[key].joint)
        np.testing.assert_array_equal(pair.theta, same.pairs[key].theta)
    for left, right in zip(one.singles, same.singles, strict=True):
        np.testing.assert_array_equal(left.levels, right.levels)


def noisy(seed, reports=3000.0):
    """Return reports on three attributes of six levels each, of which the first two depend strongly."""
    axes = [Axis(6), Axis(6), Axis(6)]
    steps = np.arange(6.0)
    both = np.exp(-0.5 * (steps[:, None] - steps) ** 2)
    joint = (both / both.sum())[:, :, None] * np.full(6, 1 / 6)
    blocks, generator = questions_on_pairs(axes), np.random.default_rng(seed)
    counts, kept = zip(*(expected_counts(block, joint, "3", reports) for block in blocks), strict=True)
    return axes, joint, observations(3, blocks, [generator.poisson(own).astype(float) for own in counts], kept)


def shrinkage(seed):
    """Return what is left of each pair's dependence, as a part of what it is with next to no shrinkage."""
    axes, _, seen = noisy(seed)
    free = replace(BELIEF, least=20.0, most=30.0)
    shrunk, wide = (found_of(axes, seen, common=False, belief=own) for own in (BELIEF, free))
    left = {}
    for key, pair in shrunk.pairs.items():
        sizes = [np.linalg.norm(own - apart(own)) for own in (pair.joint, wide.pairs[key].joint)]
        left[key] = sizes[0] / sizes[1]
    return left


def test_a_pair_that_depends_strongly_is_shrunk_less_than_those_that_do_not():
    """Seed 1; it was so with each of 100 seeds."""
    left = shrinkage(1)
    assert left[0, 1] > 0.9
    assert left[0, 1] > 1.3 * max(left[0, 2], left[1, 2])


def test_a_pair_that_depends_is_found_and_those_that_do_not_are_left_apart():
    """Seed 2 and 30,000 reports on each pair; it was so with each of 100 seeds."""
    axes, joint, seen = noisy(2, 30_000.0)
    found = found_of(axes, seen)
    truth = marginal(joint, 0, 1)
    depends = np.abs(truth - apart(truth)).max()
    assert np.abs(found.pairs[0, 1].joint - truth).max() < 0.3 * depends
    for key in ((0, 2), (1, 2)):
        pair = found.pairs[key].joint
        assert np.abs(pair - apart(pair)).max() < 0.15 * depends


def test_how_far_strong_dependence_may_go_is_asked_about_the_table_found_too():
    """Caution is before any number's own; the first numbers of both then grow with the table, fine ones have more."""
    axes = [Axis(5), Axis(5)]
    levels = np.arange(5)
    joint = np.exp(-np.abs(levels[:, None] - levels))
    pair = found_of(axes, seen_of(axes, joint / joint.sum(), 300.0)).pairs[0, 1]
    told = Told.of(pair.information, pair.slope, (4, 4))
    about_the_table = BELIEF.quantile(alone(told.evidence(BELIEF.grid)[None]), BELIEF.cautious)[0]
    assert pair.shown[1:].max() < about_the_table < 0.9 * BELIEF.most
    assert pair.doubted == pytest.approx(about_the_table)
    fine = np.multiply.outer(np.arange(1, 5), np.arange(1, 5)).ravel() ** BELIEF.fine
    np.testing.assert_allclose(pair.cautious[1:], about_the_table * fine[1:])
    assert pair.cautious[0] / about_the_table > 2
    assert (pair.cautious >= pair.shown).all()


@pytest.mark.parametrize(("agree", "least", "most"), [(0.96, 1.1, 1.3), (0.6, 1.0, 1.01)])
def test_next_to_certain_dependence_is_held_back_less_and_weak_dependence_as_before(agree, least, most):
    """Two yes-or-no answers that agree so often; twenty reports, without noise."""
    axes = [Axis(2, ordered=False)] * 2
    joint = np.array([[agree, 1 - agree], [1 - agree, agree]]) / 2
    seen = seen_of(axes, joint, 20.0)
    held, freer = (
        np.trace(found_of(axes, seen, steps=30, belief=replace(BELIEF, strong=strong)).pairs[0, 1].joint)
        for strong in (0.0, BELIEF.strong)
    )
    assert 0.5 < held <= freer < agree
    assert least <= (freer - 0.5) / (held - 0.5) < most


@pytest.mark.parametrize("common", [True, False])
def test_every_number_has_the_variance_that_its_kind_and_the_table_call_for(common, monkeypatch):
    """Four attributes that one cause moves, which counts as strength unless it is told apart."""
    monkeypatch.setattr("sottovoce.mechanisms.spectral.joint._SETTLED", 1e-6)
    axes = [Axis(5), Axis(4, ordered=False), Axis(5, nullable=True), Axis(3, ordered=False)]
    ranks = np.linspace(-1.5, 1.5, 4)
    levels = [np.exp(0.9 * np.outer(ranks, np.linspace(-1.5, 1.5, axis.size))) for axis in axes]
    given = [own / own.sum(axis=1, keepdims=True) for own in levels]
    joint = np.einsum("ka,kb,kc,kd->abcd", *given) / 4
    joint *= np.exp(1.5 * np.outer(np.linspace(-1, 1, 5), [-1, 1, 1, -1, 1]))[:, None, :, None]
    joint *= np.exp(np.outer([1, -1, 1, -1], [1, 0, -1]))[:, None, :]
    found = found_of(axes, seen_of(axes, joint / joint.sum(), 300.0), steps=200, common=common)
    people = [cells.sums(own.levels) for cells, own in zip(found.cells, found.singles, strict=True)]
    held = []
    for key, pair in found.pairs.items():
        one, other = (found.scores[index] for index in key)
        numbers = Numbers.of((axes[key[0]], axes[key[1]]), (one.shape[1], other.shape[1]))
        beyond = np.where(numbers.leading, pair.theta - pair.mean, 0.0).reshape(one.shape[1], -1)
        made = one @ beyond @ other.T
        grown = numbers.grown(np.sqrt(people[key[0]] @ made**2 @ people[key[1]]))
        assert grown.max() < 1.01 if common else grown.max() > 10
        usual = pair.shown / grown
        for kind in (numbers.leading, ~numbers.leading):
            if kind.any():
                np.testing.assert_allclose(usual[kind], usual[kind][0], rtol=1e-3)
        if not numbers.leading.all():
            held.append(usual[numbers.leading][0] / usual[~numbers.leading][0])
        taken = numbers.widened(np.maximum(pair.doubted * grown, pair.shown))
        np.testing.assert_allclose(pair.cautious, taken, rtol=1e-3)
        assert pair.cautious.max() > pair.doubted
    assert min(held) > 0.99
    assert common or max(held) > 5  # what independence called for still counts


@pytest.mark.parametrize(("reports", "settled"), [(50.0, 0.005), (20.0, 0.005)])
def test_strong_dependence_settles(reports, settled):
    """Two yes-or-no answers that agree in 97 of 100; twenty draws: what twelve steps find a hundred hardly change."""
    axes = [Axis(2, ordered=False)] * 2
    blocks, joint = questions_on_pairs(axes), np.array([[0.485, 0.015], [0.015, 0.485]])
    moved = []
    for seed in range(20):
        generator = np.random.default_rng(seed)
        counts, kept = zip(*(expected_counts(block, joint, "2", reports) for block in blocks), strict=True)
        seen = observations(2, blocks, [generator.poisson(own).astype(float) for own in counts], kept)
        few, many = (np.trace(found_of(axes, seen, steps=steps).pairs[0, 1].joint) for steps in (12, 100))
        moved.append(abs(few - many))
    assert np.median(moved) < 1e-3
    assert max(moved) < 4 * settled


def test_progress_runs_from_start_to_end():
    axes = CROWDS["two lists"]
    done: list[float] = []
    found_of(axes, seen_of(axes, crowd(axes), 100.0), steps=3, progress=done.append)
    assert done == sorted(done)
    assert 0 < done[0] < done[-1] == pytest.approx(1)
