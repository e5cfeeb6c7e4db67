"""The square wave against its definition, enumerated."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.channels import GRR, FrequencyOracle, SquareWave

epsilons = st.decimals(min_value="0.01", max_value="20", places=2)


@given(cells=st.integers(2, 300), epsilon=epsilons)
def test_weights_add_up_and_never_exceed_epsilon(cells, epsilon):
    wave = SquareWave.design(cells, epsilon)
    with localcontext(prec=80):
        limit = Fraction(epsilon.exp())
    for cell in {0, cells // 2, cells - 1}:
        row = wave.row(cell)
        assert len(row) == wave.codes == cells + 2 * wave.reach
        assert sum(row) == 2**64
        assert max(row) <= limit * min(row)
    assert wave.worst_ratio() == Fraction(max(row), min(row))
    loss = 4 * cells * (wave.width * math.exp(epsilon) + cells) / 2**64  # what rounding far up, twice, may cost
    assert math.log(wave.worst_ratio()) == pytest.approx(float(epsilon), abs=loss + 1e-14)


@given(cells=st.integers(2, 300), epsilon=epsilons)
def test_the_reach_is_delta_of_the_domain(cells, epsilon):
    wave, growth = SquareWave.design(cells, epsilon), math.exp(epsilon)
    if epsilon >= 1:  # below, floats lose the formula's digits
        delta = (float(epsilon) * growth - growth + 1) / (2 * growth * (growth - 1 - float(epsilon)))
        assert wave.reach in {math.floor(delta * cells + slip) for slip in (-1e-9, 1e-9)}
    assert 0 <= wave.reach <= cells // 2


def test_without_reach_it_is_randomised_response():
    wave, response = SquareWave.design(3, Decimal(1)), GRR.design(3, Decimal(1))
    assert wave.reach == 0
    assert [wave.row(cell) for cell in range(3)] == [response.row(cell) for cell in range(3)]


@pytest.mark.parametrize(("cells", "epsilon"), [(4, "1"), (7, "0.1"), (16, "2"), (5, "6")])
def test_every_word_gives_a_code_in_proportion_to_the_row(cells, epsilon):
    """The words at which the code changes, found by bisection, cut 2^64 into the row's weights."""
    wave = SquareWave.design(cells, Decimal(epsilon))
    for cell in range(cells):
        counted, word = [0] * wave.codes, 0
        while word < 2**64:
            code, low, high = wave.answer(cell, word), word, 2**64
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if wave.answer(cell, middle) == code else (low, middle)
            counted[code] += high - word
            word = high
        assert counted == wave.row(cell)


@pytest.mark.parametrize(("cells", "epsilon"), [(2, "1"), (64, "1"), (300, "0.05"), (9, "20")])
def test_bulk_draws_are_the_single_draws(cells, epsilon):
    wave = SquareWave.design(cells, Decimal(epsilon))
    heavy = wave.extra * (wave.near + 1)
    edges = {0, 2**64 - 1, wave.near_total - 1, wave.near_total, max(heavy - 1, 0), heavy}
    words = np.array([*edges, *np.random.default_rng(1).integers(0, 2**64, 500, dtype=np.uint64)], dtype=np.uint64)
    people = np.random.default_rng(2).integers(0, cells, len(words))
    codes = wave.draw_many(people, lambda count: words[:count])
    assert codes.tolist() == [wave.answer(int(cell), int(word)) for cell, word in zip(people, words, strict=True)]


def test_it_does_not_claim_an_unbiased_estimate():
    assert not isinstance(SquareWave.design(16, Decimal(1)), FrequencyOracle)
    assert isinstance(GRR.design(16, Decimal(1)), FrequencyOracle)
