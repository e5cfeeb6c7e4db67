"""Real numbers in bins."""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from sottovoce._checks import check_integer, is_number
from sottovoce.errors import SchemaError
from sottovoce.schema.attribute import (
    MAX_LEVELS,
    Attribute,
    as_number,
    refuse_rows,
    require_numbers,
    settle_common,
    settle_levels,
)
from sottovoce.schema.presentation import Texts, settle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Numeric(Attribute, frozen=True, tag="numeric"):
    """Real numbers from ``low`` to ``high`` in equal ``bins``, or between given ``edges``; one level per bin.

    A bin holds its lower edge; the last one holds its upper edge too.
    """

    low: float | None = None
    high: float | None = None
    bins: int | None = None
    edges: tuple[float, ...] | None = None
    nullable: bool = False
    clip: bool = False

    if TYPE_CHECKING:

        def __init__(  # noqa: PLR0913, PLR0917 - the fields above, lists of any kind
            self,
            name: str,
            low: float | None = None,
            high: float | None = None,
            bins: int | None = None,
            edges: Sequence[float] | None = None,
            nullable: bool = False,
            clip: bool = False,
            **shown: Unpack[Texts],
        ) -> None: ...

    def __post_init__(self) -> None:
        settle_common(self)
        if self.edges is None:
            self._settle_bins()
        else:
            self._settle_edges(self.edges)
        settle_levels(self)

    def _settle_bins(self) -> None:
        if self.low is None or self.high is None:
            raise SchemaError(f"{self.name}: a numeric attribute needs low and high, or edges")
        bins = 64 if self.bins is None else self.bins
        bins = check_integer(f"{self.name}: bins", bins, error=SchemaError, least=2, most=MAX_LEVELS)
        low, high = (_finite(self.name, "bound", bound) for bound in (self.low, self.high))
        if not low < high:
            raise SchemaError(f"{self.name}: high must be above low, got low={self.low}, high={self.high}")
        settle(self, low=low, high=high, bins=bins)
        if not all(left < right for left, right in itertools.pairwise(self.boundaries)):
            raise SchemaError(f"{self.name}: {bins} bins between {low} and {high} are narrower than a float can tell")

    def _settle_edges(self, edges: Iterable[float]) -> None:
        settled = tuple(_finite(self.name, "edge", edge) for edge in edges) if isinstance(edges, Iterable) else ()
        if len(settled) < 3 or any(left >= right for left, right in itertools.pairwise(settled)):
            raise SchemaError(f"{self.name}: edges are at least three increasing numbers, got {edges!r}")
        given = (self.low, self.high, self.bins)
        implied = (settled[0], settled[-1], len(settled) - 1)
        if any(value is not None and value != wanted for value, wanted in zip(given, implied, strict=True)):
            raise SchemaError(
                f"{self.name}: edges say low, high, bins = {implied}, but {given} was given too; give edges alone"
            )
        settle(self, low=implied[0], high=implied[1], bins=implied[2], edges=settled)

    @property
    def boundaries(self) -> tuple[float, ...]:
        """The ``bins + 1`` bin boundaries; equal bins are at ``low + (high - low) * i / bins`` in IEEE doubles."""
        if self.edges is not None:
            return self.edges
        assert self.low is not None
        assert self.high is not None
        assert self.bins is not None
        return _equal_bins(self.low, self.high, self.bins)

    @property
    def value_levels(self) -> int:
        """One per bin."""
        assert self.bins is not None
        return self.bins

    @property
    def domain(self) -> str:
        """The interval allowed."""
        return f"numbers from {self.low:g} to {self.high:g}"

    def _level(self, value: object) -> int:
        number = as_number(self, value)
        boundaries = self.boundaries
        if not boundaries[0] <= number <= boundaries[-1] and not self.clip:
            self.refuse(f"allowed are {self.domain}; set clip=True to pull values to the edge")
        return min(max(bisect.bisect_right(boundaries, number) - 1, 0), self.value_levels - 1)

    def _value_levels(self, column: NDArray[Any]) -> NDArray[Any]:
        import numpy as np

        require_numbers(self, column)
        boundaries = np.array(self.boundaries)
        if not self.clip and len(column) and (column.min() < boundaries[0] or column.max() > boundaries[-1]):
            refuse_rows((column < boundaries[0]) | (column > boundaries[-1]))
        return np.clip(np.searchsorted(boundaries, column, side="right") - 1, 0, self.value_levels - 1)

    def spans(self, bounds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where closed intervals (rows of low, high) lie on the axis of levels; linear within a bin."""
        import numpy as np

        return np.interp(bounds, self.boundaries, np.arange(self.value_levels + 1))


@functools.lru_cache(maxsize=256)
def _equal_bins(low: float, high: float, bins: int) -> tuple[float, ...]:
    return (*(low + (high - low) * i / bins for i in range(bins)), high)


def _finite(name: str, what: str, value: object) -> float:
    if not is_number(value) or not math.isfinite(value):
        raise SchemaError(f"{name}: every {what} is a finite number, got {value!r}")
    return float(value) + 0.0  # no negative zero: its text would differ from zero's
