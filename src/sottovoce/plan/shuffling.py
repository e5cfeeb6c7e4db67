"""What a shuffled crowd promises: the central epsilon of whoever sees counts of many reports and none by itself.

Every person's report is, with the smallest probability that any record gives it, drawn without looking at the record:
the *privacy blanket* (Balle, Bell, Gascon, Nissim 2019), which of all ways to let the others hide one person gives the
smallest bound (Su, Cheng, Wang 2025); clones (Feldman, McMillan, Talwar 2021, 2023) are such ways. With e = e^epsilon,
delta is then at most E[(f_1 + ... + f_n)_+] / n, each f_i being a / w - e b / w for a report drawn from the blanket w,
a and b its probabilities under the two records, and 0 for one that is not in the blanket.

The expectation of a convex function of a sum grows with the convex order of its terms. Let p be the worst ratio of one
report, v the largest total variation between the reports of two records, and u the mass outside of the blanket. As
a / w and b / w are from 1 to p, no f is larger in that order than one of four values: p - e and 1 - e p with
probability o each, 0 with (p - 1) o, and 1 - e with what is left, where o = (v + (u - v)(1 - 1 / e)) / (p - 1); and it
grows with p and with o. So any plan's delta is bounded by its p, v and u, whatever its questions and channels
(docs/design/shuffling.md has the proof), and for randomised response over three or more cells this is nearly attained.
Where every report is one bit it would be up to a third too large: one yes-or-no question is known exactly
(`sottovoce.plan.binary_shuffling`), and several nearly so (`sottovoce.plan.bits_shuffling`).

All that is rounded is rounded so that the bound grows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from sottovoce.channels.exact import log_ratio
from sottovoce.plan.binary_shuffling import binary_epsilon
from sottovoce.plan.binomials import LOG_TAIL, binomial
from sottovoce.plan.bits_shuffling import bits_epsilon

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_UP = 1 + 2.0**-40
"""What inputs are raised by: far more than they lose as floating-point numbers."""

_SLACK = 1 + 1e-6
"""What the result is raised by: sums of up to 10^7 logarithms lose less than 10^-8."""

_TAIL = math.exp(-LOG_TAIL)
"""The probability that a count is beyond where it is followed, to either side; all of it is added to the bound."""

_NUMBERS = 2**20
"""About how many numbers are held: they decide how finely counts are grouped, not whether the bound holds."""

_GROUPS, _NEUTRAL_GROUPS = 1024, 128
"""Into how many groups informative reports are put at the most, and neutral ones for each of them."""

_ROUNDS = 3
"""How often the bound is made: each time with the o of what it gave before, at first with that of the whole ratio."""

_MOST = 10**10
"""A larger crowd is promised what one of so many is: more people never hide a person less."""


@dataclass(frozen=True, slots=True)
class Shuffled:
    """What holds for whoever sees only counts of at least ``users`` reports together.

    Attributes:
        epsilon: The central epsilon, rounded up: replacing one person's record changes the probability of anything
            that is computed from the counts by a factor of at most e^epsilon, but for a probability of delta.
        users: The least number of reports between two releases.
        delta: How much probability is exempt.
        local: The epsilon that holds against everybody, whoever keeps or breaks their word.
    """

    epsilon: float
    users: int
    delta: float
    local: float


@dataclass(frozen=True, slots=True)
class Blanket:
    """What the bound needs to know of a plan, exact from its integers.

    Attributes:
        ratio: The worst ratio of two records' probabilities of one report.
        variation: The largest total variation between two records' reports, or a bound of it.
        outside: How often a report is not drawn alike for all records, or a bound of it; at least the variation.
    """

    ratio: Fraction
    variation: Fraction
    outside: Fraction

    def informative(self, epsilon: float) -> float:
        """Return o, the probability of a report that speaks for one of the two records, at an epsilon."""
        outside = max(self.outside, self.variation)
        extra = float(outside - self.variation) * -math.expm1(-epsilon)
        return (float(self.variation) + extra) / float(self.ratio - 1) * _UP


def shuffled_epsilon(blanket: Blanket, *, users: int, delta: float, bits: bool = False, binary: bool = False) -> float:
    """Return a central epsilon that holds for counts of so many reports: never below the smallest that does.

    Args:
        blanket: What is known of the plan.
        users: How many reports are counted together, the person's own among them.
        delta: How much probability is exempt, above 0 and below 1.
        bits: Whether every report is one bit, turned round with one probability, which tells less.
        binary: Whether these bits are all answers to one question of two cells, which tells no more than that.

    Example:
        >>> response = Blanket(Fraction(3), Fraction(1, 2), Fraction(1, 2))
        >>> few = shuffled_epsilon(response, users=100_000, delta=1e-9)
        >>> many = shuffled_epsilon(response, users=1_000_000, delta=1e-9)
        >>> many < few < 0.1
        True
    """
    if blanket.ratio == 1:
        return 0.0
    ratio = float(blanket.ratio) * _UP
    found = float(log_ratio(blanket.ratio)) * _UP
    for _ in range(_ROUNDS if blanket.outside > blanket.variation else 1):
        # o grows with epsilon: that of an epsilon that is known to be enough serves for all below it
        crowd = _Crowd(ratio, blanket.informative(found), min(users, _MOST))
        low, high = 0.0, found
        while high - low > 1e-4 * high:
            middle = (low + high) / 2 if low else high / 4
            low, high = (low, middle) if crowd.delta(middle) <= delta else (middle, high)
        found = high
    if bits:
        found = min(found, bits_epsilon(ratio, users=users, delta=delta))
    return min(found, binary_epsilon(ratio, users=users, delta=delta)) if binary else found


class _Crowd:
    """A crowd's blanket, its counts grouped: delta for any epsilon is a sum over groups that are made once.

    Of the reports, N are informative (p - e or 1 - e p, as likely), X of them for the first record, and Z are neutral
    (1 - e). With A = (p - 1)(1 + e) / 2 the sum of all f is A (2 X - N) - (e - 1) (N (p + 1) / 2 + Z).
    """

    def __init__(self, ratio: float, informative: float, users: int) -> None:
        self.users, self.ratio = users, ratio
        informative = min(informative, 1 / (ratio + 1))
        neutral = max(0.0, 1 - (ratio + 1) * informative) / (1 - 2 * informative)
        start, chances = binomial(users, 2 * informative)
        end = start + len(chances)
        width = math.ceil(len(chances) * max(1 / _GROUPS, math.sqrt(LOG_TAIL * 2 * end) / _NUMBERS))
        groups = [
            (first, min(first + width, end) - 1, float(chances[first - start : first - start + width].sum()))
            for first in range(start, end, width)
        ]
        if start > 0:
            groups.append((0, start - 1, _TAIL))
        if end <= users:
            groups.append((end, users, _TAIL))
        self.groups = [_Group.make(*group, users, neutral) for group in groups]

    def delta(self, epsilon: float) -> float:
        """Return an upper bound of the delta that goes with an epsilon."""
        growth = math.expm1(epsilon)
        spread = (self.ratio - 1) * (2 + growth) / 2
        total = math.fsum(group.excess(growth, spread, self.ratio) for group in self.groups)
        return 2 * spread * total / self.users * _SLACK


@dataclass(frozen=True, slots=True)
class _Group:
    """Crowds with ``first`` to ``last`` informative reports: they drift as the first does and spread as the last.

    More reports spread more (in the convex order), drift more, and leave room for fewer neutral ones, which drift too:
    so no crowd of the group tells more than that.

    Attributes:
        first: The fewest informative reports.
        last: The most.
        neutral: The fewest neutral reports of each of some groups.
        weights: The probability of each of them.
        start: The least X that is followed, of ``last`` informative reports.
        tails: P(X >= start + i).
        sums: E[(X - start - i)_+].
    """

    first: int
    last: int
    neutral: NDArray[np.float64]
    weights: NDArray[np.float64]
    start: int
    tails: NDArray[np.float64]
    sums: NDArray[np.float64]

    @classmethod
    def make(cls, first: int, last: int, chance: float, users: int, neutral: float) -> _Group:
        """Return the group, its tails added up once for every epsilon that is tried."""
        import numpy as np

        least, chances = binomial(users - last, neutral)
        width = math.ceil(len(chances) / _NEUTRAL_GROUPS)
        places = np.arange(0, len(chances), width)
        fewest = np.append(0.0, least + places)
        weights = np.append(_TAIL if least > 0 else 0.0, np.add.reduceat(chances, places)) * chance
        start, chances = binomial(last, 0.5)
        beyond = _TAIL if start + len(chances) <= last else 0.0
        tails = np.append(np.cumsum(chances[::-1])[::-1], 0.0) + beyond
        sums = np.append(np.cumsum(tails[:0:-1])[::-1], 0.0) + beyond * last
        return cls(first, last, fewest, weights, start, tails, sums)

    def excess(self, growth: float, spread: float, ratio: float) -> float:
        """Return E[(X - t)_+] over the neutral reports' groups, t being what X must exceed."""
        import numpy as np

        drift = growth * (self.first * (ratio + 1) / 2 + self.neutral)
        beyond = (self.last / 2 + drift / (2 * spread)) / _UP - self.start
        place = np.minimum(np.ceil(beyond), len(self.sums) - 1).astype(np.intp)
        return float(self.weights @ (self.sums[place] + np.maximum(place - beyond, 0.0) * self.tails[place]))
