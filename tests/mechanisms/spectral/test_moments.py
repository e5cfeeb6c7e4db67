"""Moments: exactly unbiased, whatever was asked; their information is what it says."""

from decimal import Decimal
from itertools import product

import numpy as np
import pytest

from sottovoce.channels import make_channel
from sottovoce.mechanisms.spectral.blocks import Block
from sottovoce.mechanisms.spectral.moments import Asked, Shown, hadamard, pool, sylvester
from sottovoce.mechanisms.spectral.walsh import walsh_signs
from sottovoce.plan.bin_maps import BinMap

SIZES = (4, 3, 5, 8)


def shown(*patterns, parity=False):
    block = Block(patterns, parity)
    return Shown.of([attribute for attribute, _ in patterns], block.tables, SIZES, parity=parity)


BLOCKS = {
    "single": [shown((0, (0,))), shown((0, (1,))), shown((1, (1,))), shown((2, (2,)))],
    "several of one": [shown((0, (0, 1))), shown((1, (0, 1))), shown((2, (0, 2))), shown((3, (1, 2)))],
    "pair": [shown((0, (0,)), (1, (0,))), shown((0, (1,)), (2, (2,))), shown((1, (1,)), (2, (0,)))],
    "several of two": [shown((0, (0, 1)), (3, (0, 2))), shown((1, (0, 1)), (2, (1, 2)))],
    "parity": [shown((0, (0,)), (1, (0,)), parity=True), shown((0, (1,)), (2, (2,)), parity=True)],
    "several parities": [shown((0, (0, 1)), (3, (2, 1)), parity=True), shown((0, (0, 1)), (3, (0, 2)), parity=True)],
    "three": [shown((0, (0,)), (1, (0,)), (2, (0,))), shown((0, (1,)), (1, (0, 1)), (3, (2,)))],
    "four": [shown((0, (1,)), (1, (0,)), (2, (1,)), (3, (0,)))],
}
BLOCKS["all together"] = [block for blocks in BLOCKS.values() for block in blocks]


def joint_distribution():
    generator = np.random.default_rng(1)
    joint = generator.exponential(size=SIZES) ** 3
    return joint / joint.sum()


def tables_of(block):
    """Return for every question its tables, as a plan has them, in the order of questions."""
    choices = [
        [BinMap(walsh=(SIZES[attribute], *functions)) for functions in own.tolist()]
        for attribute, own in zip(block.attributes, block.functions, strict=True)
    ]
    return list(product(*choices))


def channel_of(block, tables, epsilon):
    shape = tuple(table.bins for table in tables)
    return make_channel("xor" if block.parity else "grr", int(np.prod(shape)), Decimal(epsilon), "", shape)


def expected_counts(block, joint, epsilon):
    """Return the expected counts of 1000 reports on each question, by the tables that people answer by, and tau."""
    levels = np.indices(SIZES).reshape(len(SIZES), -1)
    codes, kept = [], []
    for tables in tables_of(block):
        channel = channel_of(block, tables, epsilon)
        cells = np.zeros(levels.shape[1], dtype=int)
        for table, attribute in zip(tables, block.attributes, strict=True):
            cells = cells * table.bins + table.array()[levels[attribute]]
        codes.append(1000 * np.bincount(cells, joint.ravel(), channel.cells) @ channel.probabilities())
        kept.append(float(channel.attenuation))
    width = max(map(len, codes))
    table = np.array([np.pad(row, (0, width - len(row))) for row in codes])
    where = block.occurring()
    counts = np.zeros(where.shape)
    counts[where] = table.reshape(*block.shape, -1)[np.arange(width) < where.sum(axis=-1, keepdims=True)]
    return counts, np.array(kept).reshape(block.shape)


def true_moments(asked, joint):
    """Return the joint moments of all functions asked, the constant first."""
    columns = [np.ones((joint.size, 1))]
    levels = np.indices(SIZES).reshape(len(SIZES), -1)
    for index, bands in enumerate(asked.bands):
        columns.append(walsh_signs(SIZES[index], bands)[levels[index], 1:])
    functions = np.concatenate(columns, axis=1)
    return functions.T @ (joint.reshape(-1, 1) * functions)


@pytest.mark.parametrize("kind", list(BLOCKS))
@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_expected_counts_give_the_true_moments(kind, epsilon):
    joint, blocks = joint_distribution(), BLOCKS[kind]
    counts, kept = zip(*(expected_counts(block, joint, epsilon) for block in blocks), strict=True)
    asked = Asked.of(4, blocks)
    moments = pool(asked, blocks, counts, kept)
    seen = moments.information > 0
    np.testing.assert_allclose(moments.estimate[seen], true_moments(asked, joint)[seen], atol=1e-11, rtol=0)
    np.testing.assert_array_equal(moments.estimate[~seen], 0)
    np.testing.assert_array_equal(seen, seen.T)
    assert not seen[0, 0]


def test_every_function_of_the_bands_asked_is_seen():
    joint = joint_distribution()
    for block, singles, pairs in (
        (BLOCKS["several of one"][3], 6, 0),
        (BLOCKS["several of two"][0], 3 + 5, 3 * 5),
        (BLOCKS["several parities"][0], 0, 1 * 4 + 2 * 2 + 2 * 4),
        (BLOCKS["several parities"][1], 0, 1 * 1 + 2 * 4),
    ):
        counts, kept = expected_counts(block, joint, "1")
        asked = Asked.of(4, [block])
        information = pool(asked, [block], [counts], [kept]).information
        seen = information > 0
        assert (seen[0].sum(), np.triu(seen[1:, 1:]).sum()) == (singles, pairs)
        for one, other in product(range(3), range(3)):  # and all of two bands alike
            both = (
                information[np.ix_(asked.indices(0, one), asked.indices(3, other))] if one < 2 else information[:1, :1]
            )
            assert np.ptp(both) == pytest.approx(0)


