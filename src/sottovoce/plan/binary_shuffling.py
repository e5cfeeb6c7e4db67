"""What a shuffled crowd promises where everybody answers one yes-or-no question: the exact divergence of its counts.

Of two cells nobody else can be in a third. What is seen is how many said yes: the person's own bit, which is the other
one with probability o = 1 / (p + 1), and the sum S of the others' bits, which follows from how many of them are in
which cell. With e = e^epsilon, a = (1 - o) - e o and b = e (1 - o) - o,

    delta  =  sum over k of (a P(S = k) - b P(S = k - 1))_+  =  max over k of  b P(S = k) - (e - 1) P(S <= k),

as a - b = 1 - e, and P(S = k) / P(S = k - 1) falls with k: a sum of independent bits is log-concave. The epsilon is
the largest over all crowds. For large crowds only every so many-th is looked at, with as many people left out as lie
between two of them: whatever these are, leaving them out makes the others' crowd smaller and delta no smaller.

All that is rounded is rounded so that the bound grows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sottovoce.plan.binomials import LOG_TAIL, binomial

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CROWDS = 64
"""Of so many others every crowd is looked at; of more so many, which costs up to 1.6 % of the people."""

_MOST = 10**8
"""A larger crowd is promised what one of so many is: more people never hide a person less."""

_ERROR = 1e-9
"""The relative error of a probability: sums of 10^6 logarithms of at most 60 lose less."""

_TRANSFORMED = 1e-13
"""The error of a convolution by fast Fourier transforms, over its factors' norms (Higham 2002, theorem 24.2)."""

_DIRECT = 2**20
"""Up to so many products a convolution is made without transforms."""


def binary_epsilon(ratio: float, *, users: int, delta: float) -> float:
    """Return a central epsilon that holds for how many of a crowd said yes: never below the smallest that does.

    Args:
        ratio: The ratio of the two probabilities of a code, rounded up.
        users: How many reports are counted together, the person's own among them.
        delta: How much probability is exempt, above 0 and below 1.

    Example:
        >>> round(binary_epsilon(3.0, users=100_000, delta=1e-9), 4)
        0.0174
    """
    others, whole = min(users, _MOST) - 1, math.log(ratio)
    left_out = others // _CROWDS if others > _CROWDS else 0
    ones = (min(start, others - left_out) for start in range(0, others + 1, left_out + 1))
    # each stands for every crowd of so many ones to as many more as were left out
    crowds = (_Crowd.of(each, others - left_out - each, ratio) for each in ones)
    return worst_epsilon(crowds, delta=delta, most=whole)


def worst_epsilon(crowds: Iterable[Crowd], *, delta: float, most: float) -> float:
    """Return the largest epsilon that any of some crowds needs, to one in ten thousand, from above.

    Args:
        crowds: What bounds the delta of an epsilon, for each crowd.
        delta: How much probability is exempt.
        most: An epsilon that is enough for any crowd.
    """
    worst = 0.0
    for crowd in crowds:
        if crowd.delta(worst) <= delta:
            continue
        low, high = worst, min(1.01 * worst, most) or most
        while high < most and crowd.delta(high) > delta:
            low, high = high, min(2 * high, most)
        while high - low > 1e-4 * high:
            middle = (low + high) / 2 if low else high / 4
            low, high = (low, middle) if crowd.delta(middle) <= delta else (middle, high)
        worst = high
    return worst


class Crowd(Protocol):
    """Other people among whom a person hides."""

    def delta(self, epsilon: float) -> float:
        """Return an upper bound of the delta that goes with an epsilon."""


@dataclass(frozen=True, slots=True)
class _Crowd:
    """How many of the others say yes.

    Attributes:
        other: The probability that a bit is turned round.
        chances: Bounds from above of the probability of each number that is followed.
        sums: Bounds from below of the probability of that number or fewer.
    """

    other: float
    chances: NDArray[np.float64]
    sums: NDArray[np.float64]

    @classmethod
    def of(cls, ones: int, zeros: int, ratio: float) -> _Crowd:
        """Return the crowd of so many others with a yes and with a no."""
        import numpy as np

        other = 1 / (ratio + 1)
        first, second = binomial(ones, 1 - other)[1], binomial(zeros, other)[1]
        if len(first) * len(second) <= _DIRECT:
            chances, error = np.convolve(first, second), 0.0
        else:
            size = len(first) + len(second) - 1
            length = 1 << (size - 1).bit_length()
            chances = np.fft.irfft(np.fft.rfft(first, length) * np.fft.rfft(second, length), length)[:size]
            error = _TRANSFORMED * float(np.linalg.norm(first) * np.linalg.norm(second))
        sums = np.cumsum(chances) * (1 - _ERROR) - error * np.arange(1, len(chances) + 1)
        return cls(other, chances * (1 + _ERROR) + error + 4 * math.exp(-LOG_TAIL), sums)

    def delta(self, epsilon: float) -> float:
        """Return an upper bound of the delta that goes with an epsilon."""
        growth = math.expm1(epsilon)
        weight = (1 - 2 * self.other) + growth * (1 - self.other)
        return max(0.0, float((weight * self.chances - growth * self.sums).max()))
