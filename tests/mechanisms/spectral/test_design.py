"""Shares: enough reports for every question, less error with more people, and the workload's wishes."""

from itertools import pairwise

import numpy as np
import pytest

from sottovoce.channels import parse_epsilon
from sottovoce.mechanisms.spectral import design as spectral_design
from sottovoce.mechanisms.spectral.design import (
    LEAST_REPORTS,
    Workload,
    information,
    optimise,
    range_energy,
)
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs


def candidates(axes, epsilon, workload, **bounds):
    return spectral_design.candidates(axes, parse_epsilon(epsilon), workload, **bounds)


def design(axes, epsilon, users, workload):
    return spectral_design.design(axes, parse_epsilon(epsilon), users, workload)


MIXED = [Axis(2), Axis(5, ordered=False), Axis(64), Axis(13, nullable=True)]


def expected_error(axes, epsilon, users, blocks):
    """Return the expected squared error of blocks and their shares over all ranges."""
    whole = candidates(axes, epsilon, Workload.all_ranges(len(axes)))
    places = {block: place for place, block in enumerate(whole.blocks)}
    shares = np.zeros(len(whole.blocks))
    for block, share in blocks:
        shares[places[block]] = share
    seen = information(whole, users, shares)
    return (whole.coefficients * whole.weight * whole.variance / (1 + whole.variance * seen)).sum()


def least_reports(blocks, users):
    return min(share * users / 2 ** sum(band for _, band in block.bands) for block, share in blocks)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("users", [1000, 30_000, 10**7])
def test_every_question_expects_a_hundred_reports(epsilon, users):
    blocks = design(MIXED, epsilon, users, Workload.all_ranges(4))
    assert sum(share for _, share in blocks) == pytest.approx(1)
    assert least_reports(blocks, users) >= LEAST_REPORTS * (1 - 1e-9)


@pytest.mark.parametrize(
    ("axes", "epsilon", "users"),
    [([Axis(16, ordered=False)] * 2, 4.0, 223), ([Axis(64)] * 3, 4.0, 415), ([Axis(16)] * 5, 2.0, 2000)],
    ids=["223", "415", "2000"],
)
def test_small_crowds_too_are_asked_only_what_a_hundred_will_answer(axes, epsilon, users):
    blocks = design(axes, epsilon, users, Workload.all_ranges(len(axes)))
    assert least_reports(blocks, users) >= LEAST_REPORTS * (1 - 1e-9)


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
    assert least_reports(blocks, 10**6) >= LEAST_REPORTS * (1 - 1e-9)
    assert {place for block, _ in blocks for place, _ in block.bands} == set(range(len(axes)))
    assert all(band < axes[place].bands for block, _ in blocks for place, band in block.bands)


@pytest.mark.parametrize(
    ("attributes", "users", "epsilon"),
    [(6, 10**6, 2), (10, 10**5, 1), (6, 10**5, 2), (2, 3000, 1)],
)
def test_little_is_lost_by_asking_no_rare_questions(attributes, users, epsilon):
    """Within a seventh of the error that shares without a least would have: a bound for every design."""
    axes, workload = [Axis(64)] * attributes, Workload.all_ranges(attributes)
    whole = candidates(axes, epsilon, workload)
    _, bound = optimise(whole, users, np.ones(len(whole.blocks)), steps=200)
    assert expected_error(axes, epsilon, users, design(axes, epsilon, users, workload)) < 1.15 * bound


@pytest.mark.parametrize("users", [20, 300, 5000])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_every_attribute_is_asked_however_small_the_crowd(users, epsilon):
    blocks = design([Axis(64)] * 9, epsilon, users, Workload.all_ranges(9))
    assert {place for block, _ in blocks if not block.parity for place, _ in block.bands} == set(range(9))


def test_too_few_people_for_two_questions_are_asked_only_halves_of_domains():
    blocks = design(MIXED, 1.0, 50, Workload.all_ranges(4))
    assert {band for block, _ in blocks for _, band in block.bands} == {0}


@pytest.mark.parametrize("seed", range(3))
def test_optimising_never_makes_the_expected_error_larger(seed):
    whole = candidates(MIXED, 1.0, Workload.all_ranges(4), most=1000)
    shares = np.random.default_rng(seed).exponential(size=len(whole.blocks))
    errors = [optimise(whole, 10**5, shares, steps=steps)[1] for steps in (0, 1, 2, 3, 5, 8, 13, 40, 100)]
    assert all(later <= earlier * (1 + 1e-12) for earlier, later in pairwise(errors))
    assert errors[-1] < 0.9 * errors[0]


