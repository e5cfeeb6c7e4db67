"""How often a report supports a cell, and two cells at once: all that the variance of a frequency oracle depends on.

A report supports a cell if that cell could have been kept: its own code in randomised response, its hash in local
hashing. With s_c the fraction of n reports that support cell c, the unbiased estimate is y_c = (s_c - foreign) /
(own - foreign). For weights w, with p the frequencies, G = sum w, Q = sum w^2, m = sum w p and k = sum w^2 p,

    E[t]   = foreign G + (own - foreign) m                      t = the weights that one report supports
    E[t^2] = foreign Q + (own - foreign) k + shared (G^2 - Q) + 2 (beside - shared) (G m - k)

and sum w y has the variance (E[t^2] - E[t]^2) / (own - foreign)^2 / n: frequencies and covariances are all in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Support:
    """Probabilities that a report supports cells.

    Attributes:
        own: That it supports the cell of whoever sent it.
        foreign: That it supports any one other cell.
        beside: That it supports that own cell and any one other.
        shared: That it supports any two other cells.
    """

    own: float
    foreign: float
    beside: float
    shared: float

    @property
    def difference(self) -> float:
        """How much more often a cell's own reports support it than others do."""
        return self.own - self.foreign

    def rare_variance(self, reports: float) -> float:
        """Return the variance of the estimate of a cell in which hardly anybody is; infinite for no reports."""
        if reports <= 0:
            return float("inf")
        return self.foreign * (1 - self.foreign) / self.difference**2 / reports

    def variance(self, weights: NDArray[np.float64], estimates: NDArray[np.float64], reports: float) -> float:
        """Return the variance of a weighted sum of estimates, itself estimated without bias from those estimates.

        Args:
            weights: Of all cells; they do not depend on these reports.
            estimates: The unbiased estimates of all cells.
            reports: How many reports they come from; the variance is infinite for fewer than two.
        """
        if reports < 2:
            return float("inf")
        total, squares = float(weights.sum()), float((weights**2).sum())
        mean, frequent = float((weights * estimates).sum()), float((weights**2 * estimates).sum())
        first = self.foreign * total + self.difference * mean
        second = self.foreign * squares + self.difference * frequent + self.shared * (total**2 - squares)
        second += 2 * (self.beside - self.shared) * (total * mean - frequent)
        # the square of an estimated mean is too large by the mean's own variance, hence one report less
        return max(second - first**2, 0.0) / self.difference**2 / (reports - 1)
