"""Local hashing of cells placed in parts: the same guarantees, without ever listing the cells."""

from decimal import Decimal

import numpy as np
import pytest

from sottovoce.channels import GRR, MAX_CELLS, LocalHash, make_channel
from sottovoce.errors import PlanError
from sottovoce.simulation.simulate import seeded_words

PARTS = (64, 27, 5, 64, 16)
CELLS = 64 * 27 * 5 * 64 * 16


def wide(epsilon="1"):
    return LocalHash.design(CELLS, Decimal(epsilon), seed="5eed", parts=PARTS)


def in_parts(parts, epsilon="1"):
    """Return a small channel placed in parts, as only large ones are, so that all of it can be enumerated."""
    together = LocalHash.design(int(np.prod(parts)), Decimal(epsilon), seed="5eed")
    digits = [next(t for t in range(1, 64) if together.prime**t >= bins) for bins in parts]
    return LocalHash(together.cells, together.response, tuple(zip(parts, digits, strict=True)), "5eed")


def test_every_attribute_has_digits_of_its_own():
    channel = wide()
    assert channel.prime == 3
    assert channel.parts == ((64, 4), (27, 3), (5, 2), (64, 4), (16, 3))
    assert channel.codes == 3 * (3**16 - 1)
    assert channel.worst_ratio() == GRR.design(3, Decimal(1)).worst_ratio()


def test_a_cells_hash_is_the_sum_of_its_attributes_hashes():
    """Changing one attribute's bin changes the hash by an amount that the other attributes do not touch."""
    channel, vector = wide(), 31_415_926
    base, other = ((0, 0, 0, 0, 0), (9, 3, 2, 60, 7))
    change = []
    for rest in (base, other):
        before, after = (np.ravel_multi_index((*rest[:3], bin_, rest[4]), PARTS) for bin_ in (5, 6))
        change.append((channel.hash(vector, int(after)) - channel.hash(vector, int(before))) % 3)
    assert change[0] == change[1]


def test_cells_stand_on_different_points():
    channel = in_parts((5, 7, 4))
    assert len({channel.point(cell) for cell in range(140)}) == 140


def test_bulk_draws_are_the_single_draws():
    channel, people = wide(), np.random.default_rng(0).integers(0, CELLS, 300)
    codes = channel.draw_many(people, seeded_words(np.random.default_rng(1)))
    replay = seeded_words(np.random.default_rng(1))
    vectors, words = replay(300) % np.uint64(channel.vectors), replay(300)
    single = [
        channel.answer(int(cell), int(vector) + 1, int(word))
        for cell, vector, word in zip(people, vectors, words, strict=True)
    ]
    assert codes.tolist() == single


@pytest.mark.parametrize("parts", [(5, 7), (4, 3, 9), (2, 2, 2, 2, 2)])
@pytest.mark.parametrize("epsilon", ["0.5", "1"])
def test_the_estimate_is_unbiased(parts, epsilon):
    """Exact: the estimate that one report of each code gives, averaged by each cell's own probabilities."""
    channel = in_parts(parts, epsilon)
    cells = np.arange(channel.cells)
    each = np.array([channel.estimate_some(np.array([code]), np.ones(1), cells) for code in range(channel.codes)])
    rows = np.array([[weight / channel.scale for weight in channel.row(cell)] for cell in range(channel.cells)])
    np.testing.assert_allclose(rows @ each, np.eye(channel.cells), atol=1e-9)


@pytest.mark.parametrize("channel", [LocalHash.design(100, Decimal(1), seed="0a"), GRR.design(30, Decimal(2))])
def test_some_cells_are_estimated_as_all_are(channel):
    generator = np.random.default_rng(3)
    counts = generator.integers(0, 3, channel.codes)
    codes, cells = np.flatnonzero(counts), generator.permutation(channel.cells)[:20]
    np.testing.assert_allclose(
        channel.estimate_some(codes, counts[codes], cells), channel.estimate(counts)[cells], atol=1e-9
    )


def test_large_hashes_are_exact():
    """At epsilon 13 a hash has 442,439 values, whose products only double floats hold exactly."""
    channel = LocalHash.design(2**36, Decimal(13), seed="01", parts=(2**18, 2**18))
    assert channel.prime > 400_000
    assert 2**56 < channel.codes < 2**63
    cells = np.array([7, 2**35 + 11])
    people = np.repeat(cells[:1], 50)
    codes, counts = np.unique(channel.draw_many(people, seeded_words(np.random.default_rng(2))), return_counts=True)
    np.testing.assert_allclose(
        channel.estimate_some(codes.astype(np.int64), counts, cells), [1, 0], atol=0.5
    )  # a report keeps its hash in every second case: 50 of them stray by half once in ten million runs


def test_too_many_cells_are_refused_with_the_limit():
    with pytest.raises(PlanError, match=r"grr takes at most 2\^20"):
        make_channel("grr", MAX_CELLS + 1, Decimal(1), "00")
    with pytest.raises(PlanError, match="too many to estimate at once"):
        wide().supports(np.zeros(1))


def test_local_hashing_of_few_cells_is_randomised_response():
    assert isinstance(make_channel("local_hash", 3, Decimal(1), "00"), GRR)
    assert isinstance(make_channel("local_hash", 4, Decimal(1), "00"), LocalHash)
    assert isinstance(make_channel("adaptive", 10, Decimal(1), "00"), GRR)
    assert isinstance(make_channel("adaptive", 11, Decimal(1), "00"), LocalHash)
