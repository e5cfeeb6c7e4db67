"""What remains unknown: against tables moved by hand, less of it by more reports, and errors no larger than stated."""

from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from sottovoce.errors import ModelError
from sottovoce.mechanisms.spectral.belief import BELIEF, Belief
from sottovoce.mechanisms.spectral.doubt import Doubt, _root, doubt_of
from sottovoce.mechanisms.spectral.fitting import wanted
from sottovoce.mechanisms.spectral.joint import Estimate, estimate
from sottovoce.mechanisms.spectral.mixture import Mixture, Wanted, dependence_of, mixture
from sottovoce.mechanisms.spectral.observations import Observations, observations
from sottovoce.mechanisms.spectral.walsh import Axis
from tests.mechanisms.spectral.brute_force import expected_counts, marginal, questions_on_pairs, scaled_table, seen_of

AXES = [Axis(8), Axis(4, ordered=False), Axis(6)]
SMOOTH = replace(BELIEF, fine=0.0, profile=0.0)  # nothing more for fine scores than the fit has for them
MATRICES = ("posterior", "gap", "left")


def crowd(strength: float) -> np.ndarray:
    """Return a table of whole records in which the first two attributes depend by so much, the third on nothing."""
    generator = np.random.default_rng(1)
    levels = [generator.dirichlet(np.full(axis.size, 8.0)) for axis in AXES]
    slopes = [np.linspace(-1, 1, 8), np.array([-0.5, 1, -1, 0.5]), np.zeros(6)]
    joint = np.zeros([axis.size for axis in AXES])
    for place in np.linspace(-1.5, 1.5, 5):
        parts = [own * np.exp(strength * place * slope) for own, slope in zip(levels, slopes, strict=True)]
        joint += np.einsum("a,b,c->abc", *(part / part.sum() for part in parts)) / 5
    return joint


@dataclass(frozen=True)
class Case:
    """A fit, and what remains unknown after it."""

    found: Estimate
    wanted: Wanted
    mixture: Mixture
    doubt: Doubt

    @classmethod
    def of(cls, axes: list[Axis], seen: Observations, steps: int = 12, belief: Belief = BELIEF) -> "Case":
        found = estimate(axes, seen, steps=steps, most_scores=8, belief=belief)
        target = wanted(found)
        result = mixture(target, components=64, leaps=60)
        return cls(found, target, result, doubt_of(axes, found, target, result, belief))


def noisy(joint: np.ndarray, reports: float, seed: int) -> Observations:
    """Return what so many reports on every pair say, with their noise."""
    blocks, generator = questions_on_pairs(AXES), np.random.default_rng(seed)
    counts, kept = zip(*(expected_counts(block, joint, "2", reports) for block in blocks), strict=True)
    return observations(len(AXES), blocks, [generator.poisson(own).astype(float) for own in counts], kept)


def places(doubt: Doubt) -> list[slice]:
    """Return where the functions of each attribute stand."""
    return [slice(*ends) for ends in pairwise(np.cumsum([0, *(own.shape[1] for own in doubt.functions)]).tolist())]


def moved_by_hand(case: Case, key: tuple[int, int]) -> np.ndarray:
    """Return how means of products of functions move with a pair's numbers: every number moved by itself."""
    one, other = key
    pair, left, right = case.found.pairs[key], case.found.scores[one], case.found.scores[other]
    people = [cells.sums(own.levels) for cells, own in zip(case.found.cells, case.found.singles, strict=True)]

    def means(theta: np.ndarray) -> np.ndarray:
        interaction = left @ theta.reshape(left.shape[1], right.shape[1]) @ right.T
        table = scaled_table(interaction, people[one], people[other])
        return (case.doubt.functions[one].T @ table @ case.doubt.functions[other]).ravel()

    steps = 1e-4 * np.eye(len(pair.theta))
    return np.stack([(means(pair.theta + step) - means(pair.theta - step)) / 2e-4 for step in steps], axis=1)


