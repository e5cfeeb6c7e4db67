"""What every channel must show: exact privacy, draws that follow its table, an unbiased estimate and its variance."""

from __future__ import annotations

import decimal
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from sottovoce.channels import FrequencyOracle, system_words
from sottovoce.simulation.simulate import seeded_words
from sottovoce.testing.chances import assert_drawn_from, assert_standard_normal
from sottovoce.testing.channel_cases import Instance, exact_table


def e_to(epsilon: decimal.Decimal) -> tuple[Fraction, Fraction]:
    """Return two fractions with e^epsilon between them, 70 digits apart."""
    with decimal.localcontext(prec=80):
        value = epsilon.exp()
        return Fraction(value * (1 - decimal.Decimal(10) ** -70)), Fraction(value * (1 + decimal.Decimal(10) ** -70))


class ChannelTests:
    """Privacy, the table, and draws."""

    def test_rows_add_up_to_the_scale(self, instance: Instance) -> None:
        for cell in range(instance.channel.cells):
            row = instance.channel.row(cell)
            assert len(row) == instance.channel.codes
            assert sum(row) == instance.channel.scale
            assert min(row) > 0

    def test_no_code_is_more_than_e_to_the_epsilon_likelier_for_one_cell_than_for_another(
        self, instance: Instance
    ) -> None:
        table = exact_table(instance)
        extremes = set(zip(table.max(axis=0).tolist(), table.min(axis=0).tolist(), strict=True))
        worst = max(Fraction(largest, smallest) for largest, smallest in extremes)
        assert worst <= e_to(instance.epsilon)[0]
        assert instance.channel.worst_ratio() == worst

    def test_no_two_cells_differ_more_often_than_the_variation_says(self, instance: Instance) -> None:
        table = exact_table(instance).astype(float) / float(instance.channel.scale)
        worst = max(float(abs(table - row).sum(axis=1).max()) for row in table) / 2
        assert worst * (1 - 1e-12) <= instance.channel.variation() <= worst * (1 + 1e-9)

    def test_no_more_is_drawn_alike_for_all_cells_than_the_blanket_says(self, instance: Instance) -> None:
        smallest = Fraction(int(sum(map(int, exact_table(instance).min(axis=0)))), instance.channel.scale)
        assert 0 < instance.channel.blanket() <= smallest
        assert 1 - instance.channel.blanket() >= instance.channel.variation() * (1 - Fraction(1, 10**9))

    def test_probabilities_are_the_exact_table(self, instance: Instance) -> None:
        exact = exact_table(instance).astype(float) / float(instance.channel.scale)
        np.testing.assert_allclose(instance.channel.probabilities(), exact, rtol=1e-12)

    def test_single_draws_follow_the_exact_table(self, instance: Instance) -> None:
        """System randomness: a correct channel fails less than once in 10^9 runs."""
        channel, cell = instance.channel, instance.channel.cells - 1
        codes = [channel.draw(cell) for _ in range(8000)]
        assert_drawn_from(np.bincount(codes, minlength=channel.codes), channel.probabilities()[cell])

    @pytest.mark.parametrize("seed", [None, 1])
    def test_bulk_draws_follow_the_exact_table(self, instance: Instance, seed: int | None) -> None:
        """System randomness, or seed 1: a correct channel fails less than once in 10^9 runs."""
        words = system_words if seed is None else seeded_words(np.random.default_rng(seed))
        channel, draws = instance.channel, 20_000
        for cell in {0, channel.cells // 2, channel.cells - 1}:
            codes = channel.draw_many(np.full(draws, cell), words)
            assert codes.dtype.kind == "u"
            assert_drawn_from(np.bincount(codes, minlength=channel.codes), channel.probabilities()[cell])

    def test_bulk_draws_keep_people_apart(self, instance: Instance) -> None:
        """Seed 2: with every cell in one call, each cell's people still follow its own row."""
        channel = instance.channel
        cells = np.tile(np.arange(channel.cells), 40_000 // channel.cells)
        codes = channel.draw_many(cells, seeded_words(np.random.default_rng(2)))
        pairs = np.zeros((channel.cells, channel.codes))
        np.add.at(pairs, (cells, codes), 1)
        assert_drawn_from(pairs, channel.probabilities() / channel.cells)

    def test_bulk_draws_take_no_people_and_small_types(self, instance: Instance) -> None:
        channel, words = instance.channel, seeded_words(np.random.default_rng(3))
        assert len(channel.draw_many(np.zeros(0, dtype=np.uint8), words)) == 0
        cells = np.arange(channel.cells)
        wide, narrow = (
            channel.draw_many(cells.astype(kind), seeded_words(np.random.default_rng(4)))
            for kind in (np.int64, np.uint8)
        )
        np.testing.assert_array_equal(wide, narrow)


def estimator(instance: Instance) -> NDArray[np.float64]:
    """Return the estimate that one report of each code gives, cells by codes: the estimate is their mean."""
    return np.array([oracle(instance).estimate(counts) for counts in np.eye(oracle(instance).codes)]).T


def oracle(instance: Instance) -> FrequencyOracle:
    """Return the channel, which is one that estimates."""
    assert isinstance(instance.channel, FrequencyOracle)
    return instance.channel


class OracleTests:
    """The estimate and its variance."""

    def test_the_estimate_of_expected_counts_is_the_truth(self, instance: Instance) -> None:
        probabilities = oracle(instance).probabilities()
        truth = np.arange(1.0, oracle(instance).cells + 1)
        truth /= truth.sum()
        np.testing.assert_allclose(oracle(instance).estimate(1e6 * truth @ probabilities), truth, atol=1e-9)
        for cell in {0, oracle(instance).cells - 1}:
            estimate = oracle(instance).estimate(1e6 * probabilities[cell])
            np.testing.assert_allclose(estimate, np.eye(oracle(instance).cells)[cell], atol=1e-9)

    def test_the_estimate_of_no_reports_is_zero(self, instance: Instance) -> None:
        assert not oracle(instance).estimate(np.zeros(oracle(instance).codes, dtype=np.int64)).any()
        assert oracle(instance).variance(0) == float("inf")

    def test_the_variance_is_that_of_the_exact_table(self, instance: Instance) -> None:
        channel = oracle(instance)
        if channel.codes > 800:
            pytest.skip("a unit vector per code is too much here; smaller alphabets say the same")
        second_moments = channel.probabilities() @ (estimator(instance) ** 2).T
        rare = second_moments[~np.eye(channel.cells, dtype=bool)]
        np.testing.assert_allclose(rare, channel.variance(1), rtol=1e-9)
        assert channel.variance(250) == pytest.approx(channel.variance(1) / 250)

    def test_estimates_of_absent_cells_scatter_about_zero_as_the_variance_says(self, instance: Instance) -> None:
        """Seeds 5 and 6: a correct channel fails less than once in 10^9 seeds."""
        channel, people = oracle(instance), 50_000
        present = (channel.cells + 1) // 2
        cells = np.random.default_rng(5).integers(0, present, people)
        codes = channel.draw_many(cells, seeded_words(np.random.default_rng(6)))
        estimate = channel.estimate(np.bincount(codes, minlength=channel.codes))
        assert_standard_normal(estimate[present:] / np.sqrt(channel.variance(people)))
