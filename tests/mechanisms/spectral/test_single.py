"""One attribute alone: Newton's steps reach the minimum, and its evidence."""

import numpy as np
import pytest
from scipy.optimize import minimize

from sottovoce.mechanisms.spectral.objective import Texture, logit_basis
from sottovoce.mechanisms.spectral.single import SingleProblem
from sottovoce.mechanisms.spectral.walsh import Axis, walsh_signs

SMOOTH, ROUGH = Texture(50.0, 0.0), Texture(5.0, 0.5)
AXES = {
    "ordered": Axis(32),
    "nullable": Axis(9, nullable=True),
    "without order": Axis(6, ordered=False),
    "two levels": Axis(2),
}


def problem(axis, texture, information, levels):
    signs = walsh_signs(axis.size, axis.bands)[:, 1:]
    return SingleProblem(
        signs, logit_basis(axis, texture), signs.T @ levels, np.full(signs.shape[1], float(information))
    )


def gradient(single, point):
    step = 1e-5
    return np.array(
        [
            (single.value(point + step * e)[0] - single.value(point - step * e)[0]) / (2 * step)
            for e in np.eye(len(point))
        ]
    )


@pytest.mark.parametrize("axis", list(AXES.values()), ids=list(AXES))
@pytest.mark.parametrize("texture", [SMOOTH, ROUGH], ids=["smooth", "rough"])
@pytest.mark.parametrize("information", [10, 10_000])
def test_the_minimum_is_reached(axis, texture, information):
    levels = np.random.default_rng(3).exponential(size=axis.size)
    single = problem(axis, texture, information, levels / levels.sum())
    start = np.zeros(single.basis.shape[1])
    found = single.solve()
    reference = minimize(lambda z: single.value(z)[0], start, method="BFGS", options={"gtol": 1e-6})
    assert single.value(found)[0] <= reference.fun + 1e-4 * max(1, reference.fun)
    assert np.linalg.norm(gradient(single, found)) < 1e-2 * max(1, np.linalg.norm(gradient(single, start)))


def test_certain_means_give_the_distribution_back():
    levels = np.array([0.5, 0.05, 0.1, 0.05, 0.2, 0.1])
    single = problem(Axis(6, ordered=False), SMOOTH, 1e8, levels)
    np.testing.assert_allclose(single.value(single.solve())[1], levels, atol=1e-4)


def test_a_spike_is_found():
    levels = np.full(64, 0.3 / 63)
    levels[0] = 0.7
    single = problem(Axis(64), ROUGH, 1e6, levels)
    np.testing.assert_allclose(single.value(single.solve())[1], levels, atol=0.01)


def test_without_reports_the_distribution_is_uniform():
    single = problem(Axis(8), SMOOTH, 0, np.eye(8)[0])
    np.testing.assert_allclose(single.value(single.solve())[1], 1 / 8)


@pytest.mark.parametrize("information", [50.0, 2_000.0])
def test_the_evidence_of_a_linear_problem_is_that_of_its_normal_distribution(information):
    """With two levels and a narrow prior the mean is linear in the unknown, so that Laplace's method is exact."""
    signs = walsh_signs(2, 1)[:, 1:]
    basis = 1e-3 * np.array([[1.0], [-1.0]])
    slope = float((signs.T @ (basis / 2)).item())
    estimate = 0.002

    def evidence(information):
        single = SingleProblem(signs, basis, np.array([estimate]), np.array([information]))
        return single.evidence(single.solve())

    variance = slope**2 + 1 / information  # of the estimate, under the prior and its own noise
    expected = -0.5 * estimate**2 / variance - 0.5 * np.log(variance * information)
    assert evidence(information) == pytest.approx(expected, rel=1e-3, abs=1e-9)
