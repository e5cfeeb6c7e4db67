"""Answers: a fraction of the crowd or a number about it, with an interval, and how much of it was measured."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Required, TypedDict, Unpack

from sottovoce._checks import check_integer
from sottovoce.errors import QueryError
from sottovoce.model.belief import Belief, Difference, Fixed, Normal, normal_factor
from sottovoce.model.evaluation import Assessed, assess, correlation_from
from sottovoce.query.functional import Functional, less

if TYPE_CHECKING:
    from sottovoce.model.model import Model

INTERVAL_NOTE = (
    "Intervals include the noise of randomised reports and the chance of who was asked what; "
    "they do not include people who lied, answered twice or did not take part."
)
"""What any interval holds and leaves out; a model adds what it knows of its own error."""

MEASURED, MOSTLY_MEASURED, ASSUMED = 0.8, 0.5, 0.2
"""Above the first an answer was measured, above the second mostly so, and below the last it was assumed."""

TOLD_NINE_IN_TEN = normal_factor(0.9) + normal_factor(0.8)
"""How many standard errors a difference must be to be told from none, at level 0.9, nine times in ten."""


def check_population(population: object) -> None:
    """Raise QueryError unless this is a number of people, or None."""
    if population is not None:
        check_integer("population, how many people the crowd stands for,", population, error=QueryError, least=1)


def evidence_words(evidence: float | None) -> str:
    """Return in words how much of an answer was measured rather than assumed; nothing where a model cannot tell.

    Example:
        >>> evidence_words(0.93), evidence_words(0.1)
        ('measured', 'assumed: these reports can hardly tell')
    """
    if evidence is None or math.isnan(evidence):
        return ""
    if evidence >= MEASURED:
        return "measured"
    if evidence >= MOSTLY_MEASURED:
        return "mostly measured"
    return "partly assumed" if evidence >= ASSUMED else "assumed: these reports can hardly tell"


@dataclass(frozen=True, slots=True)
class Source:
    """What an answer came from, so that differences between answers of one model know what errors they share.

    Attributes:
        model: The model.
        functional: The influence function: what the answer's error is to first order.
        belief: Its limits at any level.
        direct: The direct answer's, if there is one.
        plain: The direct answer's influence function, where that is another.
    """

    model: Model
    functional: Functional
    belief: Belief
    direct: Belief | None = None
    plain: Functional | None = None

    def less(self, other: Source, *, plain: bool) -> Assessed:
        """Return what is known of this answer's error, the other's and their difference; of direct ones if plain."""
        one, two = ((plain and own.plain) or own.functional for own in (self, other))
        return assess(self.model, [one, two, less(one, two)])


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What an answer came from that a collector gave: it is asked there how two of its answers differ.

    Attributes:
        model: Which model answered; the same for answers whose errors go together.
        question: What was asked, as the collector takes it; None where it cannot be asked again by itself.
        subtract: Returns the difference of two questions, with an interval of some level.
    """

    model: tuple[object, ...]
    question: Mapping[str, object] | None
    subtract: Callable[[Mapping[str, object], Mapping[str, object], float], Estimate]

    def less(self, other: Elsewhere, level: float) -> Estimate:
        """Return this answer minus another of the same model."""
        if self.question is None or other.question is None:
            raise QueryError(
                "the difference of two lines of a comparison is not known to a collector: "
                "ask for both with answer or mean, and take the difference of those"
            )
        return self.subtract(self.question, other.question, level)

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()  # a copy in a file or another process has no collector to ask

    def __deepcopy__(self, memo: object) -> Elsewhere:
        return self


class _Uncertain(float):
    """A number that carries its interval: it compares, sorts, computes and formats as the number, and never changes."""

    interval: tuple[float, float]
    level: float
    interval_note: str
    evidence: float | None
    direct: Estimate | None
    source: Source | Elsewhere | None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be set: answers are values; ask the model again")

    def __reduce__(self) -> tuple[Callable[..., _Uncertain], tuple[object, ...]]:
        return _restore, (type(self), float(self), vars(self).copy())

    @property
    def basis(self) -> str:
        """How much of it was measured, in words."""
        return evidence_words(self.evidence)


def _restore(kind: type[_Uncertain], value: float, about: dict[str, Any]) -> _Uncertain:
    """Return the number that was copied or pickled."""
    made = float.__new__(kind, value)
    vars(made).update(about)
    return made


class _About(TypedDict, total=False):
    """What an answer knows beside its number and interval."""

    reports: Required[int]
    where: Required[str]
    population: int | None
    interval_note: str
    evidence: float | None
    direct: Estimate | None
    source: Source | Elsewhere | None


