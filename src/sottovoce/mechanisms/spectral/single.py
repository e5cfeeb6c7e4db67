"""One attribute alone: the logits whose distribution agrees with its measured means, by damped Newton steps.

A few dozen unknowns, so each step solves the linear system exactly; a spiky distribution takes ten steps where a
first-order method takes thousands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce._types import Floats

_MOST_STEPS = 60  # of Newton's method: ten are usual
_TOLERANCE = 1e-6  # of the objective: far below what chance does to it


@dataclass(frozen=True, slots=True)
class SingleProblem:
    """Half the weighted squared misfit of an attribute's means, plus half the squares of the unknowns.

    Attributes:
        signs: The functions asked, levels by functions.
        basis: The unknowns' functions of the level, levels by unknowns.
        estimate: The measured mean of each function.
        information: Its information.
    """

    signs: Floats
    basis: Floats
    estimate: Floats
    information: Floats

    def value(self, point: Floats) -> tuple[float, Floats, Floats]:
        """Return the objective, the distribution and the residuals at a point."""
        logits = self.basis @ point
        levels = np.exp(logits - logits.max())
        levels /= levels.sum()
        residual = self.signs.T @ levels - self.estimate
        return 0.5 * float(self.information @ residual**2 + point @ point), levels, residual

    def evidence(self, point: Floats) -> float:
        """Return the logarithm of the probability of the estimates under the prior, by Laplace's method.

        Up to a constant that is the same for every basis.
        """
        value, levels, _ = self.value(point)
        slopes = self._slopes(levels)
        curvature = (slopes.T * self.information) @ slopes
        # Laplace: log integral = log of the peak - half the log determinant of the curvature there, prior's included
        return -value - 0.5 * float(np.linalg.slogdet(curvature + np.eye(len(point)))[1])

    def _slopes(self, levels: Floats) -> Floats:
        """Return how the functions' means change with the unknowns."""
        # the softmax's Jacobian: dp_i/dl_j = p_i (1{i=j} - p_j), times the basis
        spread = levels[:, None] * self.basis - np.outer(levels, levels @ self.basis)
        return np.asarray(self.signs.T @ spread)

    def solve(self) -> Floats:
        """Return the minimising point."""
        point, damping = np.zeros(self.basis.shape[1]), 1.0
        identity = np.eye(len(point))
        value, levels, residual = self.value(point)
        for _ in range(_MOST_STEPS):
            slopes = self._slopes(levels)
            gradient = slopes.T @ (self.information * residual) + point
            curvature = (slopes.T * self.information) @ slopes
            while True:
                # Levenberg-Marquardt: Gauss-Newton curvature of the misfit, 1 for the prior, and the damping
                tried = point - np.linalg.solve(curvature + (1 + damping) * identity, gradient)
                new_value, new_levels, new_residual = self.value(tried)
                if new_value <= value:
                    break
                damping *= 4
                if damping > 1e12:
                    return point
            gained = value - new_value
            point, value, levels, residual = tried, new_value, new_levels, new_residual
            # less damping after success, four times as much after failure: the usual schedule
            damping = max(damping / 3, 1e-8)
            if gained < _TOLERANCE * max(1.0, value):
                break
        return point
