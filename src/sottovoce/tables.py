"""Tables: the public maps from an attribute's levels to bins that questions are made of.

A table is stored once in a plan, as a small JSON object with one member that names its kind, and questions refer to it:

- ``{"identity": 64}``: every level is its own bin;
- ``{"edges": [0, 16, 32, 64]}``: bin i holds the levels from ``edges[i]`` up to, not including, ``edges[i + 1]``.

A table says nothing about order: any map from levels to bins may stand here, and no reader assumes more.
"""

from __future__ import annotations

import bisect
import itertools
from typing import TYPE_CHECKING

import msgspec

from sottovoce.errors import PlanError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A map from levels to bins; exactly one member is set."""

    identity: int | None = None
    edges: tuple[int, ...] | None = None

    def check(self, levels: int) -> None:
        """Raise PlanError unless this table maps each of ``levels`` levels to a bin."""
        if (self.identity is None) == (self.edges is None):
            raise PlanError(f"a table has exactly one kind, identity or edges, got {msgspec.to_builtins(self)}")
        if self.identity is not None:
            fits = self.identity == levels
        else:
            edges = self.edges or ()
            rising = all(left < right for left, right in itertools.pairwise(edges))
            fits = rising and len(edges) >= 2 and edges[0] == 0 and edges[-1] == levels
        if not fits:
            raise PlanError(f"table {msgspec.to_builtins(self)} does not cover an attribute of {levels} levels")

    @property
    def bins(self) -> int:
        """The number of bins."""
        return self.identity if self.edges is None else len(self.edges) - 1  # type: ignore[return-value]

    def bin(self, level: int) -> int:
        """Return the bin of one level."""
        return level if self.edges is None else bisect.bisect_right(self.edges, level) - 1

    def array(self) -> NDArray[np.intp]:
        """Return the bin of every level."""
        import numpy as np

        if self.edges is None:
            return np.arange(self.bins)
        return np.repeat(np.arange(self.bins), np.diff(self.edges))


def grid_table(value_levels: int, granularity: int, *, nullable: bool = False) -> Table:
    """Return ``granularity`` bins of near-equal width over the values, and one more for "no answer" if asked for.

    The edges are at ``i * value_levels // granularity``, so a granularity that divides another gives nested bins.

    Example:
        >>> grid_table(10, 4).edges
        (0, 2, 5, 7, 10)
    """
    levels = value_levels + nullable
    if granularity >= value_levels:
        return Table(identity=levels)
    edges = tuple(i * value_levels // granularity for i in range(granularity + 1))
    return Table(edges=(*edges, levels) if nullable else edges)
