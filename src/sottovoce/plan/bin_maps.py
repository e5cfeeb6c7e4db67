"""Bin maps: the public maps from an attribute's levels to bins that questions are made of.

A bin map is stored once in a plan, among its ``tables``, as a small JSON object with one member that names its kind,
and questions refer to it:

- ``{"identity": 64}``: every level is its own bin;
- ``{"edges": [0, 16, 32, 64]}``: bin i holds the levels from ``edges[i]`` up to, not including, ``edges[i + 1]``;
- ``{"tree": [64, 4, 2]}``: the nodes of a tree over 64 levels, with branching 4, at depth 2. A tree of L levels and
  branching b has depths 0 to h, h being log L to base b, rounded, and at least 1. At depth k < h there are b^k nodes,
  node i from level ``i * L // b^k`` on; at depth h every level is a node. So nodes nest, and where L is no power of b
  only the last step is uneven;
- ``{"walsh": [64, 13]}``: the sign of Walsh function 13 (Paley order) over 64 levels: bin 0 where it is +1, bin 1 where
  it is -1. With B bits, 2^B being the next power of two, level l stands on cell ``c = l * 2^B // levels``, and the bin
  is the parity of the bits that the function's number and c, read backwards as B bits, have in common;
- ``{"walsh": [64, 13, 22, 40]}``: the signs of several functions, at most B, over at most 2^16 levels: their bins of 0
  or 1 are the binary digits of one number, the first function's the highest. Numbers that no level has are left out,
  and bins are the others in rising order: over 3 levels ``[3, 1, 2]`` has the bins 0, 1 and 2.

A bin map says nothing about order: any map from levels to bins may stand here, and no reader assumes more.
"""

from __future__ import annotations

import bisect
import functools
import itertools
from typing import TYPE_CHECKING

import msgspec

from sottovoce.errors import PlanError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MAX_WALSH_LEVELS = 2**16
"""The most levels of a bin map of several Walsh functions: a client may have to go through all of them."""


