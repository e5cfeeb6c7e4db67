"""Local hashing: its primes, its placement, its transforms, and the variance of sums over ranges of cells."""

from __future__ import annotations

import itertools
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.channels import LocalHash, choose_kind, make_channel
from sottovoce.channels.exact import SCALE
from sottovoce.channels.local_hash import MAX_CELLS, best_prime
from sottovoce.simulation.simulate import seeded_words

PRIMES = [number for number in range(2, 3000) if all(number % divisor for divisor in range(2, int(number**0.5) + 1))]


@settings(max_examples=40)
@given(st.decimals(min_value="0.01", max_value="7.5", places=2))
def test_the_prime_is_the_best_of_all(epsilon: Decimal):
    excess = np.expm1(float(epsilon))
    variances = [(excess + prime) ** 2 / (prime - 1) for prime in PRIMES]
    assert (excess + best_prime(epsilon)) ** 2 / (best_prime(epsilon) - 1) == pytest.approx(min(variances), rel=1e-12)


def test_the_variance_is_little_above_that_of_the_best_whole_number():
    """The design says 2.4 % at epsilon 1, where the best is 4 e / (e - 1)^2."""
    variance = LocalHash.design(10**6, Decimal(1), seed="00").variance(1)
    assert variance / (4 * np.e / (np.e - 1) ** 2) == pytest.approx(1.024, abs=0.001)


@pytest.mark.parametrize(("cells", "epsilon"), [(3, "1"), (2, "0.1"), (149, "5")])
def test_fewer_cells_than_hash_values_are_refused(cells: int, epsilon: str):
    with pytest.raises(sv.PlanError, match=r"fewer than the hash's .* values; use grr"):
        LocalHash.design(cells, Decimal(epsilon), seed="00")


def test_too_many_cells_are_refused_with_the_limit():
    with pytest.raises(sv.PlanError, match=rf"at most 2\^20 = {MAX_CELLS} cells together, got {MAX_CELLS + 1}"):
        LocalHash.design(MAX_CELLS + 1, Decimal(1), seed="00")


@pytest.mark.parametrize("epsilon", ["0.1", "1", "2", "3", "5"])
@pytest.mark.parametrize("seed", ["00", "5eed"])
@pytest.mark.parametrize("cells", [64, 200, 1000])
def test_cells_stand_on_different_points(epsilon: str, seed: str, cells: int):
    if best_prime(Decimal(epsilon)) >= cells:
        pytest.skip("randomised response is used here")
    channel = LocalHash.design(cells, Decimal(epsilon), seed=seed)
    points = [channel.point(cell) for cell in range(cells)]
    assert len(set(points)) == cells
    assert min(points) >= 0
    assert max(points) <= channel.vectors


@pytest.mark.parametrize(("cells", "epsilon"), [(81, "1"), (64, "0.1"), (343, "2")])
def test_a_full_placement_is_a_permutation_that_the_seed_changes(cells: int, epsilon: str):
    first, second = (
        [LocalHash.design(cells, Decimal(epsilon), seed=seed).point(cell) for cell in range(cells)]
        for seed in ("00", "01")
    )
    assert sorted(first) == list(range(cells)) == sorted(second)
    assert first != second
    assert first != sorted(first)


def test_neighbouring_cells_stand_apart():
    """No more than a few in a hundred neighbours differ by the same step: the placement has no visible pattern."""
    channel = LocalHash.design(4096, Decimal(1), seed="00")
    points = np.array([channel.point(cell) for cell in range(4096)])
    _, counts = np.unique(np.diff(points) % (channel.vectors + 1), return_counts=True)
    assert counts.max() < 4096 * 0.05


@pytest.mark.parametrize(("cells", "epsilon"), [(10, "1"), (64, "2"), (500, "0.5"), (200, "5"), (5000, "3")])
def test_bulk_draws_answer_word_for_word_as_single_ones(cells: int, epsilon: str):
    channel = LocalHash.design(cells, Decimal(epsilon), seed="5eed")
    people = np.random.default_rng(1).integers(0, cells, 1000)
    drawn = channel.draw_many(people, seeded_words(np.random.default_rng(2)))
    words = seeded_words(np.random.default_rng(2))
    first, second = words(1000), words(1000)
    assert first.max() < SCALE // channel.vectors * channel.vectors  # no word was drawn again
    singles = [
        channel.answer(cell, 1 + vector % channel.vectors, word)
        for cell, vector, word in zip(people.tolist(), first.tolist(), second.tolist(), strict=True)
    ]
    assert drawn.tolist() == singles


