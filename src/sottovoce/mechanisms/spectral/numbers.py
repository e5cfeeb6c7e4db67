"""Which numbers of a pair may be far larger than the others: strong dependence, two lists, "no answer", fine scores.

A pair's numbers theta have one variance, by what all of them show (scale.py). Some are larger than that by nature:

- **Leading** numbers, products of the first score of an ordered attribute, of "no answer" and of values without order.
  Dependence next to certain takes such numbers without end, of which reports tell less and less, so what is usual must
  not hold them back: their variance grows with what they already make of the log table.
- **Two lists**: of two attributes without order a few products may have all the dependence, as if some values of the
  one list went with some of the other, and people ask for just these together. For intervals only.
- **"No answer"** often follows from another answer: who never went has no bill. For intervals only.
- **Fine scores** of an ordered attribute: dependence is smooth on the whole, but not always, and least of all beside a
  value without order or "no answer", which may be in the middle of a scale or at both ends. For intervals only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Floats
from sottovoce.mechanisms.spectral.belief import BELIEF, Belief
from sottovoce.mechanisms.spectral.walsh import Axis


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of a pair, the one attribute's scores by the other's, row by row.

    Attributes:
        leading: Which may grow with what they make of the table.
        unanswered: Which are of somebody's "no answer".
        products: How many products the dependence of two lists takes at most; 1 unless both are lists.
        allowed: How many times the variance of each number intervals take: more of fine scores.
        belief: The constants.
    """

    leading: NDArray[np.bool_]
    unanswered: NDArray[np.bool_]
    products: int
    allowed: Floats
    belief: Belief

    @classmethod
    def of(cls, axes: tuple[Axis, Axis], shape: tuple[int, int], belief: Belief = BELIEF) -> Numbers:
        """Return the numbers of two attributes.

        Args:
            axes: Both attributes.
            shape: How many scores each has.
            belief: The constants.
        """
        blank = [_unanswered(axis, count) for axis, count in zip(axes, shape, strict=True)]
        first = [
            np.arange(count) <= axis.nullable if axis.ordered else np.ones(count, dtype=bool)
            for axis, count in zip(axes, shape, strict=True)
        ]
        listed = not (axes[0].ordered or axes[1].ordered)
        # the number of each score of a rank; 1 of those that values without order and "no answer" have
        number = [
            np.maximum(np.arange(count) + 1.0 - axis.nullable, 1.0) if axis.ordered else np.ones(count)
            for axis, count in zip(axes, shape, strict=True)
        ]
        ranked = [~own & axis.ordered for axis, own in zip(axes, blank, strict=True)]
        power = np.where(np.logical_and.outer(*ranked), belief.fine, belief.profile)
        return cls(
            np.logical_and.outer(*first).ravel(),
            np.logical_or.outer(*blank).ravel(),
            max(1, min(shape) - 1) if listed else 1,
            (np.multiply.outer(*number) ** power).ravel(),
            belief,
        )

    def grown(self, deviation: float) -> Floats:
        """Return how many times larger the variance of each number is because the pair depends strongly.

        Args:
            deviation: The standard deviation of what the leading numbers make of the log table, over people if both
                attributes were independent. That of two lists is of many numbers: one product's part of it counts.
        """
        growth = self.belief.strong * min(deviation / self.products**0.5, self.belief.strongest) ** 2
        return np.where(self.leading, 1 + growth, 1.0)

    def widened(self, variance: Floats) -> Floats:
        """Return the variances that intervals take, at least as large as those given."""
        variance = variance * self.allowed
        # one product may have what all of them were expected to have together
        joined = variance * (1 + self.belief.lists * (self.products - 1))
        joined = np.minimum(joined, np.maximum(variance, self.belief.most))
        return np.where(self.unanswered, np.maximum(joined, self.belief.no_answer), joined)


def _unanswered(axis: Axis, count: int) -> NDArray[np.bool_]:
    """Return which score of an attribute is that of "no answer" alone: of an ordered one the first (scores.py)."""
    return np.asarray((np.arange(count) == 0) & (axis.ordered and axis.nullable))
