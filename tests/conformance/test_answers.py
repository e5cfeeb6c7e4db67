"""What every mechanism's model must show when asked in words: intervals, means, quantiles, samples, calibration."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.plan.registry import mechanism_names
from sottovoce.schema.frames import encode
from tests.crowds import mixed_crowd

ORDERED = sv.Schema(
    [sv.Ordinal("age", 18, 30), sv.Numeric("income", 0.0, 90.0, bins=10), sv.Ordinal("children", 0, 4, nullable=True)]
)
WITH_CATEGORIES = sv.Schema([*ORDERED.attributes, sv.Categorical("region", ("north", "south", "east"), nullable=True)])
every_mechanism = pytest.mark.parametrize("mechanism", mechanism_names())
WHERES = [
    "age < 24",
    "age >= 24",
    "income BETWEEN 20 AND 50 OR children IS NULL",
    "NOT (children > 1) AND age < 26",
    "TRUE",
]


def model_for(mechanism: str, *, users: int = 20_000) -> sv.Model:
    """Return a model of the richest schema that the mechanism takes: with categories, or else without."""
    try:
        plan = sv.Plan.create(WITH_CATEGORIES, epsilon=3, users=users, mechanism=mechanism)
    except sv.PlanError as error:
        assert "no order" in str(error), "a refusal says why"  # noqa: PT017 - what is refused is then left out
        plan = sv.Plan.create(ORDERED, epsilon=3, users=users, mechanism=mechanism)
    return sv.fit(plan, sv.simulate(plan, mixed_crowd(users, seed=7), seed=7))


@pytest.fixture(scope="module")
def models() -> dict[str, sv.Model]:
    return {mechanism: model_for(mechanism) for mechanism in mechanism_names()}


@every_mechanism
def test_answers_have_intervals_around_them(models: dict[str, sv.Model], mechanism: str) -> None:
    model = models[mechanism]
    for answer in model.answers(WHERES):
        low, high = answer.interval
        assert 0 <= low <= answer.fraction <= high <= 1
        assert answer.reports == 20_000
    assert model.answer("TRUE").fraction == pytest.approx(1, abs=1e-6)
    if mechanism != "uniform":
        assert 0 < model.answer("age < 24").deviation < 0.5
    else:
        assert model.answer("age < 24").interval == (0, 1)


@every_mechanism
def test_complements_add_up_to_one_and_differ_with_an_interval(models: dict[str, sv.Model], mechanism: str) -> None:
    below, above = models[mechanism].answers(WHERES[:2])
    assert below.fraction + above.fraction == pytest.approx(1, abs=0.02)
    gap = sv.difference(above, below)
    assert -1 <= gap.interval[0] <= gap <= gap.interval[1] <= 1


@every_mechanism
def test_means_and_quantiles_stay_within_their_attributes_domain(models: dict[str, sv.Model], mechanism: str) -> None:
    model = models[mechanism]
    for name, low, high in (("age", 18, 30), ("income", 0, 90), ("children", 0, 4)):
        for found in (model.mean(name), model.mean(name, where="age < 26"), model.quantile(name, 0.5)):
            assert low <= found.interval[0] <= found <= found.interval[1] <= high
    crowd = mixed_crowd(20_000, seed=7)
    if mechanism != "uniform":  # seed 7: over ten standard errors of the noise, but for hio whose noise is larger
        assert model.mean("age") == pytest.approx(crowd["age"].mean(), abs=1.5)


@every_mechanism
def test_a_saved_model_keeps_its_intervals(models: dict[str, sv.Model], mechanism: str, tmp_path) -> None:
    model = models[mechanism]
    model.save(tmp_path / "model.json")
    loaded = sv.load_model(tmp_path / "model.json")
    assert loaded.answers(WHERES) == model.answers(WHERES)
    assert loaded.mean("age").interval == model.mean("age").interval


@every_mechanism
def test_whole_records_are_drawn_and_calibrated_or_it_is_said_who_can(
    models: dict[str, sv.Model], mechanism: str
) -> None:
    model = models[mechanism]
    known = {"age": {(18, 22): 0.1, (23, 30): 0.9}}
    if not model.joint:
        for ask in (lambda: model.sample(5), lambda: model.calibrate(known)):
            with pytest.raises(sv.ModelError, match=rf"a model by {mechanism} .* that takes a mechanism that models"):
                ask()
        return
    people = model.sample(20_000, seed=1, frame="arrow")
    levels = encode(model.schema, people)
    drawn = np.bincount(levels[0], minlength=13) / 20_000
    # Seed 1: a correct program differs by as much at any of 13 levels for less than one seed in a million.
    np.testing.assert_allclose(drawn, model.marginal("age"), atol=6 * math.sqrt(0.25 / 20_000))
    calibrated = model.calibrate(known)
    assert calibrated.answer("age <= 22").fraction == pytest.approx(0.1, abs=1e-6)
    assert calibrated.marginal("income", where="age = 20") == pytest.approx(model.marginal("income", where="age = 20"))
