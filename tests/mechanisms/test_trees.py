"""Hierarchies over several attributes: every combination of depths is one question."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.mechanisms.trees import TreeOptions, TreeQuestions, family_offsets, question_number, tree_starts


@given(st.lists(st.integers(2, 4), min_size=1, max_size=4))
def test_every_combination_of_depths_but_all_roots_has_a_number_of_its_own(depths: list[int]) -> None:
    offsets = family_offsets(depths)
    combinations = [chosen for chosen in itertools.product(*map(range, depths)) if any(chosen)]
    numbers = [question_number(depths, chosen, offsets) for chosen in combinations]
    assert sorted(numbers) == list(range(offsets[-1]))
    for chosen, number in zip(combinations, numbers, strict=True):
        first = next(index for index, depth in enumerate(chosen) if depth)
        assert offsets[first] <= number < offsets[first + 1], "within the family of its first attribute below the root"


@pytest.mark.parametrize("share", [2**32, 1000, 17, 3])
def test_a_hierarchys_share_is_split_evenly_and_nothing_of_it_is_lost(share: int) -> None:
    schema = sv.Schema([sv.Ordinal("a", 0, 8), sv.Ordinal("b", 0, 2), sv.Ordinal("c", 0, 8)])
    questions = TreeQuestions(schema, TreeOptions(branching=3))
    questions.add((0, 1, 2), share)
    counts = [family.count for family in questions.families]
    assert sum(counts) == 3 * 2 * 3 - 1
    assert sum(family.total_share for family in questions.families) == share
    for family, count in zip(questions.families, counts, strict=True):
        assert share // sum(counts) * count <= family.shares <= -(-share // sum(counts)) * count


def test_families_look_at_fewer_and_fewer_attributes_and_share_their_tables() -> None:
    schema = sv.Schema([sv.Ordinal("a", 0, 8), sv.Ordinal("b", 0, 8)])
    questions = TreeQuestions(schema, TreeOptions(branching=3))
    questions.add((0, 1), 2**32)
    assert [family.attributes for family in questions.families] == [(0, 1), (1,)]
    assert [[len(choice) for choice in family.tables] for family in questions.families] == [[2, 3], [2]]
    assert len(questions.tables) == 3, "both attributes have the same tree"
    assert {family.channel for family in questions.families} == {"local_hash"}


@pytest.mark.parametrize("branching", [-1, 1, 1025])
def test_a_tree_that_does_not_branch_or_branches_too_much_is_refused(branching: int) -> None:
    with pytest.raises(sv.PlanError, match=f"branching is an integer from 2 to 1024, got {branching}"):
        TreeOptions(branching=branching)
    with pytest.raises(sv.PlanError, match="oracle is one of"):
        TreeOptions(oracle="oue")


def test_the_nodes_of_a_depth_start_where_the_levels_of_their_children_start() -> None:
    starts = tree_starts(11, 3)
    assert [one.tolist() for one in (starts[0], starts[-1])] == [[0], list(range(11))]
    for coarse, fine in itertools.pairwise(starts):
        assert np.isin(coarse, fine).all()
        assert (np.diff(fine) > 0).all()
