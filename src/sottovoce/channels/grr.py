"""Generalised randomised response: report the true cell with one probability, each other cell with a smaller one.

Guarantee: with integer weights ``keep`` and ``other`` out of 2^64, keep/other <= e^epsilon exactly, and within 1e-12 of
it up to 4,096 cells (the loss is below cells^2 / 2^64 in any case). Cost: one 64-bit word per report; the variance of a
frequency grows with the number of cells. Reference: section 2.2 of the paper; Warner 1965, Kairouz et al. 2014.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sottovoce.channels.exact import SCALE, Words, response_weights
from sottovoce.channels.support import Support

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class GRR:
    """Randomised response over ``cells`` cells; a code is a cell.

    Example:
        >>> channel = GRR.design(4, Decimal(1))
        >>> channel.keep + 3 * channel.other == 2**64
        True
    """

    cells: int
    keep: int
    other: int
    kind = "grr"
    scale = SCALE

    @classmethod
    def design(cls, cells: int, epsilon: Decimal) -> GRR:
        """Return the channel for this many cells at this epsilon."""
        return cls(cells, *response_weights(cells, epsilon))

    @property
    def codes(self) -> int:
        """As many as cells."""
        return self.cells

    @property
    def attenuation(self) -> float:
        """How much of a difference between two cells is left in the codes: keep less other."""
        return (self.keep - self.other) / SCALE

    def row(self, cell: int) -> list[int]:
        """Return the exact integer weight of every code, given the cell."""
        return [self.keep if code == cell else self.other for code in range(self.cells)]

    def worst_ratio(self) -> Fraction:
        """Return keep/other: every code is one cell's own and another's other."""
        return Fraction(max(self.keep, self.other), min(self.keep, self.other)) if self.cells > 1 else Fraction(1)

    def variation(self) -> Fraction:
        """Return keep less other, out of 2^64: any two cells differ in their own codes alone."""
        return Fraction(self.keep - self.other, SCALE)

    def blanket(self) -> Fraction:
        """Return what every code weighs at the least, ``other``, over all codes."""
        return Fraction(self.codes * self.other, SCALE)

    def answer(self, cell: int, word: int) -> int:
        """Return the code that a 64-bit word gives: the first ``keep`` words keep, the rest are shared out equally."""
        if word < self.keep:
            return cell
        code = (word - self.keep) // self.other
        return code + (code >= cell)

    def draw(self, cell: int) -> int:
        """Return a random code for one cell, by the operating system's randomness."""
        return self.answer(cell, secrets.randbits(64))

    def draw_many(self, cells: NDArray[Any], words: Words) -> NDArray[np.unsignedinteger[Any]]:
        """Return a random code for each of many cells."""
        import numpy as np

        drawn = words(len(cells))
        codes = np.array(cells, dtype=np.min_scalar_type(self.cells - 1))
        moved = np.flatnonzero(drawn >= np.uint64(self.keep))
        others = ((drawn[moved] - np.uint64(self.keep)) // np.uint64(self.other)).astype(codes.dtype)
        codes[moved] = others + (others >= codes[moved])
        return codes

    def probabilities(self) -> NDArray[np.float64]:
        """Return the table of probabilities, cells by codes."""
        import numpy as np

        table = np.full((self.cells, self.cells), self.other / SCALE)
        np.fill_diagonal(table, self.keep / SCALE)
        return table

    def estimate(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return the unbiased estimate of every cell's frequency; it adds up to one."""
        import numpy as np

        total = counts.sum()
        if not total:
            return np.zeros(self.cells)
        frequencies: NDArray[np.float64] = (counts / total - self.other / SCALE) * (SCALE / (self.keep - self.other))
        return frequencies

    def estimate_some(
        self, codes: NDArray[np.int64], counts: NDArray[np.int64], cells: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the same estimate for some cells alone, from the codes that were reported and how often.

        Args:
            codes: The codes that were reported, each once.
            counts: How many reports gave each of them.
            cells: The cells to estimate.

        Returns:
            The frequency of each of these cells, unbiased.
        """
        import numpy as np

        return self.estimate(np.bincount(codes, weights=counts, minlength=self.cells))[cells]

    def support(self) -> Support:
        """Return how often a report supports cells: it is one cell, and never two."""
        return Support(self.keep / SCALE, self.other / SCALE, 0.0, 0.0)

    def variance(self, reports: float) -> float:
        """Return the variance of a rare cell's estimate; infinite for no reports."""
        return self.support().rare_variance(reports)
