"""Maximum entropy against solutions found by other means."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from sottovoce.estimation.max_entropy import from_quadrants


def quadrants_of(joint: np.ndarray) -> np.ndarray:
    """Return the quadrants of every pair of a joint distribution over (2, ..., 2)."""
    dimensions = joint.ndim
    quadrants = np.zeros((dimensions, dimensions, 2, 2))
    for first, second in itertools.combinations(range(dimensions), 2):
        others = tuple(axis for axis in range(dimensions) if axis not in (first, second))
        quadrants[first, second] = joint.sum(axis=others)
    return quadrants


def random_joint(dimensions: int, seed: int) -> np.ndarray:
    joint = np.random.default_rng(seed).dirichlet(np.ones(2**dimensions))
    return joint.reshape((2,) * dimensions)


@pytest.mark.parametrize("seed", range(10))
def test_three_attributes_have_no_interaction_of_all_three(seed: int):
    """All joint distributions with these pairs differ by one number; entropy is largest where one equation holds."""
    joint = random_joint(3, seed)
    signs = np.fromfunction(lambda i, j, k: (-1.0) ** (i + j + k), (2, 2, 2))
    low, high = -joint[signs > 0].min(), joint[signs < 0].min()

    def imbalance(shift: float) -> float:
        logarithms = np.log(joint + shift * signs)
        return float((signs * logarithms).sum())

    margin = 1e-13
    shift = optimize.brentq(imbalance, low + margin, high - margin, xtol=1e-15)
    answer = from_quadrants(quadrants_of(joint)[..., None], threshold=1e-13)[0]
    assert answer == pytest.approx((joint + shift * signs)[1, 1, 1], abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_four_attributes_have_the_largest_entropy_of_all_with_these_pairs(seed: int):
    joint = 0.5 * random_joint(4, seed) + 0.5 / 16
    rows, wanted = [np.ones(16)], [1.0]
    for first, second in itertools.combinations(range(4), 2):
        for inside in itertools.product((0, 1), repeat=2):
            mask = np.zeros((2,) * 4)
            index: list[Any] = [slice(None)] * 4
            index[first], index[second] = inside
            mask[tuple(index)] = 1
            rows.append(mask.ravel())
            wanted.append(joint[tuple(index)].sum())
    matrix, values = np.array(rows), np.array(wanted)

    def dual(multipliers: np.ndarray) -> tuple[float, np.ndarray]:
        weights = np.exp(multipliers @ matrix - 1)
        return float(weights.sum() - multipliers @ values), matrix @ weights - values

    found = optimize.minimize(dual, np.zeros(len(values)), jac=True, method="BFGS", options={"gtol": 1e-10})
    best = np.exp(found.x @ matrix - 1).reshape((2,) * 4)
    answer = from_quadrants(quadrants_of(joint)[..., None], threshold=1e-12)[0]
    assert answer == pytest.approx(best[1, 1, 1, 1], abs=1e-6)


@pytest.mark.parametrize("dimensions", [3, 4, 6])
def test_independent_attributes_give_the_product(dimensions: int):
    inside = np.random.default_rng(dimensions).random(dimensions)
    joint = np.ones(())
    for each in inside:
        joint = np.multiply.outer(joint, [1 - each, each])
    answer = from_quadrants(quadrants_of(joint)[..., None], threshold=1e-12)[0]
    assert answer == pytest.approx(inside.prod(), abs=1e-10)


def test_queries_in_one_batch_do_not_disturb_each_other():
    many = np.stack([quadrants_of(random_joint(4, seed)) for seed in range(30)], axis=-1)
    together = from_quadrants(many, threshold=1e-6)
    alone = [from_quadrants(many[..., query : query + 1], threshold=1e-6)[0] for query in range(30)]
    np.testing.assert_allclose(together, alone, atol=1e-14)


def test_quadrants_that_cannot_be_still_give_a_fraction():
    generator = np.random.default_rng(1)
    wild = generator.normal(0.2, 0.5, (4, 4, 2, 2, 200))
    wild[..., 0] = 0.0
    answers = from_quadrants(wild, threshold=1e-6)
    assert np.isfinite(answers).all()
    assert (answers >= 0).all()
    assert (answers <= 1 + 1e-9).all()
    assert wild.min() < 0  # what was given is not changed