class BinMap(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A map from levels to bins; exactly one member is set."""

    identity: int | None = None
    edges: tuple[int, ...] | None = None
    tree: tuple[int, int, int] | None = None
    walsh: tuple[int, ...] | None = None

    def check(self, levels: int) -> None:
        """Raise PlanError unless this map takes each of ``levels`` levels to a bin."""
        self._check_kind()
        if self.edges is not None:
            fits = self.edges[:1] == (0,) and self.edges[-1] == levels
        else:
            fits = levels == (self.identity if self.identity is not None else (self.tree or self.walsh or (0,))[0])
        if not (fits and self._possible()):
            raise PlanError(f"table {msgspec.to_builtins(self)} does not cover an attribute of {levels} levels")

    def check_alone(self) -> None:
        """Raise PlanError unless this map can be, whatever attribute it is for: one that no question uses as well."""
        self._check_kind()
        if not self._possible():
            raise PlanError(f"table {msgspec.to_builtins(self)} cannot be")

    def _check_kind(self) -> None:
        if len(msgspec.to_builtins(self)) != 1:
            kinds = ", ".join(self.__struct_fields__)
            raise PlanError(f"a table has exactly one kind of {kinds}, got {msgspec.to_builtins(self)}")

    def _possible(self) -> bool:
        if self.tree is not None:
            size, branching, depth = self.tree
            return size >= 2 and branching >= 2 and 0 <= depth <= tree_height(size, branching)
        if self.walsh is not None:
            size, functions = self.walsh[0] if self.walsh else -1, self.walsh[1:]
            bits = walsh_bits(size)
            few = 1 <= len(functions) <= bits and (len(functions) == 1 or size <= MAX_WALSH_LEVELS)
            return size >= 0 and few and all(1 <= index < 1 << bits for index in functions)
        if self.edges is not None:
            rising = all(left < right for left, right in itertools.pairwise(self.edges))
            return len(self.edges) >= 2 and rising and self.edges[0] >= 0
        return self.identity is not None and self.identity >= 0

    @property
    def bins(self) -> int:
        """The number of bins."""
        if self.tree is not None:
            levels, branching, depth = self.tree
            return int(branching**depth) if depth < tree_height(levels, branching) else levels
        if self.walsh is not None:
            return len(walsh_cosets(self.walsh))
        return self.identity if self.edges is None else len(self.edges) - 1  # type: ignore[return-value]

    def bin(self, level: int) -> int:
        """Return the bin of one level."""
        if self.tree is not None:
            return ((level + 1) * self.bins - 1) // self.tree[0]
        if self.walsh is not None:
            return bisect.bisect_left(walsh_cosets(self.walsh), _walsh_coset(self.walsh, level))
        return level if self.edges is None else bisect.bisect_right(self.edges, level) - 1

    def array(self) -> NDArray[np.intp]:
        """Return the bin of every level."""
        import numpy as np

        if self.tree is not None:
            return ((np.arange(self.tree[0]) + 1) * self.bins - 1) // self.tree[0]
        if self.walsh is not None:
            return np.array([self.bin(level) for level in range(self.walsh[0])])
        if self.edges is None:
            return np.arange(self.bins)
        return np.repeat(np.arange(self.bins), np.diff(self.edges))


def _walsh_coset(walsh: tuple[int, ...], level: int) -> int:
    """Return the signs of a table's functions at a level as the digits of a number, 1 where a sign is -1."""
    backwards, coset = _backwards(walsh[0], level), 0
    for function in walsh[1:]:
        coset = coset << 1 | (function & backwards).bit_count() & 1
    return coset


@functools.lru_cache(maxsize=2**14)
def _backwards(levels: int, level: int) -> int:
    """Return the cell of a level, its bits read backwards."""
    bits = walsh_bits(levels)
    cell = (level << bits) // levels
    return sum((cell >> bit & 1) << (bits - 1 - bit) for bit in range(bits))


def reaches_all(levels: int, functions: int) -> bool:
    """Return whether any so many independent Walsh functions are sure to have all combinations of signs.

    They part the 2^B cells into groups of 2^(B - functions), and fewer cells than that are without a level.

    Example:
        >>> reaches_all(64, 6), reaches_all(50, 2), reaches_all(50, 3), reaches_all(3, 1)
        (True, True, False, True)
    """
    bits = walsh_bits(levels)
    return functions == 1 or (1 << bits) - levels < 1 << max(bits - functions, 0)


@functools.lru_cache(maxsize=2**14)
def walsh_cosets(walsh: tuple[int, ...]) -> range | tuple[int, ...]:
    """Return the combinations of signs, as numbers, that the levels of a Walsh table have."""
    levels, *functions = walsh
    bands = {function.bit_length() for function in functions}
    if len(bands) == len(functions) and reaches_all(levels, len(functions)):  # different bands: independent functions
        return range(1 << len(functions))
    return tuple(sorted({_walsh_coset(walsh, level) for level in range(levels)}))


def walsh_bits(levels: int) -> int:
    """Return the number of bits of the next power of two, at least 1: there are 2^bits Walsh functions."""
    return max(1, (levels - 1).bit_length())


def tree_height(levels: int, branching: int) -> int:
    """Return the depth of a tree's leaves: log ``levels`` to base ``branching``, rounded, and at least 1.

    Example:
        >>> [tree_height(levels, 4) for levels in (2, 4, 16, 32, 33, 64, 65, 128)]
        [1, 1, 2, 2, 3, 3, 3, 3]
    """
    height = 1
    while branching ** (2 * height + 1) < levels**2:
        height += 1
    return height


def tree_maps(levels: int, branching: int) -> list[BinMap]:
    """Return the tables of a tree's depths, the root's single bin first."""
    return [BinMap(tree=(levels, branching, depth)) for depth in range(tree_height(levels, branching) + 1)]


def grid_map(value_levels: int, granularity: int, *, nullable: bool = False) -> BinMap:
    """Return ``granularity`` bins of near-equal width over the values, and one more for "no answer" if asked for.

    The edges are at ``i * value_levels // granularity``, so a granularity that divides another gives nested bins.

    Args:
        value_levels: How many levels stand for values.
        granularity: How many bins; as many as there are levels, or more, leave every level by itself.
        nullable: Whether one more level, the last, stands for "no answer".

    Example:
        >>> grid_map(10, 4).edges
        (0, 2, 5, 7, 10)
    """
    levels = value_levels + nullable
    if granularity >= value_levels:
        return BinMap(identity=levels)
    edges = tuple(i * value_levels // granularity for i in range(granularity + 1))
    return BinMap(edges=(*edges, levels) if nullable else edges)
