"""What a shuffled crowd promises where every report is one bit, however many questions there are to draw from.

Everybody draws a question without looking, and turns its yes or no round with probability o = 1 / (p + 1). So each of
the others sends, with probability 2 o, a bit that looks at nobody. Let somebody drawn from these *and* the person swap
questions with the person, and show all else: who was given which question by then, and what came in for it. Nobody
learns less by that. What is left to tell is which of those bits is the person's, and

    delta  =  2 (1 + e) (1 - 2 o) E[(s - c)_+],    c = (e (1 - o) - o) / ((1 + e) (1 - 2 o)),    e = e^epsilon,

s being how large a part of those bits are expected to speak for the first record, given what is seen. It depends on
nothing but how many of the others *agree* with the first record in what they were asked. All such crowds are looked at;
of many people in groups, in which s is bounded by a sum of independent terms (docs/design/shuffling.md has the proof).

All that is rounded is rounded so that the bound grows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sottovoce.plan.binary_shuffling import Crowd, worst_epsilon
from sottovoce.plan.binomials import LOG_TAIL, binomial

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FEW = 256
"""Up to so many others every crowd's s is listed."""

_GROUPS = 64
"""Into so many groups larger crowds are put, by how many agree: half of it would cost up to 1.6 % of epsilon."""

_MOST = 10**8
"""A larger crowd is promised what one of so many is: more people never hide a person less."""

_SLACK = 1 + 1e-6
"""What the result is raised by: sums of up to 10^6 logarithms lose less than 10^-8."""

_ERROR = 1e-13
"""What a listed s is raised by: it is a sum of a few numbers below one."""

_STEP = 2.0**-48
"""What a threshold is raised by, for each person: it is a sum of a few numbers below their number."""

_TAIL = math.exp(-LOG_TAIL)
"""The probability that a count is beyond where it is followed, to either side."""


def bits_epsilon(ratio: float, *, users: int, delta: float) -> float:
    """Return a central epsilon that holds for counts of bits under any number of questions, and whatever others say.

    Args:
        ratio: The ratio of the two probabilities of a bit, rounded up.
        users: How many reports are counted together, the person's own among them.
        delta: How much probability is exempt, above 0 and below 1.

    Example:
        >>> round(bits_epsilon(3.0, users=100_000, delta=1e-9), 4)
        0.0174
    """
    others = min(users, _MOST) - 1
    # the largest crowd that is listed is enough for a larger one: in groups, a few people more would seem to hide less
    near = _FEW < others < 4 * _FEW
    enough = bits_epsilon(ratio, users=_FEW + 1, delta=delta) if near else math.log(ratio)
    return worst_epsilon(_crowds(others, ratio), delta=delta, most=enough)


def _crowds(others: int, ratio: float) -> Iterator[Crowd]:
    """Yield every crowd, or groups of them: from all agreeing, which is nearly always the worst, to none."""
    if others <= _FEW:
        table = _own_parts(others, ratio)
        yield from (_Listed.of(agreeing, others, ratio, table) for agreeing in range(others, -1, -1))
        return
    width = others // _GROUPS
    for last in range(others, -1, -width - 1):
        yield _Group.of(max(last - width, 0), last, others, ratio)


def _threshold(ratio: float, epsilon: float) -> tuple[float, float]:
    """Return c, and what E[(s - c)_+] is multiplied by."""
    growth, other = math.expm1(epsilon), 1 / (ratio + 1)
    whole = (2 + growth) * (1 - 2 * other)
    return (growth * (1 - other) + 1 - 2 * other) / whole, 2 * whole


def _own_parts(others: int, ratio: float) -> NDArray[np.float64]:
    """Return E[1 / m] by how many bits were turned round, m counting those that looked at nobody and the person's.

    Who sent the other of the two bits did not look. Who sent their own did not with probability 1 / p.
    """
    import numpy as np

    parts = np.empty(others + 1)
    for turned in range(others + 1):
        start, chances = binomial(others - turned, 1 / ratio)
        parts[turned] = chances @ (1 / (1 + turned + start + np.arange(len(chances))))
    return parts


