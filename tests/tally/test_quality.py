"""The check of shares sees what does not come from the plan, and little else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.model.association import association
from sottovoce.tally.quality import check_shares, check_tally, chi_square, upper_tail
from tests.crowds import mixed_crowd, mixed_schema


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


