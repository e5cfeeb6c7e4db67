"""The square wave: report a bucket near the true one with one probability, any bucket farther off with a smaller one.

K ordered cells go in, K + 2b buckets come out: cell v stands at bucket v + b, the 2b + 1 buckets within b of it are
near, the other K - 1 are far. With b = 0 this is randomised response.

Guarantee: integer weights out of 2^64; the largest weight of a near bucket over the smallest of a far one is at most
e^epsilon exactly, and epsilon is met to within 4 K ((2b + 1) e^epsilon + K) / 2^64. Cost: one 64-bit word per report. A
report blurs, so the distribution is decoded by maximum likelihood (`sottovoce.estimation.em`): the table's inverse
exists but magnifies the noise beyond use, and this channel therefore offers no unbiased estimate. Reference: section
3.5 of the paper; Li et al., SIGMOD 2020, the variant that bucketises before it randomises.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sottovoce.channels.exact import SCALE, Words, wave_reach, wave_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SquareWave:
    """The discrete square wave over ``cells`` ordered cells; a code is a bucket from 0 to cells + 2 reach - 1.

    Attributes:
        cells: How many cells go in.
        reach: How far from its own bucket a cell's near buckets go: the paper's delta times the cells, rounded down.
        near: The weight of each near bucket; the first ``extra`` of them weigh one more, so that all add up to 2^64.
        extra: How many near buckets weigh one more.
        far: The weight of each far bucket.

    Example:
        >>> wave = SquareWave.design(64, Decimal(1))
        >>> wave.reach, wave.codes, sum(wave.row(0)) == 2**64
        (16, 96, True)
    """

    cells: int
    reach: int
    near: int
    extra: int
    far: int
    kind = "square_wave"
    scale = SCALE

    @classmethod
    def design(cls, cells: int, epsilon: Decimal) -> SquareWave:
        """Return the channel for this many cells at this epsilon."""
        reach = wave_reach(cells, epsilon)
        return cls(cells, reach, *wave_weights(cells, 2 * reach + 1, epsilon))

    @property
    def width(self) -> int:
        """How many buckets are near each cell."""
        return 2 * self.reach + 1

    @property
    def codes(self) -> int:
        """One per bucket."""
        return self.cells + 2 * self.reach

    @property
    def near_total(self) -> int:
        """The weight of all near buckets together."""
        return self.width * self.near + self.extra

    @property
    def attenuation(self) -> None:
        """None: it offers no unbiased estimate, and so has no raw coefficient."""

    def row(self, cell: int) -> list[int]:
        """Return the exact integer weight of every code, given the cell: near buckets are those from ``cell`` on."""
        near = [self.near + (bucket < self.extra) for bucket in range(self.width)]
        return [self.far] * cell + near + [self.far] * (self.cells - 1 - cell)

    def worst_ratio(self) -> Fraction:
        """Return the heaviest near weight over the far one: every code is near to one cell and far from another."""
        return Fraction(self.near + (self.extra > 0), self.far)

    def variation(self) -> Fraction:
        """Return that of the two cells farthest apart, each near place of one alone counted as if it weighed most."""
        alone = min(self.width, self.cells - 1)
        return Fraction(alone * (self.near + (self.extra > 0) - self.far), SCALE)

    def blanket(self) -> Fraction:
        """Return the far weight over all buckets: every bucket is far from some cell, or taken to be."""
        return Fraction(self.codes * self.far, SCALE)

    def answer(self, cell: int, word: int) -> int:
        """Return the code that a 64-bit word gives: near buckets first, in order, then the far ones, in order."""
        if word < self.near_total:
            heavy = self.extra * (self.near + 1)
            bucket = word // (self.near + 1) if word < heavy else self.extra + (word - heavy) // self.near
            return cell + bucket
        bucket = (word - self.near_total) // self.far
        return bucket if bucket < cell else bucket + self.width

    def draw(self, cell: int) -> int:
        """Return a random code for one cell, by the operating system's randomness."""
        return self.answer(cell, secrets.randbits(64))

    def draw_many(self, cells: NDArray[Any], words: Words) -> NDArray[np.unsignedinteger[Any]]:
        """Return a random code for each of many cells."""
        import numpy as np

        drawn = words(len(cells))
        codes = np.array(cells, dtype=np.min_scalar_type(self.codes - 1))
        is_far = drawn >= np.uint64(self.near_total)
        near, far = np.flatnonzero(~is_far), np.flatnonzero(is_far)
        heavy, word = np.uint64(self.extra * (self.near + 1)), drawn[near]
        light = np.uint64(self.extra) + (word - heavy) // np.uint64(self.near)  # wraps below heavy, where it is unused
        codes[near] += np.where(word < heavy, word // np.uint64(self.near + 1), light).astype(codes.dtype)
        bucket = ((drawn[far] - np.uint64(self.near_total)) // np.uint64(self.far)).astype(codes.dtype)
        codes[far] = np.where(bucket < codes[far], bucket, bucket + codes.dtype.type(self.width))
        return codes

    def probabilities(self) -> NDArray[np.float64]:
        """Return the table of probabilities, cells by codes."""
        import numpy as np

        table = np.full((self.cells, self.codes), self.far / SCALE)
        near = np.full(self.width, self.near / SCALE)
        near[: self.extra] = (self.near + 1) / SCALE
        cells = np.arange(self.cells)[:, None]
        table[cells, cells + np.arange(self.width)] = near
        return table
