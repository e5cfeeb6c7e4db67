"""What liars can do, exactly: how far people who send whatever they like can move a question's raw estimate.

A client picks its own question, so liars all pick the one where they count most. The m liars among n honest reports of
a question move its raw coefficient by at most **m (1 + 1/tau) / (n + m)**: a lie counts 1/tau at the most, where tau
is the channel's attenuation, and it takes the place of an honest answer of at most 1. This holds for the frequency of
every cell, under randomised response for every sum of cells and every sign pattern, and for a parity, whatever the
lies are.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

from sottovoce.plan.questions import Questions

LIAR_RATES = (Fraction(1, 1000), Fraction(1, 100))
"""The parts of a crowd for which audits and collectors say what they could do if they lied."""


@dataclass(frozen=True, slots=True)
class Influence:
    """The most that liars can move the raw estimate of any one question.

    Attributes:
        liars: How many there are.
        bound: The most that they move it, as a fraction of the crowd; above 1 they can make it anything.
        question: The index of the question where they do.
    """

    liars: int
    bound: float
    question: int


def influence_bound(liars: float, reports: float, attenuation: float) -> float:
    """Return the most by which liars move a raw coefficient that so many honest people answered.

    Args:
        liars: How many people send what they like.
        reports: How many honest people answered the same question.
        attenuation: How much of a coefficient is left after the channel's noise, from 0 to 1.

    Returns:
        A fraction; above 1 they can make it anything.

    Example:
        >>> influence_bound(10, 990, 0.5)
        0.03
    """
    return liars * (1 + 1 / attenuation) / (reports + liars) if liars else 0.0


def largest_influence(questions: Questions, users: int, liars: int) -> Influence | None:
    """Return the worst case over all questions that are asked; None if none of them has a raw coefficient.

    Args:
        questions: A plan's questions.
        users: How many honest people report; each question gets its share of them.
        liars: How many people lie.
    """
    import numpy as np

    total = int(questions.shares.sum())
    worst: Influence | None = None
    for start, stop in itertools.pairwise(questions.offsets):
        shares, codes = questions.shares[start:stop], questions.codes[start:stop]
        for size in np.unique(codes[shares > 0]):  # one channel for each size: its rarest question is its weakest
            among = np.flatnonzero((codes == size) & (shares > 0))
            question = start + int(among[shares[among].argmin()])
            left = questions[question].channel.attenuation
            if left is None:
                continue
            bound = influence_bound(liars, users * int(questions.shares[question]) / total, left)
            if worst is None or bound > worst.bound:
                worst = Influence(liars, bound, question)
    return worst


def influence_of_liars(questions: Questions, users: int) -> list[Influence]:
    """Return the worst case for each of `LIAR_RATES` of ``users`` people, where there is a raw coefficient."""
    worst = [largest_influence(questions, users, math.ceil(users * rate)) for rate in LIAR_RATES] if users else []
    return [influence for influence in worst if influence is not None]
