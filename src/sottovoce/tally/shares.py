"""How many reports each question should have got: by one plan's shares, or by a mixture of those of a collection.

A report that names its collection alone may have been drawn by any of the collection's plans, and counting puts it
under one of them. What is then still true of the reports under a plan: they come from *some* mixture of the shares of
the collection's plans. So they are compared with the likeliest mixture. Every sound collection has one that fits, and
with one plan the mixture is that plan's shares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from sottovoce._types import Floats, Integers
from sottovoce.plan.plan import SHARES, Plan

_STEPS = 2000
_CLOSE = 0.01
"""The search for a mixture ends when no other is likelier by more than a factor of e^0.01."""


def expected_shares(totals: Integers, plans: Iterable[Plan]) -> Floats:
    """Return the likeliest share of every question, wave by wave, under some mixture of plans.

    Args:
        totals: How many reports each question got.
        plans: The plans of one collection. Those of earlier rounds have fewer questions, all of which come first.

    Returns:
        Shares that sum to one in every wave that has reports; of a wave without, those of the last plan.
    """
    different: dict[bytes, Floats] = {}
    waves = 1
    for plan in plans:
        shares = np.zeros(len(totals))
        shares[: len(plan.questions)] = plan.questions.shares / SHARES
        waves = plan.questions.waves
        different[shares.tobytes()] = shares.reshape(waves, -1)
    found = [
        likeliest_mixture(one, np.stack([shares[wave] for shares in different.values()]))
        for wave, one in enumerate(totals.reshape(waves, -1))
    ]
    return np.concatenate(found)


def likeliest_mixture(totals: Integers, shares: Floats) -> Floats:
    """Return the mixture of rows of shares under which totals are likeliest, by expectation and maximisation.

    Example:
        >>> likeliest_mixture(np.array([30, 70]), np.array([[0.2, 0.8], [0.6, 0.4]])).round(3).tolist()
        [0.3, 0.7]
    """
    reports = int(totals.sum())
    if len(shares) == 1 or not reports:
        return np.asarray(shares[-1])
    kinds, kind_of = np.unique(shares, axis=1, return_inverse=True)  # questions that all plans ask alike are one
    seen = np.bincount(kind_of.reshape(-1), weights=totals, minlength=kinds.shape[1]) / reports
    weights = np.full(len(shares), 1 / len(shares))
    for _ in range(_STEPS):
        mixed = weights @ kinds
        growth = kinds @ np.divide(seen, mixed, out=np.zeros_like(seen), where=mixed > 0)
        if reports * (growth.max() - 1) <= _CLOSE:  # bounds how much likelier the best mixture is (concavity)
            break
        weights = weights * growth / (weights @ growth)
    return np.asarray(weights @ shares)


def question_weights(totals_by_plan: Mapping[str, Integers], plans: Mapping[str, Plan], questions: int) -> Floats:
    """Return how much each question may weigh: its reports, at most those expected by the shares plus four sd.

    Args:
        totals_by_plan: How many reports each question got, by the plan under which they were counted.
        plans: All plans of the collection that are known, by fingerprint.
        questions: How many questions there are.
    """
    expected, variance, counted = np.zeros(questions), np.zeros(questions), np.zeros(questions)
    for fingerprint, totals in totals_by_plan.items():
        waves = plans[fingerprint].questions.waves
        share = expected_shares(totals, plans.values())
        reports = np.repeat(totals.reshape(waves, -1).sum(axis=1), questions // waves)
        expected += reports * share
        variance += reports * share * (1 - share)
        counted += totals
    return np.asarray(np.minimum(counted, expected + 4 * np.sqrt(variance)))
