"""The audit: what a plan promises one person, computed exactly from its integers, and said in plain words."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from sottovoce._checks import check_fraction, check_integer
from sottovoce.channels import GRR, KINDS, Channel, LocalHash, Parity
from sottovoce.channels.exact import log_ratio
from sottovoce.channels.plugins import table_facts
from sottovoce.errors import PlanError
from sottovoce.plan.influence import Influence, influence_of_liars
from sottovoce.plan.questions import Questions
from sottovoce.plan.shuffling import Blanket, Shuffled, shuffled_epsilon
from sottovoce.schema.notebook import facts_html

if TYPE_CHECKING:
    from sottovoce.plan.plan import Plan


@dataclass(frozen=True, slots=True, repr=False)
class Audit:
    """What a plan really promises, computed from its integer probabilities.

    Attributes:
        epsilon: The exact worst case over all questions, never above ``limit``.
        limit: The epsilon that was asked for.
        ratio: The worst ratio itself, e^epsilon as a fraction of integers.
        question: The index of a question that attains it.
        channel: That question's channel.
        variation: The largest total variation between two records' reports, the questions weighed by their shares;
            a bound of it where records cannot differ in all questions at once.
        blanket: How often a report is drawn as if it looked at no record, the questions weighed by their shares.
        bits: Whether every report is, but for what is drawn without looking, one bit by randomised response.
        binary: Whether everybody answers one question of two cells by randomised response.
        waves: How often people are asked again; 1 where they are not.
        influence: The most that 0.1 % and 1 % of liars among the expected users can move a question's raw estimate.
    """

    epsilon: float
    limit: float
    ratio: Fraction
    question: int
    channel: str
    variation: Fraction
    blanket: Fraction
    influence: tuple[Influence, ...]
    bits: bool = False
    binary: bool = False
    waves: int = 1

    @property
    def lifetime(self) -> float:
        """The worst case over all pairs of histories, one record for every wave, and all that a device ever sends.

        A device reports in one wave that it drew without looking, and is silent in the others. So what it sends in all
        has the probability of its turn, which is the same for every history, times that of one report: the worst ratio
        is that of one report, between histories that change at the same waves and between any others alike.
        """
        return self.epsilon

    def shuffled(self, *, users: int, delta: float) -> Shuffled:
        """Return what holds for whoever sees only counts of at least so many reports together.

        It rests on trust that the epsilon of one report does without: whoever could see single reports, with when or
        whence they came or which question a device was given, must not look, and must keep none of it.

        Args:
            users: The least number of reports between two releases, for every plan and wave by itself.
            delta: How much probability is exempt from the promise; far below one in so many users.

        Raises:
            PlanError: If either is not such a number.

        Example:
            >>> import sottovoce as sv
            >>> schema = sv.Schema([sv.Ordinal("age", 0, 63), sv.Ordinal("hours", 0, 63)])
            >>> audit = sv.Plan.create(schema, epsilon=1, users=1_000_000).audit()
            >>> round(audit.shuffled(users=1_000_000, delta=1e-9).epsilon, 3)
            0.005
        """
        users = check_integer("users", users, error=PlanError, least=1)
        delta = check_fraction("delta", delta, error=PlanError, usual="1e-9 is a common choice")
        blanket = Blanket(self.ratio, self.variation, 1 - self.blanket)
        epsilon = shuffled_epsilon(blanket, users=users, delta=delta, bits=self.bits, binary=self.binary)
        return Shuffled(epsilon, users, delta, self.epsilon)

    def __repr__(self) -> str:
        return f"<Audit: epsilon {self.epsilon:.15g}, at most {self.limit:g}; question {self.question}, {self.channel}>"

    def _repr_html_(self) -> str:
        facts = {
            "exact epsilon": exact_words(self),
            "asked for": f"at most {self.limit:g}",
            "attained by": f"question {self.question}, answered through {self.channel}",
            "promise": promise(self),
        }
        liars = {
            f"{each.liars:,} liars": f"move a raw estimate by at most {each.bound:.1%}"
            if each.bound < 1
            else "can make a raw estimate anything"
            for each in self.influence
        }
        return facts_html("Audit", facts | liars)


def audit_questions(questions: Questions, users: int) -> Audit:
    """Return the exact worst case over all questions, a question that attains it, and what liars among users can do."""
    worst: tuple[Fraction, int, Channel] | None = None
    variations, blankets = [Fraction(0)] * len(questions.families), [Fraction(1)] * len(questions.families)
    bits = True
    for index, channel in questions.channels():
        number = bisect.bisect_right(questions.offsets, index) - 1
        if channel.kind in KINDS:
            ratio, blanket, variation = channel.worst_ratio(), channel.blanket(), channel.variation()
        else:  # what it says of itself is not relied on; no two cells differ more often than outside of the blanket
            ratio, blanket = table_facts(channel)
            variation, bits = 1 - blanket, False
        variations[number] = max(variations[number], variation)
        blankets[number] = min(blankets[number], blanket)
        bits = bits and _response_values(channel) == 2
        if worst is None or ratio > worst[0]:
            worst = ratio, index, channel
    assert worst is not None
    ratio, index, channel = worst
    shares = [family.total_share for family in questions.families]
    influence = tuple(influence_of_liars(questions, users))
    return Audit(
        epsilon=float(log_ratio(ratio)),
        limit=float(questions.epsilon),
        ratio=ratio,
        question=index,
        channel=channel.kind,
        variation=_weighed(shares, variations),
        blanket=_weighed(shares, blankets),
        influence=influence,
        bits=bits,
        binary=bits and questions.per_wave == 1 and channel.codes == 2,
        waves=questions.waves,
    )


def _response_values(channel: Channel) -> int | None:
    """Return among how many values a channel's randomised response is, or None if it is another kind of channel.

    Of two values the weights depend on epsilon alone, so all of a plan's channels turn a bit round alike.
    """
    if isinstance(channel, GRR):
        return channel.cells
    return channel.response.cells if isinstance(channel, Parity | LocalHash) else None


def _weighed(shares: list[int], values: list[Fraction]) -> Fraction:
    """Return the mean of a value of every family, weighed by their shares."""
    return sum((share * value for share, value in zip(shares, values, strict=True)), Fraction(0)) / sum(shares)


def exact_words(audit: Audit) -> str:
    """Return the exact epsilon to twenty digits: enough to see that it is not above the one asked for.

    Rounded down at the last digit, as a bound that is attained must not look larger than it is.
    """
    return format(log_ratio(audit.ratio).quantize(Decimal(10) ** -20, rounding=ROUND_FLOOR), "f")


def promise(audit: Audit) -> str:
    """Return what a plan's worst ratio of probabilities means for one person, in plain words."""
    return ratio_words(float(audit.ratio))


