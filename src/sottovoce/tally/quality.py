"""Whether an honest crowd could have given a tally: chi-square checks of who was asked what, and of the codes.

Questions are drawn by public shares, and codes by channels whose probabilities are public, so reports that were lost,
chosen or made up in bulk leave a mark. A flag says that chance would give such a tally about once in a million
collections; its absence proves nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels import GRR, LocalHash, Parity
from sottovoce.channels.exact import SCALE
from sottovoce.tally.shares import expected_shares
from sottovoce.tally.tally import Tally

FALSE_ALARM = 1e-6
"""Totals less likely than this are called suspicious: about one sound collection in a million is, by chance."""

LEAST_EXPECTED = 25
"""Bins with a smaller expected count are put together."""


_GROUPS = 64
"""Vectors of local hashing are looked at in at most so many groups."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a tally against chance.

    Attributes:
        about: What was looked at, in words.
        plan: The fingerprint of the plan whose shares were checked; None for the codes of all plans.
        reports: How many reports were looked at.
        statistic: Pearson's chi-square; questions that expect few reports are put together. NaN for the codes, whose
            smallest probability over questions counts.
        freedom: Its degrees of freedom; 0 where there is too little to tell.
        probability: How likely a sound collection is at least so odd.
        flagged: Whether that is too small: all checks of a tally together keep the false-alarm rate.
    """

    about: str
    plan: str | None
    reports: int
    statistic: float
    freedom: int
    probability: float
    flagged: bool = False

    @property
    def words(self) -> str:
        """The verdict, in words."""
        if not self.freedom:
            return "too few questions or reports to tell"
        if self.plan is None:
            return "NOT as honest devices draw them" if self.flagged else "as honest devices draw them"
        if self.flagged:
            return (
                "NOT as the plan's shares, or a mixture with the collection's other plans, would give them: reports "
                "were lost, chosen or made up by question, or drawn by a plan that is not known here"
            )
        return "as the plan's shares would give them"


def check_tally(tally: Tally) -> list[Check]:
    """Return the check of shares for every plan, and that of codes over all questions.

    Each is flagged at its part of the false-alarm rate, so that all together keep it.
    """
    found = [*check_shares(tally), check_codes(tally)]
    limit = FALSE_ALARM / len(found)
    return [replace(check, flagged=check.probability < limit) for check in found]


def check_shares(tally: Tally) -> list[Check]:
    """Return, for every plan and wave whose reports were counted, how well its questions' totals fit its shares.

    Where a tally knows several plans, any mixture of their shares will do: reports that name their collection alone may
    be of any of them. Being free to mix can only make a sound collection fit better, so the false-alarm rate holds.
    """
    checks = []
    for fingerprint, totals in tally.totals_by_plan.items():
        waves = tally.plans[fingerprint].questions.waves
        shares = expected_shares(totals, tally.plans.values()).reshape(waves, -1)
        for wave, part in enumerate(totals.reshape(waves, -1), start=1):
            reports = int(part.sum())
            if not reports:
                continue
            statistic, freedom = chi_square(part, shares[wave - 1] * reports)
            probability = upper_tail(statistic, freedom)
            about = f"shares of plan {fingerprint}" + (f" in wave {wave}" if waves > 1 else "")
            checks.append(Check(about, fingerprint, reports, statistic, freedom, probability))
    return checks


def check_codes(tally: Tally) -> Check:
    """Return the check of codes: the smallest probability over questions, times the questions looked at."""
    looked = np.flatnonzero(tally.question_totals >= 2 * LEAST_EXPECTED).tolist()
    smallest = min((_question_probability(tally, index) for index in looked), default=1.0)
    return Check("codes", None, tally.total, math.nan, len(looked), min(1.0, smallest * max(1, len(looked))))


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


def _question_probability(tally: Tally, index: int) -> float:
    channel = tally.plan.question(index).channel
    codes, counts = tally.pairs(index)
    if isinstance(channel, LocalHash):
        # whatever the cells are, every vector is as likely as any other: neighbours are taken together
        groups = max(1, min(_GROUPS, channel.vectors, int(counts.sum()) // LEAST_EXPECTED))
        edges = np.linspace(0, channel.vectors, groups + 1).astype(np.int64)
        observed = np.histogram(codes // channel.prime, bins=edges, weights=counts)[0]
        return upper_tail(*chi_square(observed, np.diff(edges) / channel.vectors * counts.sum()))
    if isinstance(channel, GRR | Parity):
        dense = np.zeros(channel.codes)
        dense[codes] = counts
        return _excess(dense, channel.other / SCALE, channel.keep / SCALE)
    return 1.0


def _excess(counts: NDArray[np.float64], low: float, high: float) -> float:
    """Return how likely codes are so far outside the range that every code's probability has, whoever is asked.

    Each cell's excess over the range is at most a normal deviate, so the smallest tail over the cells, times the cells,
    bounds the probability.
    """
    total = counts.sum()
    if total * low < LEAST_EXPECTED:
        return 1.0
    over = (counts - total * high).clip(0) ** 2 / (total * high * (1 - high))
    under = (total * low - counts).clip(0) ** 2 / (total * low * (1 - low))
    return min(1.0, math.erfc(math.sqrt(max(over.max(), under.max()) / 2)) * len(counts))
