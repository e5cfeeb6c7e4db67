"""What all kinds of attributes share: "no answer", whole columns, refusals, and the words people are shown.

An attribute maps every value it allows to a **level**, an integer from 0 to ``size - 1``. Everything after this room
works on levels alone, so all kinds are one thing from there on. A nullable attribute keeps its last level for "no
answer".
"""

from __future__ import annotations

import abc
import functools
import numbers
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import msgspec

from sottovoce._checks import is_number, is_readable
from sottovoce.errors import RecordError, SchemaError
from sottovoce.schema.missing import is_absent, missing_answers
from sottovoce.schema.presentation import (
    Presentation,
    Shown,
    Translated,
    Translation,
    check_labels,
    settle,
    settle_texts,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_LEVELS = 2**20
"""The most levels one attribute may have: beyond it a Numeric with fewer bins says as much with less noise."""


class _OutsideError(Exception):
    """Values of a column that are not allowed."""

    def __init__(self, wrong: NDArray[np.bool_]) -> None:
        super().__init__()
        self.wrong = wrong


def refuse_rows(wrong: NDArray[np.bool_]) -> NoReturn:
    """Leave a column whose values are wrong in some rows to `Attribute.levels`, which knows which rows these are."""
    raise _OutsideError(wrong)


class _Meta(msgspec.StructMeta, abc.ABCMeta):
    """Structs that may have abstract methods."""


class Attribute(
    Translated, metaclass=_Meta, frozen=True, forbid_unknown_fields=True, tag_field="type", repr_omit_defaults=True
):
    """What all attributes share; use Ordinal, Numeric or Categorical, or a kind that becomes one of them."""

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

    def shown(self, language: str | None = None) -> Shown:
        """Return the words for this attribute in a language; what was not translated stays as it is.

        Example:
            >>> import sottovoce as sv
            >>> sv.Ordinal("age", 0, 119, unit="years", translations=[sv.Translation("de", title="Alter")]).shown("de")
            Shown(title='Alter', question='', unit='years', labels=())
        """
        texts: list[Presentation] = [one for one in self.translations or () if one.language == language]
        found: dict[str, Any] = {
            name: next((text for one in (*texts, self) if (text := getattr(one, name))), "")
            for name in ("title", "question", "unit", "labels")
        }
        return Shown(found["title"] or self.name, found["question"], found["unit"], found["labels"] or ())

    def level(self, value: object) -> int:
        """Return the level of one value, None and NaN being "no answer"; outside the domain only ``clip`` helps."""
        if self.accepts_null and is_absent(value):
            return self.value_levels
        if value is None:
            self.refuse("no answer was given, and this attribute requires one: set nullable=True to allow it")
        return self._level(value)

    @abc.abstractmethod
    def _level(self, value: object) -> int:
        """Return the level of a value that is not absent."""

    def levels(self, column: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
        """Return the levels of a whole column, as the smallest unsigned integers that hold them."""
        import numpy as np

        missing = missing_answers(column)
        levels = np.zeros(len(column), dtype=np.min_scalar_type(self.size - 1))
        if missing is not None and not self.accepts_null:
            row = int(np.argmax(missing))
            raise RecordError(
                f"{self.name}: {int(missing.sum())} of {len(column)} answers are missing or NaN, the first in row "
                f"{row + 1}; this attribute requires an answer: fill them in, or set nullable=True"
            )
        present = slice(None) if missing is None else ~missing
        try:
            levels[present] = self._present_levels(column[present])
        except _OutsideError as error:
            row = int(np.arange(len(column))[present][error.wrong.argmax()])
            edge = "correct them, widen the attribute, or set clip=True to pull numbers to the edge"
            advice = edge if self.ordered else "correct them, or add them to the attribute's values"
            raise RecordError(
                f"{self.name}: {int(error.wrong.sum())} of {len(column)} values are outside {self.domain}, the first "
                f"in row {row + 1}; {advice}"
            ) from None
        if missing is not None:
            levels[missing] = self.value_levels
        return levels

    def _present_levels(self, column: NDArray[Any]) -> NDArray[Any]:
        return self._each(column.tolist()) if column.dtype.kind == "O" else self._value_levels(column)

    def _each(self, values: list[Any], inverse: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
        """Return the level of every value; of a column given by its different values and where each of them stands."""
        import numpy as np

        try:
            levels = np.array([*map(self._level, values)], np.intp)
        except RecordError:
            wrong = np.array([self._is_wrong(value) for value in values])
            raise _OutsideError(wrong if inverse is None else wrong[inverse]) from None
        return levels if inverse is None else levels[inverse]

    def _is_wrong(self, value: object) -> bool:
        try:
            self._level(value)
        except RecordError:
            return True
        return False

    @abc.abstractmethod
    def _value_levels(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the levels of a column of numbers, texts or dates without absent values."""

    def refuse(self, why: str) -> NoReturn:
        """Raise RecordError about one value, not repeating it: errors are logged, and it is somebody's answer."""
        raise RecordError(f"{self.name}: {why}")


def settle_common(attribute: Attribute) -> None:
    """Check and settle what all kinds have: the name, the switches and the texts; raise SchemaError."""
    name: object = attribute.name
    if not is_readable(name) or not name or len(name) > 200:
        raise SchemaError(f"an attribute's name is 1 to 200 printable characters, got {name!r}")
    for switch in ("nullable", "clip"):
        if not isinstance(getattr(attribute, switch, False), bool):
            raise SchemaError(f"{name}: {switch} is True or False, got {getattr(attribute, switch)!r}")
    settle_texts(attribute, name)


def settle_levels(attribute: Attribute) -> None:
    """Check that levels are neither too many nor labelled wrongly, once they are known; raise SchemaError."""
    if attribute.value_levels > MAX_LEVELS:
        raise SchemaError(
            f"{attribute.name}: {attribute.value_levels} levels, at most {MAX_LEVELS} are allowed; "
            "use Numeric with fewer bins"
        )
    check_labels(attribute.name, attribute.labels, attribute.value_levels)
    given: Any = attribute.translations
    if given is None:
        settle(attribute, translations=msgspec.UNSET)
    elif given is not msgspec.UNSET:
        translations = tuple(given) if isinstance(given, Iterable) else ()
        languages = [one.language for one in translations if isinstance(one, Translation)]
        if not translations or len(languages) != len(translations) or len(set(languages)) != len(languages):
            raise SchemaError(f"{attribute.name}: translations are one Translation for each language, got {given!r}")
        for one in translations:
            check_labels(f"{attribute.name}, in {one.language}", one.labels, attribute.value_levels)
        settle(attribute, translations=translations)


@functools.lru_cache(maxsize=256)
def index_by_name(names: tuple[str, ...]) -> dict[str, int]:
    """Return where each name stands, from 0."""
    return {name: index for index, name in enumerate(names)}


def as_number(attribute: Attribute, value: object) -> float:
    """Return a value that is a number, exactly; raise RecordError for any other."""
    if not is_number(value):
        attribute.refuse(f"a {type(value).__name__} was given; allowed are {attribute.domain}")
    if value != value:  # noqa: PLR0124 - NaN; math.isnan fails for an int that no float holds
        attribute.refuse(f"NaN was given; allowed are {attribute.domain}")
    return int(value) if isinstance(value, numbers.Integral) else float(value)  # exact, and compared as in tables


def require_numbers(attribute: Attribute, column: NDArray[Any]) -> None:
    """Raise RecordError unless a column holds numbers."""
    if column.dtype.kind not in "iuf":
        raise RecordError(f"{attribute.name}: the column holds {column.dtype}, allowed are {attribute.domain}")
