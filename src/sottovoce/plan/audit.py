"""The audit: what a plan promises one person, computed exactly from its integers, and said in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from sottovoce.channels import KINDS, Channel
from sottovoce.channels.exact import log_ratio
from sottovoce.channels.plugins import table_ratio
from sottovoce.plan.influence import Influence, influence_of_liars
from sottovoce.plan.questions import Questions

if TYPE_CHECKING:
    from sottovoce.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class Audit:
    """What a plan really promises, computed from its integer probabilities.

    Attributes:
        epsilon: The exact worst case over all questions, never above ``limit``.
        limit: The epsilon that was asked for.
        ratio: The worst ratio itself, e^epsilon as a fraction of integers.
        question: The index of a question that attains it.
        channel: That question's channel.
        influence: The most that 0.1 % and 1 % of liars among the expected users can move a question's raw estimate.
    """

    epsilon: float
    limit: float
    ratio: Fraction
    question: int
    channel: str
    influence: tuple[Influence, ...]


def audit_questions(questions: Questions, users: int) -> Audit:
    """Return the exact worst case over all questions, a question that attains it, and what liars among users can do."""
    worst: tuple[Fraction, int, Channel] | None = None
    seen: set[tuple[str, int, int]] = set()
    for index, channel in questions.channels():
        table = channel.kind, channel.cells, channel.codes
        if table in seen:
            continue
        seen.add(table)
        ratio = channel.worst_ratio() if channel.kind in KINDS else table_ratio(channel)
        if worst is None or ratio > worst[0]:
            worst = ratio, index, channel
    assert worst is not None
    ratio, index, channel = worst
    influence = tuple(influence_of_liars(questions, users))
    return Audit(float(log_ratio(ratio)), float(questions.epsilon), ratio, index, channel.kind, influence)


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


def influence_words(influence: Influence, users: int) -> str:
    """Return what liars can do to a plan's raw estimates, in plain words."""
    moved = f"by at most {influence.bound:.1%} of the crowd" if influence.bound < 1 else "to anything"
    return (
        f"{influence.liars:,} liars among {users:,} people ({influence.liars / users:.1%}) move the raw estimate of a "
        f"question {moved} (question {influence.question})."
    )
