"""Randomised response: what the conformance suite does not ask of every channel."""

from __future__ import annotations

import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from sottovoce.channels import GRR
from sottovoce.channels.exact import SCALE, log_ratio
from sottovoce.simulation.simulate import seeded_words


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "0.5", "1", "2", "5", "20"])
@pytest.mark.parametrize("cells", [2, 3, 64, 1000, 4096])
def test_no_privacy_is_given_away_and_next_to_none_wasted(epsilon: str, cells: int):
    channel = GRR.design(cells, Decimal(epsilon))
    gap = Decimal(epsilon) - log_ratio(channel.worst_ratio())
    assert gap >= 0
    assert gap < Decimal("1e-12") or cells * np.exp(float(epsilon)) > 4096 * np.exp(5)


@pytest.mark.parametrize("cells", [2, 3, 10])
def test_the_words_fall_to_codes_exactly_as_the_row_says(cells: int):
    """The words of a code are one stretch, so its ends tell how many there are, to the last of 2^64."""
    channel = GRR.design(cells, Decimal(1))
    for cell in range(cells):
        ends = [0, *(channel.keep + index * channel.other for index in range(cells))]
        sizes = {}
        for start, stop in itertools.pairwise(ends):
            code = channel.answer(cell, start)
            assert channel.answer(cell, stop - 1) == code
            sizes[code] = stop - start
        assert ends[-1] == SCALE
        assert [sizes[code] for code in range(cells)] == channel.row(cell)


@pytest.mark.parametrize("cells", [2, 3, 100, 256, 257, 70_000])
def test_bulk_draws_answer_word_for_word_as_single_ones(cells: int):
    channel = GRR.design(cells, Decimal(1))
    people = np.random.default_rng(1).integers(0, cells, 3000)
    drawn = channel.draw_many(people, seeded_words(np.random.default_rng(2)))
    words = seeded_words(np.random.default_rng(2))(3000)
    assert drawn.tolist() == [channel.answer(c, w) for c, w in zip(people.tolist(), words.tolist(), strict=True)]


def test_the_words_at_the_ends_are_answered_alike_in_bulk():
    channel = GRR.design(3, Decimal("0.3"))
    ends = [
        0,
        channel.keep - 1,
        channel.keep,
        channel.keep + channel.other - 1,
        channel.keep + channel.other,
        SCALE - 1,
    ]
    for cell in range(3):
        drawn = channel.draw_many(np.full(len(ends), cell), lambda count: np.array(ends, dtype=np.uint64))
        assert drawn.tolist() == [channel.answer(cell, word) for word in ends]


def test_the_variance_is_the_textbooks():
    epsilon, cells, reports = 1.0, 20, 500
    growth = np.exp(epsilon)
    textbook = (growth + cells - 2) / ((growth - 1) ** 2 * reports)
    assert GRR.design(cells, Decimal(1)).variance(reports) == pytest.approx(textbook)


def test_one_cell_hides_nothing_and_tells_nothing():
    assert GRR.design(1, Decimal(1)).worst_ratio() == Fraction(1)


@pytest.mark.parametrize("cells", [2, 4, 8, 100])
def test_the_attenuation_is_what_a_difference_of_two_cells_keeps(cells):
    keep, other = np.exp(1.5) / (np.exp(1.5) + cells - 1), 1 / (np.exp(1.5) + cells - 1)
    assert GRR.design(cells, Decimal("1.5")).attenuation == pytest.approx(keep - other)
