"""Verdicts about chance pass what is right and fail what is not."""

from __future__ import annotations

import numpy as np
import pytest

from sottovoce.testing.chances import assert_drawn_from, assert_standard_normal

EVEN = np.full(10, 0.1)


def test_draws_from_the_probabilities_pass_and_others_fail() -> None:
    """Seed 1: 20,000 draws tell a tenth from 0.13 beyond doubt."""
    generator = np.random.default_rng(1)
    assert_drawn_from(generator.multinomial(20_000, EVEN), EVEN)
    other = np.full(10, 0.87 / 9)
    other[3] = 0.13
    with pytest.raises(AssertionError, match="chi-square"):
        assert_drawn_from(generator.multinomial(20_000, other), EVEN)


def test_what_is_impossible_and_too_few_draws_fail() -> None:
    with pytest.raises(AssertionError, match="probability zero"):
        assert_drawn_from(np.array([500, 1]), np.array([1.0, 0.0]))
    with pytest.raises(AssertionError, match="too few draws"):
        assert_drawn_from(np.array([5, 5]), np.array([0.5, 0.5]))


def test_scores_of_chance_pass_and_a_large_one_fails() -> None:
    scores = np.random.default_rng(2).standard_normal(1000)
    assert_standard_normal(scores)
    with pytest.raises(AssertionError, match=r"z-score of 9\.0"):
        assert_standard_normal(np.append(scores, 9.0))
