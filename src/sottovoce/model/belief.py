"""What is believed of a number: its value, and limits that hold the truth with any probability asked for.

A ratio of two uncertain numbers has limits by Fieller's theorem: those r for which top - r bottom could be nothing.
They hold for small groups too, where the error of the ratio is not normal; if the bottom itself could be nothing, every
value is possible. A share that a model shows is never nothing, so what it divides has limits at every level.

A difference has limits by variance recovery (Zou and Donner, 2008): the distances to each one's own limits are put
together as errors are, so that lopsided limits stay lopsided. Limits of shares are taken before they are cut to what
each can be, as the difference of two shares of which nothing is known is anything from -1 to 1; but it is never below
the lowest of the one less the highest of the other, as they are cut. Those of means are cut first: a group is at the
end of a scale only if all of it is.

A small fraction's error is rather a part of it than a number beside it, so its limits are lopsided (`lopsided`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Protocol

from sottovoce._checks import check_fraction
from sottovoce.errors import QueryError

Limits = tuple[float, float]


def normal_factor(level: float) -> float:
    """Return how many standard deviations either side an interval of this level reaches.

    Example:
        >>> round(normal_factor(0.9), 3)
        1.645
    """
    level = check_fraction("level", level, error=QueryError, usual="0.9 is usual")
    return NormalDist().inv_cdf(min(0.5 + level / 2, math.nextafter(1.0, 0.0)))  # a level may round up to certainty


def student_level(level: float, freedom: int) -> float:
    """Return the level at which a normal interval reaches as far as Student's with so many degrees of freedom does.

    By the expansion of Fisher and Cornish (1960): to within 1 % for eleven degrees of freedom or more, up to 0.9999.

    Example:
        >>> round(normal_factor(student_level(0.9, 11)), 2)  # the table's 1.796
        1.8
        >>> round(normal_factor(student_level(0.999, 11)), 2)  # 4.437
        4.43
    """
    z = normal_factor(level)
    reach = (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
    return min(2 * NormalDist().cdf(reach) - 1, math.nextafter(1.0, 0.0))


class Belief(Protocol):
    """A number with limits at any level."""

    @property
    def value(self) -> float:
        """The estimate."""

    def limits(self, level: float) -> Limits:
        """Return where the truth lies with this probability."""

    def uncut(self, level: float) -> Limits:
        """Return the same limits before they are cut to what the number can be."""

    @property
    def bounds(self) -> Limits:
        """What the number can be."""


def _cut(limits: Limits, bounds: Limits) -> Limits:
    return max(bounds[0], limits[0]), min(bounds[1], limits[1])


def lopsided(value: float, limits: Limits, *, most: float = 1.0) -> Limits:
    """Return limits of a fraction that reach further towards one half.

    What is normal is rather the arcsine of a fraction's root. To second order a distance h there leads to
    value + h + h^2 (1 - 2 value) / (4 value (1 - value)). Away from one half the limit stays where it is, and towards
    it the distance grows by at most the part ``most`` of |1 - 2 value|.

    Args:
        value: The fraction.
        limits: Its limits if its own error is normal; not yet cut to 0 and 1.
        most: How far the expansion is trusted.

    Example:
        >>> low, high = lopsided(0.02, (0.01, 0.03))
        >>> low, round(high, 4)
        (0.01, 0.0312)
    """
    low, high = limits
    if not (0 <= value <= 1 and math.isfinite(high - low)):
        return limits
    curved = 4 * value * (1 - value)
    below, above = (d * (min(d / curved, most) if curved > 0 else most) for d in (value - low, high - value))
    return low - below * max(2 * value - 1, 0.0), high + above * max(1 - 2 * value, 0.0)


@dataclass(frozen=True, slots=True)
class Normal:
    """A number whose error is normal, cut to what it can be; everything possible where the error is unknown.

    Attributes:
        value: The estimate.
        deviation: Its standard error, infinite if unknown.
        lowest: The smallest that it can be.
        highest: The largest.
        fraction: Whether it is a fraction, whose limits are lopsided.
    """

    value: float
    deviation: float
    lowest: float = -math.inf
    highest: float = math.inf
    fraction: bool = False

    @classmethod
    def share(cls, value: float, deviation: float) -> Normal:
        """Return the belief in a fraction of people."""
        return cls(value, deviation, 0.0, 1.0, fraction=True)

    def limits(self, level: float) -> Limits:
        """Return the limits, without what cannot be."""
        return _cut(self.uncut(level), self.bounds)

    def uncut(self, level: float) -> Limits:
        """Return symmetric limits, lopsided ones of a fraction."""
        reach = normal_factor(level) * self.deviation
        if not math.isfinite(reach):
            return -math.inf, math.inf
        limits = self.value - reach, self.value + reach
        return lopsided(self.value, limits) if self.fraction else limits

    @property
    def bounds(self) -> Limits:
        """What the number can be."""
        return self.lowest, self.highest


@dataclass(frozen=True, slots=True)
class Ratio:
    """The ratio of two numbers whose errors are normal, with limits by Fieller's theorem.

    With u the error of top - value * bottom and w that of the bottom, both as parts of the bottom, the ratio is off by
    x = u / (1 + w), so the limits are those x for which (x - x w - u)^2 could be nothing: x^2 at most z^2 times the
    variance of u - x w.

    A bottom that is known to be above zero has an error that is rather a factor than a number beside it: with s the
    standard deviation of w its lower limit is not 1 - z s, which may be below nothing, but exp(-z s). So z s is taken
    for 1 - exp(-z s), which is the same as long as it is small.

    Attributes:
        value: The ratio.
        variance: Of u.
        bottom: The variance of w.
        covariance: Between u and w.
        lowest: The smallest that the ratio can be.
        highest: The largest.
        positive: Whether the bottom is known to be above zero.
        fraction: Whether the ratio is a fraction, whose limits are lopsided.
    """

    value: float
    variance: float
    bottom: float
    covariance: float
    lowest: float = -math.inf
    highest: float = math.inf
    positive: bool = False
    fraction: bool = False

    def limits(self, level: float) -> Limits:
        """Return the limits, cut to what the ratio can be; everything if the bottom could be nothing."""
        return _cut(self.uncut(level), self.bounds)

    def uncut(self, level: float) -> Limits:
        """Return the limits as Fieller's theorem has them, lopsided ones of a fraction."""
        square = normal_factor(level) ** 2
        if not math.isfinite(self.variance + self.bottom):
            return -math.inf, math.inf
        reach = math.sqrt(square * self.bottom)
        least = math.exp(-reach) if self.positive else 1 - reach  # of the bottom, as a part of its value
        if least <= 0:
            return -math.inf, math.inf
        leading = least * (2 - least)  # 1 - (1 - least)^2
        middle = -square * self.covariance * ((1 - least) / reach if reach > 0 else 1.0)
        product = square * self.variance
        root = math.sqrt(max(middle**2 + leading * product, 0.0))
        # both roots of leading x^2 - 2 middle x - product; that of the other sign by their product, as nothing cancels
        above = product / (root - middle) if middle < 0 else (middle + root) / leading
        below = product / (root + middle) if middle > 0 else (root - middle) / leading
        limits = self.value - below, self.value + above
        return lopsided(self.value, limits) if self.fraction else limits

    @property
    def bounds(self) -> Limits:
        """What the number can be."""
        return self.lowest, self.highest