@pytest.mark.parametrize(("cells", "epsilon"), [(10, "1"), (64, "0.1"), (64, "1"), (100, "2"), (30, "3")])
def test_supports_by_transform_are_those_of_the_direct_sum(cells: int, epsilon: str):
    channel = LocalHash.design(cells, Decimal(epsilon), seed="5eed")
    counts = np.random.default_rng(3).integers(0, 50, channel.codes)
    direct = [
        sum(
            int(counts[(vector - 1) * channel.prime + channel.hash(vector, cell)])
            for vector in range(1, channel.vectors + 1)
        )
        for cell in range(cells)
    ]
    np.testing.assert_allclose(channel.supports(counts), direct, rtol=1e-10)


@pytest.mark.parametrize("reports", [1, 40, 200_000])
def test_few_reports_and_many_are_estimated_alike(reports: int):
    """Few are hashed against every cell, many are transformed: both are the same sum."""
    channel = LocalHash.design(100, Decimal(2), seed="5eed")
    counts = np.bincount(np.random.default_rng(4).integers(0, channel.codes, reports), minlength=channel.codes)
    support = channel.support()
    expected = (channel.supports(counts) / reports - support.foreign) / support.difference
    np.testing.assert_allclose(channel.estimate(counts), expected, atol=1e-12)


def test_two_cells_collide_as_often_as_stated():
    channel = LocalHash.design(20, Decimal(1), seed="5eed")
    vectors = range(1, channel.vectors + 1)
    for first, second in itertools.combinations(range(20), 2):
        collisions = sum(channel.hash(vector, first) == channel.hash(vector, second) for vector in vectors)
        assert collisions == channel.prime ** (channel.digits - 1) - 1


