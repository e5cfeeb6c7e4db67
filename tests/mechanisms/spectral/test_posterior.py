"""Variances of answers: every direction in which a crowd may differ from the model, moved by itself and added up."""

from dataclasses import dataclass, field, replace
from itertools import combinations, product

import numpy as np
import pytest

from sottovoce.mechanisms.spectral.belief import BELIEF, Belief
from sottovoce.mechanisms.spectral.doubt import Doubt
from sottovoce.mechanisms.spectral.posterior import Posterior, parts_of, quadratic
from sottovoce.mechanisms.spectral.walsh import Axis

AXES = [Axis(4), Axis(3, ordered=False), Axis(5), Axis(2)]
KEPT = [2, 2, 3, 1]  # functions of each attribute: of the first and the third not all that there are
OF = [slice(0, 2), slice(2, 4), slice(4, 7), slice(7, 8)]


def bases(levels: np.ndarray, seed: int) -> np.ndarray:
    """Return all functions of an attribute, of mean zero, uncorrelated and of variance 1 over these people."""
    drawn = np.random.default_rng(seed).standard_normal((len(levels), len(levels)))
    drawn[:, 0] = 1.0
    orthogonal, _ = np.linalg.qr(drawn * np.sqrt(levels)[:, None])
    return (orthogonal / np.sqrt(levels)[:, None])[:, 1:]


@dataclass
class Made:
    """A posterior of made-up doubt, and all functions of each attribute."""

    model: Posterior
    whole: list[np.ndarray] = field(default_factory=list)


def made(belief: Belief = BELIEF, seed: int = 1, **changes) -> Made:
    generator = np.random.default_rng(seed)
    weights = generator.dirichlet(np.ones(3))
    factors = [generator.dirichlet(np.ones(axis.size), 3) for axis in AXES]
    whole = [bases(weights @ own, seed + index) for index, own in enumerate(factors)]
    functions = [own[:, :kept] for own, kept in zip(whole, KEPT, strict=True)]
    roots = [generator.normal(0, 0.05, (axis.size, 2)) for axis in AXES]
    size = OF[-1].stop
    matrices = {
        "posterior": generator.random((size, size)) / 100,
        "gap": generator.normal(0, 0.05, (size, size)),
        "left": generator.random((size, size)),
    }
    symmetric = {name: np.triu(own) + np.triu(own, 1).T for name, own in matrices.items()}
    rest = generator.random((4, 4)) / 1000
    doubt = Doubt(
        functions=functions,
        roots=[own - own.mean(axis=0) for own in roots],
        falls=generator.random(size),
        rest=rest + rest.T,
        **symmetric,
    )
    return Made(Posterior(AXES, weights, factors, replace(doubt, **changes), belief=belief), whole)


