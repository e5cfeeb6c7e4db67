"""Attributes: what one column of a record may hold, and how a value becomes a level.

An attribute maps every value it allows to a **level**, an integer from 0 to ``size - 1``. Everything after this module
works on levels alone, so ordinal, numeric and categorical attributes are one thing from here on. A nullable attribute
keeps its last level for "no answer".

    >>> age = Ordinal("age", 0, 119)
    >>> age.size, age.level(34)
    (120, 34)
"""

from __future__ import annotations

import abc
import bisect
import functools
import itertools
import math
import numbers
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import msgspec

from sottovoce._checks import check_integer, is_number, is_readable
from sottovoce.errors import RecordError, SchemaError
from sottovoce.schema.missing import is_absent, missing_answers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_LEVELS = 2**20
"""The most levels one attribute may have: beyond it a Numeric with fewer bins says as much with less noise."""

MAX_EXACT = 2**53 - 1
"""Integers up to here survive JSON, TOML and a browser unchanged."""


class _Meta(msgspec.StructMeta, abc.ABCMeta):
    """Structs that may have abstract methods."""


class Attribute(msgspec.Struct, metaclass=_Meta, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """What all attributes share; use Ordinal, Numeric or Categorical."""

    name: str

    ordered: ClassVar[bool] = True

    @property
    @abc.abstractmethod
    def value_levels(self) -> int:
        """The number of levels that stand for values, the level for "no answer" not counted."""

    @property
    def accepts_null(self) -> bool:
        """Whether "no answer" is a level of its own."""
        return bool(getattr(self, "nullable", False))

    @property
    def size(self) -> int:
        """The number of levels, "no answer" included."""
        return self.value_levels + self.accepts_null

    @property
    def null_level(self) -> int | None:
        """The level of "no answer", or None where an answer is required."""
        return self.value_levels if self.accepts_null else None

    @property
    @abc.abstractmethod
    def domain(self) -> str:
        """What is allowed, in words for people."""

    def level(self, value: object) -> int:
        """Return the level of one value, None and NaN being "no answer"; outside the domain only ``clip`` helps."""
        if self.accepts_null and is_absent(value):
            return self.value_levels
        if value is None:
            self._refuse(value, "no answer was given, and this attribute requires one: set nullable=True to allow it")
        return self._level(value)

    @abc.abstractmethod
    def _level(self, value: object) -> int:
        """Return the level of a value that is not absent."""

    def levels(self, column: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
        """Return the levels of a whole column, as the smallest unsigned integers that hold them."""
        import numpy as np

        missing = missing_answers(column)
        levels = np.zeros(len(column), dtype=np.min_scalar_type(self.size - 1))
        if missing is None:
            levels[:] = self._present_levels(column)
            return levels
        if not self.accepts_null:
            row = int(np.argmax(missing))
            raise RecordError(
                f"{self.name}: {int(missing.sum())} of {len(column)} answers are missing or NaN, the first in row "
                f"{row}; this attribute requires an answer: fill them in, or set nullable=True"
            )
        levels[~missing] = self._present_levels(column[~missing])
        levels[missing] = self.value_levels
        return levels

    def _present_levels(self, column: NDArray[Any]) -> NDArray[Any]:
        import numpy as np

        if column.dtype.kind != "O":
            return self._value_levels(column)
        return np.array([*map(self._level, column.tolist())], np.intp)

    @abc.abstractmethod
    def _value_levels(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the levels of a column of numbers or text without absent values."""

    def _refuse(self, value: object, why: str) -> NoReturn:
        raise RecordError(f"{self.name}: got {value!r}; {why}")

    def _refuse_column(self, column: NDArray[Any], wrong: NDArray[np.bool_]) -> NoReturn:
        row = int(wrong.argmax())
        raise RecordError(
            f"{self.name}: {int(wrong.sum())} of {len(column)} values are outside {self.domain}, the first is "
            f"{column[row].item() if hasattr(column[row], 'item') else column[row]!r}; "
            "correct them, widen the attribute, or set clip=True to pull numbers to the edge"
        )


class Ordinal(Attribute, frozen=True, tag="ordinal"):
    """Integers from ``low`` to ``high``, both included, one level each."""

    low: int
    high: int
    nullable: bool = False
    clip: bool = False

    def __post_init__(self) -> None:
        _check_common(self)
        for bound in (self.low, self.high):
            if isinstance(bound, bool) or not isinstance(bound, numbers.Integral) or abs(bound) > MAX_EXACT:
                raise SchemaError(f"{self.name}: bounds are integers between -2^53 and 2^53, got {bound!r}")
        settle(self, low=int(self.low), high=int(self.high))
        if self.high <= self.low:
            raise SchemaError(
                f"{self.name}: high must be above low, got low={self.low}, high={self.high}; "
                "an attribute with one value has nothing to ask"
            )
        _check_size(self)

    @property
    def value_levels(self) -> int:
        """One per integer."""
        return self.high - self.low + 1

    @property
    def domain(self) -> str:
        """The integers allowed."""
        return f"the integers {self.low} to {self.high}"

    def _level(self, value: object) -> int:
        number = _as_number(self, value)
        if abs(number) < math.inf and number != math.floor(number):
            self._refuse(value, f"allowed are {self.domain}")
        if not self.low <= number <= self.high:
            if not self.clip:
                self._refuse(value, f"allowed are {self.domain}; set clip=True to pull values to the edge")
            number = min(max(number, self.low), self.high)
        return int(number) - self.low

    def _value_levels(self, column: NDArray[Any]) -> NDArray[Any]:
        import numpy as np

        _require_numbers(self, column)
        if column.dtype.kind == "f":
            wrong = column != np.floor(column)
            if wrong.any():
                self._refuse_column(column, wrong)
        if self.clip:
            column = np.clip(column, self.low, self.high)
        elif len(column) and (column.min() < self.low or column.max() > self.high):
            self._refuse_column(column, (column < self.low) | (column > self.high))
        return column if self.low == 0 else column.astype(np.int64) - self.low

    def spans(self, bounds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where inclusive ranges (rows of low, high) lie on the axis of levels; level i is from i to i + 1."""
        import numpy as np

        ends = np.stack([np.ceil(bounds[:, 0]), np.floor(bounds[:, 1]) + 1], axis=1) - self.low
        return np.asarray(np.clip(ends, 0, self.value_levels))


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

        def __init__(  # noqa: PLR0913, PLR0917 - the fields above, edges from any list
            self,
            name: str,
            low: float | None = None,
            high: float | None = None,
            bins: int | None = None,
            edges: Sequence[float] | None = None,
            nullable: bool = False,
            clip: bool = False,
        ) -> None: ...

    def __post_init__(self) -> None:
        _check_common(self)
        if self.edges is None:
            self._settle_bins()
        else:
            self._settle_edges(self.edges)
        _check_size(self)

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
        return _boundaries(self)

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
        number = _as_number(self, value)
        boundaries = self.boundaries
        if not boundaries[0] <= number <= boundaries[-1] and not self.clip:
            self._refuse(value, f"allowed are {self.domain}; set clip=True to pull values to the edge")
        return min(max(bisect.bisect_right(boundaries, number) - 1, 0), self.value_levels - 1)

    def _value_levels(self, column: NDArray[Any]) -> NDArray[Any]:
        import numpy as np

        _require_numbers(self, column)
        boundaries = np.array(self.boundaries)
        if not self.clip and len(column) and (column.min() < boundaries[0] or column.max() > boundaries[-1]):
            self._refuse_column(column, (column < boundaries[0]) | (column > boundaries[-1]))
        return np.clip(np.searchsorted(boundaries, column, side="right") - 1, 0, self.value_levels - 1)

    def spans(self, bounds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where closed intervals (rows of low, high) lie on the axis of levels; linear within a bin."""
        import numpy as np

        return np.interp(bounds, self.boundaries, np.arange(self.value_levels + 1))


class Categorical(Attribute, frozen=True, tag="categorical"):
    """One of a list of strings; the levels have no order."""

    values: tuple[str, ...]
    nullable: bool = False

    ordered: ClassVar[bool] = False

    if TYPE_CHECKING:

        def __init__(self, name: str, values: Sequence[str], nullable: bool = False) -> None: ...

    def __post_init__(self) -> None:
        _check_common(self)
        values = tuple(self.values) if isinstance(self.values, Iterable) else ()
        if isinstance(self.values, str) or not values or not all(isinstance(value, str) for value in values):
            raise SchemaError(f"{self.name}: values is a list of strings, got {self.values!r}")
        if not all(map(is_readable, values)):
            raise SchemaError(f"{self.name}: values is a list of strings of visible characters, got {self.values!r}")
        if len(values) < 2 or len(set(values)) != len(values):
            raise SchemaError(f"{self.name}: values are at least two different strings, got {list(values)}")
        settle(self, values=tuple(map(str, values)))
        _check_size(self)

    @property
    def value_levels(self) -> int:
        """One per value."""
        return len(self.values)

    @property
    def domain(self) -> str:
        """The values allowed, the first few in full."""
        shown = ", ".join(repr(value) for value in self.values[:8])
        return shown if len(self.values) <= 8 else f"{shown}, ... ({len(self.values)} values)"

    def _level(self, value: object) -> int:
        level = index_by_name(self.values).get(value) if isinstance(value, str) else None
        if level is None:
            self._refuse(value, f"allowed are {self.domain}")
        return level

    def _value_levels(self, column: NDArray[Any]) -> NDArray[Any]:
        import numpy as np

        present, inverse = np.unique(column, return_inverse=True)
        return np.array([*map(self._level, present.tolist())], np.intp)[inverse]


def settle(value: msgspec.Struct, **fields: object) -> None:
    """Give frozen fields their settled form, during construction only."""
    for name, settled in fields.items():
        msgspec.structs.force_setattr(value, name, settled)


@functools.lru_cache(maxsize=256)
def _boundaries(attribute: Numeric) -> tuple[float, ...]:
    low, high, bins = attribute.low, attribute.high, attribute.bins
    assert low is not None
    assert high is not None
    assert bins is not None
    return attribute.edges or (*(low + (high - low) * i / bins for i in range(bins)), high)


@functools.lru_cache(maxsize=256)
def index_by_name(names: tuple[str, ...]) -> dict[str, int]:
    """Return where each name stands, from 0."""
    return {name: index for index, name in enumerate(names)}


def _check_common(attribute: Attribute) -> None:
    name: object = attribute.name
    if not is_readable(name) or not name or len(name) > 200:
        raise SchemaError(f"an attribute's name is 1 to 200 printable characters, got {name!r}")
    for switch in ("nullable", "clip"):
        if not isinstance(getattr(attribute, switch, False), bool):
            raise SchemaError(f"{name}: {switch} is True or False, got {getattr(attribute, switch)!r}")


def _check_size(attribute: Attribute) -> None:
    if attribute.value_levels > MAX_LEVELS:
        raise SchemaError(
            f"{attribute.name}: {attribute.value_levels} levels, at most {MAX_LEVELS} are allowed; "
            "use Numeric with fewer bins"
        )


def _finite(name: str, what: str, value: object) -> float:
    if not is_number(value) or not math.isfinite(value):
        raise SchemaError(f"{name}: every {what} is a finite number, got {value!r}")
    return float(value) + 0.0  # no negative zero: its text would differ from zero's


def _as_number(attribute: Attribute, value: object) -> float:
    if not is_number(value):
        attribute._refuse(value, f"a {type(value).__name__}; allowed are {attribute.domain}")
    if value != value:  # noqa: PLR0124 - NaN; math.isnan fails for an int that no float holds
        attribute._refuse(value, f"not a number; allowed are {attribute.domain}")
    return int(value) if isinstance(value, numbers.Integral) else float(value)  # exact, and compared as in tables


def _require_numbers(attribute: Attribute, column: NDArray[Any]) -> None:
    if column.dtype.kind not in "iuf":
        raise RecordError(f"{attribute.name}: the column holds {column.dtype}, allowed are {attribute.domain}")
