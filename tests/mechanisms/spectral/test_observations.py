"""What was counted of attributes and of pairs, against every level and every answer that a channel may give."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.mechanisms.spectral.moments import Shown
from sottovoce.mechanisms.spectral.observations import cell_sums, observations
from sottovoce.mechanisms.spectral.patterns import spans
from sottovoce.mechanisms.spectral.walsh import walsh_signs
from sottovoce.plan.bin_maps import walsh_bits
from tests.mechanisms.spectral.brute_force import cosets, expected_counts, marginal, pair_counts, shown

SIZES = (4, 3, 5, 8)
FAMILIES = {
    "one": [shown(SIZES, (0, (1,))), shown(SIZES, (3, (2,)))],
    "several of one": [shown(SIZES, (1, (0, 1))), shown(SIZES, (2, (0, 2)))],
    "two": [shown(SIZES, (0, (1,)), (2, (1,))), shown(SIZES, (1, (0, 1)), (3, (0, 2)))],
    "two, the later first": [shown(SIZES, (2, (1, 2)), (0, (0,))), shown(SIZES, (3, (1,)), (1, (0, 1)))],
    "three": [shown(SIZES, (0, (1,)), (1, (0, 1)), (3, (2,)))],
    "three, in no order": [shown(SIZES, (2, (0, 2)), (0, (1,)), (1, (0, 1)))],
    "four": [shown(SIZES, (1, (1,)), (0, (0,)), (3, (1,)), (2, (0,)))],
    "parity": [shown(SIZES, (0, (1,)), (2, (2,)), parity=True)],
    "parity, the later first": [shown(SIZES, (2, (2,)), (1, (1,)), parity=True)],
    "several parities": [shown(SIZES, (0, (0, 1)), (3, (2, 1)), parity=True)],
    "several parities, the later first": [shown(SIZES, (3, (0, 2)), (0, (0, 1)), parity=True)],
}
FAMILIES["all together"] = [block for blocks in FAMILIES.values() for block in blocks]


def crowd():
    joint = np.random.default_rng(1).exponential(size=SIZES) ** 2
    return joint / joint.sum()


def seen(blocks, joint, epsilon):
    """Return what was counted if chance did nothing; questions have 500 to 1500 reports each."""
    generator = np.random.default_rng(2)
    asked = [generator.uniform(500, 1500, block.shape) for block in blocks]
    counts, kept = zip(
        *(expected_counts(block, joint, epsilon, own) for block, own in zip(blocks, asked, strict=True)), strict=True
    )
    return observations(len(SIZES), blocks, counts, kept)


@pytest.mark.parametrize("epsilon", ["0.5", "4"])
@pytest.mark.parametrize("kind", list(FAMILIES))
def test_counts_of_an_attribute_are_what_is_kept_of_its_cells_and_chance(kind, epsilon):
    joint = crowd()
    found = seen(FAMILIES[kind], joint, epsilon)
    assert any(found.single) != kind.startswith(("parity", "several parities"))
    for attribute, families in enumerate(found.single):
        levels = marginal(joint, attribute)
        for own in families:
            for table, functions in enumerate(own.functions):
                people = np.bincount(cosets(SIZES[attribute], functions), levels, own.counts.shape[1])
                expected = own.kept[table] * people + own.chance[table]
                np.testing.assert_allclose(own.counts[table], expected, rtol=1e-9)
                assert (own.chance[table][people == 0] == 0).all()  # a cell without levels is never reported
                assert np.ptp(own.chance[table][people > 0]) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("epsilon", ["0.5", "4"])
@pytest.mark.parametrize("kind", [kind for kind in FAMILIES if "one" not in kind])
def test_counts_of_a_pair_are_what_is_kept_of_both_cells_and_chance(kind, epsilon):
    joint = crowd()
    found = seen(FAMILIES[kind], joint, epsilon)
    assert found.pair
    for (one, other), families in found.pair.items():
        assert one < other
        both = marginal(joint, one, other)
        for own in families:
            np.testing.assert_allclose(own.counts, pair_counts(own, both), rtol=1e-9, atol=1e-9)
            if own.reports is not None:
                np.testing.assert_array_equal(own.chance, 0)


@pytest.mark.parametrize("kind", [kind for kind in FAMILIES if "parit" not in kind and "all" not in kind])
def test_a_family_counts_each_of_its_attributes_once_pairs_and_weights_together(kind):
    for block in FAMILIES[kind]:
        found = seen([block], crowd(), "1")
        for attribute in block.attributes:
            (own,) = found.single[attribute]
            assert own.weight + sum(attribute in key for key in found.pair) == 1
        assert sorted(found.pair) == list(combinations(sorted(block.attributes), 2))


@pytest.mark.parametrize("parity", [False, True])
def test_the_order_in_which_a_question_lists_attributes_does_not_matter(parity):
    tables = {0: [(1, 2), (1, 3), (3, 2)], 3: [(4, 1), (5, 2)]}
    reports, found = np.arange(700.0, 1300.0, 100.0).reshape(3, 2), []
    for order in ((0, 3), (3, 0)):
        block = Shown.of(order, [tables[attribute] for attribute in order], SIZES, parity=parity)
        given = expected_counts(block, crowd(), "2", reports if order == (0, 3) else reports.T)
        found.append(observations(4, [block], [given[0]], [given[1]]))
    one, other = (own.pair[0, 3][0] for own in found)
    for name in ("counts", "kept", "chance", *(["reports"] if parity else [])):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12)
    if parity:
        np.testing.assert_allclose(one.reports, reports)
    for left, right in zip(one.functions, other.functions, strict=True):
        np.testing.assert_array_equal(left, right)
    for attribute in (0, 3):
        for first, second in zip(found[0].single[attribute], found[1].single[attribute], strict=True):
            np.testing.assert_allclose(first.counts, second.counts)


def test_one_attenuation_may_stand_for_all_questions_of_a_family():
    block = FAMILIES["two"][0]
    counts, kept = expected_counts(block, crowd(), "1", 1000)
    whole, single = (observations(4, [block], [counts], [given]) for given in (kept, float(kept.flat[0])))
    np.testing.assert_allclose(whole.pair[0, 2][0].chance, single.pair[0, 2][0].chance)
    np.testing.assert_allclose(whole.single[2][0].kept, single.single[2][0].kept)


def test_what_nobody_was_asked_about_has_no_entries():
    found = seen(FAMILIES["one"], crowd(), "1")
    assert [len(own) for own in found.single] == [1, 0, 0, 1]
    assert not found.pair


@given(st.integers(2, 20), st.integers(1, 4), st.integers(0, 10**6))
def test_sums_over_cells_are_those_of_the_levels_with_their_signs(size, many, seed):
    generator = np.random.default_rng(seed)
    bands = walsh_bits(size)
    functions = np.array([generator.choice(np.arange(1, 2**bands), min(many, bands), replace=False) for _ in range(3)])
    levels = generator.standard_normal((size, 2))
    sums = cell_sums(spans(functions), walsh_signs(size, bands).T @ levels)
    for table, own in enumerate(functions):
        expected = np.zeros(sums.shape[1:])
        np.add.at(expected, cosets(size, own), levels)
        np.testing.assert_allclose(sums[table], expected, atol=1e-12)