@dataclass(frozen=True, slots=True)
class Fixed:
    """A number with limits at one level; at others they are scaled as a normal error's would be."""

    value: float
    known: Limits
    level: float

    def limits(self, level: float) -> Limits:
        """Return the limits, scaled to this level."""
        if level == self.level:
            return self.known
        factor = normal_factor(level) / normal_factor(self.level)
        low, high = self.known
        return self.value - factor * (self.value - low), self.value + factor * (high - self.value)

    def uncut(self, level: float) -> Limits:
        """Return the limits, which say nothing of how they were cut."""
        return self.limits(level)

    @property
    def bounds(self) -> Limits:
        """Anything."""
        return -math.inf, math.inf


def _distances(own: Belief, level: float) -> Limits:
    """Return how far limits reach below and above, before they are cut."""
    low, high = own.uncut(level)
    return own.value - low, high - own.value


def _as_cut(own: Belief, below: float, above: float) -> Limits:
    """Return these distances, of a mean as far as it can be: a group is at the end of a scale only if all of it is."""
    if not isinstance(own, Ratio) or own.fraction:
        return below, above
    return min(below, own.value - own.lowest), min(above, own.highest - own.value)


@dataclass(frozen=True, slots=True)
class Difference:
    """One number less another, with limits by variance recovery.

    Attributes:
        first: The one.
        second: What is subtracted.
        correlation: Between their errors.
        reach: The largest difference that there can be.
    """

    first: Belief
    second: Belief
    correlation: float = 0.0
    reach: float = math.inf

    @property
    def value(self) -> float:
        """The difference."""
        return self.first.value - self.second.value

    def limits(self, level: float) -> Limits:
        """Return the limits, cut to what the difference can be if both sides are within their own."""
        (low, high), (other_low, other_high) = self.first.limits(level), self.second.limits(level)
        return _cut(_cut(self.uncut(level), (low - other_high, high - other_low)), self.bounds)

    def uncut(self, level: float) -> Limits:
        """Return the limits by variance recovery."""
        (down, up), (other_down, other_up) = _distances(self.first, level), _distances(self.second, level)
        if not math.isfinite(down + up + other_down + other_up):
            return -math.inf, math.inf
        # what the two errors have in common moves both the same way, and cancels as far as it is of the same size
        common = abs(min(down, up) - min(other_down, other_up))
        (down, up), (other_down, other_up) = (
            _as_cut(own, *both) for own, both in ((self.first, (down, up)), (self.second, (other_down, other_up)))
        )
        return self.value - self._join(down, other_up, common), self.value + self._join(up, other_down, common)

    @property
    def bounds(self) -> Limits:
        """What the difference can be."""
        (lowest, highest), (other_lowest, other_highest) = self.first.bounds, self.second.bounds
        return max(-self.reach, lowest - other_highest), min(self.reach, highest - other_lowest)

    def _join(self, one: float, other: float, common: float) -> float:
        """Return how far two errors reach together: the usual sum of squares if ``common`` is their difference."""
        shared = abs(self.correlation)
        together = one + other if self.correlation < 0 else common
        return math.sqrt((1 - shared) * (one**2 + other**2) + shared * together**2)