def cautious_precision(case: Case, key: tuple[int, int]) -> np.ndarray:
    """Return the precision of a pair's numbers before its reports, written out function by function.

    A value without order has its own number. Of an ordered attribute the k-th function is believed to be k^-2 large,
    whatever the scores that make it up are.
    """
    pair, parts = case.found.pairs[key], []
    for index in key:
        scores, functions = case.found.scores[index], case.doubt.functions[index]
        if not AXES[index].ordered:
            parts.append(np.eye(scores.shape[1]))
            continue
        people = case.found.singles[index].levels
        made = np.array([[people @ (function * score) for score in scores.T] for function in functions.T])
        parts.append(made * np.arange(1, len(made) + 1.0)[:, None] ** BELIEF.score_decay)
    rows = [np.outer(own, another).ravel() for own in parts[0] for another in parts[1]]
    precision = sum(np.outer(row, row) / variance for row, variance in zip(rows, pair.cautious, strict=True))
    return precision + 1e-4 * np.diag(1 / pair.cautious)


@pytest.fixture(scope="module")
def case() -> Case:
    return Case.of(AXES, noisy(crowd(1.0), 2000.0, seed=3))


def test_functions_are_orthogonal_over_people_and_of_mean_square_one(case: Case) -> None:
    """Their means are zero but for how far pairs moved the distributions about which scores were centred."""
    for own, single in zip(case.doubt.functions, case.found.singles, strict=True):
        np.testing.assert_allclose((own * single.levels[:, None]).T @ own, np.eye(own.shape[1]), atol=1e-9)
        np.testing.assert_allclose(single.levels @ own, 0, atol=0.1)


@pytest.mark.parametrize("key", list(combinations(range(3), 2)))
def test_the_variance_of_a_mean_is_what_the_cautious_prior_and_the_reports_leave(case: Case, key: tuple[int, int]):
    pair, moves = case.found.pairs[key], moved_by_hand(case, key)
    covariance = np.linalg.inv(pair.information + cautious_precision(case, key))
    where = places(case.doubt)[key[0]], places(case.doubt)[key[1]]
    expected = BELIEF.dependence_doubt * np.einsum("ac,cd,ad->a", moves, covariance, moves)
    np.testing.assert_allclose(case.doubt.posterior[where].ravel(), expected, rtol=1e-3)


@pytest.mark.parametrize("lump", [0.2, 0.5, 0.8])
def test_before_any_report_the_kth_function_is_as_large_whatever_the_distribution(lump: float) -> None:
    """Two scales of six values, on one of which so many people stand at a single value.

    Scores of such a scale are nearly sums of each other, which must not make what is left of them certain.
    """
    axes = [Axis(6), Axis(6)]
    levels = np.full(6, (1 - lump) / 5), np.full(6, 1 / 6)
    levels[0][1] = lump
    found = estimate(axes, seen_of(axes, np.outer(*levels), 1e7), steps=12, most_scores=8)
    pair = found.pairs[0, 1]
    unasked = replace(pair, information=0 * pair.information, slope=0 * pair.slope, cautious=np.ones(25))
    found = replace(found, pairs={(0, 1): unasked})
    target = wanted(found)
    apart = Mixture(np.ones(1), [own[None] for own in target.people])
    posterior = doubt_of(axes, found, target, apart).posterior[:5, 5:]
    number = np.arange(1, 6.0)
    usual = BELIEF.dependence_doubt * np.multiply.outer(number, number) ** (-2 * BELIEF.score_decay)
    np.testing.assert_allclose(posterior[:4, :4], usual[:4, :4], rtol=0.05)
    assert (posterior < 1.05 * usual).all()
    assert (posterior > 0.05 * usual).all()  # the least precision, where next to nobody shows a function


def left_open(share: float, reports: float) -> tuple[Estimate, Wanted, Mixture, list[Axis]]:
    """Return a fit of an attribute that so many leave open, of an ordered one, and of a list."""
    axes = [Axis(5, nullable=True), Axis(4), Axis(3, ordered=False)]
    joint = np.random.default_rng(4).exponential(size=(5, 4, 3)) + 0.2
    joint[-1] *= share / (1 - share) * joint[:-1].sum() / joint[-1].sum()
    found = estimate(axes, seen_of(axes, joint / joint.sum(), reports), steps=12, most_scores=8)
    target = wanted(found)
    return found, target, mixture(target, components=64, leaps=60), axes


