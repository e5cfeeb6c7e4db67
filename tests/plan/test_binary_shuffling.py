"""One yes-or-no question: against a second evaluation at every size, and what must be true of it.

Brute force over all crowds of up to 50 is in `tests/plan/test_shuffling.py`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.plan.binary_shuffling import binary_epsilon

DELTA = 1e-9


def second_evaluation(ratio: float, users: int, ones: int, delta: float) -> float:
    """Return the epsilon of one crowd by the definition: what one distribution of counts has above e times the other.

    Both are taken from scipy's binomial distributions; of two of them the sum by a direct convolution.
    """
    other, zeros = 1 / (ratio + 1), users - 1 - ones
    spread = math.sqrt(users * other * (1 - other))
    middle = ones * (1 - other) + zeros * other
    low, high = max(0, math.floor(middle - 9 * spread)), min(users, math.ceil(middle + 9 * spread))
    counts = np.arange(low - 1, high + 1)
    if not ones or not zeros:
        chances = stats.binom.pmf(counts, users - 1, other if zeros else 1 - other)
    else:
        whole = np.convolve(
            stats.binom.pmf(np.arange(ones + 1), ones, 1 - other), stats.binom.pmf(np.arange(zeros + 1), zeros, other)
        )
        chances = np.pad(whole, (1, 1))[counts + 1]
    no, yes = (keep * chances[1:] + (1 - keep) * chances[:-1] for keep in (1 - other, other))

    def left(epsilon: float) -> float:
        growth = math.exp(epsilon)
        return max(float(np.maximum(no - growth * yes, 0).sum()), float(np.maximum(yes - growth * no, 0).sum()))

    below, above = 0.0, math.log(ratio)
    for _ in range(40):
        tried = (below + above) / 2
        below, above = (tried, above) if left(tried) > delta else (below, tried)
    return above


@pytest.mark.parametrize("users", [10**4, 10**6, 10**8])
@pytest.mark.parametrize("epsilon", [1.0, 2.0, 4.0])
def test_it_equals_a_second_evaluation_from_above(epsilon: float, users: int):
    ratio = math.exp(epsilon)
    found = binary_epsilon(ratio, users=users, delta=DELTA)
    crowds = [0, users - 1] + ([(users - 1) // 2, (users - 1) // 5] if users <= 10**4 else [])
    second = max(second_evaluation(ratio, users, ones, DELTA) for ones in crowds)
    assert second <= found <= 1.012 * second


def test_more_people_smaller_exemptions_and_larger_ratios_change_it_as_they_must():
    by_users = [binary_epsilon(3.0, users=users, delta=1e-6) for users in (1, 2, 10, 1000, 10**5)]
    assert by_users == sorted(by_users, reverse=True)
    assert by_users[0] == pytest.approx(math.log(3), abs=1e-3)
    by_delta = [binary_epsilon(3.0, users=5000, delta=delta) for delta in (1e-3, 1e-6, 1e-12)]
    assert by_delta == sorted(by_delta)
    by_ratio = [binary_epsilon(ratio, users=5000, delta=1e-6) for ratio in (1.5, 3.0, 9.0)]
    assert by_ratio == sorted(by_ratio)


def test_a_plan_of_one_yes_or_no_question_uses_it_and_one_of_more_does_not():
    yes_or_no = sv.Categorical("smokes", ["no", "yes"])
    alone = sv.Plan.create(sv.Schema([yes_or_no]), epsilon=1, users=10_000).audit()
    assert alone.binary
    assert alone.shuffled(users=10_000, delta=DELTA).epsilon == pytest.approx(
        binary_epsilon(float(alone.ratio), users=10_000, delta=DELTA), rel=1e-3
    )
    waves = sv.Plan.create(sv.Schema([yes_or_no]), lifetime=1, waves=4, users=10_000).audit()
    assert waves.shuffled(users=10_000, delta=DELTA) == alone.shuffled(users=10_000, delta=DELTA)
    more = sv.Plan.create(sv.Schema([yes_or_no, sv.Categorical("drinks", ["no", "yes"])]), epsilon=1, users=10_000)
    assert not more.audit().binary
    wider = sv.Plan.create(sv.Schema([sv.Categorical("region", ["a", "b", "c"])]), epsilon=1, users=10_000)
    assert not wider.audit().binary
