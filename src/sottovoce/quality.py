"""Data quality of a finished collection: what was refused, and whether people were asked what the plan says.

Who is asked what is drawn by the plan's shares, so the questions' totals must look drawn by them. If they do not, some
reports were lost or made up by question.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sottovoce.plan import SHARES
from sottovoce.tally import Tally

SUSPICIOUS = 1e-4
"""Totals less likely than this are called suspicious: one sound collection in ten thousand is, by chance."""


@dataclass(frozen=True, slots=True)
class ShareCheck:
    """How well the totals of one plan's questions fit its shares.

    Attributes:
        fingerprint: The plan.
        reports: How many reports it got.
        statistic: Pearson's chi-square; questions that expect fewer than five reports are put together.
        freedom: Its degrees of freedom.
        chance: How likely a sound collection shows a statistic as large.
    """

    fingerprint: str
    reports: int
    statistic: float
    freedom: int
    chance: float

    @property
    def suspicious(self) -> bool:
        """Whether the totals hardly come from the shares."""
        return self.chance < SUSPICIOUS

    @property
    def words(self) -> str:
        """The verdict, in words."""
        if not self.freedom:
            return "too few questions or reports to tell"
        if self.suspicious:
            return "NOT as the plan's shares would give them: reports were lost, chosen or made up by question"
        return "as the plan's shares would give them"


def check_shares(tally: Tally) -> list[ShareCheck]:
    """Return a check of every plan whose reports were counted."""
    checks = []
    for fingerprint, totals in tally.totals_by_plan.items():
        reports = int(totals.sum())
        expected = tally.plans[fingerprint].questions.shares / SHARES * reports
        statistic, freedom = _chi_square(totals.astype(np.float64), expected)
        checks.append(ShareCheck(fingerprint, reports, statistic, freedom, upper_tail(statistic, freedom)))
    return checks


def _chi_square(totals: NDArray[np.float64], expected: NDArray[np.float64]) -> tuple[float, int]:
    order = np.argsort(expected)
    totals, expected = totals[order], expected[order]
    small = expected < 5
    pooled = int(small.sum())
    if pooled:
        while pooled < len(expected) and expected[:pooled].sum() < 5:
            pooled += 1
        totals = np.concatenate([[totals[:pooled].sum()], totals[pooled:]])
        expected = np.concatenate([[expected[:pooled].sum()], expected[pooled:]])
    usable = expected > 0
    if usable.sum() < 2:
        return 0.0, 0
    off = (totals[usable] - expected[usable]) ** 2 / expected[usable]
    return float(off.sum()), int(usable.sum()) - 1


def upper_tail(statistic: float, freedom: int) -> float:
    """Return the chance that a chi-square of so many degrees of freedom is as large (Wilson and Hilferty, 1931).

    Example:
        >>> round(upper_tail(18.307, 10), 3)  # the table's 5 % point
        0.05
    """
    if not freedom:
        return 1.0
    spread = 2 / (9 * freedom)
    return NormalDist().cdf(-((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread))
