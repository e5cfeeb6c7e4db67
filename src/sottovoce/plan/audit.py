"""The privacy certificate in words: what a plan's exact audit means for one person."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal

from sottovoce.channels.exact import log_ratio
from sottovoce.plan.plan import Audit, Plan


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
