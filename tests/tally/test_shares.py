"""What questions should have got: by one plan's shares exactly, and by the likeliest mixture of several."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.plan.plan import SHARES
from sottovoce.tally.quality import check_shares, check_tally
from sottovoce.tally.shares import expected_shares, likeliest_mixture
from sottovoce.testing.mechanism_cases import reshared
from tests.crowds import mixed_crowd, mixed_schema


def make_plan(**options: object) -> sv.Plan:
    return sv.Plan.create(mixed_schema(), epsilon=1, users=20_000, mechanism="hdg", g1=4, g2=2, sigma=0.3, **options)


def drawn(plan: sv.Plan, people: int, *, seed: int) -> sv.Tally:
    return sv.simulate(plan, mixed_crowd(500, seed=1), seed=seed, users=people)


def counted_under(plan: sv.Plan, *tallies: sv.Tally) -> sv.Tally:
    """Return what a plan's tally has when all of these reports named their collection alone."""
    whole = sv.Tally(plan)
    for tally in tallies:
        whole.add_counts(*tally.columns())
        whole.merge(sv.Tally(tally.plan))
    return whole


def test_one_plan_expects_its_own_shares() -> None:
    plan = make_plan()
    shares = expected_shares(drawn(plan, 1000, seed=1).question_totals, [plan, plan])
    assert np.array_equal(shares, plan.questions.shares / SHARES)


def test_a_mixture_is_at_least_as_likely_as_any_other() -> None:
    generator = np.random.default_rng(3)
    shares = generator.dirichlet(np.ones(30), size=3)
    totals = generator.multinomial(100_000, np.array([0.7, 0.1, 0.2]) @ shares)
    found = likeliest_mixture(totals, shares)
    assert found.sum() == pytest.approx(1)
    best = totals @ np.log(found)
    for weights in generator.dirichlet(np.ones(3), size=2000):
        assert totals @ np.log(weights @ shares) <= best + 0.01
    assert likeliest_mixture(np.zeros(30, np.int64), shares).sum() == pytest.approx(1)


def test_reports_of_two_plans_that_name_their_collection_alone_raise_no_flag() -> None:
    """Seeds 0 to 39: the smallest of 40 probabilities is below 1e-6 for one set of seeds in 25,000."""
    first, second = make_plan(), reshared(make_plan())
    assert not np.array_equal(first.questions.shares, second.questions.shares)
    smallest, found = 1.0, []
    for seed in range(40):
        both = counted_under(
            second, drawn(first, 3000, seed=2 * seed), drawn(second, 200 + 400 * seed, seed=2 * seed + 1)
        )
        (check,) = check_shares(both)
        found.append(check.probability)
        smallest = min(smallest, check.probability)
        assert not any(one.flagged for one in check_tally(both))
    assert smallest > 1e-6
    assert np.mean(found) > 0.4  # a mixture that is chosen to fit can only fit better than chance
    alone = sv.Tally(second)
    alone.add_counts(*drawn(first, 3000, seed=1).columns())
    assert check_tally(alone)[0].flagged  # a tally that does not know of the first plan sees that it was not the second


def test_reports_that_no_mixture_gives_are_still_flagged() -> None:
    first, second = make_plan(), reshared(make_plan())
    both = counted_under(second, drawn(first, 3000, seed=1), drawn(second, 3000, seed=2))
    middle = len(first.questions) // 2
    both.add_counts(np.array([middle]), np.array([0]), np.array([600]))
    check = check_tally(both)[0]
    assert check.flagged
    assert "mixture" in check.words
    assert both.question_weights[middle] < both.question_totals[middle] - 200


def test_weights_do_not_cut_honest_questions_of_a_mixture() -> None:
    """Seed 1: a weight is below its question's total where that is four standard deviations up, once in 30,000."""
    first, second = make_plan(), reshared(make_plan())
    both = counted_under(second, drawn(first, 3000, seed=1), drawn(second, 3000, seed=2))
    assert np.array_equal(both.question_weights, both.question_totals)


def test_waves_are_mixed_one_by_one() -> None:
    first = sv.Plan.create(mixed_schema(), users=20_000, waves=2, lifetime=1, mechanism="hdg", g1=4, g2=2, sigma=0.3)
    second = reshared(first)
    assert second.collection == first.collection
    people = mixed_crowd(500, seed=1)
    both = counted_under(
        second,
        sv.simulate(first, people, seed=1, wave=1, users=3000),
        sv.simulate(second, people, seed=2, wave=2, users=3000),
    )
    assert not any(check.flagged for check in check_tally(both))
    shares = expected_shares(both.question_totals, both.plans.values()).reshape(2, -1)
    assert shares.sum(axis=1) == pytest.approx([1, 1])
    assert np.abs(shares[0] - first.one_wave.questions.shares / SHARES).max() < 0.02
    assert np.abs(shares[1] - second.one_wave.questions.shares / SHARES).max() < 0.02
