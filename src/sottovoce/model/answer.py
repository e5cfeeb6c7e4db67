"""Answers: a fraction of the crowd or a number about it, with an interval that says how far off it may be."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from sottovoce._checks import check_fraction, check_integer
from sottovoce.errors import QueryError
from sottovoce.model.evaluation import with_errors
from sottovoce.query.functional import Functional

INCLUDES = (
    "Intervals include the noise of randomised reports and the chance of who was asked what; "
    "they do not include people who lied, answered twice or did not take part."
)
"""What any interval holds and leaves out; a model adds what it knows of its own error."""


def normal_factor(level: float) -> float:
    """Return how many standard deviations either side an interval of this level reaches.

    Example:
        >>> round(normal_factor(0.9), 3)
        1.645
    """
    level = check_fraction("level", level, error=QueryError, usual="0.9 is usual")
    return NormalDist().inv_cdf(min(0.5 + level / 2, math.nextafter(1.0, 0.0)))  # a level may round up to certainty


def check_population(population: object) -> None:
    """Raise QueryError unless this is a number of people, or None."""
    if population is not None:
        check_integer("population, how many people the crowd stands for,", population, error=QueryError, least=1)


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """The estimated fraction of the crowd that a predicate selects.

    Attributes:
        fraction: The estimate.
        interval: (low, high), where the true fraction lies with probability ``level``.
        level: The interval's level.
        deviation: The standard error behind the interval; infinite if the model cannot know it.
        reports: How many reports the model was fitted to.
        where: The predicate, as asked.
        population: How many people the fraction is of, if stated.
        includes: What the interval includes, and what not.

    Example:
        >>> Answer.make(0.25, 0.01, level=0.9, reports=1000, where="age > 60", population=80_000)
        <Answer 25.0% (90% interval 23.4% to 26.6%), about 20,000 of 80,000 people (18,684 to 21,316), where age > 60>
    """

    fraction: float
    interval: tuple[float, float]
    level: float
    deviation: float
    reports: int
    where: str
    population: int | None = None
    includes: str = INCLUDES
    source: Any = field(default=None, compare=False)

    @classmethod
    def make(cls, fraction: float, deviation: float, *, level: float, **about: Any) -> Answer:
        """Return the answer whose interval follows from a standard error, cut to what a fraction can be."""
        settled = min(max(fraction, 0.0), 1.0)
        return cls(settled, fraction_interval(settled, deviation, level), level, deviation, **about)

    @property
    def count(self) -> float | None:
        """The expected number of people, if a population was stated."""
        return None if self.population is None else self.fraction * self.population

    @property
    def count_interval(self) -> tuple[float, float] | None:
        """The interval in people, if a population was stated."""
        return (
            None
            if self.population is None
            else (
                self.interval[0] * self.population,
                self.interval[1] * self.population,
            )
        )

    def __float__(self) -> float:
        return self.fraction

    def __str__(self) -> str:
        low, high = self.interval
        text = f"{percent(self.fraction)} ({self.level:.0%} interval {percent(low)} to {percent(high)})"
        if self.count is None or self.count_interval is None:
            return text
        fewest, most = self.count_interval
        return f"{text}, about {self.count:,.0f} of {self.population:,} people ({fewest:,.0f} to {most:,.0f})"

    def __repr__(self) -> str:
        return f"<Answer {self}, where {self.where}>"

    def _repr_html_(self) -> str:
        return (
            f"<p><b>{html.escape(str(self))}</b><br>where <code>{html.escape(self.where)}</code>; "
            f"{self.reports:,} reports<br><small>{html.escape(self.includes)}</small></p>"
        )


class Estimate(float):
    """A number about the crowd that carries its interval: a mean, a quantile, a difference.

    Example:
        >>> half = Estimate(41.5, interval=(40.9, 42.2), level=0.9)
        >>> half
        <Estimate 41.5 (90% interval 40.9 to 42.2)>
        >>> half + 1, half.interval
        (42.5, (40.9, 42.2))
    """

    interval: tuple[float, float]
    level: float
    includes: str
    source: Any

    def __new__(
        cls,
        value: float,
        *,
        interval: tuple[float, float],
        level: float,
        includes: str = INCLUDES,
        source: Any = None,
    ) -> Estimate:
        """Return the number with its interval."""
        made = super().__new__(cls, value)
        made.interval, made.level, made.includes, made.source = interval, level, includes, source
        return made

    @property
    def deviation(self) -> float:
        """The standard error that the interval's width stands for."""
        return (self.interval[1] - self.interval[0]) / 2 / normal_factor(self.level)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{float(self):.6g} ({self.level:.0%} interval {low:.6g} to {high:.6g})"

    def __repr__(self) -> str:
        return f"<Estimate {self}>"

    def _repr_html_(self) -> str:
        return f"<p><b>{html.escape(str(self))}</b><br><small>{html.escape(self.includes)}</small></p>"


def fraction_interval(fraction: float, deviation: float, level: float) -> tuple[float, float]:
    """Return the interval of a fraction: symmetric, cut to 0 and 1; everything possible where the error is unknown."""
    reach = normal_factor(level) * deviation
    if not math.isfinite(reach):
        return 0.0, 1.0
    return max(0.0, fraction - reach), min(1.0, fraction + reach)


def percent(fraction: float) -> str:
    """Return a fraction in percent, with more digits where it is small.

    Example:
        >>> percent(0.1234), percent(0.00123)
        ('12.3%', '0.12%')
    """
    return f"{fraction:.2%}" if 0 < abs(fraction) < 0.01 else f"{fraction:.1%}"


def difference(first: Answer | Estimate, second: Answer | Estimate, *, level: float = 0.9) -> Estimate:
    """Return ``first`` minus ``second``, with an interval: two groups of one model, or two collections.

    Fractions and means of one model share its errors, which partly cancel; what comes from two collections is taken as
    independent, and so are quantiles.
    """
    for given in (first, second):
        if not isinstance(given, Answer | Estimate):
            raise QueryError(f"difference takes two answers, or two estimates, got {type(given).__name__}")
    if isinstance(first, Answer) != isinstance(second, Answer):
        raise QueryError(f"a fraction and a number cannot be subtracted: got {first!r} and {second!r}")
    if first.source is not None and second.source is not None and first.source[0] is second.source[0]:
        model = first.source[0]
        negative = [(-coefficient, weights) for coefficient, weights in second.source[1].products]
        deviation = float(with_errors(model, [Functional((*first.source[1].products, *negative))])[1][0])
    else:
        deviation = math.hypot(first.deviation, second.deviation)
    gap, reach = float(first) - float(second), normal_factor(level) * deviation
    low, high = gap - reach, gap + reach
    if isinstance(first, Answer):
        low, high = max(-1.0, low), min(1.0, high)
    return Estimate(gap, interval=(low, high), level=level, includes=first.includes)