@dataclass(frozen=True, slots=True)
class _Listed:
    """A crowd of few, of whom a known number agree with the first record: every s, and how likely it is."""

    ratio: float
    parts: NDArray[np.float64]
    chances: NDArray[np.float64]

    @classmethod
    def of(cls, agreeing: int, others: int, ratio: float, table: NDArray[np.float64]) -> _Listed:
        """Return the crowd, over how many of those who agree and of the rest had their bits turned round."""
        import numpy as np

        first, rest = binomial(agreeing, 1 / (ratio + 1)), binomial(others - agreeing, 1 / (ratio + 1))
        from_agreeing = first[0] + np.arange(len(first[1]))[:, None]
        from_rest = rest[0] + np.arange(len(rest[1]))[None, :]
        turned = from_agreeing + from_rest
        own = table[turned]
        unmoved = (agreeing - from_agreeing) / np.maximum(others - turned, 1)
        without = from_rest * own + unmoved * (1 - (1 + turned) * own)
        return cls(ratio, np.stack([without, without + own]) + _ERROR, np.outer(first[1], rest[1]) / 2)

    def delta(self, epsilon: float) -> float:
        """Return an upper bound of the delta that goes with an epsilon."""
        import numpy as np

        threshold, scale = _threshold(self.ratio, epsilon)
        above = np.maximum(self.parts - threshold, 0.0).sum(axis=0)
        return scale * (float((above * self.chances).sum()) * _SLACK + 4 * _TAIL)


@dataclass(frozen=True, slots=True)
class _Group:
    """Crowds of many in which ``first`` to ``last`` of the others agree: s - c is at most a sum over the mean of m.

    Whoever may or may not agree is counted among both, but for the mean of one, which spreads the sum more than
    either. Of m no more is relied on than what those give it who certainly agree, and who certainly do not.

    Attributes:
        first: The fewest that agree.
        last: The most.
        others: How many others there are.
        ratio: The ratio of the two probabilities of a bit.
        start: The fewest of ``last`` who agree that are followed as having been turned round.
        tails: The probability of so many or fewer, each divided by the mean of m.
        sums: The sum of these up to, and without, each number.
        from_rest: How many of the others' bits, of all who may not agree, were turned round.
        chances: The probability of each, by which the mean of m grows with it.
    """

    first: int
    last: int
    others: int
    ratio: float
    start: int
    tails: NDArray[np.float64]
    sums: NDArray[np.float64]
    from_rest: NDArray[np.float64]
    chances: NDArray[np.float64]

    @classmethod
    def of(cls, first: int, last: int, others: int, ratio: float) -> _Group:
        """Return the group, its tails added up once for every epsilon that is tried."""
        import numpy as np

        other, part = 1 / (ratio + 1), 1 / ratio
        start, agreeing = binomial(last, other)
        rest_start, rest = binomial(others - first, other)
        unsure_start, unsure = binomial(last - first, other)
        unsure_most = unsure_start + len(unsure) - 1
        from_agreeing = start + np.arange(len(agreeing), dtype=np.float64)
        from_rest = rest_start + np.arange(len(rest), dtype=np.float64)
        means = 1 + others * part + (1 - part) * np.maximum(from_agreeing - unsure_most, 0.0)
        growths = 1 + (1 - part) * np.maximum(from_rest - unsure_most, 0.0) / means[-1]
        tails = np.cumsum(agreeing / means)
        sums = np.append(0.0, np.cumsum(tails)[:-1])
        return cls(first, last, others, ratio, start, tails, sums, from_rest, rest / growths)

    def delta(self, epsilon: float) -> float:
        """Return an upper bound of the delta that goes with an epsilon."""
        import numpy as np

        threshold, scale = _threshold(self.ratio, epsilon)
        other, part = 1 / (self.ratio + 1), 1 / self.ratio
        least = 1 + self.others * part
        # one bit turned round moves the sum by so much, down among those who agree and up among the rest
        down, up = part * (1 - threshold) + threshold, 1 - threshold + part * threshold
        fixed = part * (self.last * (1 - threshold) - (self.others - self.first) * threshold)
        fixed -= (self.last - self.first) * other * (1 - 2 * threshold)
        fixed += (1 - part) * part * (self.others - self.first) / least
        total = 0.0
        for own in (1 - threshold, -threshold):
            reached = (fixed + own + up * self.from_rest) / down + self.others * _STEP - self.start
            place = np.clip(np.floor(reached), 0, len(self.tails) - 1).astype(np.intp)
            total += float(self.chances @ np.maximum(self.sums[place] + (reached - place) * self.tails[place], 0.0))
        return scale * (down * total / 2 * _SLACK + 8 * _TAIL * (2 * self.others + 4) / least)
