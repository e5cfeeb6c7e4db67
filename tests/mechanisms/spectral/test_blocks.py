"""Blocks: what a question informs, counted by its own signs, and what a coefficient is worth."""

from collections import Counter
from decimal import Decimal
from itertools import combinations, product

import numpy as np
import pytest

from sottovoce.channels import GRR
from sottovoce.mechanisms.spectral.blocks import Block, Candidates, Group, attenuation, coefficient_groups
from sottovoce.mechanisms.spectral.patterns import pattern_bases, spans
from sottovoce.mechanisms.spectral.walsh import Axis
from sottovoce.mechanisms.spectral.workload import Workload

BLOCKS = [
    Block(((0, (2,)),)),
    Block(((0, (0, 3)), (2, (1,)))),
    Block(((0, (1,)), (1, (0, 1)), (2, (0, 2)))),
    Block(((0, (0, 3)), (1, (2, 1))), parity=True),
]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_question_informs_the_products_of_the_signs_that_it_shows(block):
    own = [spans(np.array(pattern_bases(leads)[:1]))[0] for _, leads in block.patterns]
    chosen = zip(*own, strict=True) if block.parity else product(*own)
    groups = Counter(
        tuple((index, int(f).bit_length() - 1) for (index, _), f in zip(block.patterns, functions, strict=True) if f)
        for functions in chosen
    )
    assert block.shows == {group: mass for group, mass in groups.items() if 1 <= len(group) <= 2}


def test_wide_questions_hold_what_the_limit_allows():
    """(K - 1) tau^2 of K = e^eps + 1 cells is sinh^2(eps / 2); the next power of two has at least 94 % of it."""
    for epsilon, cells in ((0.5, 2), (1, 4), (2, 8), (3, 16), (4, 64), (6, 512)):
        share = (cells - 1) * attenuation(epsilon, cells) ** 2 / np.sinh(epsilon / 2) ** 2
        assert 0.939 < share <= 1
        assert attenuation(epsilon, cells) == pytest.approx(GRR.design(cells, Decimal(epsilon)).attenuation)


def test_cells_are_those_that_a_record_can_reach():
    assert Block(((0, (0, 1)), (1, (0, 1, 2)))).cells([3, 5]) == 15
    assert BLOCKS[3].cells([16, 16, 16]) == 4
    assert [block.channel for block in BLOCKS] == ["grr", "grr", "grr", "xor"]
    assert Block(((0, (1,)), (1, (0,))), parity=True).channel == "parity"


def test_groups_have_numbers_of_their_own():
    groups = coefficient_groups([Axis(8), Axis(4), Axis(2)], Workload.all_ranges(3))
    bands = [[(index, band) for band in range(3)] for index in range(3)]
    every: list[Group] = [(band,) for own in bands for band in own]
    every += [both for one, other in combinations(bands, 2) for both in product(one, other)]
    assert [groups.number(group) for group in every] == list(range(len(groups.weight)))
    assert groups.singles(groups.weight).shape == (3, 3)
    assert not groups.weight[groups.number(((1, 2),))]  # four levels have two bands
    assert groups.coefficients[groups.number(((0, 2), (1, 1)))] == 8


def test_candidates_that_are_kept_inform_as_before():
    groups = coefficient_groups([Axis(16)] * 3, Workload.all_ranges(3))
    whole = Candidates.of(groups, Decimal(1), BLOCKS)
    some = whole.restrict(np.array([1, 3]))
    assert some.blocks == [BLOCKS[1], BLOCKS[3]]
    for index, row in ((0, 1), (1, 3)):
        np.testing.assert_array_equal(some.columns[some.rows == index], whole.columns[whole.rows == row])
        np.testing.assert_array_equal(some.gains[some.rows == index], whole.gains[whole.rows == row])
    assert whole.by_block(whole.gains)[1] == pytest.approx(7 * attenuation(1, 8) ** 2)