def test_a_large_alphabet_keeps_every_answer_within_the_ratio():
    """At epsilon 5 the table is too large to list; the rows of some vectors are not."""
    channel = LocalHash.design(200, Decimal(5), seed="5eed")
    assert channel.worst_ratio() == channel.response.worst_ratio()
    for vector in np.random.default_rng(4).integers(1, channel.vectors + 1, 50).tolist():
        for cell in (0, 99, 199):
            words = (0, channel.response.keep - 1, channel.response.keep, SCALE - 1)
            codes = {channel.answer(cell, vector, word) for word in words}
            assert all(code // channel.prime == vector - 1 for code in codes)
            assert channel.answer(cell, vector, 0) % channel.prime == channel.hash(vector, cell)


class TestRangeSums:
    """The variance of a sum over cells depends on triples of cells, and so on where the cells stand."""

    @staticmethod
    def variances(channel: LocalHash, points: np.ndarray, ranges: np.ndarray) -> np.ndarray:
        """Return the exact variance of each range's sum from one report, for people spread evenly over the cells."""
        shape = (channel.prime,) * channel.digits
        coordinates = np.array(np.unravel_index(points, shape))
        vectors = np.array(np.unravel_index(np.arange(1, channel.vectors + 1), shape))
        hashes = coordinates.T @ vectors % channel.prime
        values = (hashes[:, :, None] == np.arange(channel.prime)).reshape(len(points), -1).astype(float)
        keep, other = channel.response.keep / SCALE, channel.response.other / SCALE
        table = (other + (keep - other) * values) / channel.vectors
        support = channel.support()
        reports = ranges @ (values - support.foreign) / support.difference
        np.testing.assert_allclose(reports[::50] @ table.T, ranges[::50], atol=1e-9)  # unbiased: the mean is the truth
        return reports**2 @ table.mean(axis=0) - ranges.mean(axis=1)

    @staticmethod
    def olh(channel: LocalHash, ranges: np.ndarray) -> np.ndarray:
        """Return the same for hashing to g = q values by a truly random function, where other cells' noise adds up."""
        keep, other = channel.response.keep / SCALE, 1 / channel.prime
        foreign = other * (1 - other) * (ranges.sum(axis=1, keepdims=True) - ranges)
        return (foreign + ranges * keep * (1 - keep)).mean(axis=1) / (keep - other) ** 2

    @staticmethod
    def intervals(cells: int) -> np.ndarray:
        """Return all ranges of one axis but the whole, as rows of zeros and ones."""
        ends = [(low, high) for low in range(cells) for high in range(low, cells) if high - low < cells - 1]
        index = np.arange(cells)
        return np.array([(low <= index) & (index <= high) for low, high in ends], dtype=float)

    @classmethod
    def rectangles(cls, side: int) -> np.ndarray:
        """Return all rectangles of a square grid."""
        one = np.vstack([cls.intervals(side), np.ones((1, side))])
        return np.array([np.outer(rows, columns).ravel() for rows in one for columns in one])[:-1]

    CASES = (("0.1", 64), ("0.5", 27), ("0.5", 64), ("1", 10), ("1", 64), ("2", 16), ("2", 50), ("2", 64), ("3", 64))

    @pytest.mark.parametrize(("epsilon", "cells"), CASES)
    @pytest.mark.parametrize("seed", ["00", "5eed"])
    def test_the_variance_of_a_range_is_at_or_below_random_hashings(self, epsilon: str, cells: int, seed: str):
        """For people spread over all cells no interval is above by more than 5 %, and the mean is below."""
        channel = LocalHash.design(cells, Decimal(epsilon), seed=seed)
        points = np.array([channel.point(cell) for cell in range(cells)])
        ranges = self.intervals(cells)
        ratios = self.variances(channel, points, ranges) / self.olh(channel, ranges)
        assert ratios.mean() < 0.97
        assert ratios.max() < 1.05

    @pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "3"])
    def test_so_is_that_of_a_rectangle(self, epsilon: str):
        channel = LocalHash.design(64, Decimal(epsilon), seed="5eed")
        points = np.array([channel.point(cell) for cell in range(64)])
        ranges = self.rectangles(8)
        ratios = self.variances(channel, points, ranges) / self.olh(channel, ranges)
        assert ratios.mean() < 1.0
        assert ratios.max() < 1.1

    @pytest.mark.parametrize(("epsilon", "cells", "worst"), [("2", 50, 2.5), ("3", 50, 4.0), ("3", 64, 3.5)])
    def test_cells_in_a_row_would_not_do(self, epsilon: str, cells: int, worst: float):
        """Without the placement, cell i on point i, the same ranges come out several times worse."""
        channel, ranges = LocalHash.design(cells, Decimal(epsilon), seed="5eed"), self.intervals(cells)
        ratios = self.variances(channel, np.arange(cells), ranges) / self.olh(channel, ranges)
        assert ratios.mean() > 1.3
        assert ratios.max() > worst


class TestChoice:
    @pytest.mark.parametrize(
        ("oracle", "cells", "epsilon", "kind"),
        [
            ("olh", 3, "1", "grr"),  # the hash has three values
            ("olh", 4, "1", "local_hash"),
            ("grr", 4096, "1", "grr"),
            ("adaptive", 10, "1", "grr"),  # 8 < 3 e = 8.15
            ("adaptive", 11, "1", "local_hash"),
            ("olh", 149, "5", "grr"),
            ("olh", 150, "5", "local_hash"),
        ],
    )
    def test_an_oracle_chooses_the_channel(self, oracle: str, cells: int, epsilon: str, kind: str):
        assert choose_kind(oracle, cells, Decimal(epsilon)) == kind
        assert make_channel(kind, cells, Decimal(epsilon), "00").kind == kind

    def test_an_unknown_channel_or_a_single_cell_is_refused(self):
        with pytest.raises(sv.PlanError, match="unknown channel 'carrier pigeon'; known are grr"):
            make_channel("carrier pigeon", 4, Decimal(1), "00")
        with pytest.raises(sv.PlanError, match="at least two cells, got 1"):
            make_channel("grr", 1, Decimal(1), "00")
