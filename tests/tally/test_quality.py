"""A tally that no honest crowd would give is flagged, by its shares or by its codes, and an honest one is not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.plan.plan import Plan
from sottovoce.tally.quality import check_codes, check_shares, check_tally, chi_square, upper_tail
from sottovoce.tally.tally import Tally
from tests.crowds import mixed_crowd, mixed_schema

SCHEMA = sv.Schema([sv.Ordinal(name, 0, 31) for name in "abc"])


def make_plan(**options: object) -> Plan:
    return sv.Plan.create(SCHEMA, epsilon=1, users=50_000, mechanism="hdg", **options)


def honest_tally(plan: Plan, seed: int, users: int = 50_000) -> Tally:
    crowd = np.random.default_rng(seed)
    table = {name: np.minimum(31, crowd.geometric(0.2, 5_000)) for name in "abc"}
    return sv.simulate(plan, table, seed=seed, users=users)


@pytest.mark.parametrize("freedom", [1, 2, 5, 20, 200, 5000])
def test_the_chance_is_that_of_the_chi_square_distribution(freedom: int) -> None:
    for chance in (0.9, 0.5, 0.1, 0.01, 1e-4):
        assert upper_tail(stats.chi2.isf(chance, freedom), freedom) == pytest.approx(
            chance, rel=0.65 if chance < 0.01 else 0.2
        )


def test_sound_collections_pass() -> None:
    """Seeds 0 to 39: the smallest of 40 chances is below 1e-6 for one set of seeds in 25,000."""
    plan = sv.Plan.create(mixed_schema(3), epsilon=1, users=2_000, mechanism="hdg")
    checks = [check_shares(sv.simulate(plan, mixed_crowd(500, seed=1), seed=seed))[0] for seed in range(40)]
    assert min(check.probability for check in checks) > 1e-6
    assert 0.3 < np.mean([check.probability for check in checks]) < 0.7


@pytest.mark.parametrize("bins", range(2, 40))
@pytest.mark.parametrize("each", [3.0, 5.0, 10.0, 12.0, 30.0])
def test_everything_in_one_bin_is_seen_however_rare_bins_are(bins: int, each: float) -> None:
    total = round(bins * each)
    statistic, freedom = chi_square(np.array([total] + [0] * (bins - 1)), np.full(bins, total / bins))
    assert freedom or total < 40
    assert upper_tail(statistic, freedom) < 1e-6 or total < 60


def test_made_up_reports_on_one_question_do_not_pass() -> None:
    plan = sv.Plan.create(mixed_schema(3), epsilon=1, users=2_000, mechanism="hdg")
    tally = sv.simulate(plan, mixed_crowd(2_000, seed=1), seed=1)
    tally.add_counts(np.array([2]), np.array([0]), np.array([150]))
    check = check_tally(tally)[0]
    assert check.flagged
    assert check.words.startswith("NOT")
    assert check.reports == 2_150


def test_few_reports_tell_nothing() -> None:
    plan = sv.Plan.create(mixed_schema(3), epsilon=1, users=2_000, mechanism="hdg")
    (check,) = check_shares(sv.simulate(plan, mixed_crowd(3, seed=1), seed=1))
    assert (check.freedom, check.probability, check.words) == (0, 1.0, "too few questions or reports to tell")


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
