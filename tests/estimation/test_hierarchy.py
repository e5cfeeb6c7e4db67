"""Trees against brute force: the fewest nodes, and least squares."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.estimation.hierarchy import decompose, infer, infer_2d, starts_of
from sottovoce.plan.bin_maps import BinMap, tree_height, tree_maps

trees = st.tuples(st.integers(2, 40), st.integers(2, 6))


def starts(levels, branching):
    return [starts_of(table.array()) for table in tree_maps(levels, branching)]


def members(levels, branching):
    """Return, for every depth, which levels each node holds, nodes by levels."""
    return [(table.array() == np.arange(table.bins)[:, None]).astype(float) for table in tree_maps(levels, branching)]


@given(trees)
def test_nodes_nest_and_single_lookups_agree(tree):
    tables = tree_maps(*tree)
    assert tables[0].bins == 1
    assert tables[-1].array().tolist() == list(range(tree[0]))
    for table in tables:
        assert [table.bin(level) for level in range(tree[0])] == table.array().tolist()
        assert len(set(table.array().tolist())) == table.bins
    for coarse, fine in itertools.pairwise(tables):
        assert len(set(zip(fine.array().tolist(), coarse.array().tolist(), strict=True))) == fine.bins


@given(trees)
def test_a_tree_over_a_power_of_its_branching_is_even(tree):
    height, branching = tree[0] % 4 + 1, tree[1]
    assert tree_height(branching**height, branching) == height
    assert [table.bins for table in tree_maps(branching**height, branching)] == [
        branching**depth for depth in range(height + 1)
    ]


@pytest.mark.parametrize("tree", [(64, 4, 4), (63, 4, 2), (64, 1, 0), (64, 4, -1)])
def test_a_tree_that_does_not_fit_is_refused(tree):
    from sottovoce.errors import PlanError

    with pytest.raises(PlanError, match="does not cover an attribute of 64 levels"):
        BinMap(tree=tree).check(64)


def fewest(levels: int, branching: int, low: int, high: int) -> int:
    """Return the smallest number of nodes that make up [low, high), by dynamic programming over all nodes."""
    ends: dict[int, set[int]] = {}
    for depth in starts(levels, branching):
        for start, stop in zip(depth, [*depth[1:], levels], strict=True):
            ends.setdefault(int(start), set()).add(int(stop))
    best = {low: 0}
    for index in range(low, high):
        for stop in ends.get(index, ()):
            if index in best and stop <= high:
                best[stop] = min(best.get(stop, levels), best[index] + 1)
    return best[high]


@given(trees, st.data())
def test_a_range_is_made_of_the_fewest_nodes_exactly(tree, data):
    low = data.draw(st.integers(0, tree[0] - 1))
    high = data.draw(st.integers(low + 1, tree[0]))
    weights = np.zeros((1, tree[0]))
    weights[0, low:high] = 1
    parts = decompose(weights, starts(*tree))
    rebuilt = sum(part @ inside for part, inside in zip(parts, members(*tree), strict=True))
    np.testing.assert_array_equal(rebuilt, weights)
    assert sum(np.count_nonzero(part) for part in parts) == fewest(tree[0], tree[1], low, high)


@given(trees, st.data())
def test_any_weights_are_rebuilt_from_nodes_that_do_not_overlap(tree, data):
    weights = np.array([data.draw(st.lists(st.sampled_from([0, 0.25, 1]), min_size=tree[0], max_size=tree[0]))] * 2)
    parts = decompose(weights, starts(*tree))
    rebuilt = sum(part @ inside for part, inside in zip(parts, members(*tree), strict=True))
    np.testing.assert_array_equal(rebuilt, weights)
    times = sum((part != 0).astype(float) @ inside for part, inside in zip(parts, members(*tree), strict=True))
    np.testing.assert_array_equal(times, weights != 0)


@given(trees, st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_inference_is_least_squares_over_all_nodes(tree, seed):
    inside = members(*tree)
    estimates = [np.random.default_rng(seed).normal(size=(len(nodes), 3)) for nodes in inside]
    brute = np.linalg.lstsq(np.concatenate(inside), np.concatenate(estimates), rcond=None)[0]
    np.testing.assert_allclose(infer(estimates, starts(*tree)), brute, atol=1e-9)


@given(st.tuples(st.integers(2, 11), st.integers(2, 4)), st.tuples(st.integers(2, 11), st.integers(2, 4)))
@settings(deadline=None, max_examples=30)
def test_inference_in_two_dimensions_is_least_squares_and_may_start_with_either(first, second):
    rows, columns = members(*first), members(*second)
    generator = np.random.default_rng(1)
    estimates = [[generator.normal(size=(len(row), len(column))) for column in columns] for row in rows]
    design = np.concatenate([np.kron(row, column) for row in rows for column in columns])
    observed = np.concatenate([estimate.ravel() for row in estimates for estimate in row])
    brute = np.linalg.lstsq(design, observed, rcond=None)[0].reshape(first[0], second[0])
    found = infer_2d(estimates, starts(*first), starts(*second))
    np.testing.assert_allclose(found, brute, atol=1e-9)
    turned = [[estimates[i][j].T for i in range(len(rows))] for j in range(len(columns))]
    np.testing.assert_allclose(infer_2d(turned, starts(*second), starts(*first)).T, found, atol=1e-9)


@given(trees)
def test_consistent_estimates_are_left_alone(tree):
    truth = np.random.default_rng(2).random(tree[0])
    np.testing.assert_allclose(infer([inside @ truth for inside in members(*tree)], starts(*tree)), truth, atol=1e-9)