class Answer(_Uncertain):
    """The estimated fraction of the crowd that a predicate selects, as a number from 0 to 1.

    Attributes:
        interval: (low, high), where the true fraction lies with probability ``level``.
        level: The interval's confidence level.
        deviation: The standard error behind the interval; infinite if the model cannot know it.
        reports: How many reports the model was fitted to.
        where: The predicate, as asked.
        population: How many people the fraction is of, if stated.
        interval_note: What the interval includes, and what not.
        evidence: How much of it was measured rather than assumed, 0 to 1; None where the model cannot tell.
        direct: What the reports themselves say, where these attributes were asked together: unbiased, mostly wider.

    Example:
        >>> older = Answer.make(0.25, 0.01, level=0.9, reports=1000, where="age > 60", population=80_000)
        >>> older
        <Answer 25.0% (90% interval 23.4% to 26.7%), about 20,000 of 80,000 people (18,684 to 21,330), where age > 60>
        >>> older > 0.2, 2 * older, f"{older:.0%}"
        (True, 0.5, '25%')
    """

    deviation: float
    reports: int
    where: str
    population: int | None

    def __new__(  # noqa: PLR0913 - a value with that many parts, all but the first by name
        cls,
        fraction: float,
        *,
        interval: tuple[float, float],
        level: float,
        deviation: float,
        reports: int,
        where: str,
        population: int | None = None,
        interval_note: str = INTERVAL_NOTE,
        evidence: float | None = None,
        direct: Estimate | None = None,
        source: Source | Elsewhere | None = None,
    ) -> Answer:
        """Return the fraction with its interval and what is known of it."""
        made = super().__new__(cls, fraction)
        vars(made).update(interval=interval, level=level, deviation=deviation, reports=reports, where=where)
        vars(made).update(population=population, interval_note=interval_note, evidence=evidence)
        vars(made).update(direct=direct, source=source)
        return made

    @classmethod
    def make(cls, fraction: float, deviation: float, *, level: float, **about: Unpack[_About]) -> Answer:
        """Return the answer whose interval follows from a standard error, cut to what a fraction can be.

        Args:
            fraction: The estimate, cut to 0 and 1.
            deviation: Its standard error.
            level: The interval's confidence level.
            **about: The answer's other attributes.
        """
        cut = min(max(fraction, 0.0), 1.0)
        interval = fraction_interval(cut, deviation, level)
        return cls(cut, interval=interval, level=level, deviation=deviation, **about)

    @property
    def fraction(self) -> float:
        """The estimate, as a plain number."""
        return float(self)

    @property
    def count(self) -> float | None:
        """The expected number of people, if a population was stated."""
        return None if self.population is None else self.fraction * self.population

    @property
    def count_interval(self) -> tuple[float, float] | None:
        """The interval in people, if a population was stated."""
        if self.population is None:
            return None
        return self.interval[0] * self.population, self.interval[1] * self.population

    def __str__(self) -> str:
        low, high = self.interval
        text = f"{percent(self.fraction)} ({self.level:.0%} interval {percent(low)} to {percent(high)})"
        if self.count is not None and self.count_interval is not None:
            fewest, most = self.count_interval
            text += f", about {self.count:,.0f} of {self.population:,} people ({fewest:,.0f} to {most:,.0f})"
        return text + _caution(self.evidence)

    def __repr__(self) -> str:
        return f"<Answer {self}, where {self.where}>"

    def _repr_html_(self) -> str:
        basis = f"; {html.escape(self.basis)}" if self.basis else ""
        return (
            f"<p><b>{html.escape(str(self))}</b><br>where <code>{html.escape(self.where)}</code>; "
            f"{self.reports:,} reports{basis}<br><small>{html.escape(self.interval_note)}</small></p>"
        )