def ratio_words(worst: float) -> str:
    """Return what a worst ratio of probabilities means for one person, in plain words."""
    low, high = 1 / (1 + worst), worst / (1 + worst)
    return (
        f"One report shifts anyone's odds between any two possible records by a factor of at most {worst:.6g}: "
        f"whoever thought it even before (50%) is left between {low:.1%} and {high:.1%}, whatever else they know."
    )


def scope_words(plan: Plan, audit: Audit) -> str:
    """Return what a plan's audit covers and against whom it holds, in plain words."""
    return (
        f"This is the worst case over all {len(plan.questions):,} questions, all answers and all pairs of people, "
        f"computed from the whole numbers by which devices draw; question {audit.question} attains it. It holds "
        "though whoever runs the server is the attacker. It is the promise for one report: people who answer other "
        "collections give away as much again for each, and that someone took part is not hidden."
    )


def shuffled_words(shuffled: Shuffled) -> list[str]:
    """Return what a shuffled crowd is promised, who must be trusted for it, and what holds if they are not."""
    worst = math.exp(shuffled.epsilon)
    return [
        f"Whoever sees only counts of {shuffled.users:,} reports or more together learns less: replacing one person's "
        f"record changes the chance of any answer by a factor of at most {worst:.6g} (central epsilon "
        f"{round_up(shuffled.epsilon)}), but for a chance of {shuffled.delta:g}. From 50% that leaves between "
        f"{1 / (1 + worst):.2%} and {worst / (1 + worst):.2%}.",
        "For that the collector must be trusted to release counts, status and answers only in steps of "
        f"{shuffled.users:,} reports (serve --release-step {shuffled.users}), and to keep neither single reports nor "
        "when or whence they came; it is void for whoever saw which question a device was given.",
        f"If they break their word, one report still gives away no more than epsilon {shuffled.local:.6g}.",
    ]


def round_up(epsilon: float) -> str:
    """Return an epsilon to three digits, rounded up, as a promise must not look smaller than it is.

    Example:
        >>> round_up(0.0041203)
        '0.00413'
    """
    return f"{Decimal(epsilon).normalize(Context(prec=3, rounding=ROUND_CEILING)):f}"


def waves_words(audit: Audit) -> list[str]:
    """Return what a plan with waves promises over all of them, in plain words; nothing where there are none."""
    if audit.waves == 1:
        return []
    exact = exact_words(audit)
    return [
        f"People are asked in {audit.waves} waves and report in one, which their device draws at joining: silence in "
        "the others is part of the draw and tells nothing.",
        f"Over a lifetime, all reports of a device linked: epsilon {exact} among histories that change at the same "
        f"waves, epsilon {exact} among all histories, however often somebody changes.",
    ]


def influence_words(influence: Influence, users: int) -> str:
    """Return what liars can do to a plan's raw estimates, in plain words."""
    moved = f"by at most {influence.bound:.1%} of the crowd" if influence.bound < 1 else "to anything"
    return (
        f"{influence.liars:,} liars among {users:,} people ({influence.liars / users:.1%}) move the raw estimate of a "
        f"question {moved} (question {influence.question})."
    )
