"""Randomisers that are only simulated: they err as their formulas say."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.channels import SquareWave
from sottovoce.experiments.oracles import fit_simulated, wave_delta, wave_table
from tests.crowds import fraction_inside, normal_crowd, square_schema

PEOPLE = 30_000


def levels_of(crowd: dict[str, np.ndarray]) -> list[np.ndarray]:
    return list(crowd.values())


def test_unary_encoding_is_unbiased_and_has_its_variance() -> None:
    """Seeds 0 to 199: 16 means within 4.5 standard errors, variances within 45 %; a false alarm in 10,000 choices."""
    crowd = normal_crowd(PEOPLE, attributes=2, levels=4, seed=1)
    options = {"g2": 4, "postprocess": False}
    plan = sv.Plan.create(square_schema(2, 4), epsilon=1, users=PEOPLE, mechanism="tdg", **options)
    truth = np.histogram2d(*levels_of(crowd), bins=(range(5), range(5)))[0] / PEOPLE
    runs = np.array([fit_simulated("oue", plan, levels_of(crowd), seed=seed).marginal("a", "b") for seed in range(200)])
    scores = (runs.mean(axis=0) - truth) / (runs.std(axis=0) / math.sqrt(len(runs)))
    assert np.abs(scores).max() < 4.5
    growth = math.e
    false = 1 / (growth + 1)
    expected = (truth / 4 + (1 - truth) * false * (1 - false)) / (0.5 - false) ** 2 / PEOPLE
    assert np.abs(runs.var(axis=0) / expected - 1).max() < 0.45


def test_unary_encoding_and_local_hashing_err_alike() -> None:
    """Seeds 0 to 19: their variances differ by a few per cent, so that mean errors are within a third."""
    crowd = normal_crowd(PEOPLE, attributes=3, levels=16, seed=1)
    plan = sv.Plan.create(square_schema(3, 16), epsilon=1, users=PEOPLE, mechanism="hdg")
    queries = [{"a": (2, 7), "b": (4, 11)}, {"b": (0, 7), "c": (8, 12)}, {"a": (4, 9), "b": (4, 9), "c": (4, 9)}]
    truth = [fraction_inside(crowd, query) for query in queries]
    unary, hashing = [], []
    for seed in range(20):
        model = fit_simulated("oue", plan, levels_of(crowd), seed=seed)
        unary.append(np.abs(model.answer_ranges(queries) - truth).mean())
        model = sv.fit(plan, sv.simulate(plan, crowd, seed=seed))
        hashing.append(np.abs(model.answer_ranges(queries) - truth).mean())
    assert np.mean(unary) == pytest.approx(np.mean(hashing), rel=1 / 3)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
@pytest.mark.parametrize("levels", [4, 64])
def test_the_square_waves_table_is_one_of_probabilities_that_keep_epsilon(epsilon: float, levels: int) -> None:
    table = wave_table(levels, epsilon)
    np.testing.assert_allclose(table.sum(axis=1), 1)
    assert (table.max(axis=0) / table.min(axis=0)).max() <= math.exp(epsilon) * (1 + 1e-12)


def test_the_continuous_wave_is_the_discrete_one_but_where_whole_levels_are_too_coarse_for_delta() -> None:
    """At epsilon 1 and 64 levels near is 32.8 levels wide and the discrete wave's is 33; at epsilon 4, 3.9 and 3."""
    assert 2 * 64 * wave_delta(1.0) == pytest.approx(SquareWave.design(64, Decimal(1)).width, rel=0.01)
    assert 2 * 64 * wave_delta(4.0) > 1.25 * SquareWave.design(64, Decimal(4)).width


def test_the_continuous_wave_finds_the_distribution() -> None:
    """Seed 2: 10^5 people at epsilon 4; every tenth of the range is within 0.02, eight standard errors."""
    crowd = normal_crowd(100_000, attributes=2, levels=64, seed=1)
    plan = sv.Plan.create(square_schema(2, 64), epsilon=4, users=100_000, mechanism="msw", smoothing=True)
    model = fit_simulated("continuous", plan, levels_of(crowd), seed=2)
    truth = np.cumsum(np.bincount(crowd["a"], minlength=64)) / 100_000
    np.testing.assert_allclose(np.cumsum(model.marginal("a")), truth, atol=0.02)


def test_what_cannot_be_simulated_is_said() -> None:
    plan = sv.Plan.create(square_schema(2, 16), epsilon=1, users=100, mechanism="lhio")
    with pytest.raises(sv.ExperimentError, match="oue for hdg, tdg, calm; continuous for msw; got 'oue' for lhio"):
        fit_simulated("oue", plan, [np.zeros(9, np.uint8)] * 2, seed=0)
