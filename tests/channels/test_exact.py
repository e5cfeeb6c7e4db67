"""Exact numbers: epsilon as given, weights rounded to the safe side, uniform integers by rejection."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.channels import choose_kind
from sottovoce.channels.exact import (
    SCALE,
    below,
    exp_floor,
    log_ratio,
    many_below,
    parse_epsilon,
    response_weights,
    system_words,
    wave_reach,
)
from sottovoce.channels.local_hash import best_prime
from sottovoce.simulation.simulate import seeded_words
from tests.chances import assert_drawn_from

epsilons = st.decimals(min_value="0.01", max_value="20", places=3)


@pytest.mark.parametrize(
    ("given_", "exact"),
    [(1, "1"), (1.0, "1"), ("1.50", "1.5"), (0.1, "0.1"), (Decimal("2.25"), "2.25"), ("1e1", "10"), (20, "20")],
)
def test_epsilon_is_the_decimal_number_that_was_written(given_: object, exact: str):
    assert str(parse_epsilon(given_)) == exact


@pytest.mark.parametrize(
    "wrong",
    [0, -1, 0.0, -0.5, float("nan"), float("inf"), "-inf", 20.001, 1e300, 0.009, True, "one", "", None, [1], 1j],
)
def test_epsilon_outside_its_range_is_refused_in_clear_words(wrong: object):
    with pytest.raises(sv.PlanError, match=r"epsilon is a number from 0\.01 to 20, got .*smaller is more private"):
        parse_epsilon(wrong)


@given(epsilons)
def test_e_to_the_epsilon_is_rounded_down_by_a_hair(epsilon: Decimal):
    with decimal.localcontext(prec=100):
        exact = epsilon.exp()
        assert exact * (1 - Decimal(10) ** -45) < exp_floor(epsilon) < exact


@given(epsilons, st.integers(2, 5000))
def test_response_weights_fill_the_scale_and_never_exceed_epsilon(epsilon: Decimal, cells: int):
    keep, other = response_weights(cells, epsilon)
    assert keep + (cells - 1) * other == SCALE
    assert 0 < other <= keep
    with decimal.localcontext(prec=100):
        assert Fraction(keep, other) <= Fraction(epsilon.exp())
    assert log_ratio(Fraction(keep, other)) <= epsilon


def test_the_logarithm_of_a_ratio_is_good_to_many_digits():
    assert (
        abs(log_ratio(Fraction(2)) - Decimal("0.693147180559945309417232121458176568075500134360255"))
        < Decimal(10) ** -48
    )


@pytest.mark.parametrize("limit", [1, 2, 3, 1000, 2**63 + 1, 2**64 - 1])
def test_uniform_integers_stay_below_their_limit_and_use_words_in_order(limit: int):
    """Words above the largest multiple of the limit are drawn again, so that no integer is favoured."""
    stream = np.random.default_rng(1).integers(0, 2**64, 4000, dtype=np.uint64)
    taken = 0

    def words(count: int) -> np.ndarray:
        nonlocal taken
        taken += count
        return stream[taken - count : taken]

    drawn = many_below(limit, 1000, words)
    wanted, ceiling = stream[:1000].tolist(), SCALE // limit * limit
    spare = iter(stream[1000:].tolist())
    while rejected := [index for index, word in enumerate(wanted) if word >= ceiling]:
        for index in rejected:
            wanted[index] = next(spare)
    assert drawn.tolist() == [word % limit for word in wanted]
    assert (taken > 1000) == (ceiling < SCALE * 0.9)


def test_uniform_integers_are_uniform():
    """Seed 2, and system randomness: fails less than once in 10^9 runs."""
    drawn = many_below(7, 70_000, seeded_words(np.random.default_rng(2)))
    assert_drawn_from(np.bincount(drawn.astype(int), minlength=7), np.full(7, 1 / 7))
    assert_drawn_from(np.bincount([below(7) for _ in range(7000)], minlength=7), np.full(7, 1 / 7))


def test_system_words_fill_all_64_bits():
    """System randomness: each bit is a fair coin; fails less than once in 10^9 runs."""
    words = system_words(20_000)
    assert words.dtype == np.uint64
    for bit in range(64):
        ones = int(((words >> np.uint64(bit)) & np.uint64(1)).sum())
        assert abs(ones - 10_000) < 8 * math.sqrt(5_000)


@given(epsilons)
def test_e_to_the_epsilon_is_below_its_value_at_eighty_digits_in_any_context(epsilon: Decimal):
    exact = decimal.Context(prec=80)
    with decimal.localcontext() as caller:
        caller.prec, caller.rounding = 5, decimal.ROUND_CEILING
        found = exp_floor(epsilon)
        parts = (best_prime(epsilon), wave_reach(1000, epsilon), choose_kind("adaptive", 500, epsilon))
    true = exact.exp(epsilon)
    assert found < true
    assert exact.divide(exact.subtract(true, found), true) < Decimal("1e-49")
    assert found == exp_floor(epsilon)
    assert parts == (best_prime(epsilon), wave_reach(1000, epsilon), choose_kind("adaptive", 500, epsilon))
