"""Tables: every level has its bin, one by one and all at once, and what does not cover an attribute is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.plan.bin_maps import BinMap, grid_map, tree_height, tree_maps, walsh_bits

sizes = st.integers(2, 70)


@st.composite
def tables(draw: st.DrawFn) -> tuple[BinMap, int]:
    """Return a table of any kind, and the number of levels it covers."""
    levels = draw(sizes)
    inner = draw(st.sets(st.integers(1, levels - 1)))
    branching = draw(st.integers(2, 5))
    kinds = [
        BinMap(identity=levels),
        BinMap(edges=(0, *sorted(inner), levels)),
        BinMap(tree=(levels, branching, draw(st.integers(0, tree_height(levels, branching))))),
        BinMap(walsh=(levels, draw(st.integers(1, 2 ** walsh_bits(levels) - 1)))),
    ]
    return draw(st.sampled_from(kinds)), levels


@given(tables())
def test_every_level_has_a_bin_and_one_by_one_is_as_all_at_once(case: tuple[BinMap, int]) -> None:
    table, levels = case
    table.check(levels)
    bins = table.array().tolist()
    assert bins == [table.bin(level) for level in range(levels)]
    assert set(bins) <= set(range(table.bins))
    if table.walsh is None:
        assert bins == sorted(bins), "bins of an ordered table are stretches"
        assert set(bins) == set(range(table.bins)), "and none is empty"


@given(tables(), st.integers(-1, 1).filter(bool))
def test_a_table_of_another_size_is_refused(case: tuple[BinMap, int], off: int) -> None:
    table, levels = case
    with pytest.raises(sv.PlanError, match=f"does not cover an attribute of {levels + off} levels"):
        table.check(levels + off)


@pytest.mark.parametrize(
    "table",
    [
        BinMap(edges=(0, 8, 4, 16)),
        BinMap(edges=(0, 4, 4, 16)),
        BinMap(edges=(1, 16)),
        BinMap(edges=(16,)),
        BinMap(edges=()),
        BinMap(tree=(16, 1, 1)),
        BinMap(tree=(16, 4, 3)),
        BinMap(tree=(16, 4, -1)),
        BinMap(walsh=(16, 0)),
        BinMap(walsh=(16, 16)),
    ],
)
def test_a_table_that_cannot_be_is_refused(table: BinMap) -> None:
    with pytest.raises(sv.PlanError, match="does not cover an attribute of 16 levels"):
        table.check(16)


@pytest.mark.parametrize("table", [BinMap(), BinMap(identity=4, edges=(0, 4)), BinMap(tree=(4, 2, 1), walsh=(4, 1))])
def test_a_table_is_of_one_kind(table: BinMap) -> None:
    with pytest.raises(sv.PlanError, match="exactly one kind of identity, edges, tree, walsh"):
        table.check(4)


@pytest.mark.parametrize("levels", [2, 4, 16])
def test_walsh_functions_over_a_power_of_two_are_orthogonal(levels: int) -> None:
    signs = np.array([np.ones(levels), *(1 - 2 * BinMap(walsh=(levels, i)).array() for i in range(1, levels))])
    np.testing.assert_array_equal(signs @ signs.T, levels * np.eye(levels))


@given(sizes, st.integers(2, 5))
def test_a_trees_leaves_are_at_the_rounded_logarithm(levels: int, branching: int) -> None:
    height = tree_height(levels, branching)
    assert height == 1 or branching ** (height - 0.5) < levels * (1 + 1e-9)
    assert levels <= branching ** (height + 0.5) * (1 + 1e-9)
    assert [table.bins for table in tree_maps(levels, branching)][:: max(1, height)] == [1, levels]


@given(sizes, st.integers(1, 9), st.integers(1, 9), st.booleans())
def test_a_grid_nests_in_a_multiple_of_it_and_no_answer_has_a_bin_of_its_own(
    levels: int, granularity: int, factor: int, nullable: bool
) -> None:
    coarse, fine = (grid_map(levels, g, nullable=nullable) for g in (granularity, granularity * factor))
    pairs = set(zip(fine.array().tolist(), coarse.array().tolist(), strict=True))
    assert len(pairs) == fine.bins, "each fine bin lies in one coarse bin"
    for table in (coarse, fine):
        table.check(levels + nullable)
        widths = np.bincount(table.array())
        assert widths[: table.bins - nullable].max() - widths[: table.bins - nullable].min() <= 1
        assert not nullable or widths[-1] == 1
    assert all(a < b for a, b in itertools.pairwise(coarse.edges or (0, 1)))


def test_a_grids_edges_are_rounded_down_as_every_plan_ever_published_has_them() -> None:
    assert grid_map(10, 4).edges == (0, 2, 5, 7, 10)
    assert grid_map(10, 4, nullable=True).edges == (0, 2, 5, 7, 10, 11)
    assert grid_map(10, 10, nullable=True).identity == 11
