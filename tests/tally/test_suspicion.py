"""A tally that no honest crowd would give is flagged, and an honest one is not."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.plan.plan import Plan
from sottovoce.tally.quality import check_codes, check_shares, check_tally
from sottovoce.tally.tally import Tally

SCHEMA = sv.Schema([sv.Ordinal(name, 0, 31) for name in "abc"])


def make_plan(**options: object) -> Plan:
    return sv.Plan.create(SCHEMA, epsilon=1, users=50_000, mechanism="hdg", **options)


def honest_tally(plan: Plan, seed: int, users: int = 50_000) -> Tally:
    crowd = np.random.default_rng(seed)
    table = {name: np.minimum(31, crowd.geometric(0.2, 5_000)) for name in "abc"}
    return sv.simulate(plan, table, seed=seed, users=users)


@pytest.mark.parametrize("oracle", ["olh", "grr"])
def test_honest_crowds_are_not_flagged(oracle: str) -> None:
    """Forty honest crowds, seeds 0 to 39, at a false-alarm rate of 1e-6 each: 8e-5 for both oracles together."""
    plan = make_plan(oracle=oracle)
    checks = [check for seed in range(40) for check in check_tally(honest_tally(plan, seed))]
    assert not [check for check in checks if check.flagged]
    assert len(checks) == 80


def test_the_check_of_shares_is_uniform_for_honest_crowds() -> None:
    """Probabilities of 200 honest crowds, seeds 0 to 199, are spread evenly: Kolmogorov-Smirnov at 1e-4."""
    plan = make_plan()
    found = np.sort([check_shares(honest_tally(plan, seed, users=20_000))[0].probability for seed in range(200)])
    distance = np.abs(found - (np.arange(200) + 0.5) / 200).max()
    assert distance < 2.2 / np.sqrt(200)


def test_liars_who_crowd_one_question_are_flagged() -> None:
    plan = make_plan()
    tally = honest_tally(plan, 1)
    tally.add_counts(np.array([0]), np.array([0]), np.array([1_000]))
    assert [check.flagged for check in check_tally(tally)] == [True, True]


def test_liars_who_keep_to_the_shares_but_send_one_code_are_flagged_by_codes() -> None:
    for oracle in ("olh", "grr"):
        plan = make_plan(oracle=oracle)
        tally = honest_tally(plan, 2)
        extra = (plan.questions.shares / 2**32 * 20_000).astype(np.int64)
        tally.add_counts(np.arange(len(extra)), np.zeros(len(extra), np.int64), extra)
        shares, codes = check_tally(tally)
        assert not shares.flagged
        assert codes.flagged


def test_a_tally_that_is_nearly_empty_is_not_judged() -> None:
    plan = make_plan()
    assert check_codes(Tally(plan)).probability == 1
    assert not any(check.flagged for check in check_tally(honest_tally(plan, 3, users=5)))


def test_every_plan_of_a_collection_has_its_own_check_of_shares() -> None:
    first, second = make_plan(), make_plan(expires="2999-01-01")
    tally = honest_tally(first, 4)
    tally.merge(honest_tally(second, 5))
    about = [check.about for check in check_tally(tally)]
    assert about == [f"shares of plan {first.fingerprint}", f"shares of plan {second.fingerprint}", "codes"]
