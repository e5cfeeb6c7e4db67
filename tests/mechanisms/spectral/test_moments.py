"""Moments: exactly unbiased, whatever was asked; parts add up to the whole."""

from decimal import Decimal

import numpy as np
import pytest

from sottovoce.channels import make_channel
from sottovoce.mechanisms.spectral.design import Block
from sottovoce.mechanisms.spectral.moments import Asked, Moments, code_signs, pool, split
from sottovoce.mechanisms.spectral.walsh import walsh_signs
from sottovoce.plan.bin_maps import walsh_bits

SIZES = (4, 3, 5)
BLOCKS = {
    "single": [Block(((0, 0),)), Block(((0, 1),)), Block(((1, 1),)), Block(((2, 2),))],
    "pair": [Block(((0, 0), (1, 0))), Block(((0, 1), (2, 2))), Block(((1, 1), (2, 0)))],
    "parity": [Block(((0, 0), (1, 0)), parity=True), Block(((0, 1), (2, 2)), parity=True)],
    "triple": [Block(((0, 0), (1, 0), (2, 0))), Block(((0, 1), (1, 1), (2, 2)))],
}
BLOCKS["all together"] = [block for blocks in BLOCKS.values() for block in blocks]


def joint_distribution():
    generator = np.random.default_rng(1)
    joint = generator.exponential(size=SIZES) ** 3
    return joint / joint.sum()


def expected_counts(block, channel, joint):
    """Return the expected counts of 1000 reports on each question of a block, by the tables that people answer by."""
    signs = [
        walsh_signs(SIZES[place], walsh_bits(SIZES[place]))[:, 1 << band : 2 << band] for place, band in block.bands
    ]
    levels = np.indices(SIZES).reshape(len(SIZES), -1)
    shape = tuple(own.shape[1] for own in signs)
    counts = np.empty((*shape, channel.codes))
    for chosen in np.ndindex(shape):
        cells = np.zeros(levels.shape[1], dtype=int)
        for own, function, (place, _) in zip(signs, chosen, block.bands, strict=True):
            cells = 2 * cells + (own[levels[place], function] < 0)
        frequencies = np.bincount(cells, joint.ravel(), channel.cells)
        counts[chosen] = 1000 * frequencies @ channel.probabilities()
    return counts


def true_moments(asked, joint):
    """Return the joint moments of all functions asked, the constant first."""
    columns = [np.ones((joint.size, 1))]
    levels = np.indices(SIZES).reshape(len(SIZES), -1)
    for place, bands in enumerate(asked.bands):
        columns.append(walsh_signs(SIZES[place], bands)[levels[place], 1:])
    functions = np.concatenate(columns, axis=1)
    return functions.T @ (joint.reshape(-1, 1) * functions)


@pytest.mark.parametrize("kind", list(BLOCKS))
@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_expected_counts_give_the_true_moments(kind, epsilon):
    joint, blocks = joint_distribution(), BLOCKS[kind]
    channels = [
        make_channel("parity" if block.parity else "grr", 2 ** len(block.bands), Decimal(epsilon), seed="")
        for block in blocks
    ]
    counts = [expected_counts(block, channel, joint) for block, channel in zip(blocks, channels, strict=True)]
    kept = [float((channel.keep - channel.other) / channel.scale) for channel in channels]
    asked = Asked.of(3, blocks)
    moments = pool(asked, blocks, counts, kept)
    seen = moments.information > 0
    np.testing.assert_allclose(moments.estimate[seen], true_moments(asked, joint)[seen], atol=1e-12, rtol=0)
    np.testing.assert_array_equal(moments.estimate[~seen], 0)
    np.testing.assert_array_equal(seen, seen.T)
    alone = {(place, band, i) for b in blocks if not b.parity for place, band in b.bands for i in range(1 << band)}
    assert seen[0, 1:].sum() == len(alone)
    assert not seen[0, 0]


def test_information_adds_the_squared_attenuations_of_all_who_saw_a_function():
    blocks = [Block(((0, 0),)), Block(((0, 0), (1, 0)))]
    counts = [np.array([[30, 20]]), np.array([[[10, 5, 3, 2]]])]
    moments = pool(Asked.of(2, blocks), blocks, counts, [0.5, 0.25])
    assert moments.information[0, 1] == 50 * 0.25 + 20 * 0.0625
    assert moments.estimate[0, 1] == pytest.approx((0.5 * 10 + 0.25 * 10) / (50 * 0.25 + 20 * 0.0625))
    assert moments.information[1, 2] == moments.information[2, 1] == 20 * 0.0625
    assert moments.estimate[1, 2] == pytest.approx((10 - 5 - 3 + 2) / 20 / 0.25)


def test_codes_show_signs_as_questions_number_cells():
    both = Block(((0, 0), (1, 0)))
    np.testing.assert_array_equal(code_signs(both), [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    np.testing.assert_array_equal(code_signs(both._replace(parity=True)), [[1], [-1]])


def test_functions_stand_one_after_another():
    asked = Asked.of(3, [Block(((0, 1), (2, 0)))])
    assert asked.bands == (2, 0, 1)
    assert asked.size == 5
    assert asked.places(0).tolist() == [1, 2, 3]
    assert asked.places(0, 1).tolist() == [2, 3]
    assert asked.places(1).tolist() == []
    assert asked.places(2, 0).tolist() == [4]


def test_reports_dealt_out_are_all_there_and_their_moments_add_up():
    """Seed 2: each of three parts gets a third of 36,000 reports, within six standard errors (once in 10^8 seeds)."""
    generator = np.random.default_rng(2)
    blocks = BLOCKS["all together"]
    counts = [
        generator.integers(0, 1000, (*(1 << band for _, band in block.bands), block.cells)).astype(np.int64)
        for block in blocks
    ]
    parts = split(counts, 3, generator)
    total = sum(int(own.sum()) for own in counts)
    for whole, *dealt in zip(counts, *parts, strict=True):
        np.testing.assert_array_equal(sum(dealt), whole)
    for part in parts:
        assert abs(sum(int(own.sum()) for own in part) - total / 3) < 6 * np.sqrt(total * 2 / 9)
    asked, kept = Asked.of(3, blocks), [0.4] * len(blocks)
    first, second = (pool(asked, blocks, part, kept) for part in parts[:2])
    both = pool(asked, blocks, [a + b for a, b in zip(*parts[:2], strict=True)], kept)
    left = both.minus(first)
    np.testing.assert_allclose(left.estimate, second.estimate, atol=1e-9)
    np.testing.assert_allclose(left.information, second.information, atol=1e-9)


def test_without_reports_nothing_is_known():
    moments = Moments(np.zeros((2, 2)), np.zeros((2, 2)))
    np.testing.assert_array_equal(moments.minus(moments).estimate, 0)