def test_optimal_shares_benefit_alike():
    whole = candidates([Axis(8), Axis(8)], 1.0, Workload.all_ranges(2))
    shares, error = optimise(whole, 10**5, np.ones(len(whole.blocks)), steps=3000)
    for place in np.flatnonzero(shares > 1e-3):
        moved = shares.copy()
        moved[place] *= 1.05
        assert optimise(whole, 10**5, moved, steps=0)[1] >= error * (1 - 1e-9)


def test_what_is_known_already_is_asked_less():
    whole = candidates([Axis(8), Axis(8)], 1.0, Workload.all_ranges(2))
    known = np.zeros(len(whole.variance))
    place = whole.groups.index(((0, 0), (1, 0)))
    known[place] = 1e6
    fresh, _ = optimise(whole, 10**4, np.ones(len(whole.blocks)), steps=200)
    later, _ = optimise(whole, 10**4, np.ones(len(whole.blocks)), steps=200, known=known)
    assert later[place] < 0.5 * fresh[place]


def test_the_expected_error_falls_with_people_and_with_epsilon():
    workload = Workload.all_ranges(4)
    by_users = [expected_error(MIXED, 1.0, n, design(MIXED, 1.0, n, workload)) for n in (10**3, 10**4, 10**5, 10**6)]
    by_epsilon = [expected_error(MIXED, e, 10**5, design(MIXED, e, 10**5, workload)) for e in (0.1, 0.5, 1.0, 2.0, 4.0)]
    for errors in (by_users, by_epsilon):
        assert all(later < 0.9 * earlier for earlier, later in pairwise(errors))


def test_more_signs_are_asked_at_once_where_privacy_is_weaker():
    def signs(epsilon):
        blocks = design([Axis(16)] * 3, epsilon, 10**6, Workload.all_ranges(3))
        return sum(share * np.log2(block.cells) for block, share in blocks)

    assert signs(0.2) < signs(1.0) - 0.05 < signs(4.0) - 0.5


def test_a_pair_that_weighs_nothing_is_not_asked_together():
    pairs = np.zeros((3, 3))
    pairs[0, 1] = pairs[1, 0] = 1.0
    blocks = design([Axis(16)] * 3, 1.0, 10**6, Workload(pairs))
    assert all(place != 2 for block, _ in blocks for place, _ in block.bands)


def test_narrow_ranges_ask_finer_functions():
    def finest(widths):
        blocks = design([Axis(64)] * 2, 1.0, 10**6, Workload(Workload.all_ranges(2).pairs, widths))
        return sum(share * max(band for _, band in block.bands) for block, share in blocks)

    assert finest((1 / 64,)) > finest((0.5,)) + 0.5


@pytest.mark.parametrize("size", [2, 8, 64])
def test_the_energy_of_ranges_is_their_mean_square(size):
    """By Parseval, the squared weights of a range over all functions add up to its width."""
    energy = range_energy(Axis(size))
    starts, stops = np.triu_indices(size + 1, k=1)
    counts = np.concatenate([[1], 2.0 ** np.arange(len(energy) - 1)])
    assert energy @ counts == pytest.approx(np.mean(stops - starts) / size)


def test_finer_bands_than_enumerated_follow_the_law_of_those_that_are():
    exact = range_energy(Axis(128))
    stretched = range_energy(Axis(1024))
    assert len(stretched) == 11
    np.testing.assert_allclose(stretched[:8], exact)
    np.testing.assert_allclose(stretched[8:] / stretched[7:-1], 0.25)


@pytest.mark.parametrize("size", [2, 64])
def test_ranges_as_wide_as_the_domain_leave_something_to_ask(size):
    assert (range_energy(Axis(size), (1.0,))[1:] > 0).any()


def test_functions_of_a_band_weigh_alike_in_ranges():
    prefix = np.concatenate([np.zeros((1, 32)), np.cumsum(walsh_signs(32, 5), axis=0)])
    for band in range(5):
        own = np.abs(prefix[:, 1 << band : 2 << band])
        np.testing.assert_array_equal(own, np.repeat(own[:, :1], own.shape[1], axis=1))