def by_hand(given: Made, queries: list[dict[int, np.ndarray]], amounts: np.ndarray) -> tuple[float, float]:
    """Return the variance and the evidence of a sum of products: direction by direction."""
    model, doubt, belief = given.model, given.model.doubt, given.model.belief

    def mean(query, without):
        inside = model.weights.copy()
        for index, own in query.items():
            if index not in without:
                inside = inside * (model.factors[index] @ own)
        return inside.sum()

    def response(directions):
        """How far the sum moves if whole records move by a product of functions, others staying as they are."""
        total = 0.0
        for amount, query in zip(amounts, queries, strict=True):
            if set(directions) <= set(query):
                own = [query[index] @ direction for index, direction in directions.items()]
                total += amount * np.prod(own) * mean(query, directions)
        return total

    def people(index, function):
        return (model.weights @ model.factors[index]) * function

    single = {"variance": 0.0, "prior": 0.0, "assumed": 0.0}
    several, drift = dict(single), 0.0
    for index in range(4):
        found = sum(response({index: column}) ** 2 for column in doubt.roots[index].T)
        single["variance"] += found
        single["assumed"] += found
        # all functions of an attribute are believed to have means of the same variance
        squares = sum(response({index: people(index, own)}) ** 2 for own in given.whole[index].T)
        single["prior"] += belief.single_prior * squares
    for one, other in combinations(range(4), 2):
        for (a, left), (b, right) in product(enumerate(given.whole[one].T), enumerate(given.whole[other].T)):
            moved = response({one: people(one, left), other: people(other, right)})
            if a < KEPT[one] and b < KEPT[other]:
                at = OF[one].start + a, OF[other].start + b
                prior = belief.pair_prior * doubt.falls[at[0]] * doubt.falls[at[1]]
                several["variance"] += moved**2 * doubt.posterior[at]
                several["prior"] += moved**2 * prior
                several["assumed"] += moved**2 * prior * doubt.left[at]
                drift += moved * doubt.gap[at]
            else:
                several["variance"] += moved**2 * doubt.rest[one, other]
                several["prior"] += moved**2 * belief.pair_prior * belief.rest
                several["assumed"] += moved**2 * belief.pair_prior * belief.rest
    falls = [belief.triple_ordered * np.arange(1, kept + 1.0) ** -belief.triple_decay for kept in KEPT]
    falls[1] = np.ones(2)  # values without order are alike
    for three in combinations(range(4), 3):
        for numbers in product(*(range(KEPT[index]) for index in three)):
            moved = response(
                {i: people(i, given.whole[i][:, number]) for i, number in zip(three, numbers, strict=True)}
            )
            variance = belief.triple * np.prod([falls[i][number] for i, number in zip(three, numbers, strict=True)])
            for name in several:
                several[name] += moved**2 * variance
    gained = [1 - own["assumed"] / own["prior"] if own["prior"] > 1e-18 else 1.0 for own in (single, several)]
    return single["variance"] + several["variance"] + drift**2, float(np.clip(min(gained), 0, 1))


def asked(model: Posterior, queries: list[dict[int, np.ndarray]], sums: np.ndarray):
    """Return what the posterior says of sums of products."""
    products = {}
    for index in range(4):
        naming = [number for number, query in enumerate(queries) if index in query]
        if naming:
            products[index] = np.array(naming), np.stack([queries[number][index] for number in naming])
    return model.spread(len(queries), products, sums)


def random_queries(attributes: list[tuple[int, ...]], seed: int = 5) -> list[dict[int, np.ndarray]]:
    generator = np.random.default_rng(seed)
    return [{index: generator.random(AXES[index].size) for index in own} for own in attributes]


