"""LHIO: consistent hierarchies of pairs."""

import msgspec
import numpy as np
import pytest

import sottovoce as sv

SCHEMA = sv.Schema(
    [sv.Ordinal("a", 0, 10), sv.Categorical("b", ["x", "y", "z"]), sv.Numeric("c", 0, 1, bins=6, nullable=True)]
)


def crowd(people=500, seed=3):
    generator = np.random.default_rng(seed)
    a = generator.integers(0, 11, people)
    c = np.where(generator.random(people) < 0.3, np.nan, a / 12)
    return {"a": a, "b": np.array(["x", "y", "z"])[np.minimum(a // 3, 2)], "c": c}


def joint(table):
    b = np.array(["x", "y", "z"]).searchsorted(table["b"])
    return np.histogram2d(table["a"], b, bins=(range(12), range(4)))[0] / len(b)


def test_every_pair_asks_every_combination_of_depths_but_both_roots():
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=1000, mechanism="lhio", branching=3)
    assert plan.parameters == {"heights": [2, 1, 2]}
    assert len(plan.questions) == (3 * 2 - 1) + (3 * 3 - 1) + (2 * 3 - 1)
    by_pair = np.split(plan.questions.shares, [5, 13])
    assert [int(shares.sum()) for shares in by_pair] == [1431655766, 1431655765, 1431655765]
    assert all(shares.max() - shares.min() <= 1 for shares in by_pair)
    assert plan.audit().epsilon <= 1


@pytest.mark.parametrize("postprocess", [True, False])
def test_pairs_are_unbiased(postprocess):
    """Seeds 0 to 99; 33 normal deviates within 4.8: a false alarm for one choice of seeds in 19,000."""
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=3000, mechanism="lhio", branching=3, postprocess=postprocess)
    table = crowd()
    tallies = [sv.simulate(plan, table, seed=seed, users=3000) for seed in range(100)]
    runs = np.array([sv.fit(plan, tally).marginal("a", "b") for tally in tallies])
    scores = (runs.mean(axis=0) - joint(table)) / (runs.std(axis=0) / np.sqrt(len(runs)))
    assert np.abs(scores).max() < 4.8


def test_pairs_add_up_to_one_and_agree_on_every_attribute():
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=3000, mechanism="lhio")
    model = sv.fit(plan, sv.simulate(plan, crowd(), seed=1, users=3000))
    ab, ac, bc = model.marginal("a", "b"), model.marginal("a", "c"), model.marginal("b", "c")
    assert [pair.sum() for pair in (ab, ac, bc)] == pytest.approx([1, 1, 1])
    np.testing.assert_allclose(ab.sum(axis=1), ac.sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(ab.sum(axis=0), bc.sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(ac.sum(axis=0), bc.sum(axis=0), atol=1e-12)


@pytest.mark.slow
def test_inference_and_consistency_lower_the_error():
    """Seeds 0 to 19: leaves alone, the hierarchy, and the hierarchy with consistency, each better than the one before.

    Over these seeds the squared error halves at the first step and falls by a tenth at the second, which are five and
    four standard errors of the difference.
    """
    schema = sv.Schema([sv.Ordinal(name, 0, 31) for name in "abc"])
    generator = np.random.default_rng(0)
    table = {name: generator.integers(0, 32, 400) for name in "abc"}
    truth = np.histogram2d(table["a"], table["b"], bins=(range(33), range(33)))[0] / 400
    queries = [np.sort(generator.integers(0, 32, (2, 2)), axis=1) for _ in range(100)]
    designs = [("calm", False), ("lhio", False), ("lhio", True)]
    errors = np.zeros(3)
    for index, (mechanism, postprocess) in enumerate(designs):
        plan = sv.Plan.create(schema, epsilon=1, users=50_000, mechanism=mechanism, postprocess=postprocess)
        for seed in range(20):
            wrong = sv.fit(plan, sv.simulate(plan, table, seed=seed, users=50_000)).marginal("a", "b") - truth
            errors[index] += sum(wrong[x[0] : x[1] + 1, y[0] : y[1] + 1].sum() ** 2 for x, y in queries)
    leaves, hierarchy, consistent = errors
    assert consistent < hierarchy < leaves


def test_combinations_without_reports_are_uniform():
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=1000, mechanism="lhio")
    tally = sv.Tally(plan)
    tally.add_counts(np.array([len(plan.questions) - 1]), np.array([0]), np.array([1]))
    model = sv.fit(plan, tally)
    np.testing.assert_allclose(model.marginal("a"), 1 / 11, atol=1e-9)
    np.testing.assert_allclose(model.answer_ranges([{}, {"a": (0, 10), "b": ["x", "y", "z"]}]), 1)


def test_nonnegative_leaves_are_fractions_that_agree():
    """Seed 1: made linearly, some of these leaves are far below zero; made so, none is, and the pairs still agree."""
    linear, settled = (
        sv.fit(plan, sv.simulate(plan, crowd(), seed=1, users=3000))
        for plan in (
            sv.Plan.create(SCHEMA, epsilon=1, users=3000, mechanism="lhio", nonnegative=nonnegative)
            for nonnegative in (False, True)
        )
    )
    assert linear.marginal("a", "b").min() < -0.05
    ab, ac = settled.marginal("a", "b"), settled.marginal("a", "c")
    assert min(ab.min(), ac.min()) >= 0
    assert [ab.sum(), ac.sum()] == pytest.approx([1, 1])
    np.testing.assert_allclose(ab.sum(axis=1), ac.sum(axis=1), atol=0.01)


def test_a_plan_made_before_there_was_the_option_is_fitted_linearly():
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=3000, mechanism="lhio")
    options = {name: value for name, value in plan.options.items() if name != "nonnegative"}
    older = msgspec.structs.replace(plan, options=options)
    one, other = (sv.fit(each, sv.simulate(each, crowd(), seed=1)).marginal("a", "b") for each in (plan, older))
    np.testing.assert_array_equal(one, other)


def test_options_are_checked():
    with pytest.raises(sv.PlanError, match="leave postprocess=True"):
        sv.Plan.create(SCHEMA, epsilon=1, users=1000, mechanism="lhio", nonnegative=True, postprocess=False)
    with pytest.raises(sv.PlanError, match="estimator is one of max_entropy, weighted_update, got 'guess'"):
        sv.Plan.create(SCHEMA, epsilon=1, users=1000, mechanism="lhio", estimator="guess")
    large = sv.Schema([sv.Ordinal("a", 0, 2047), sv.Ordinal("b", 0, 2047)])
    with pytest.raises(sv.PlanError, match=r"lhio estimates every pair of levels, at most 2\^20"):
        sv.Plan.create(large, epsilon=1, users=1000, mechanism="lhio")
