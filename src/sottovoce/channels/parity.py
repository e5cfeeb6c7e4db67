"""Parity: randomised response on one bit, whether a cell's binary digits have an odd number of ones.

Where every attribute has two bins, a cell's digits are its bins, and the parity is the product of their signs. Saying
only that much leaves more of it after the noise than saying every sign: the attenuation is that of two cells,
(e^epsilon - 1) / (e^epsilon + 1).

Guarantee: keep/other <= e^epsilon exactly, the weights being those of randomised response over two cells. Cost: one
64-bit word per report; frequencies of single cells cannot be told, their parity can. Reference: Warner 1965.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sottovoce.channels.exact import SCALE, Words
from sottovoce.channels.grr import GRR
from sottovoce.errors import PlanError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Parity:
    """Randomised response on the parity of ``cells`` cells, a power of two; a code is 1 for odd.

    Example:
        >>> channel = Parity.design(4, Decimal(1))
        >>> channel.row(0) == channel.row(3), channel.row(1) == channel.row(2), channel.row(0) == channel.row(1)
        (True, True, False)
    """

    cells: int
    response: GRR
    kind = "parity"
    codes = 2
    scale = SCALE

    @classmethod
    def design(cls, cells: int, epsilon: Decimal) -> Parity:
        """Return the channel for this many cells at this epsilon."""
        if cells < 2 or cells & (cells - 1):
            raise PlanError(
                f"parity takes a power of two cells, got {cells}: every attribute of its question has two bins"
            )
        return cls(cells, GRR.design(2, epsilon))

    @property
    def keep(self) -> int:
        """The weight of the true parity."""
        return self.response.keep

    @property
    def other(self) -> int:
        """The weight of the other."""
        return self.response.other

    @property
    def attenuation(self) -> float:
        """How much of a difference between the two parities is left in the codes: keep less other."""
        return self.response.attenuation

    def row(self, cell: int) -> list[int]:
        """Return the exact integer weight of either code, given the cell."""
        return self.response.row(cell.bit_count() & 1)

    def worst_ratio(self) -> Fraction:
        """Return keep/other."""
        return self.response.worst_ratio()

    def answer(self, cell: int, word: int) -> int:
        """Return the code that a 64-bit word gives."""
        return self.response.answer(cell.bit_count() & 1, word)

    def draw(self, cell: int) -> int:
        """Return a random code for one cell, by the operating system's randomness."""
        return self.answer(cell, secrets.randbits(64))

    def draw_many(self, cells: NDArray[Any], words: Words) -> NDArray[np.unsignedinteger[Any]]:
        """Return a random code for each of many cells."""
        import numpy as np

        return self.response.draw_many(np.bitwise_count(cells) & 1, words)

    def probabilities(self) -> NDArray[np.float64]:
        """Return the table of probabilities, cells by codes."""
        import numpy as np

        table: NDArray[np.float64] = self.response.probabilities()[np.bitwise_count(np.arange(self.cells)) & 1]
        return table
