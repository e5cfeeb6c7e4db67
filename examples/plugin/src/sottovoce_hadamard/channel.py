"""The Hadamard channel: report a random row of the Hadamard matrix, and the sign that one's own cell has in it, or not.

Guarantee: the sign is kept with weight keep and turned with weight other, integers out of 2^64 with keep/other at most
e^epsilon; the row is drawn alike for everybody. Cost: one 64-bit word and a row per report. Reference: Acharya, Sun and
Zhang, AISTATS 2019, in its simplest form.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sottovoce.channels import GRR, Support
from sottovoce.channels.exact import SCALE, Words, many_below

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Hadamard:
    """A code is twice the row, plus one where the sign reported is negative; cell v is column v + 1 of the matrix.

    Attributes:
        cells: How many cells go in.
        rows: How many rows the matrix has: a power of two above the cells.
        response: Randomised response over the two signs.
    """

    cells: int
    rows: int
    response: GRR
    kind = "hadamard"

    @classmethod
    def design(cls, cells: int, epsilon: Decimal) -> Hadamard:
        """Return the channel for this many cells at this epsilon."""
        return cls(cells, 2 ** cells.bit_length(), GRR.design(2, epsilon))

    @property
    def codes(self) -> int:
        """One per row and sign."""
        return 2 * self.rows

    @property
    def scale(self) -> int:
        """What the integer weights of a row add up to."""
        return self.rows * SCALE

    @property
    def gain(self) -> float:
        """How much of a sign is left."""
        return (self.response.keep - self.response.other) / SCALE

    @property
    def attenuation(self) -> float:
        """How much more often a cell's own reports support it than another cell's, by having its sign."""
        return self.gain / 2

    def support(self) -> Support:
        """Return how often a report supports cells: others by chance, whose signs agree in half of the rows."""
        own = self.response.keep / SCALE
        return Support(own=own, foreign=0.5, beside=own / 2, shared=0.25)

    def variation(self) -> Fraction:
        """Return keep less other, in the half of the rows in which two columns differ."""
        return Fraction(self.response.keep - self.response.other, 2 * SCALE)

    def blanket(self) -> Fraction:
        """Return that of the randomised response: at least so much is drawn alike in every row."""
        return Fraction(2 * self.response.other, SCALE)

    def sign(self, row: int, cell: int) -> int:
        """Return 0 where the cell's entry in a row of the matrix is 1, and 1 where it is -1."""
        return (row & (cell + 1)).bit_count() & 1

    def row(self, cell: int) -> list[int]:
        """Return the exact integer weight of every code, given the cell."""
        return [weight for row in range(self.rows) for weight in self.response.row(self.sign(row, cell))]

    def worst_ratio(self) -> Fraction:
        """Return keep over other: columns of different cells differ in some row."""
        return self.response.worst_ratio()

    def draw(self, cell: int) -> int:
        """Return a random code for one cell, by the operating system's randomness."""
        row = secrets.randbelow(self.rows)
        return 2 * row + self.response.draw(self.sign(row, cell))

    def draw_many(self, cells: NDArray[Any], words: Words) -> NDArray[np.unsignedinteger[Any]]:
        """Return a random code for each of many cells."""
        import numpy as np

        rows = many_below(self.rows, len(cells), words)
        signs = np.bitwise_count(rows & (np.asarray(cells).astype(np.uint64) + np.uint64(1))) & np.uint8(1)
        answers = self.response.draw_many(signs, words).astype(np.uint64)
        return (np.uint64(2) * rows + answers).astype(np.min_scalar_type(self.codes - 1))

    def matrix(self) -> NDArray[np.float64]:
        """Return the entries of the matrix, cells by rows."""
        import numpy as np

        columns = np.arange(1, self.cells + 1)[:, None]
        return 1.0 - 2.0 * (np.bitwise_count(columns & np.arange(self.rows)) & 1)

    def probabilities(self) -> NDArray[np.float64]:
        """Return the table of probabilities, cells by codes."""
        import numpy as np

        kept = 0.5 + 0.5 * self.gain * self.matrix()
        return np.asarray(np.stack([kept, 1.0 - kept], axis=-1).reshape(self.cells, -1) / self.rows)

    def estimate(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return the unbiased estimate of every cell's frequency from the counts of codes; zeros for no reports."""
        import numpy as np

        reports = counts.sum()
        if not reports:
            return np.zeros(self.cells)
        signs = counts.reshape(self.rows, 2).astype(np.float64)
        return np.asarray(self.matrix() @ (signs[:, 0] - signs[:, 1]) / (self.gain * reports))

    def estimate_some(
        self, codes: NDArray[np.int64], counts: NDArray[np.int64], cells: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the same estimate for some cells alone, from the codes that were reported and how often."""
        import numpy as np

        return self.estimate(np.bincount(codes, weights=counts, minlength=self.codes))[cells]

    def variance(self, reports: float) -> float:
        """Return the variance of a rare cell's estimate; infinite for no reports."""
        return self.support().rare_variance(reports)
