"""Whether an honest crowd could have given this tally: chi-square checks of shares and of codes, and what liars can do.

Questions are drawn by public shares, and codes by channels whose probabilities are public, so a crowd that lies in bulk
leaves a mark. A flag says that chance would give such a tally about once in a million collections; its absence proves
nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels import GRR, LocalHash, Parity
from sottovoce.channels.exact import SCALE
from sottovoce.tally.quality import FALSE_ALARM, LEAST_EXPECTED, check_shares, chi_square, upper_tail
from sottovoce.tally.tally import Tally

_GROUPS = 64


@dataclass(frozen=True, slots=True)
class Check:
    """One check: what was looked at, the probability of a tally at least so odd, and whether that is too small."""

    about: str
    probability: float
    flagged: bool


def check_tally(tally: Tally) -> list[Check]:
    """Return the check of shares for every plan, and that of codes over all questions.

    Each is flagged at its part of the false-alarm rate, so that all together keep it.
    """
    shares = {f"shares of plan {check.fingerprint}": check.chance for check in check_shares(tally) if check.reports}
    found = {**shares, "codes": code_probability(tally)}
    limit = FALSE_ALARM / len(found)
    return [Check(about, probability, probability < limit) for about, probability in found.items()]


def code_probability(tally: Tally) -> float:
    """Return the probability of codes at least so odd, the smallest over questions times the questions looked at."""
    looked = np.flatnonzero(tally.question_totals >= 2 * LEAST_EXPECTED).tolist()
    if not looked:
        return 1.0
    smallest = min(_question_probability(tally, index) for index in looked)
    return min(1.0, smallest * len(looked))


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
