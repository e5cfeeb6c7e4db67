"""Walsh functions in bands: the sign patterns that range queries are made of.

Band b of an attribute holds the 2^b Walsh functions of number 2^b to 2^(b+1) - 1 (Paley order). Within a band all
functions have the same mean square over ranges and the same prior, so a design treats them alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce._types import Floats
from sottovoce.plan.bin_maps import walsh_bits
from sottovoce.schema.schema import AnyAttribute


@dataclass(frozen=True, slots=True)
class Axis:
    """What estimation needs to know of an attribute: its levels, whether they have an order, and "no answer"."""

    size: int
    ordered: bool = True
    nullable: bool = False

    @classmethod
    def of(cls, attribute: AnyAttribute) -> Axis:
        """Return the axis of an attribute."""
        return cls(attribute.size, attribute.ordered, attribute.accepts_null)

    @property
    def bands(self) -> int:
        """The number of bands: bits of the next power of two."""
        return walsh_bits(self.size)


def walsh_signs(size: int, bands: int) -> Floats:
    """Return the signs of functions 0 to 2^bands - 1 at every level: levels by functions, +1 and -1.

    Example:
        >>> walsh_signs(4, 2)[:, 1:].T
        array([[ 1.,  1., -1., -1.],
               [ 1., -1.,  1., -1.],
               [ 1., -1., -1.,  1.]])
    """
    bits = walsh_bits(size)
    # levels are spread over 2^bits cells, so that a size that is no power of two has functions too
    cell = (np.arange(size) << bits) // size
    table = np.ones((size, 1))
    for band in range(bands):
        sign = 1.0 - 2.0 * ((cell >> (bits - 1 - band)) & 1)
        # wal(2^b + u) = wal(2^b) wal(u): each band is the table so far times one more sign (Paley order)
        table = np.concatenate([table, table * sign[:, None]], axis=1)
    return table