def test_no_answer_is_doubted_most_where_reports_tell_nothing_of_it() -> None:
    """The first function of an attribute that may be left open is that of "no answer"."""
    found, target, result, axes = left_open(0.3, 300.0)
    as_any = replace(BELIEF, no_answer_unmeasured=0.0)
    doubt, alike = (doubt_of(axes, found, target, result, belief) for belief in (BELIEF, as_any))
    one, other, listed = places(doubt)
    for where in ((one, other), (one, listed)):
        grown = doubt.posterior[where] / alike.posterior[where]
        expected = 1 + BELIEF.no_answer_unmeasured * doubt.left[where][0]
        np.testing.assert_allclose(grown[0], expected)
        np.testing.assert_allclose(grown[1:], 1)
        assert expected.max() > 1.3
    np.testing.assert_array_equal(doubt.posterior[other, listed], alike.posterior[other, listed])


def test_rare_no_answers_are_doubted_no_more_than_can_be() -> None:
    """Of any table with these sums, the mean of a product with the function of "no answer" is within its bound."""
    found, target, result, axes = left_open(0.01, 300.0)
    doubt = doubt_of(axes, found, target, result)
    one, other, _ = places(doubt)
    share, functions = target.people[0][-1], target.functions[1]
    most = np.sqrt(share / (1 - share)) * np.abs(functions).max(axis=0)
    deviations = np.sqrt(doubt.posterior[one, other][0])
    assert (deviations <= most * (1 + 1e-9)).all()
    np.testing.assert_allclose(deviations[0], most[0])  # three hundred reports could not tell: the bound is reached
    np.testing.assert_array_equal(doubt.posterior, doubt.posterior.T)


@pytest.mark.parametrize("key", list(combinations(range(3), 2)))
def test_the_gap_is_the_cautious_mean_less_the_mixtures(case: Case, key: tuple[int, int]) -> None:
    pair, where = case.found.pairs[key], (places(case.doubt)[key[0]], places(case.doubt)[key[1]])
    prior = cautious_precision(case, key)
    theta = np.linalg.solve(pair.information + prior, pair.slope + prior @ pair.mean)
    cautious = case.wanted.dependence[key].ravel() + moved_by_hand(case, key) @ (theta - pair.theta)
    shown = dependence_of(case.mixture, case.doubt.functions)[where].ravel()
    np.testing.assert_allclose(case.doubt.gap[where].ravel(), cautious - shown, atol=1e-4)
    assert np.abs(case.doubt.gap[where]).max() > 1e-3


def test_there_is_no_gap_if_caution_changes_nothing_and_the_mixture_has_the_tables() -> None:
    """Two attributes: one component for every level of the first has their table exactly."""
    axes = [Axis(5, ordered=False), Axis(4, ordered=False)]
    joint = np.random.default_rng(2).exponential(size=(5, 4)) + 0.2
    found = estimate(axes, seen_of(axes, joint / joint.sum(), 3000.0), steps=60, most_scores=8)
    pair = found.pairs[0, 1]
    alike = replace(found, pairs={(0, 1): replace(pair, cautious=pair.shown)})
    exact = Mixture(pair.joint.sum(axis=1), [np.eye(5), pair.joint / pair.joint.sum(axis=1, keepdims=True)])
    gap = doubt_of(axes, alike, wanted(alike), exact).gap
    dependence = np.abs(wanted(found).dependence[0, 1]).max()
    assert np.abs(gap).max() < 0.005 * dependence
    careful = doubt_of(axes, found, wanted(found), exact).gap
    assert np.abs(careful).max() > 0.02 * dependence
    apart = Mixture(np.ones(1), [pair.joint.sum(axis=1)[None], pair.joint.sum(axis=0)[None]])
    off = doubt_of(axes, alike, wanted(alike), apart).gap
    count = wanted(found).functions[0].shape[1]
    np.testing.assert_allclose(off[:count, count:], wanted(found).dependence[0, 1] + gap[:count, count:], atol=1e-9)


