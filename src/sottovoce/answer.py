"""Answers: a fraction of the crowd or a number about it, with an interval that says how far off it may be."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from sottovoce.errors import QueryError

INCLUDES = (
    "The interval covers the noise of randomised reports, the chance of who was asked what, and the fit's own error; "
    "it does not cover people who lied, answered twice or did not answer."
)


def normal_factor(level: float) -> float:
    """Return how many standard deviations either side an interval of this level reaches.

    Example:
        >>> round(normal_factor(0.9), 3)
        1.645
    """
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise QueryError(f"level is a number above 0 and below 1, got {level!r}; 0.9 is usual")
    return NormalDist().inv_cdf(0.5 + level / 2)


@dataclass(frozen=True, slots=True)
class Answer:
    """The estimated fraction of the crowd that a predicate selects.

    Attributes:
        fraction: The estimate.
        interval: (low, high), where the true fraction lies with probability ``level``.
        level: The interval's level.
        deviation: The standard error behind the interval.
        reports: How many reports the model was fitted to.
        population: How many people the fraction is of, if stated.
        where: The predicate, as asked.
    """

    fraction: float
    interval: tuple[float, float]
    level: float
    deviation: float
    reports: int
    where: str
    population: int | None = None
    source: Any = field(default=None, repr=False, compare=False)

    @classmethod
    def make(cls, fraction: float, deviation: float, *, level: float, **about: Any) -> Answer:
        """Return the answer whose interval follows from a standard error, cut to what a fraction can be."""
        settled = min(max(fraction, 0.0), 1.0)
        return cls(settled, fraction_interval(settled, deviation, level), level, deviation, **about)

    @property
    def count(self) -> float | None:
        """The expected number of people, if a population was stated."""
        return None if self.population is None else self.fraction * self.population

    def __float__(self) -> float:
        return self.fraction

    def __str__(self) -> str:
        low, high = self.interval
        people = f", about {self.count:,.0f} of {self.population:,} people" if self.population is not None else ""
        return f"{self.fraction:.1%} ({low:.1%} to {high:.1%}){people}; {self.reports:,} reports"

    def __repr__(self) -> str:
        return f"<Answer {self}, where {self.where}>"

    def _repr_html_(self) -> str:
        return (
            f'<p title="{html.escape(INCLUDES)}"><b>{html.escape(str(self))}</b><br>where {html.escape(self.where)}</p>'
        )


class Estimate(float):
    """A number about the crowd that carries its interval: a mean, a quantile, a difference.

    Example:
        >>> half = Estimate(41.5, interval=(40.9, 42.2), level=0.9)
        >>> half + 1, half.interval
        (42.5, (40.9, 42.2))
    """

    interval: tuple[float, float]
    level: float

    def __new__(cls, value: float, *, interval: tuple[float, float], level: float) -> Estimate:
        """Return the number with its interval."""
        made = super().__new__(cls, value)
        made.interval, made.level = interval, level
        return made

    def __repr__(self) -> str:
        low, high = self.interval
        return f"<Estimate {float(self):.6g} ({low:.6g} to {high:.6g})>"


def fraction_interval(fraction: float, deviation: float, level: float) -> tuple[float, float]:
    """Return the interval of a fraction: symmetric, cut to 0 and 1; everything possible where the error is unknown."""
    reach = normal_factor(level) * deviation
    if not math.isfinite(reach):
        return 0.0, 1.0
    return max(0.0, fraction - reach), min(1.0, fraction + reach)
