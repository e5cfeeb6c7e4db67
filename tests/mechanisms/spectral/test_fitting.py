"""The fit: one model for a tally, dependence that is there is found and none is made up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.mechanisms.spectral import fitting
from sottovoce.mechanisms.spectral.dependence import asked_moments

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


def test_only_what_held_out_reports_confirm_is_corrected(monkeypatch: pytest.MonkeyPatch) -> None:
    """What each of the two parts of a fit is given and gives is looked at; both do their work."""
    seen: dict[str, Any] = {}

    def looked_at(name: str) -> Callable[..., Any]:
        work = getattr(fitting, name)

        def call(*given: Any) -> Any:
            seen[name] = given, work(*given)
            return seen[name][1]

        return call

    for name in ("confirm", "correct"):
        monkeypatch.setattr(fitting, name, looked_at(name))
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=20_000)
    sv.fit(plan, sv.simulate(plan, people(20_000, seed=2), seed=2))
    (_, moments, model, parts), (cut, kept) = seen["confirm"]
    assert np.abs(cut - model).max() > 0.001, "seed 2: some of it is taken back"
    assert seen["correct"][0][3] is cut
    assert seen["correct"][0][4] is kept
    # every report is held out once: what is left of all without each part adds up to all
    whole = moments.information[asked_moments(moments)]
    np.testing.assert_allclose(sum(whole - rest.information for rest, _ in parts), whole)