def test_falls_are_the_prior_variances_of_means_if_attributes_are_independent() -> None:
    """Tables of many reports on independent attributes are products: each number moves means by what falls say."""
    levels = [marginal(crowd(1.0), index) for index in range(3)]
    case = Case.of(AXES, seen_of(AXES, np.einsum("a,b,c->abc", *levels), 1e6))
    of = places(case.doubt)
    for key in combinations(range(3), 2):
        falls = np.outer(case.doubt.falls[of[key[0]]], case.doubt.falls[of[key[1]]])
        np.testing.assert_allclose((moved_by_hand(case, key) ** 2).sum(axis=1), falls.ravel(), rtol=0.01)


def test_roots_give_the_covariance_of_levels_and_nobody_is_won_or_lost(case: Case) -> None:
    """Roots are rounded to a thousandth of their largest number."""
    for root, single, covariance in zip(case.doubt.roots, case.found.singles, case.found.covariances, strict=True):
        expected = BELIEF.single_doubt * single.slopes @ covariance @ single.slopes.T
        np.testing.assert_allclose(root @ root.T, expected, atol=3e-3 * np.diag(expected).max())
        np.testing.assert_allclose(root.sum(axis=0), 0, atol=len(root) / 2**11 * np.abs(root).max())


def test_the_root_of_a_long_list_is_short_and_has_the_variance_of_every_value() -> None:
    """Seed 1: three hundred values; but for rounding, which leaves nothing of those that next to nobody has."""
    generator = np.random.default_rng(1)
    levels, covariance = generator.dirichlet(np.full(300, 5.0)), np.diag(generator.uniform(0.5, 2.0, 300))
    slopes = np.diag(levels) - np.outer(levels, levels)
    root, expected = _root(slopes, covariance), np.diag(slopes @ covariance @ slopes.T)
    assert root.shape == (300, 128)
    np.testing.assert_allclose((root**2).sum(axis=1), expected, rtol=0.05)


def test_what_lies_outside_of_scores_is_a_part_of_a_pairs_cautious_variance(case: Case) -> None:
    for key, pair in case.found.pairs.items():
        assert case.doubt.rest[key] == case.doubt.rest[key[::-1]] == BELIEF.rest * pair.doubted
    np.testing.assert_array_equal(np.diag(case.doubt.rest), 0)


def test_matrices_are_symmetric_and_say_nothing_of_two_functions_of_one_attribute(case: Case) -> None:
    for name in MATRICES:
        matrix = getattr(case.doubt, name)
        np.testing.assert_array_equal(matrix, matrix.T)
        for own in places(case.doubt):
            np.testing.assert_array_equal(matrix[own, own], 0)
    for key in combinations(range(3), 2):
        where = places(case.doubt)[key[0]], places(case.doubt)[key[1]]
        assert (case.doubt.posterior[where] > 0).all()
        assert ((case.doubt.left[where] > 0) & (case.doubt.left[where] <= 1 + 1e-12)).all()


def test_more_reports_leave_less_unknown() -> None:
    """Ten times as many reports without noise, three times: every variance falls, and what is left as well."""
    cases = [Case.of(AXES, seen_of(AXES, crowd(1.0), reports)) for reports in (1e3, 1e4, 1e5, 1e6)]
    for fewer, more in pairwise(case.doubt for case in cases):
        for key in combinations(range(3), 2):
            where = places(fewer)[key[0]], places(fewer)[key[1]]
            assert more.posterior[where].sum() < 0.5 * fewer.posterior[where].sum()
            assert (more.left[where] < fewer.left[where] * (1 + 1e-3)).all()
            assert more.left[where].sum() < fewer.left[where].sum()
        for one, other in zip(fewer.roots, more.roots, strict=True):
            assert (other**2).sum() < 0.3 * (one**2).sum()


