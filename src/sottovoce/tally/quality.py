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

from sottovoce.plan.plan import SHARES
from sottovoce.tally.tally import Tally

FALSE_ALARM = 1e-6
"""Totals less likely than this are called suspicious: about one sound collection in a million is, by chance."""

LEAST_EXPECTED = 25
"""Bins with a smaller expected count are put together."""


@dataclass(frozen=True, slots=True)
class ShareCheck:
    """How well the totals of one plan's questions fit its shares.

    Attributes:
        fingerprint: The plan.
        reports: How many reports it got.
        statistic: Pearson's chi-square; questions that expect few reports are put together.
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
        return self.chance < FALSE_ALARM

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
        statistic, freedom = chi_square(totals, expected)
        checks.append(ShareCheck(fingerprint, reports, statistic, freedom, upper_tail(statistic, freedom)))
    return checks


def chi_square(observed: NDArray[np.int64], expected: NDArray[np.float64]) -> tuple[float, int]:
    """Return Pearson's statistic of counts beside what is expected, rare bins put together, and its degrees of freedom.

    Example:
        >>> chi_square(np.array([60, 40]), np.array([50.0, 50.0]))
        (4.0, 1)
    """
    order = np.argsort(expected)
    _, starts = np.unique(np.cumsum(expected[order]) // LEAST_EXPECTED, return_index=True)
    seen, wanted = np.add.reduceat(observed[order], starts), np.add.reduceat(expected[order], starts)
    solid = wanted >= LEAST_EXPECTED / 2
    joined = np.flatnonzero(np.concatenate(([True], solid[:-1])))  # what is not solid goes to its larger neighbour
    if len(joined) > 1 and wanted[joined[-1] :].sum() < LEAST_EXPECTED / 2:
        joined = joined[:-1]  # the last has none: it goes to the one before
    seen, wanted = np.add.reduceat(seen, joined), np.add.reduceat(wanted, joined)
    if len(seen) < 2 or wanted.min() < LEAST_EXPECTED / 2:
        return 0.0, 0
    return float(((seen - wanted) ** 2 / wanted).sum()), len(seen) - 1


def upper_tail(statistic: float, freedom: int) -> float:
    """Return the chance that a chi-square of so many degrees of freedom is as large (Wilson and Hilferty, 1931).

    Of few degrees of freedom it makes far tails up to a few times too likely, which errs towards no alarm.

    Example:
        >>> round(upper_tail(18.307, 10), 3)  # the table's 5 % point
        0.05
    """
    if not freedom:
        return 1.0
    spread = 2 / (9 * freedom)
    return NormalDist().cdf(-((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread))
