"""Fitting: what is fitted to what, how often, and who is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.model.fitting import REPLICATES, resample
from sottovoce.plan.registry import MECHANISMS, Fitting, find_mechanism
from tests.crowds import mixed_crowd, mixed_schema

PLAN = sv.Plan.create(mixed_schema(4), epsilon=1, users=10_000, mechanism="hdg")
TALLY = sv.simulate(PLAN, mixed_crowd(5000, seed=1), seed=1)


class TestFitting:
    @pytest.mark.parametrize("quality", ["best", "", None])
    def test_an_unknown_quality_is_refused(self, quality: object):
        with pytest.raises(sv.ModelError, match="quality is one of default, fast, got"):
            sv.fit(PLAN, TALLY, quality=quality)

    def test_a_plan_and_a_tally_are_needed(self):
        with pytest.raises(sv.ModelError, match="fit takes a Tally, or a Plan and a Tally, got NoneType"):
            sv.fit(PLAN, None)
        with pytest.raises(sv.PlanError, match="a Plan is needed here, got Tally"):
            sv.fit(TALLY, PLAN)


def test_whoever_waits_is_told_when_it_is_done() -> None:
    told: list[float] = []
    sv.fit(PLAN, TALLY, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_the_fit_is_repeated_only_when_an_interval_is_asked_for_and_then_once(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, fits = find_mechanism("hdg"), []

    def fit(plan: sv.Plan, tally: sv.Tally, how: Fitting) -> sv.Model:
        fits.append(tally)
        return mechanism.fit(plan, tally, how)

    monkeypatch.setitem(MECHANISMS, "hdg", replace(mechanism, fit=fit))
    model = sv.fit(PLAN, TALLY)
    model.answer_ranges([{"age": (18, 20)}])
    assert len(fits) == 1
    for _ in range(2):
        model.answer("age < 20")
    assert len(fits) == 1 + REPLICATES
    assert all(again != TALLY for again in fits[1:])


class TestResample:
    def test_every_question_keeps_its_number_of_reports_and_only_codes_that_were_given(self) -> None:
        again = resample(TALLY, np.random.default_rng(1))
        np.testing.assert_array_equal(again.question_totals, TALLY.question_totals)
        assert again != TALLY
        for question in range(len(PLAN.questions)):
            assert set(again.pairs(question)[0].tolist()) <= set(TALLY.pairs(question)[0].tolist())

    def test_counts_vary_as_draws_with_replacement_do(self) -> None:
        """Seed 2, 400 draws: the mean of a count of 25 in 100 is within 5 of its standard errors of 0.22."""
        tally = sv.Tally(PLAN)
        tally.add_counts(np.array([0, 0]), np.array([0, 1]), np.array([25, 75]))
        generator = np.random.default_rng(2)
        counts = np.array([resample(tally, generator).counts(0)[0] for _ in range(400)])
        assert abs(counts.mean() - 25) < 5 * 0.22
        assert 0.7 < counts.var() / (100 * 0.25 * 0.75) < 1.4
