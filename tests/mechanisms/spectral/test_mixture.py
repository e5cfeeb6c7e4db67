"""A mixture of products: it has the distributions and the dependence that are wanted, of all pairs at once."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from sottovoce.mechanisms.spectral.mixture import Wanted, _columns, _divergence, _nearer, _start, dependence_of, mixture
from sottovoce.mechanisms.spectral.scores import scores, unit_scores
from sottovoce.mechanisms.spectral.walsh import Axis
from tests.mechanisms.spectral.brute_force import marginal


def wanted_of(axes, tables):
    """Return what tables of all pairs want of a mixture: all functions of every attribute count."""
    levels = []
    for index in range(len(axes)):
        key = next(key for key in tables if index in key)
        levels.append(tables[key].sum(axis=1 - key.index(index)))
    functions = [unit_scores(own, scores(axis, own, most=axis.size))[0] for axis, own in zip(axes, levels, strict=True)]
    return Wanted(levels, functions, tables)


def bivariate_normal(correlation, first, second):
    """Return the table of two normal variables cut into levels with these shares."""
    line = np.linspace(-6, 6, 1201)
    x, y = np.meshgrid(line, line, indexing="ij")
    density = np.exp(-0.5 * (x * x - 2 * correlation * x * y + y * y) / (1 - correlation**2))
    cuts = [np.searchsorted(norm.ppf(np.cumsum(shares)[:-1]), line) for shares in (first, second)]
    result = np.zeros((len(first), len(second)))
    np.add.at(result, (cuts[0][:, None], cuts[1][None]), density / density.sum())
    return result


def normal_pairs(correlations):
    """Return axes and tables of attributes that go together as normal variables do, with shares that are not even."""
    many = int(np.ceil(np.sqrt(2 * len(correlations))))
    shares = [np.random.default_rng(index).dirichlet(np.full(6 + index, 5.0)) for index in range(many)]
    keys = list(combinations(range(many), 2))
    tables = {
        key: bivariate_normal(own, shares[key[0]], shares[key[1]]) for key, own in zip(keys, correlations, strict=True)
    }
    return [Axis(len(own)) for own in shares], tables


def categorical_pairs(*sizes, evenness=1.0):
    """Return axes and tables of a crowd without any order."""
    joint = np.random.default_rng(3).dirichlet(np.full(int(np.prod(sizes)), evenness)).reshape(sizes)
    tables = {key: marginal(joint, *key) for key in combinations(range(len(sizes)), 2)}
    return [Axis(size, ordered=False) for size in sizes], tables


CROWDS = {
    "two normal": normal_pairs([0.6]),
    "two closely normal": normal_pairs([-0.9]),
    "four normal": normal_pairs([0.6, 0.3, -0.4, 0.0, -0.2, -0.5]),
    "two lists": categorical_pairs(3, 4),
    "four lists": categorical_pairs(3, 4, 3, 2),
    "four lists with rare combinations": categorical_pairs(3, 4, 3, 2, evenness=0.3),
}


@pytest.mark.parametrize("crowd", list(CROWDS))
def test_a_mixture_has_the_tables_of_all_pairs(crowd):
    """To within a thousandth of all people in a cell, where dependence makes up 1 to 10 per cent."""
    axes, tables = CROWDS[crowd]
    wanted = wanted_of(axes, tables)
    found = mixture(wanted, components=64, leaps=60)
    assert found.weights.sum() == pytest.approx(1)
    for factor, levels in zip(found.factors, wanted.people, strict=True):
        assert factor.shape == (64, len(levels))
        assert (factor >= 0).all()
        np.testing.assert_allclose(factor.sum(axis=1), 1)
        np.testing.assert_allclose(found.weights @ factor, levels, atol=2e-4)
    for key, both in tables.items():
        apart = np.abs(both - np.outer(both.sum(axis=1), both.sum(axis=0))).max()
        off = np.abs(found.table(*key) - both).max()
        assert off < 1e-3
        assert off < 0.1 * apart or apart < 1e-3


@pytest.mark.parametrize("crowd", list(CROWDS))
def test_every_round_brings_the_tables_nearer(crowd):
    wanted = wanted_of(*CROWDS[crowd])
    found = _start(wanted, 16)
    values = [_divergence(found, wanted.tables)]
    for _ in range(20):
        found = _nearer(found, wanted.tables)
        values.append(_divergence(found, wanted.tables))
    assert (np.diff(values) <= 1e-12).all()
    assert values[-1] < 0.5 * values[0]


def test_a_round_gives_components_the_people_whom_they_explain():
    """By brute force: every person of every table is divided among components as they make their cell probable."""
    wanted = wanted_of(*CROWDS["four lists"])
    before = _start(wanted, 4)
    found = _nearer(before, wanted.tables)
    people = [np.zeros((4, len(own))) for own in wanted.people]
    for (one, other), table in wanted.tables.items():
        for x, y in np.ndindex(*table.shape):
            made = before.weights * before.factors[one][:, x] * before.factors[other][:, y]
            people[one][:, x] += table[x, y] * made / made.sum()
            people[other][:, y] += table[x, y] * made / made.sum()
    for own, factor in zip(people, found.factors, strict=True):
        np.testing.assert_allclose(factor, own / own.sum(axis=1, keepdims=True), rtol=1e-12)
    np.testing.assert_allclose(found.weights, sum(own.sum(axis=1) for own in people) / 12, rtol=1e-12)


def test_without_dependence_whole_records_are_products():
    axes, tables = CROWDS["four lists"]
    alone = {key: np.outer(both.sum(axis=1), both.sum(axis=0)) for key, both in tables.items()}
    wanted = wanted_of(axes, alone)
    found = mixture(wanted, components=16, leaps=5)
    whole = np.einsum("r,ra,rb,rc,rd->abcd", found.weights, *found.factors)
    np.testing.assert_allclose(whole, np.einsum("a,b,c,d->abcd", *wanted.people), atol=1e-6)


def test_the_dependence_of_a_mixture_is_that_of_its_tables():
    wanted = wanted_of(*CROWDS["four lists"])
    found = mixture(wanted, components=8, leaps=2)
    whole, starts = dependence_of(found, wanted.functions), np.cumsum([0] + [own.shape[1] for own in wanted.functions])
    for one, other in combinations(range(4), 2):
        both = found.table(one, other)
        expected = (
            wanted.functions[one].T @ (both - np.outer(both.sum(axis=1), both.sum(axis=0))) @ wanted.functions[other]
        )
        block = whole[starts[one] : starts[one + 1], starts[other] : starts[other + 1]]
        np.testing.assert_allclose(block, expected, atol=1e-12)


def test_without_pairs_one_component_is_enough():
    levels = [np.array([0.2, 0.5, 0.3])]
    found = mixture(Wanted(levels, [np.zeros((3, 0))], {}), components=64, leaps=5)
    assert found.weights.tolist() == [1.0]
    np.testing.assert_array_equal(found.factors[0], levels[0][None])


def test_attributes_of_a_single_cell_are_no_matter():
    """A list of one value has no functions, and tables of one row."""
    tables = {
        (0, 1): np.array([[0.3, 0.7]]),
        (0, 2): np.array([[0.5, 0.5]]),
        (1, 2): np.array([[0.3, 0.0], [0.2, 0.5]]),
    }
    found = mixture(wanted_of([Axis(1, ordered=False), *[Axis(2, ordered=False)] * 2], tables), components=8, leaps=30)
    np.testing.assert_allclose(found.table(1, 2), tables[1, 2], atol=2e-3)
    np.testing.assert_allclose(found.table(0, 1), tables[0, 1], atol=1e-6)


def test_three_attributes_do_little_beyond_their_pairs():
    """Of three normal variables every third moment is nothing, whatever the pairs do."""
    axes, tables = normal_pairs([0.5, 0.5, 0.5])
    wanted = wanted_of(axes, tables)
    found = mixture(wanted, components=64, leaps=60)
    first = [factor @ functions[:, 0] for factor, functions in zip(found.factors, wanted.functions, strict=True)]
    assert abs(np.einsum("r,r,r,r->", found.weights, *first)) < 0.05
    assert np.einsum("r,r,r->", found.weights, *first[:2]) > 0.4


def test_the_same_tables_give_the_same_mixture():
    one, same = (mixture(wanted_of(*CROWDS["two lists"]), components=16, leaps=10) for _ in range(2))
    np.testing.assert_array_equal(one.weights, same.weights)
    for left, right in zip(one.factors, same.factors, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("count", [2, 4, 8, 16, 32, 64])
def test_columns_are_orthogonal_and_no_product_of_three_has_a_mean(count):
    columns = _columns(count)
    assert columns.shape == (count, max(count // 2 - 1, 1))
    np.testing.assert_allclose(columns.T @ columns, count * np.eye(columns.shape[1]), atol=1e-10)
    np.testing.assert_allclose(columns.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(np.einsum("ra,rb,rc->abc", columns, columns, columns), 0, atol=1e-10)


@pytest.mark.parametrize("count", [8, 16, 32, 64, 128])
def test_columns_are_the_same_whatever_the_last_digit(count, monkeypatch):
    """A singular matrix has no nearest orthogonal one: rounding would choose, and every machine another model."""
    decompose, columns = np.linalg.svd, _columns(count)
    noise = 1 + 1e-14 * np.random.default_rng(1).standard_normal((count // 2, count // 2 - 1))
    monkeypatch.setattr(np.linalg, "svd", lambda matrix, **options: decompose(matrix * noise, **options))
    np.testing.assert_allclose(_columns(count), columns, atol=1e-9)


def test_columns_are_spread_as_normal_variables_are():
    """Fourth moments of a normal variable are 3, of two of them 1; of so few points somewhat less."""
    columns = _columns(64)
    fourths = np.einsum("ra,ra,rb,rb->ab", *[columns] * 4) / 64
    assert (np.abs(np.diag(fourths) - 2.7) < 0.4).all()
    assert fourths[~np.eye(31, dtype=bool)].mean() == pytest.approx(1, abs=0.1)


def test_four_yes_or_no_answers_with_one_normal_cause_go_together_as_the_cause_makes_them():
    """Signs of four normal variables, every two correlated by .8: all agree in .628; a cause of two points has .61."""
    generator = np.random.default_rng(2)
    hidden = np.sqrt(0.8) * generator.standard_normal(10**6)
    signs = [(hidden + np.sqrt(0.2) * generator.standard_normal(10**6)) > 0 for _ in range(4)]
    axes = [Axis(2, ordered=False)] * 4
    tables = {
        (one, other): np.histogram2d(signs[one], signs[other], bins=2)[0] / 10**6
        for one, other in combinations(range(4), 2)
    }
    found = mixture(wanted_of(axes, tables), components=64, leaps=60)
    truth = np.mean(np.sum(signs, axis=0) % 4 == 0)
    agree = sum(found.weights @ np.prod([own[:, level] for own in found.factors], axis=0) for level in (0, 1))
    assert agree == pytest.approx(truth, abs=0.01)
