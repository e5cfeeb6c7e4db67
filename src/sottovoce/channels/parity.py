"""Parity: randomised response on what the bins of several attributes are together, and on nothing else.

Where every attribute has the same number of bins, a power of two, the **exclusive or** of the bins is one of as many
values. With two bins each it is one bit, whether an odd number of bins are 1, which is the product of their signs; with
2^k bins that stand for k signs each, it is k such products. Saying only that much leaves more of it after the noise
than saying every sign: the attenuation is that of 2^k cells, not of all combinations.

Guarantee: keep/other <= e^epsilon exactly, the weights being those of randomised response over as many cells as an
attribute has bins. Cost: one 64-bit word per report; frequencies of single cells cannot be told, those of their parity
can. Reference: Warner 1965.
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
    """Randomised response on the exclusive or of a cell's digits, each of them one of as many bins; a code is a value.

    With two bins the digits are binary, the cells any power of two, and plans call it "parity"; otherwise "xor".

    Example:
        >>> channel = Parity.design(4, Decimal(1))
        >>> channel.row(0) == channel.row(3), channel.row(1) == channel.row(2), channel.row(0) == channel.row(1)
        (True, True, False)
        >>> [Parity.design(16, Decimal(1), bins=4).parity(cell) for cell in (0, 3, 5, 7, 13)]
        [0, 3, 0, 2, 2]
    """

    cells: int
    response: GRR
    scale = SCALE

    @classmethod
    def design(cls, cells: int, epsilon: Decimal, *, bins: int = 2) -> Parity:
        """Return the channel for this many cells at this epsilon, every attribute having so many bins.

        Args:
            cells: How many cells the question tells apart: all combinations of its attributes' bins.
            epsilon: The privacy of one answer.
            bins: How many bins each attribute has, a power of two; their exclusive or has as many values.

        Raises:
            PlanError: If there are two bins and the cells are no power of two.
        """
        if bins == 2 and (cells < 2 or cells & (cells - 1)):
            raise PlanError(
                f"parity takes a power of two cells, got {cells}: every attribute of its question has two bins"
            )
        return cls(cells, GRR.design(bins, epsilon))

    @classmethod
    def of_shape(cls, shape: tuple[int, ...], epsilon: Decimal) -> Parity:
        """Return the channel for attributes of so many bins each."""
        bins = max(shape, default=0)
        if bins < 2 or bins & (bins - 1) or set(shape) != {bins}:
            raise PlanError(f"xor takes attributes of equally many bins, a power of two, got {list(shape)}")
        return cls.design(bins ** len(shape), epsilon, bins=bins)

    @property
    def kind(self) -> str:
        """The name plans use."""
        return "parity" if self.response.cells == 2 else "xor"

    @property
    def codes(self) -> int:
        """As many as an attribute has bins."""
        return self.response.cells

    @property
    def keep(self) -> int:
        """The weight of the true value."""
        return self.response.keep

    @property
    def other(self) -> int:
        """The weight of each other."""
        return self.response.other

    @property
    def attenuation(self) -> float:
        """How much of a difference between two values is left in the codes: keep less other."""
        return self.response.attenuation

    def parity(self, cell: int) -> int:
        """Return the exclusive or of a cell's digits."""
        mask, digit, value = self.codes - 1, self.codes.bit_length() - 1, 0
        while cell:
            value ^= cell & mask
            cell >>= digit
        return value

    def parities(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return the same for many cells."""
        import numpy as np

        if self.codes == 2:
            return np.asarray(np.bitwise_count(cells) & 1)
        left = np.asarray(cells).astype(np.min_scalar_type(self.cells - 1))
        values: NDArray[Any] = np.zeros_like(left)
        for _ in range(self.cells.bit_length() // (self.codes.bit_length() - 1)):
            values ^= left & left.dtype.type(self.codes - 1)
            left = left >> left.dtype.type(self.codes.bit_length() - 1)
        return values

    def row(self, cell: int) -> list[int]:
        """Return the exact integer weight of every code, given the cell."""
        return self.response.row(self.parity(cell))

    def worst_ratio(self) -> Fraction:
        """Return keep/other."""
        return self.response.worst_ratio()

    def variation(self) -> Fraction:
        """Return that of the randomised response: cells of two parities differ, others do not."""
        return self.response.variation()

    def blanket(self) -> Fraction:
        """Return that of the randomised response."""
        return self.response.blanket()

    def answer(self, cell: int, word: int) -> int:
        """Return the code that a 64-bit word gives."""
        return self.response.answer(self.parity(cell), word)

    def draw(self, cell: int) -> int:
        """Return a random code for one cell, by the operating system's randomness."""
        return self.answer(cell, secrets.randbits(64))

    def draw_many(self, cells: NDArray[Any], words: Words) -> NDArray[np.unsignedinteger[Any]]:
        """Return a random code for each of many cells."""
        return self.response.draw_many(self.parities(cells), words)

    def probabilities(self) -> NDArray[np.float64]:
        """Return the table of probabilities, cells by codes."""
        import numpy as np

        table: NDArray[np.float64] = self.response.probabilities()[self.parities(np.arange(self.cells))]
        return table