@pytest.mark.parametrize("kind", ["several of two", "several parities", "three"])
def test_information_is_one_over_the_variance_of_a_mean_that_is_zero(kind):
    """The variance of pooled moments, from the probabilities of all codes, of a crowd that is spread evenly."""
    joint, block = np.full(SIZES, 1 / np.prod(SIZES)), BLOCKS[kind][0]
    if kind == "three":
        block = shown((0, (0,)), (2, (1,)), (3, (2,)))
    counts, kept = expected_counts(block, joint, "3")
    asked = Asked.of(4, [block])
    moments = pool(asked, [block], [counts], [kept])
    variance = np.zeros_like(moments.estimate)
    for question in np.ndindex(block.shape):
        chances = counts[question] / 1000
        moved = []
        for code in range(len(chances)):  # the pooled estimate is linear: how far one more report moves it
            one = np.zeros_like(counts)
            one[question][code] = 1.0
            part = pool(asked, [block], [one], [kept])
            moved.append(part.estimate * part.information)
        mean = np.tensordot(chances, moved, 1)
        variance += 1000 * (np.tensordot(chances, np.square(moved), 1) - mean**2)
    zero = (moments.information > 0) & (np.abs(true_moments(asked, joint)) < 1e-12)
    assert zero.sum() >= 8
    np.testing.assert_allclose(moments.information[zero], moments.information[zero] ** 2 / variance[zero], rtol=1e-9)


def test_information_adds_the_squared_attenuations_of_all_who_saw_a_function():
    blocks = [shown((0, (0,))), shown((0, (0,)), (1, (0,)))]
    counts = [np.array([[30, 20]]), np.array([[[10, 5, 3, 2]]])]
    moments = pool(Asked.of(2, blocks), blocks, counts, [0.5, 0.25])
    assert moments.information[0, 1] == 50 * 0.25 + 20 * 0.0625
    assert moments.estimate[0, 1] == pytest.approx((0.5 * 10 + 0.25 * 10) / (50 * 0.25 + 20 * 0.0625))
    assert moments.information[1, 2] == moments.information[2, 1] == 20 * 0.0625
    assert moments.estimate[1, 2] == pytest.approx((10 - 5 - 3 + 2) / 20 / 0.25)


@pytest.mark.parametrize("length", [1, 2, 8, 64, 128, 512])
def test_signs_are_summed_by_a_fast_transform(length):
    counts = np.random.default_rng(4).integers(0, 9, (2, 3, length))
    numbers = np.arange(length)
    signs = 1 - 2 * (np.bitwise_count(numbers[:, None] & numbers) & 1).astype(int)
    np.testing.assert_array_equal(sylvester(length), signs)
    np.testing.assert_array_equal(hadamard(counts), counts @ signs)


def test_the_transform_twice_gives_every_number_back_as_often_as_there_are_numbers():
    numbers = np.random.default_rng(5).standard_normal((3, 256))
    np.testing.assert_allclose(hadamard(hadamard(numbers)), 256 * numbers, atol=1e-10)


def test_functions_stand_one_after_another():
    asked = Asked.of(3, [shown((0, (1,)), (2, (0,)))])
    assert asked.bands == (2, 0, 1)
    assert asked.size == 5
    assert asked.indices(0).tolist() == [1, 2, 3]
    assert asked.indices(0, 1).tolist() == [2, 3]
    assert asked.indices(1).tolist() == []
    assert asked.indices(2, 0).tolist() == [4]


def test_codes_are_the_combinations_that_occur():
    block = shown((1, (0, 1)), (0, (0,)))  # three of four combinations occur
    counts = block.counted(np.arange(1, 7).reshape(1, 6))
    assert counts.ravel().tolist() == [1, 2, 3, 4, 5, 6, 0, 0]
    assert block.occurring().ravel().tolist() == [True] * 6 + [False] * 2


def test_the_moments_of_two_collections_are_their_mean_by_information():
    generator = np.random.default_rng(2)
    blocks = BLOCKS["all together"]
    asked, kept = Asked.of(4, blocks), [0.4] * len(blocks)
    parts = [
        [generator.integers(0, 1000, block.occurring().shape) * block.occurring() for block in blocks] for _ in range(2)
    ]
    first, second = (pool(asked, blocks, part, kept) for part in parts)
    both = pool(asked, blocks, [a + b for a, b in zip(*parts, strict=True)], kept)
    np.testing.assert_allclose(both.information, first.information + second.information)
    total = first.estimate * first.information + second.estimate * second.information
    np.testing.assert_allclose(both.estimate * both.information, total, atol=1e-7)


def test_without_reports_nothing_is_known():
    block = BLOCKS["pair"][0]
    moments = pool(Asked.of(2, [block]), [block], [np.zeros(block.occurring().shape)], [0.5])
    np.testing.assert_array_equal(moments.estimate, 0)
    np.testing.assert_array_equal(moments.information, 0)
