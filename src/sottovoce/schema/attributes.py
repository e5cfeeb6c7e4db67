"""Attributes: what one column of a record may hold, and how a value becomes a level.

Integers, real numbers in bins, and texts without order; every other kind becomes one of these three
(`sottovoce.schema.kinds`), so plans and clients know no more.

    >>> age = Ordinal("age", 0, 119)
    >>> age.size, age.level(34)
    (120, 34)
"""

from __future__ import annotations

import functools
import itertools
import math
import numbers
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import msgspec

from sottovoce._checks import is_number, is_readable
from sottovoce.errors import SchemaError
from sottovoce.schema.attribute import (
    Attribute,
    as_number,
    index_by_name,
    refuse_rows,
    require_numbers,
    settle_common,
    settle_levels,
)
from sottovoce.schema.dates import PARTS, Part, date_number, date_numbers, is_day
from sottovoce.schema.numeric import Numeric
from sottovoce.schema.presentation import Texts, settle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MAX_EXACT", "YES_NO", "Categorical", "Numeric", "Ordinal"]

MAX_EXACT = 2**53 - 1
"""Integers up to here survive JSON, TOML and a browser unchanged."""

YES_NO = ("no", "yes")
"""The values of an attribute that takes True and False as well."""


class Ordinal(Attribute, frozen=True, tag="ordinal"):
    """Integers from ``low`` to ``high``, both included, one level each.

    Attributes:
        low: The smallest integer.
        high: The largest integer.
        nullable: Whether "no answer" is allowed.
        clip: Whether integers beyond the ends are pulled to them; otherwise they are refused.
        values: The integers allowed where some between low and high are not.
        date: What the integers say of a date: weekday, month, hour, year, or the days at which ranges begin and the
            last day of the last one; then dates are values too.
    """

    low: int
    high: int
    nullable: bool = False
    clip: bool = False
    values: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    date: str | tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    if TYPE_CHECKING:

        def __init__(  # noqa: PLR0913, PLR0917 - the fields above, lists of any kind
            self,
            name: str,
            low: int,
            high: int,
            nullable: bool = False,
            clip: bool = False,
            values: Sequence[int] | None = None,
            date: str | Sequence[str] | None = None,
            **shown: Unpack[Texts],
        ) -> None: ...

    def __post_init__(self) -> None:
        settle_common(self)
        for bound in (self.low, self.high):
            if not _is_exact(bound):
                raise SchemaError(f"{self.name}: bounds are integers between -2^53 and 2^53, got {bound!r}")
        settle(self, low=int(self.low), high=int(self.high))
        if self.high <= self.low:
            raise SchemaError(
                f"{self.name}: high must be above low, got low={self.low}, high={self.high}; "
                "an attribute with one value has nothing to ask"
            )
        self._settle_values()
        self._settle_date()
        settle_levels(self)

    def _settle_values(self) -> None:
        given: Any = self.values
        if given is None or given is msgspec.UNSET:
            settle(self, values=msgspec.UNSET)
            return
        values = tuple(given) if isinstance(given, Iterable) else ()
        if len(values) < 2 or not all(map(_is_exact, values)) or any(a >= b for a, b in itertools.pairwise(values)):
            raise SchemaError(f"{self.name}: values are at least two rising integers, got {given!r}")
        if (values[0], values[-1]) != (self.low, self.high):
            raise SchemaError(
                f"{self.name}: low and high are the first and the last of values, got {self.low} and {self.high}"
            )
        settle(self, values=tuple(map(int, values)))

    def _settle_date(self) -> None:
        given: Any = self.date
        if given is None or given is msgspec.UNSET:
            settle(self, date=msgspec.UNSET)
            return
        part: Part = given if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
        if self.values or not _fits_date(part, self.low, self.high):
            raise SchemaError(
                f"{self.name}: date is weekday (1 to 7), month (1 to 12), hour (0 to 23), year, or at least three "
                f"rising days such as 2030-12-31 with ranges numbered from 1; got {given!r} with {self.domain}"
            )
        settle(self, date=part)

    @property
    def integers(self) -> Sequence[int]:
        """The integer of every level."""
        return self.values or range(self.low, self.high + 1)

    @property
    def value_levels(self) -> int:
        """One per integer."""
        return len(self.values) if self.values else self.high - self.low + 1

    @property
    def domain(self) -> str:
        """The integers allowed, and the labels and dates that stand for them."""
        words = f"the integers {self.low} to {self.high}"
        if self.values:
            words = f"the integers {_listed(self.values)}"
        if self.labels:
            words += f", or {_listed(self.labels)}"
        return words + (", or dates such as 2030-12-31" + "T14:30" * (self.date == "hour") if self.date else "")

    def _level(self, value: object) -> int:
        number = self._number(value)
        if abs(number) < math.inf and number != math.floor(number):
            self.refuse(f"allowed are {self.domain}")
        if not self.low <= number <= self.high:
            if not self.clip:
                self.refuse(f"allowed are {self.domain}; set clip=True to pull values to the edge")
            number = min(max(number, self.low), self.high)
        if not self.values:
            return int(number) - self.low
        level = _index_by_integer(self.values).get(int(number))
        if level is None:
            self.refuse(f"allowed are {self.domain}")
        return level

    def _number(self, value: object) -> float:
        if isinstance(value, str) and self.labels and value in self.labels:
            return self.integers[index_by_name(self.labels)[value]]
        number = date_number(self.date, value) if self.date and not is_number(value) else None
        return as_number(self, value) if number is None else number

    def _value_levels(self, column: NDArray[Any]) -> NDArray[Any]:
        import numpy as np

        if column.dtype.kind == "U" and (self.labels or self.date):
            texts, inverse = np.unique(column, return_inverse=True)
            return self._each(texts.tolist(), inverse)
        if self.date and column.dtype.kind == "M":
            column = date_numbers(self.date, column)
        require_numbers(self, column)
        if column.dtype.kind == "f":
            wrong = column != np.floor(column)
            if wrong.any():
                refuse_rows(wrong)
        if self.clip:
            column = np.clip(column, self.low, self.high)
        elif len(column) and (column.min() < self.low or column.max() > self.high):
            refuse_rows((column < self.low) | (column > self.high))
        if not self.values:
            return column if self.low == 0 else column.astype(np.int64) - self.low
        values = np.array(self.values)
        levels = np.searchsorted(values, column)
        if (values[levels] != column).any():
            refuse_rows(values[levels] != column)
        return levels

    def spans(self, bounds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where inclusive ranges (rows of low, high) lie on the axis of levels; level i is from i to i + 1."""
        import numpy as np

        if self.values:
            values = np.array(self.values, dtype=np.float64)
            starts, stops = np.searchsorted(values, bounds[:, 0]), np.searchsorted(values, bounds[:, 1], "right")
            return np.stack([starts, stops], axis=1).astype(np.float64)
        ends = np.stack([np.ceil(bounds[:, 0]), np.floor(bounds[:, 1]) + 1], axis=1) - self.low
        return np.asarray(np.clip(ends, 0, self.value_levels))


class Categorical(Attribute, frozen=True, tag="categorical"):
    """One of a list of strings; the levels have no order.

    An integer stands for its decimal digits; True and False for yes and no, where these are the values.

    Attributes:
        values: The strings allowed.
        nullable: Whether "no answer" is allowed.
        choice_of: The name of the multiple choice of which this is one choice, yes or no; its title is the choice.
        other: The value that every text not listed stands for.
    """

    values: tuple[str, ...]
    nullable: bool = False
    choice_of: str | msgspec.UnsetType = msgspec.UNSET
    other: str | msgspec.UnsetType = msgspec.UNSET

    ordered: ClassVar[bool] = False

    if TYPE_CHECKING:

        def __init__(
            self,
            name: str,
            values: Sequence[str | int],
            nullable: bool = False,
            choice_of: str | None = None,
            other: str | None = None,
            **shown: Unpack[Texts],
        ) -> None: ...

    def __post_init__(self) -> None:
        settle_common(self)
        values = tuple(self.values) if isinstance(self.values, Iterable) else ()
        values = tuple(str(int(value)) if _is_exact(value) else value for value in values)
        if isinstance(self.values, str) or not values or not all(isinstance(value, str) for value in values):
            raise SchemaError(f"{self.name}: values is a list of strings, got {self.values!r}")
        if not all(map(is_readable, values)):
            raise SchemaError(f"{self.name}: values is a list of strings of visible characters, got {self.values!r}")
        if len(values) < 2 or len(set(values)) != len(values):
            raise SchemaError(f"{self.name}: values are at least two different strings, got {list(values)}")
        settle(self, values=tuple(map(str, values)))
        choice_of: Any = self.choice_of
        if choice_of is None:
            settle(self, choice_of=msgspec.UNSET)
        elif choice_of is not msgspec.UNSET and not self._is_choice(choice_of):
            raise SchemaError(
                f"{self.name}: choice_of names a multiple choice, in 1 to 200 printable characters, and goes with a "
                f"title and the values no and yes; got {choice_of!r}"
            )
        other: Any = self.other
        if other is None:
            settle(self, other=msgspec.UNSET)
        elif other is not msgspec.UNSET and other not in self.values:
            raise SchemaError(f"{self.name}: other is one of values, {self.domain}, got {other!r}")
        settle_levels(self)

    def _is_choice(self, name: object) -> bool:
        return is_readable(name) and 1 <= len(name) <= 200 and bool(self.title) and self.values == YES_NO

    @property
    def value_levels(self) -> int:
        """One per value."""
        return len(self.values)

    @property
    def domain(self) -> str:
        """The values allowed, the first few in full."""
        return _listed(self.values)

    def _level(self, value: object) -> int:
        levels = index_by_name(self.values)
        level = levels.get(self._text(value))
        if level is None and self.other and isinstance(value, str):
            level = levels[self.other]
        if level is None:
            self.refuse(f"allowed are {self.domain}")
        return level

    def _text(self, value: object) -> str:
        """Return a value as text; what cannot be one becomes a text that is no value."""
        if isinstance(value, str):
            return value
        if type(value).__name__ in ("bool", "bool_"):
            return YES_NO[bool(value)] if self.values == YES_NO else "\n"
        whole = is_number(value) and abs(value) <= MAX_EXACT and value == math.floor(value)
        return str(int(value)) if whole else "\n"  # type: ignore[call-overload]

    def _value_levels(self, column: NDArray[Any]) -> NDArray[Any]:
        import numpy as np

        present, inverse = np.unique(column, return_inverse=True)
        return self._each(present.tolist(), inverse)


@functools.lru_cache(maxsize=256)
def _index_by_integer(values: tuple[int, ...]) -> dict[int, int]:
    return {value: index for index, value in enumerate(values)}


def _fits_date(part: object, low: int, high: int) -> bool:
    if isinstance(part, str):
        least, most = PARTS.get(part, (1, 0))
        return (low, high) == (least, most) or (part == "year" and least <= low and high <= most)
    days = part if isinstance(part, tuple) else ()
    rising = all(map(is_day, days)) and all(one < other for one, other in itertools.pairwise(days))
    return rising and (low, high) == (1, len(days) - 1)


def _is_exact(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and abs(int(value)) <= MAX_EXACT


def _listed(values: Sequence[object]) -> str:
    """Return values in words, the first few in full."""
    shown = ", ".join(repr(value) for value in values[:8])
    return shown if len(values) <= 8 else f"{shown}, ... ({len(values)} values)"
