"""Statistical verdicts that the tests share: each states how often a correct program would fail it."""

from __future__ import annotations

import numpy as np
from scipy import stats

FALSE_ALARM = 1e-9
"""How often, at the most, a correct program fails one unseeded test."""

_NOMINAL = FALSE_ALARM / 10
"""The chi-square's tail is only nearly right at finite counts; a tenth leaves room for that."""

_LEAST_EXPECTED = 50.0


def assert_drawn_from(counts: np.ndarray, probabilities: np.ndarray) -> None:
    """Fail if independent draws with these probabilities would give such counts less than once in 10^9 times.

    Neighbouring outcomes are pooled until each pool expects at least 50 draws. Draws that are independent but not all
    alike spread less than the test allows for, so it stays valid for them.
    """
    counts, probabilities = np.asarray(counts, float).ravel(), np.asarray(probabilities, float).ravel()
    assert abs(probabilities.sum() - 1) < 1e-9
    assert not counts[probabilities == 0].any(), "an outcome of probability zero was drawn"
    expected = probabilities * counts.sum()
    pool = _pools(expected)
    observed, wanted = np.bincount(pool, counts), np.bincount(pool, expected)
    assert len(wanted) > 1, "too few draws to say anything"
    statistic = ((observed - wanted) ** 2 / wanted).sum()
    chance = stats.chi2.sf(statistic, len(wanted) - 1)
    assert chance > _NOMINAL, f"chi-square {statistic:.1f} on {len(wanted) - 1} degrees of freedom, chance {chance:.2g}"


def _pools(expected: np.ndarray) -> list[int]:
    """Return a pool for every outcome, each of neighbours that expect enough draws together."""
    pools, number, filled, left = [], 0, 0.0, float(expected.sum())
    for each in expected.tolist():
        if filled >= _LEAST_EXPECTED and left >= _LEAST_EXPECTED:
            number, filled = number + 1, 0.0
        pools.append(number)
        filled, left = filled + each, left - each
    return pools


def assert_standard_normal(scores: np.ndarray) -> None:
    """Fail if any of the z-scores is larger than the largest of as many would be once in 10^9 times."""
    limit = stats.norm.isf(_NOMINAL / 2 / np.size(scores))
    worst = np.abs(scores).max()
    assert worst < limit, f"a z-score of {worst:.1f}, at most {limit:.1f} is believable"
