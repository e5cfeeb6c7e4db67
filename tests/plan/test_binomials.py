"""Binomial distributions against scipy's, and what is cut off against its tails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sottovoce.plan.binomials import LOG_TAIL, binomial


@pytest.mark.parametrize("chance", [0.001, 0.3, 0.5, 0.95])
@pytest.mark.parametrize("number", [0, 1, 7, 1000, 10**6])
def test_probabilities_are_those_of_scipy_and_what_is_cut_is_next_to_nothing(number: int, chance: float):
    start, chances = binomial(number, chance)
    law = stats.binom(number, chance)
    assert np.allclose(chances, law.pmf(start + np.arange(len(chances))), rtol=1e-8, atol=1e-300)
    end = start + len(chances) - 1
    assert law.cdf(start - 1) <= math.exp(-LOG_TAIL)
    assert law.sf(end) <= math.exp(-LOG_TAIL)
    assert start >= 0
    assert end <= number


def test_no_chance_at_all_is_zero_for_certain():
    start, chances = binomial(1000, 0.0)
    assert (start, chances.tolist()) == (0, [1.0])