@pytest.mark.parametrize(
    "attributes",
    [[(0,)], [(1,)], [(0, 1)], [(0, 2)], [(1, 3)], [(0, 1, 2)], [(0, 1, 2, 3)], [(0, 1), (0, 1)], [(0,), (0, 2), (2,)],
     [(0, 1, 2), (1, 2, 3), (0, 3)]],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("seed", [1, 2])
def test_variance_and_evidence_are_those_of_every_direction_by_itself(attributes, seed):
    given = made(seed=seed)
    queries = random_queries(attributes)
    amounts = np.random.default_rng(seed).normal(size=len(queries))
    found = asked(given.model, queries, amounts[None])
    variance, evidence = by_hand(given, queries, amounts)
    assert found.variance[0] == pytest.approx(variance)
    assert found.evidence[0] == pytest.approx(evidence)


def test_two_attributes_written_out():
    """One product of two attributes: single roots, the table of two functions, what is outside, and the gap squared."""
    given = made()
    model, doubt = given.model, given.model.doubt
    f, g = np.array([1.0, 1, 0, 0]), np.array([1.0, 0, 0])
    p, q = (model.weights @ model.factors[index] for index in (0, 1))
    a, b = (doubt.functions[0] * p[:, None]).T @ f, (doubt.functions[1] * q[:, None]).T @ g
    table = np.outer(a, b)
    single = ((f @ doubt.roots[0]) ** 2).sum() * (q @ g) ** 2 + ((g @ doubt.roots[1]) ** 2).sum() * (p @ f) ** 2
    pair = (table**2 * doubt.posterior[OF[0], OF[1]]).sum()
    both = (p @ f) * (1 - p @ f) * (q @ g) * (1 - q @ g)
    rest = doubt.rest[0, 1] * (both - (table**2).sum())
    gap = (table * doubt.gap[OF[0], OF[1]]).sum()
    found = asked(model, [{0: f, 1: g}], np.eye(1))
    assert found.variance[0] == pytest.approx(single + pair + rest + gap**2)


def test_of_everybody_nothing_is_unknown():
    model = made().model
    everybody = [{}, {0: np.ones(4)}, {0: np.ones(4), 1: np.ones(3)}, {i: np.ones(AXES[i].size) for i in range(4)}]
    found = asked(model, everybody, np.eye(4))
    np.testing.assert_allclose(found.variance, 0, atol=1e-20)
    np.testing.assert_array_equal(found.evidence, 1)


def test_an_attribute_of_which_all_levels_are_named_changes_nothing():
    model = made().model
    query = random_queries([(0, 2)])[0]
    plain, wider = (asked(model, [own], np.eye(1)) for own in (query, query | {1: np.ones(3), 3: np.ones(2)}))
    assert wider.variance[0] == pytest.approx(plain.variance[0])
    assert wider.evidence[0] == pytest.approx(plain.evidence[0])


def test_what_two_answers_have_in_common_cancels_in_their_difference():
    model = made().model
    (query,) = random_queries([(0, 1, 2)])
    assert asked(model, [query, query], np.array([[1.0, -1.0]])).variance[0] == pytest.approx(0, abs=1e-18)
    inside, outside = query, query | {0: 1 - query[0]}
    rest = {1: query[1], 2: query[2]}
    found = asked(model, [inside, outside, rest], np.array([[1.0, 1, 0], [0, 0, 1], [1, 1, -1]]))
    assert found.variance[0] == pytest.approx(found.variance[1])
    assert found.variance[2] == pytest.approx(0, abs=1e-18)


def test_variances_are_quadratic_so_that_covariances_follow():
    for changes in ({"gap": np.zeros((8, 8))}, {}):
        model = made(**changes).model
        queries = random_queries([(0, 1, 2), (0,), (0, 2)])
        sums = np.array([[1.0, 0.5, 0], [0, -1, 2.0], [1, -0.5, 2], [1, 1.5, -2]])
        first, second, total, apart = asked(model, queries, sums).variance
        assert total + apart == pytest.approx(2 * (first + second))
        doubled = asked(model, queries, 2 * sums[:1])
        assert doubled.variance[0] == pytest.approx(4 * first)


def test_the_gap_counts_by_its_square_over_the_whole_sum():
    generator = np.random.default_rng(8)
    gap = generator.normal(0, 0.1, (8, 8))
    gap = gap + gap.T
    queries = random_queries([(0, 1), (0, 2), (1, 2)])
    sums = generator.normal(size=(3, 3))
    off, on, back = (asked(made(gap=own).model, queries, sums).variance for own in (0 * gap, gap, -gap))
    assert (on > off).all()
    np.testing.assert_allclose(on, back)
    double = asked(made(gap=2 * gap).model, queries, sums).variance
    np.testing.assert_allclose(double - off, 4 * (on - off))


def test_three_attributes_are_less_sure_than_pairs_alone_would_make_them():
    query = random_queries([(0, 1, 2)])
    plain, usual = (asked(made(belief=own).model, query, np.eye(1)) for own in (replace(BELIEF, triple=0.0), BELIEF))
    assert usual.variance[0] > plain.variance[0]
    assert usual.evidence[0] < plain.evidence[0]
    pair = random_queries([(0, 1)])
    same = [asked(made(belief=own).model, pair, np.eye(1)).variance[0] for own in (replace(BELIEF, triple=0.0), BELIEF)]
    assert same[0] == same[1]


def test_evidence_is_one_less_what_is_left_of_the_prior_and_stays_between_nothing_and_all():
    plain = replace(BELIEF, rest=0.0, triple=0.0)
    query = random_queries([(0, 1)])
    quiet = [np.zeros_like(own) for own in made().model.doubt.roots]
    for left, evidence in ((0.0, 1.0), (0.25, 0.75), (1.0, 0.0), (3.0, 0.0)):
        model = made(belief=plain, left=np.full((8, 8), left), roots=quiet).model
        assert asked(model, query, np.eye(1)).evidence[0] == pytest.approx(evidence)


def test_evidence_does_not_depend_on_what_reports_said():
    """Gaps, and variances under the cautious prior, follow what was reported; evidence has neither."""
    queries = random_queries([(0,), (0, 1), (1, 2, 3)])
    usual = made()
    other = made(posterior=7 * usual.model.doubt.posterior, gap=-3 * usual.model.doubt.gap)
    one, same = (asked(own.model, queries, np.eye(3)) for own in (usual, other))
    np.testing.assert_array_equal(one.evidence, same.evidence)
    assert (one.variance[1:] < same.variance[1:]).all()


def test_a_single_attribute_that_is_unsure_takes_evidence_from_a_pair():
    doubt = made().model.doubt
    query = random_queries([(0, 1)])
    usual, unsure = (
        asked(made(roots=[factor * own for own in doubt.roots]).model, query, np.eye(1)).evidence[0]
        for factor in (0.01, 8.0)
    )
    assert unsure < usual


def test_many_sums_at_once_are_those_one_by_one(monkeypatch):
    model = made().model
    generator = np.random.default_rng(4)
    queries = random_queries([(0,), (0, 1), (0,), (0, 1, 2), (), (0, 1, 2, 3)])
    sums = generator.random((9, 6)) * (generator.random((9, 6)) < 0.5)
    whole = asked(model, queries, sums)
    monkeypatch.setattr("sottovoce.mechanisms.spectral.posterior._NUMBERS_AT_ONCE", 10_000)
    parts = asked(model, queries, sums)
    np.testing.assert_allclose(parts.variance, whole.variance, rtol=1e-12)
    np.testing.assert_allclose(parts.evidence, whole.evidence, rtol=1e-12)
    for number in range(9):
        alone = asked(model, queries, sums[number : number + 1])
        assert whole.variance[number] == pytest.approx(alone.variance[0])
        assert whole.evidence[number] == pytest.approx(alone.evidence[0])


def test_parts_hold_every_sum_once_with_all_that_goes_into_it(monkeypatch):
    monkeypatch.setattr("sottovoce.mechanisms.spectral.posterior._NUMBERS_AT_ONCE", 20_000)
    generator = np.random.default_rng(6)
    sums = generator.normal(size=(40, 12)) * (generator.random((40, 12)) < generator.random((40, 1)))
    sums[7] = 0.0
    again, seen = np.zeros_like(sums), []
    for part, members, amounts in parts_of(sums, levels=20):
        seen += part.tolist()
        for row, own, amount in zip(part, members, amounts, strict=True):
            np.add.at(again[row], own, amount)
    assert sorted(seen) == list(range(40))
    assert len(list(parts_of(sums, levels=20))) > 1
    np.testing.assert_array_equal(again, sums)


def test_a_quadratic_form_in_products_of_matrices_is_never_below_zero():
    generator = np.random.default_rng(7)
    roots = generator.normal(size=(2, 1, 3, 4))
    grams = [own @ own.transpose(0, 2, 1) for own in roots]
    amounts = generator.normal(size=(1, 3))
    assert quadratic(amounts, *grams)[0] == pytest.approx(amounts[0] @ (grams[0][0] * grams[1][0]) @ amounts[0])
    assert quadratic(amounts, -grams[0])[0] == 0
