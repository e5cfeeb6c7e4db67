"""The parity channel: what the conformance suite does not ask of every channel."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from sottovoce.channels import GRR, Parity
from sottovoce.channels.exact import SCALE
from sottovoce.errors import PlanError
from sottovoce.simulation.simulate import seeded_words


def test_a_cell_is_answered_as_its_parity_by_randomised_response_over_two_cells() -> None:
    channel, response = Parity.design(8, Decimal(1)), GRR.design(2, Decimal(1))
    odd = [0, 1, 1, 0, 1, 0, 0, 1]
    words = [0, response.keep - 1, response.keep, SCALE - 1]
    for cell in range(8):
        assert channel.row(cell) == response.row(odd[cell])
        assert [channel.answer(cell, word) for word in words] == [response.answer(odd[cell], word) for word in words]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64, np.uint64])
def test_bulk_draws_answer_word_for_word_as_single_ones(dtype: type) -> None:
    channel = Parity.design(4, Decimal("0.5"))
    people: np.ndarray = np.random.default_rng(1).integers(0, 4, 3000).astype(dtype)
    drawn = channel.draw_many(people, seeded_words(np.random.default_rng(2)))
    words = seeded_words(np.random.default_rng(2))(3000)
    assert drawn.tolist() == [channel.answer(c, w) for c, w in zip(people.tolist(), words.tolist(), strict=True)]


@pytest.mark.parametrize("cells", [1, 3, 6, 100])
def test_cells_that_are_no_power_of_two_have_no_parity(cells: int) -> None:
    with pytest.raises(PlanError, match=f"power of two cells, got {cells}"):
        Parity.design(cells, Decimal(1))


def test_bins_of_several_signs_are_answered_as_their_exclusive_or() -> None:
    channel, response = Parity.of_shape((8, 8), Decimal(2)), GRR.design(8, Decimal(2))
    assert (channel.cells, channel.codes, channel.kind) == (64, 8, "xor")
    for first in range(8):
        for second in range(8):
            assert channel.row(8 * first + second) == response.row(first ^ second)


@pytest.mark.parametrize(("cells", "bins"), [(4, 2), (16, 4), (64, 4), (4096, 64), (2**20, 1024)])
def test_many_parities_are_those_of_single_cells(cells: int, bins: int) -> None:
    channel = Parity.design(cells, Decimal(1), bins=bins)
    people = np.random.default_rng(3).integers(0, cells, 500)
    assert channel.parities(people).tolist() == [channel.parity(cell) for cell in people.tolist()]
    drawn = channel.draw_many(people, seeded_words(np.random.default_rng(2)))
    words = seeded_words(np.random.default_rng(2))(500)
    assert drawn.tolist() == [channel.answer(c, w) for c, w in zip(people.tolist(), words.tolist(), strict=True)]


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (1, 1), ()])
def test_bins_that_differ_or_are_no_power_of_two_have_no_exclusive_or(shape: tuple[int, ...]) -> None:
    with pytest.raises(PlanError, match="equally many bins, a power of two"):
        Parity.of_shape(shape, Decimal(1))


def test_an_exclusive_or_of_two_bins_is_a_parity() -> None:
    assert Parity.of_shape((2, 2, 2), Decimal(1)) == Parity.design(8, Decimal(1))
