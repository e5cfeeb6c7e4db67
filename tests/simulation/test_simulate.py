"""Simulation: the same distribution as real reports, in each of the ways it is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.simulation import simulate as module
from sottovoce.testing.mechanism_cases import counted_pairs, expected_pairs
from tests.chances import assert_drawn_from
from tests.crowds import mixed_crowd, mixed_schema, normal_crowd, square_schema

PLAN = sv.Plan.create(mixed_schema(4), epsilon=1, users=10_000)
SURE = sv.Plan.create(mixed_schema(1), epsilon=20, users=10, mechanism="uniform")
"""One question, two bins, and next to no noise: counts show who was asked."""
HALF = {"age": np.array([18, 30] * 500)}


class TestWhoReports:
    def test_each_row_reports_once(self):
        """Seeds 0 to 49: a wrong answer comes once in 500 million; with replacement the counts would differ."""
        for seed in range(50):
            assert sv.simulate(SURE, HALF, seed=seed).counts(0).tolist() == [500, 500]

    def test_a_number_of_users_is_drawn_with_replacement(self):
        """Seeds 0 to 199: the counts are binomial; the chi-square of their spread fails once in 10^6 sets of seeds."""
        counts = [sv.simulate(SURE, HALF, seed=seed, users=1000).counts(0)[0] for seed in range(200)]
        spread = ((np.array(counts) - 500) ** 2).sum() / 250
        assert stats.chi2.ppf(5e-7, 200) < spread < stats.chi2.isf(5e-7, 200)

    def test_a_crowd_larger_than_the_table(self):
        tally = sv.simulate(PLAN, mixed_crowd(10, seed=1), seed=1, users=10**9)
        assert tally.total == 10**9
        assert_drawn_from(counted_pairs(tally), expected_pairs(PLAN, mixed_crowd(10, seed=1)))

    @pytest.mark.parametrize("users", [None, 40_000])
    @pytest.mark.parametrize("limits", [{"TABLE_LIMIT": 0}, {"HISTOGRAM_LIMIT": 0}, {"TABLE_LIMIT": 2**40}])
    def test_every_way_of_drawing_has_the_same_distribution(
        self, users: int | None, limits: dict[str, int], monkeypatch
    ):
        """Seed 2: person by person, without a histogram, and in bulk; fails for less than one seed in 10^9."""
        for name, value in limits.items():
            monkeypatch.setattr(module, name, value)
        monkeypatch.setattr(module, "PEOPLE_AT_ONCE", 1000)
        crowd = mixed_crowd(40_000, seed=2)
        tally = sv.simulate(PLAN, crowd, seed=2, users=users)
        assert tally.total == 40_000
        assert_drawn_from(counted_pairs(tally), expected_pairs(PLAN, crowd))

    def test_alphabets_too_large_for_a_table_are_drawn_person_by_person(self):
        """Seed 3, 4,096 cells: the estimate is near the truth, five standard errors away once in 10^6 seeds."""
        schema = square_schema(2, 64)
        plan = sv.Plan.create(schema, epsilon=1, users=10**6, mechanism="tdg", g2=64)
        channel = plan.questions[0].channel
        assert channel.cells * channel.codes > module.TABLE_LIMIT
        crowd = normal_crowd(50_000, attributes=2, levels=64, seed=3)
        estimate = channel.estimate(sv.simulate(plan, crowd, seed=3).counts(0))
        truth = np.bincount(crowd["a"] * 64 + crowd["b"], minlength=4096) / 50_000
        common = truth.argmax()
        assert abs(estimate[common] - truth[common]) < 5 * np.sqrt(channel.variance(50_000) + truth[common] / 50_000)

    def test_the_same_seed_for_crowd_and_simulation_does_no_harm(self):
        """Seed 4 twice: who is asked what has nothing to do with who they are; once in 10^9 seeds it seems so."""
        ages = np.random.default_rng(4).integers(18, 31, 60_000)
        crowd = {**mixed_crowd(60_000, seed=5), "age": ages}
        assert_drawn_from(counted_pairs(sv.simulate(PLAN, crowd, seed=4)), expected_pairs(PLAN, crowd))


class TestRefusals:
    @pytest.mark.parametrize("users", [0, -1, 1.5, True, "10"])
    def test_an_impossible_number_of_users(self, users: object):
        with pytest.raises(sv.RecordError, match="users, if given, is an integer of at least 1, got"):
            sv.simulate(SURE, HALF, seed=1, users=users)

    @pytest.mark.parametrize("seed", [None, -1, 1.5, True, "1"])
    def test_an_impossible_seed(self, seed: object):
        with pytest.raises(sv.RecordError, match="seed is an integer of at least 0, got"):
            sv.simulate(SURE, HALF, seed=seed)

    def test_an_empty_table(self):
        with pytest.raises(sv.RecordError, match="the table has no rows"):
            sv.simulate(SURE, {"age": []}, seed=1)

    def test_something_else_than_a_plan(self):
        with pytest.raises(sv.PlanError, match="a Plan is needed here, got Schema"):
            sv.simulate(mixed_schema(), HALF, seed=1)

    def test_numpy_integers_are_integers(self):
        assert sv.simulate(SURE, HALF, seed=np.int64(3), users=np.int32(5)) == sv.simulate(SURE, HALF, seed=3, users=5)
