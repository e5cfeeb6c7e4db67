"""CALM against what its marginals must be."""

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.channels import LocalHash

SCHEMA = sv.Schema(
    [sv.Ordinal("a", 0, 6), sv.Numeric("b", 0, 1, bins=5, nullable=True), sv.Categorical("c", ["x", "y", "z"])]
)


def crowd(people=40_000, seed=3):
    generator = np.random.default_rng(seed)
    a = generator.binomial(6, 0.3, people)
    b = np.where(generator.random(people) < 0.2, np.nan, np.clip((a + generator.random(people)) / 7, 0, 1))
    return {"a": a, "b": b, "c": np.array(["x", "y", "z"])[np.minimum(a // 2, 2)]}


def test_every_pair_is_asked_level_by_level():
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=1000, mechanism="calm")
    assert [question.attributes for question in plan.questions] == [(0, 1), (0, 2), (1, 2)]
    assert [question.shape for question in plan.questions] == [(7, 6), (7, 3), (6, 3)]
    assert all(isinstance(question.channel, LocalHash) for question in plan.questions)
    assert plan.audit().epsilon <= 1


def test_marginals_are_the_truth_where_almost_nothing_is_hidden():
    plan = sv.Plan.create(SCHEMA, epsilon=12, users=40_000, mechanism="calm", oracle="grr")
    table = crowd()
    model = sv.fit(plan, sv.simulate(plan, table, seed=1, users=2_000_000))
    region = np.array(["x", "y", "z"]).searchsorted(table["c"])
    truth = np.histogram2d(table["a"], region, bins=(range(8), range(4)))[0] / len(region)
    np.testing.assert_allclose(model.marginal("a", "c"), truth, atol=0.004)  # 5 standard errors of 666,666 people
    assert model.marginal("b")[-1] == pytest.approx(np.isnan(table["b"]).mean(), abs=0.004)


def test_raw_marginals_are_unbiased():
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=5000, mechanism="calm", postprocess=False)
    table = crowd(people=1000)
    tallies = [sv.simulate(plan, table, seed=seed, users=5000) for seed in range(200)]
    runs = np.array([sv.fit(plan, tally).marginal("a") for tally in tallies])
    truth = np.bincount(table["a"], minlength=7) / len(table["a"])
    error = (runs.mean(axis=0) - truth) / (runs.std(axis=0) / np.sqrt(len(runs)))
    assert np.abs(error).max() < 4.5  # seven normal deviates: a false alarm once in 20,000


def test_marginals_are_distributions_and_agree():
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=20_000, mechanism="calm")
    model = sv.fit(plan, sv.simulate(plan, crowd(), seed=5, users=20_000))
    for pair in (("a", "b"), ("a", "c"), ("b", "c")):
        assert model.marginal(*pair).min() >= 0
        assert model.marginal(*pair).sum() == pytest.approx(1)
    one, other = model.marginal("a", "b").sum(axis=1), model.marginal("a", "c").sum(axis=1)
    np.testing.assert_allclose(one, other, atol=0.02)


def test_a_pair_with_too_many_levels_is_refused_by_name():
    schema = sv.Schema([sv.Ordinal("income", 0, 2047), sv.Ordinal("rent", 0, 1023), sv.Ordinal("age", 0, 99)])
    with pytest.raises(sv.PlanError, match=r"2\^20.*'rent' and 'income' have 2097152.*hdg"):
        sv.Plan.create(schema, epsilon=1, users=1000, mechanism="calm")
