"""The fit: one model for a tally, dependence that is there is found and none is made up."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.mechanisms.spectral.fitting import EFFORTS, _scores, fit_mixture, wanted
from sottovoce.mechanisms.spectral.joint import estimate
from sottovoce.mechanisms.spectral.mechanism import answers_of
from sottovoce.mechanisms.spectral.observations import observations

SCHEMA = sv.Schema(
    [sv.Ordinal("a", 0, 15), sv.Categorical("b", ["x", "y", "z", "w"]), sv.Categorical("c", ["no", "yes"])]
)


def people(count: int, seed: int) -> dict[str, np.ndarray]:
    """Return people whose a follows b, and whose c follows nothing."""
    generator = np.random.default_rng(seed)
    b = generator.integers(0, 4, count)
    a = np.clip(np.rint(generator.normal(np.array([3, 11, 6, 8])[b], 2)), 0, 15).astype(int)
    return {
        "a": a,
        "b": np.array(["x", "y", "z", "w"])[b],
        "c": np.array(["no", "yes"])[generator.integers(0, 2, count)],
    }


@pytest.fixture(scope="module")
def fitted() -> tuple[sv.Plan, sv.Tally, sv.Model]:
    plan = sv.Plan.create(SCHEMA, epsilon=2, users=100_000)
    tally = sv.simulate(plan, people(400_000, seed=1), users=100_000, seed=1)
    return plan, tally, sv.fit(plan, tally)


def test_the_seed_of_a_fit_decides_nothing(fitted: tuple[sv.Plan, sv.Tally, sv.Model]) -> None:
    plan, tally, model = fitted
    again = sv.fit(plan, tally, seed=12345)
    np.testing.assert_array_equal(again.marginal("a", "b"), model.marginal("a", "b"))


def test_means_by_a_category_follow_the_truth_where_reports_suffice(fitted: tuple[sv.Plan, sv.Tally, sv.Model]) -> None:
    """Seed 1: the true means are 3.1, 10.9, 6.0 and 8.0; those found are within 0.6 of them."""
    crowd = people(400_000, seed=1)
    for label, mean in fitted[2].mean_by("a", "b").items():
        assert float(mean) == pytest.approx(crowd["a"][crowd["b"] == label].mean(), abs=1.0)
        assert mean.interval[0] < crowd["a"][crowd["b"] == label].mean() < mean.interval[1]


def test_no_dependence_is_made_up(fitted: tuple[sv.Plan, sv.Tally, sv.Model]) -> None:
    """Seed 1: c follows nothing, and its association with a and b is not told from chance."""
    pairs = {(pair.first, pair.second): pair for pair in fitted[2].association()}
    assert pairs["a", "b"].told
    assert not pairs["a", "c"].told
    assert not pairs["b", "c"].told


def test_the_ends_of_a_scale_hold_no_phantom_mass(fitted: tuple[sv.Plan, sv.Tally, sv.Model]) -> None:
    crowd, marginal = people(400_000, seed=1), fitted[2].marginal("a")
    for level in (0, 15):
        assert marginal[level] == pytest.approx((crowd["a"] == level).mean(), abs=0.01)


def test_the_same_tally_gives_the_same_model(fitted: tuple[sv.Plan, sv.Tally, sv.Model]) -> None:
    plan, tally, _ = fitted
    one, same = (fit_mixture(answers_of(plan, tally), EFFORTS["fast"]) for _ in range(2))
    np.testing.assert_array_equal(one.mixture.weights, same.mixture.weights)
    for left, right in zip(one.mixture.factors, same.mixture.factors, strict=True):
        np.testing.assert_array_equal(left, right)
    np.testing.assert_array_equal(one.doubt.posterior, same.doubt.posterior)
    np.testing.assert_array_equal(one.doubt.gap, same.doubt.gap)


@pytest.mark.parametrize("quality", list(EFFORTS))
def test_progress_runs_from_start_to_end(fitted: tuple[sv.Plan, sv.Tally, sv.Model], quality: str) -> None:
    plan, tally, _ = fitted
    done: list[float] = []
    fit_mixture(answers_of(plan, tally), EFFORTS[quality], progress=done.append)
    assert done == sorted(done)
    assert 0 < done[0] < done[-1] == 1


def test_a_fast_fit_takes_less_work_and_answers_alike(fitted: tuple[sv.Plan, sv.Tally, sv.Model]) -> None:
    """Seed 1: shares of single attributes within 0.01, of pairs within 0.03 of those of the usual fit."""
    plan, tally, usual = fitted
    fast = sv.fit(plan, tally, quality="fast")
    assert all(
        getattr(EFFORTS["fast"], name) <= getattr(EFFORTS["default"], name)
        for name in ("steps", "scores", "common", "components", "leaps")
    )
    for wheres, within in ((("a < 6", "b = 'y'"), 0.01), (("a < 6 AND b = 'x'", "a > 9 AND b = 'y'"), 0.03)):
        for where in wheres:
            assert fast.answer(where).fraction == pytest.approx(usual.answer(where).fraction, abs=within)
            assert np.isfinite(fast.answer(where).deviation)


def test_a_mixture_should_have_the_distributions_and_the_tables_that_were_found(
    fitted: tuple[sv.Plan, sv.Tally, sv.Model],
) -> None:
    plan, tally, _ = fitted
    answers = answers_of(plan, tally)
    seen = observations(3, answers.blocks, answers.counts, answers.attenuations)
    found = estimate(answers.axes, seen, steps=6, most_scores=20)
    target = wanted(found)
    for single, own in zip(found.singles, target.people, strict=True):
        np.testing.assert_array_equal(single.levels, own)
    for (one, other), pair in found.pairs.items():
        # so many scores span all functions: the dependence in them gives the table back
        functions = [target.functions[index] for index in (one, other)]
        levels = [target.people[index] for index in (one, other)]
        back = np.outer(*levels) * (1 + functions[0] @ target.dependence[one, other] @ functions[1].T)
        np.testing.assert_allclose(back, pair.joint, atol=2e-3)


def test_one_attribute_alone_is_fitted() -> None:
    """Seed 1: 20,000 people of whom three tenths hold the first of four values."""
    schema = sv.Schema([sv.Categorical("b", ["x", "y", "z", "w"])])
    plan = sv.Plan.create(schema, epsilon=2, users=20_000)
    crowd = {"b": np.repeat(["x", "y", "z", "w"], [3, 1, 2, 4])}
    for quality in ("default", "fast"):
        model = sv.fit(plan, sv.simulate(plan, crowd, users=20_000, seed=1), quality=quality)
        np.testing.assert_allclose(model.marginal("b"), [0.3, 0.1, 0.2, 0.4], atol=0.03)
        answer = model.answer("b = 'x'")
        assert answer.interval[0] < 0.3 < answer.interval[1]
        assert answer.interval[1] - answer.interval[0] < 0.1
        assert answer.evidence is not None
        assert answer.evidence > 0.9
        assert answer.direct is not None


def test_an_attribute_that_nobody_was_asked_about_is_a_guess_without_evidence() -> None:
    plan = sv.Plan.create(SCHEMA, epsilon=2, users=20_000, workload={"pairs": [["a", "b", 1.0]]})
    model = sv.fit(plan, sv.simulate(plan, people(20_000, seed=2), seed=2))
    np.testing.assert_allclose(model.marginal("c"), 0.5, atol=1e-6)
    joint = model.marginal("a", "c")
    np.testing.assert_allclose(joint, np.outer(joint.sum(axis=1), joint.sum(axis=0)), atol=1e-6)
    asked, guessed, both = model.answers(["a < 6", "c = 'yes'", "a < 6 AND c = 'yes'"])
    assert asked.evidence is not None
    assert asked.evidence > 0.9
    assert guessed.evidence == pytest.approx(0, abs=0.05)
    assert both.evidence == pytest.approx(0, abs=0.05)
    assert guessed.direct is None or guessed.direct.deviation > 0.3
    assert both.direct is None
    assert guessed.deviation > 10 * asked.deviation


def test_without_any_report_everything_is_even_and_nothing_is_known() -> None:
    plan = sv.Plan.create(SCHEMA, epsilon=2, users=20_000)
    answers = answers_of(plan, sv.Tally(plan))
    fitted = fit_mixture(answers, EFFORTS["default"])
    for factor in fitted.mixture.factors:
        np.testing.assert_allclose(fitted.mixture.weights @ factor, 1 / factor.shape[1], atol=1e-6)
    count = fitted.doubt.functions[0].shape[1]
    np.testing.assert_allclose(fitted.doubt.left[:count, count:], 1)
    assert np.abs(fitted.doubt.gap).max() < 1e-6


@pytest.mark.parametrize(("most", "attributes", "scores"), [(8, 1, 8), (8, 10, 8), (8, 20, 3), (8, 100, 2), (5, 14, 3)])
def test_many_attributes_have_fewer_scores_each(most: int, attributes: int, scores: int) -> None:
    assert _scores(most, attributes) == scores


@pytest.mark.parametrize("epsilon", [1, 8])
def test_a_crowd_that_stands_at_one_value_is_fitted(epsilon: float) -> None:
    """Seed 0: three thousand people alike, of three attributes that might be left open or not."""
    schema = sv.Schema(
        [
            sv.Ordinal("a", 0, 5, nullable=True),
            sv.Ordinal("b", 0, 9, nullable=True),
            sv.Categorical("c", ["x", "y", "z"]),
        ]
    )
    table = {"a": np.full(3000, 2.0), "b": np.zeros(3000), "c": np.full(3000, "x")}
    plan = sv.Plan.create(schema, epsilon=epsilon, users=3000)
    answer = sv.fit(plan, sv.simulate(plan, table, seed=0)).answer("a = 2 AND b = 0 AND c = 'x'")
    assert answer.interval[1] > 0.95
    assert 0.5 < answer.fraction <= 1