class Estimate(_Uncertain):
    """A number about the crowd that carries its interval: a mean, a quantile, a difference.

    Attributes:
        interval: (low, high), where the truth lies with probability ``level``.
        level: The interval's confidence level.
        interval_note: What the interval includes, and what not.
        evidence: How much of it was measured rather than assumed, 0 to 1; None where the model cannot tell.
        direct: What the reports themselves say, where these attributes were asked together: unbiased, mostly wider.

    Example:
        >>> half = Estimate(41.5, interval=(40.9, 42.2), level=0.9)
        >>> half
        <Estimate 41.5 (90% interval 40.9 to 42.2)>
        >>> half + 1, half.interval
        (42.5, (40.9, 42.2))
    """

    def __new__(  # noqa: PLR0913 - a value with that many parts, all but the first by name
        cls,
        value: float,
        *,
        interval: tuple[float, float],
        level: float,
        interval_note: str = INTERVAL_NOTE,
        evidence: float | None = None,
        direct: Estimate | None = None,
        source: Source | Elsewhere | None = None,
    ) -> Estimate:
        """Return the number with its interval and what is known of it."""
        made = super().__new__(cls, value)
        vars(made).update(interval=interval, level=level, interval_note=interval_note)
        vars(made).update(evidence=evidence, direct=direct, source=source)
        return made

    @property
    def deviation(self) -> float:
        """The standard error that the interval's width stands for."""
        return (self.interval[1] - self.interval[0]) / 2 / normal_factor(self.level)

    def visible(self) -> float:
        """Return the smallest value that the reports behind it could tell from none nine times in ten.

        From the interval, or from the direct answer's where that is wider: what was never asked is in the one, the
        noise of the reports alone in the other.
        """
        return TOLD_NINE_IN_TEN * max(own.deviation for own in (self, self.direct) if own is not None)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{float(self):.6g} ({self.level:.0%} interval {low:.6g} to {high:.6g}){_caution(self.evidence)}"

    def __repr__(self) -> str:
        return f"<Estimate {self}>"

    def _repr_html_(self) -> str:
        return f"<p><b>{html.escape(str(self))}</b><br><small>{html.escape(self.interval_note)}</small></p>"


def difference(first: Answer | Estimate, second: Answer | Estimate, *, level: float = 0.9) -> Estimate:
    """Return ``first`` minus ``second``, with an interval: two groups of one model, or two collections.

    Fractions and means of one model share its errors, which partly cancel; what comes from two collections is taken as
    independent, and so are quantiles.

    Args:
        first: An answer or an estimate.
        second: Another of the same kind.
        level: The probability with which the interval should hold the true difference.

    Raises:
        QueryError: For anything else, or a fraction beside a number.
    """
    for given in (first, second):
        if not isinstance(given, Answer | Estimate):
            raise QueryError(f"difference takes two answers, or two estimates, got {type(given).__name__}")
    if isinstance(first, Answer) != isinstance(second, Answer):
        raise QueryError(f"a fraction and a number cannot be subtracted: got {first!r} and {second!r}")
    normal_factor(level)
    one, other = first.source, second.source
    if isinstance(one, Elsewhere) and isinstance(other, Elsewhere) and one.model == other.model:
        return one.less(other, level)
    reach = 1.0 if isinstance(first, Answer) else math.inf
    if not (isinstance(one, Source) and isinstance(other, Source) and one.model.is_same(other.model)):
        belief = Difference(_belief(first), _belief(second), reach=reach)
        return Estimate(belief.value, interval=belief.limits(level), level=level, interval_note=first.interval_note)
    found = one.less(other, plain=False)
    belief = Difference(one.belief, other.belief, correlation_from(*found.errors.tolist()), reach)
    direct = None
    if one.direct is not None and other.direct is not None:
        apart = found if one.plain is other.plain is None else one.less(other, plain=True)
        beyond = Difference(one.direct, other.direct, correlation_from(*apart.direct_errors.tolist()))
        direct = Estimate(beyond.value, interval=beyond.limits(level), level=level)
    return Estimate(
        belief.value,
        interval=belief.limits(level),
        level=level,
        interval_note=first.interval_note,
        evidence=found.evidence[2],
        direct=direct,
    )


def _belief(given: Answer | Estimate) -> Belief:
    source = given.source
    return source.belief if isinstance(source, Source) else Fixed(float(given), given.interval, given.level)


def fraction_interval(fraction: float, deviation: float, level: float) -> tuple[float, float]:
    """Return the interval of a fraction: lopsided, cut to 0 and 1; everything possible where the error is unknown.

    Args:
        fraction: The estimate.
        deviation: Its standard error; NaN or infinite where it is unknown.
        level: The probability with which the interval should hold the truth.

    Returns:
        (low, high).
    """
    return Normal.share(fraction, deviation).limits(level)


def percent(fraction: float) -> str:
    """Return a fraction in percent, with more digits where it is small.

    Example:
        >>> percent(0.1234), percent(0.00123)
        ('12.3%', '0.12%')
    """
    return f"{fraction:.2%}" if 0 < abs(fraction) < 0.01 else f"{fraction:.1%}"


def plain_number(value: float) -> str:
    """Return a number as people write it: three digits that count, thousands apart, no exponent.

    Example:
        >>> plain_number(31382.9), plain_number(12.345), plain_number(-0.01234)
        ('31,383', '12.3', '-0.0123')
    """
    size = abs(value)
    if not math.isfinite(value) or size == 0:
        return f"{value:g}"
    return f"{value:,.{max(0, 2 - math.floor(math.log10(size)))}f}"


def _caution(evidence: float | None) -> str:
    """Return a word of caution for what was assumed, to stand behind a number."""
    return f" [{evidence_words(evidence)}]" if evidence is not None and evidence < ASSUMED else ""