def test_what_is_left_is_the_part_of_a_means_prior_variance_that_reports_leave() -> None:
    """Independent attributes: numbers of a pair moved one by one, their variances before reports and after."""
    levels = [marginal(crowd(1.0), index) for index in range(3)]
    case = Case.of(AXES, seen_of(AXES, np.einsum("a,b,c->abc", *levels), 1e5))
    of = places(case.doubt)
    for key, pair in case.found.pairs.items():
        moves, prior = moved_by_hand(case, key), BELIEF.pair_prior
        after = np.linalg.inv(pair.information + np.eye(len(pair.theta)) / prior)
        expected = np.einsum("ac,cd,ad->a", moves, after, moves) / (prior * (moves**2).sum(axis=1))
        np.testing.assert_allclose(case.doubt.left[of[key[0]], of[key[1]]].ravel(), expected, atol=2e-3)
        assert expected.min() < 0.2
        assert expected.max() > 0.8


def test_what_is_left_hardly_depends_on_what_reports_say() -> None:
    """Crowds that depend strongly and not at all have the same distributions; without noise the same is left.

    With noise (seeds 1 to 3) distributions are found a little differently, and functions with them.
    """
    joint = crowd(1.5)
    alone = np.einsum("a,b,c->abc", *(marginal(joint, index) for index in range(3)))
    apart, without, *others = (
        Case.of(AXES, seen).doubt
        for seen in (
            *(seen_of(AXES, own, 2000.0, "2") for own in (alone, joint)),
            *(noisy(joint, 2000.0, seed) for seed in (1, 2, 3)),
        )
    )
    np.testing.assert_allclose(without.left, apart.left, atol=1e-3)
    for doubt in others:
        for key in combinations(range(3), 2):
            where = places(apart)[key[0]], places(apart)[key[1]]
            np.testing.assert_allclose(doubt.left[where], apart.left[where], atol=0.1)
            assert doubt.left[where].mean() == pytest.approx(apart.left[where].mean(), abs=0.01)


def test_of_a_pair_that_nobody_was_asked_about_everything_is_left() -> None:
    seen = noisy(crowd(1.0), 2000.0, seed=4)
    case = Case.of(AXES, replace(seen, pair={key: own for key, own in seen.pair.items() if key != (0, 2)}))
    of = places(case.doubt)
    np.testing.assert_allclose(case.doubt.left[of[0], of[2]], 1)
    assert case.doubt.left[of[0], of[1]].min() < 0.9
    assert case.doubt.posterior[of[0], of[2]].sum() > 3 * case.doubt.posterior[of[0], of[1]].sum()


def test_one_attribute_has_no_pairs_to_doubt() -> None:
    axes = [Axis(8)]
    levels = np.random.default_rng(2).dirichlet(np.full(8, 2.0))
    doubt = Case.of(axes, seen_of(axes, levels, 1000.0)).doubt
    assert not any(getattr(doubt, name).any() for name in (*MATRICES, "rest"))
    assert (doubt.roots[0] ** 2).sum() > 0
    again = Doubt.from_state(axes, doubt.state())
    np.testing.assert_array_equal(again.roots[0], doubt.rounded().roots[0])


