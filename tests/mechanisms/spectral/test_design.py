"""Shares: enough reports for every question, less error with more people, and the workload's wishes."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from sottovoce.channels import parse_epsilon
from sottovoce.mechanisms.spectral import design as spectral_design
from sottovoce.mechanisms.spectral.blocks import Block, Candidates, coefficient_groups
from sottovoce.mechanisms.spectral.design import LEAST_REPORTS, information, optimise
from sottovoce.mechanisms.spectral.patterns import basis_count
from sottovoce.mechanisms.spectral.walsh import Axis
from sottovoce.mechanisms.spectral.workload import Workload


def candidates(axes, epsilon, workload):
    """Return all blocks of one or two functions, each of another attribute, and the parities of two."""
    singles = [(index, (band,)) for index, axis in enumerate(axes) for band in range(axis.bands)]
    pairs = [(one, other) for one, other in combinations(singles, 2) if one[0] != other[0]]
    blocks = [*(Block((one,)) for one in singles), *map(Block, pairs), *(Block(pair, parity=True) for pair in pairs)]
    return Candidates.of(coefficient_groups(axes, workload), parse_epsilon(epsilon), blocks)


def design(axes, epsilon, users, workload):
    return spectral_design.design(axes, parse_epsilon(epsilon), users, workload)


MIXED = [Axis(2), Axis(5, ordered=False), Axis(64), Axis(13, nullable=True)]


def expected_error(axes, epsilon, users, blocks):
    """Return the expected squared error of blocks and their shares over all ranges."""
    groups = coefficient_groups(axes, Workload.all_ranges(len(axes)))
    asked = Candidates.of(groups, parse_epsilon(epsilon), [block for block, _ in blocks])
    seen = information(asked, users, np.array([share for _, share in blocks]))
    return spectral_design.expected_error(groups, seen)


def least_reports(blocks, users):
    return min(share * users / block.questions for block, share in blocks)


def asked_bands(blocks):
    return {(index, band) for block, _ in blocks for index, leads in block.patterns for band in leads}


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("users", [1000, 30_000, 10**7])
def test_every_question_expects_a_hundred_reports(epsilon, users):
    blocks = design(MIXED, epsilon, users, Workload.all_ranges(4))
    assert sum(share for _, share in blocks) == pytest.approx(1)
    assert least_reports(blocks, users) >= LEAST_REPORTS * (1 - 1e-5)


@pytest.mark.parametrize(
    ("axes", "epsilon", "users"),
    [([Axis(16, ordered=False)] * 2, 4.0, 223), ([Axis(64)] * 3, 4.0, 415), ([Axis(16)] * 5, 2.0, 2000)],
    ids=["223", "415", "2000"],
)
def test_small_crowds_too_are_asked_only_what_a_hundred_will_answer(axes, epsilon, users):
    blocks = design(axes, epsilon, users, Workload.all_ranges(len(axes)))
    assert least_reports(blocks, users) >= LEAST_REPORTS * (1 - 1e-5)


@pytest.mark.parametrize(
    "axes",
    [
        [Axis(2)],
        [Axis(4096)],
        [Axis(2), Axis(4096)],
        [Axis(3, ordered=False), Axis(1000, nullable=True)],
        [Axis(2, ordered=False)] * 2,
        [Axis(4)] * 30,
    ],
    ids=lambda axes: f"{len(axes)} of {axes[-1].size}",
)
def test_any_sizes_and_any_number_of_attributes_can_be_asked(axes):
    blocks = design(axes, 1.0, 10**6, Workload.all_ranges(len(axes)))
    assert least_reports(blocks, 10**6) >= LEAST_REPORTS * (1 - 1e-5)
    assert {index for index, _ in asked_bands(blocks)} == set(range(len(axes)))
    assert all(band < axes[index].bands for index, band in asked_bands(blocks))


@pytest.mark.parametrize(
    ("attributes", "users", "epsilon"),
    [(6, 10**6, 2), (10, 10**5, 1), (6, 10**5, 2), (2, 3000, 1)],
)
def test_little_is_lost_by_asking_no_rare_questions(attributes, users, epsilon):
    """Within a seventh of the error of the shares for a crowd so large that no question of theirs is rare."""
    axes, workload = [Axis(64)] * attributes, Workload.all_ranges(attributes)
    many = expected_error(axes, epsilon, users, design(axes, epsilon, users, workload))
    unbounded = expected_error(axes, epsilon, users, design(axes, epsilon, users * 1000, workload))
    assert many < 1.15 * unbounded


@pytest.mark.parametrize("users", [20, 300, 5000])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_every_attribute_is_asked_however_small_the_crowd(users, epsilon):
    blocks = design([Axis(64)] * 9, epsilon, users, Workload.all_ranges(9))
    assert {index for block, _ in blocks if not block.parity for index, _ in block.patterns} == set(range(9))


def test_too_few_people_for_two_questions_are_asked_only_what_takes_one():
    blocks = design(MIXED, 1.0, 50, Workload.all_ranges(4))
    assert {basis_count(leads) for block, _ in blocks for _, leads in block.patterns} == {1}


@pytest.mark.parametrize("seed", range(3))
def test_optimising_never_makes_the_expected_error_larger(seed):
    whole = candidates(MIXED, 1.0, Workload.all_ranges(4))
    shares = np.random.default_rng(seed).exponential(size=len(whole.blocks))
    errors = [optimise(whole, 10**5, shares, steps=steps)[1] for steps in (0, 1, 2, 3, 5, 8, 13, 40, 100)]
    assert all(later <= earlier * (1 + 1e-12) for earlier, later in pairwise(errors))
    assert errors[-1] < 0.9 * errors[0]


def test_optimal_shares_benefit_alike():
    whole = candidates([Axis(8), Axis(8)], 1.0, Workload.all_ranges(2))
    shares, error = optimise(whole, 10**5, np.ones(len(whole.blocks)), steps=3000)
    for index in np.flatnonzero(shares > 1e-3):
        moved = shares.copy()
        moved[index] *= 1.05
        assert optimise(whole, 10**5, moved, steps=0)[1] >= error * (1 - 1e-9)


def test_what_is_known_already_is_asked_less():
    whole = candidates([Axis(8), Axis(8)], 1.0, Workload.all_ranges(2))
    known = np.zeros(len(whole.groups.variance))
    known[whole.groups.number(((0, 0), (1, 0)))] = 1e6
    index = whole.blocks.index(Block(((0, (0,)), (1, (0,))), parity=True))
    fresh, _ = optimise(whole, 10**4, np.ones(len(whole.blocks)), steps=200)
    later, _ = optimise(whole, 10**4, np.ones(len(whole.blocks)), steps=200, known=known)
    assert later[index] < 0.5 * fresh[index]


def test_the_expected_error_falls_with_people_and_with_epsilon():
    workload = Workload.all_ranges(4)
    by_users = [expected_error(MIXED, 1.0, n, design(MIXED, 1.0, n, workload)) for n in (10**3, 10**4, 10**5, 10**6)]
    by_epsilon = [expected_error(MIXED, e, 10**5, design(MIXED, e, 10**5, workload)) for e in (0.1, 0.5, 1.0, 2.0, 4.0)]
    for errors in (by_users, by_epsilon):
        assert all(later < 0.9 * earlier for earlier, later in pairwise(errors))


def test_more_is_asked_at_once_where_privacy_is_weaker():
    def signs(epsilon):
        blocks = design([Axis(16)] * 3, epsilon, 10**6, Workload.all_ranges(3))
        return sum(share * np.log2(block.cells([16] * 3)) for block, share in blocks)

    assert signs(0.2) < signs(1.0) - 0.3 < signs(2.0) - 0.6 < signs(4.0) - 1.5


@pytest.mark.parametrize(("epsilon", "least"), [(0.5, 0.93), (1.0, 0.97), (2.0, 0.97), (3.0, 0.965), (4.0, 0.965)])
@pytest.mark.parametrize("attributes", [2, 6])
def test_a_report_carries_nearly_all_the_information_that_epsilon_allows(attributes, epsilon, least):
    """At most sinh^2(epsilon / 2) of any report, over all coefficients: see docs/design/limit.md."""
    axes, workload = [Axis(64)] * attributes, Workload.all_ranges(attributes)
    blocks = design(axes, epsilon, 10**6, workload)
    asked = Candidates.of(coefficient_groups(axes, workload), parse_epsilon(epsilon), [block for block, _ in blocks])
    seen = information(asked, 1.0, np.array([share for _, share in blocks]))
    total = (asked.groups.coefficients * seen)[asked.groups.weight > 0].sum()
    assert least < total / np.sinh(epsilon / 2) ** 2 <= 1


def test_a_design_is_the_same_every_time_and_asks_fewer_questions_than_one_function_each_would():
    axes, workload = [Axis(64)] * 6, Workload.all_ranges(6)
    first, second = (design(axes, 4.0, 200_000, workload) for _ in range(2))
    assert first == second
    assert sum(block.questions for block, _ in first) < 1000


def test_small_attributes_are_asked_several_at_a_time_where_epsilon_is_large():
    blocks = design([Axis(2, ordered=False)] * 6, 4.0, 10**5, Workload.all_ranges(6))
    assert sum(share for block, share in blocks if len(block.patterns) > 2) > 0.5


def test_a_pair_that_weighs_nothing_is_not_asked_together():
    pairs = np.zeros((3, 3))
    pairs[0, 1] = pairs[1, 0] = 1.0
    blocks = design([Axis(16)] * 3, 1.0, 10**6, Workload(pairs))
    assert all(index != 2 for index, _ in asked_bands(blocks))


def test_narrow_ranges_ask_finer_functions():
    def finest(widths):
        blocks = design([Axis(64)] * 2, 1.0, 10**6, Workload(Workload.all_ranges(2).pairs, widths))
        return sum(share * max(max(leads) for _, leads in block.patterns) for block, share in blocks)

    assert finest((1 / 64,)) > finest((0.5,)) + 0.5