@pytest.mark.parametrize(
    ("reports", "strength", "belief"),
    [(500.0, 1.0, SMOOTH), (5000.0, 1.0, SMOOTH), (5000.0, 1.0, BELIEF), (2000.0, 0.0, BELIEF)],
    ids=["few", "many", "many, fine", "apart, fine"],
)
def test_errors_of_means_are_not_above_what_is_stated(reports: float, strength: float, belief: Belief) -> None:
    """Sixty collections, seeds 0 to 59, of crowds without dependence and with smooth one.

    For each pair the mean of squared errors less stated squares is at most 4 standard errors above zero: were it zero,
    a false alarm once in 30,000 for each of the twelve. Of the pair that depends stated squares are not much larger, if
    smooth dependence is taken to be so.
    """
    joint = crowd(strength)
    keys = list(combinations(range(3), 2))
    errors, stated = np.zeros((2, 60, len(keys)))
    for seed in range(60):
        case = Case.of(AXES, noisy(joint, reports, seed), steps=8, belief=belief)
        shown, of = dependence_of(case.mixture, case.doubt.functions), places(case.doubt)
        for number, (one, other) in enumerate(keys):
            table, where = marginal(joint, one, other), (of[one], of[other])
            apart = np.outer(table.sum(axis=1), table.sum(axis=0))
            truth = case.doubt.functions[one].T @ (table - apart) @ case.doubt.functions[other]
            errors[seed, number] = ((truth - shown[where]) ** 2).sum()
            stated[seed, number] = (case.doubt.posterior[where] + case.doubt.gap[where] ** 2).sum()
    beyond = errors - stated
    assert (beyond.mean(axis=0) < 4 * beyond.std(axis=0, ddof=1) / np.sqrt(60)).all()
    if strength and belief is SMOOTH:
        assert stated[:, 0].mean() < 3 * errors[:, 0].mean()


def test_what_intervals_allow_for_fine_scores_goes_to_fine_functions() -> None:
    """Seed 0: variances of all products of functions, at least those of a crowd believed to be smooth."""
    seen = noisy(crowd(1.0), 5000.0, 0)
    allowed, smooth = (Case.of(AXES, seen, belief=belief).doubt for belief in (BELIEF, SMOOTH))
    np.testing.assert_array_equal(allowed.functions[0], smooth.functions[0])
    first, second, third = places(allowed)
    for where in ((first, second), (first, third), (second, third)):
        grown = allowed.posterior[where] / smooth.posterior[where]
        assert grown.min() > 0.99
        assert grown[-1, -1] > 1.3
    by_function = allowed.posterior[first, second].sum(axis=1) / smooth.posterior[first, second].sum(axis=1)
    assert by_function[0] < 1.1
    assert by_function[-1] > 3 * by_function[0]


def test_a_saved_doubt_says_the_same_in_short_numbers(case: Case) -> None:
    again = Doubt.from_state(AXES, case.doubt.state())
    rounded = case.doubt.rounded()
    for name in (*MATRICES, "falls", "rest"):
        np.testing.assert_array_equal(getattr(again, name), getattr(rounded, name))
        np.testing.assert_allclose(getattr(again, name), getattr(case.doubt, name), rtol=2**-12)
    for name in ("functions", "roots"):
        for one, same, exact in zip(*(getattr(own, name) for own in (again, rounded, case.doubt)), strict=True):
            np.testing.assert_array_equal(one, same)
            np.testing.assert_allclose(one, exact, rtol=2**-12, atol=1e-9)
    twice = Doubt.from_state(AXES, again.state()).state()
    for name, own in again.state().items():
        for one, same in zip(
            *((part if isinstance(part, list) else [part]) for part in (own, twice[name])), strict=True
        ):
            assert one.dtype == np.float32
            np.testing.assert_array_equal(one, same)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("functions", lambda own: own[:-1], "every level of every attribute"),
        ("functions", lambda own: [own[0][:-1], *own[1:]], "every level of every attribute"),
        ("functions", lambda own: [own[0][:, :-1], *own[1:]], "a variance of every two functions"),
        ("roots", lambda own: own[1:], "every level of every attribute"),
        ("roots", lambda own: [own[0][:-1], *own[1:]], "every level of every attribute"),
        *((name, lambda own: own[:-1], "a variance of every two functions") for name in MATRICES),
        ("posterior", lambda own: -own, "never below zero"),
        ("left", lambda own: -own, "never below zero"),
        ("rest", lambda own: -own, "never below zero"),
    ],
)
def test_what_cannot_be_of_these_attributes_is_refused(case: Case, name: str, change, message: str) -> None:
    state = case.doubt.state()
    with pytest.raises(ModelError, match=message):
        Doubt.from_state(AXES, state | {name: change(state[name])})
