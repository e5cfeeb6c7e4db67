"""Kinds of attributes that people think in, each of which becomes ordinal or categorical attributes.

A schema holds what they become, so plans, clients and models know three kinds only.

    >>> Boolean("has_car").lowered()[0].values
    ('no', 'yes')
    >>> [attribute.name for attribute in Choices("transport", ["bus", "bike"]).lowered()]
    ['transport_bus', 'transport_bike']
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Union, Unpack

from sottovoce.errors import SchemaError
from sottovoce.schema.attributes import YES_NO, Categorical, Numeric, Ordinal
from sottovoce.schema.dates import MONTHS, PARTS, WEEKDAYS, is_day
from sottovoce.schema.presentation import Texts, Translated, Translation

AnyAttribute = Union[Ordinal, Numeric, Categorical]  # noqa: UP007 - msgspec reads this at run time

_NO_WORD = re.compile(r"\W+")
_TEXTS = ("title", "question", "unit", "labels", "translations")


class _Kind(Translated, frozen=True, forbid_unknown_fields=True, tag_field="type", repr_omit_defaults=True):
    name: str

    def texts(self, **other: object) -> dict[str, Any]:
        """Return the texts that were given, and others in place of them."""
        return {name: getattr(self, name) for name in _TEXTS} | other


class Boolean(_Kind, frozen=True, tag="boolean"):
    """Yes or no: a `Categorical` of no and yes that takes True and False too."""

    nullable: bool = False

    if TYPE_CHECKING:

        def __init__(self, name: str, nullable: bool = False, **shown: Unpack[Texts]) -> None: ...

    def lowered(self) -> tuple[AnyAttribute, ...]:
        """Return the attribute that this becomes."""
        return (Categorical(self.name, YES_NO, nullable=self.nullable, **self.texts()),)


class Ordered(_Kind, frozen=True, tag="ordered"):
    """Texts in an order, such as a Likert scale: an `Ordinal` from 1 whose labels they are, and which takes both.

    Example:
        >>> Ordered("content", ["not at all", "somewhat", "very"]).lowered()[0].level("somewhat")
        1
    """

    values: tuple[str, ...]
    nullable: bool = False

    if TYPE_CHECKING:

        def __init__(
            self, name: str, values: Sequence[str], nullable: bool = False, **shown: Unpack[Texts]
        ) -> None: ...

    def lowered(self) -> tuple[AnyAttribute, ...]:
        """Return the attribute that this becomes."""
        if self.labels:
            raise SchemaError(f"{self.name}: the values of an ordered attribute are its labels; give values alone")
        values = _texts(self.name, "values", self.values)
        return (Ordinal(self.name, 1, len(values), nullable=self.nullable, **self.texts(labels=values)),)


class Integers(_Kind, frozen=True, tag="integers"):
    """Integers with gaps: an `Ordinal` with those values only.

    Example:
        >>> Integers("seats", [2, 4, 5, 7]).lowered()[0].level(5)
        2
    """

    values: tuple[int, ...]
    nullable: bool = False
    clip: bool = False

    if TYPE_CHECKING:

        def __init__(
            self, name: str, values: Sequence[int], nullable: bool = False, clip: bool = False, **shown: Unpack[Texts]
        ) -> None: ...

    def lowered(self) -> tuple[AnyAttribute, ...]:
        """Return the attribute that this becomes."""
        values = tuple(self.values) if isinstance(self.values, Iterable) else ()
        if len(values) < 2:
            raise SchemaError(f"{self.name}: values are at least two rising integers, got {self.values!r}")
        whole = all(isinstance(value, int) for value in values) and len(values) == values[-1] - values[0] + 1
        given = None if whole and values == tuple(range(values[0], values[-1] + 1)) else values
        return (Ordinal(self.name, values[0], values[-1], self.nullable, self.clip, values=given, **self.texts()),)  # type: ignore[arg-type]


class Date(_Kind, frozen=True, tag="date"):
    """The weekday, month, hour or year of a date, or the range of days it falls into: an `Ordinal` that takes dates.

    Attributes:
        by: What is asked of a date: weekday, month, hour or year.
        edges: In place of ``by``, the days at which ranges begin, and the last day of the last one.
        low: The first year, where ``by`` is year.
        high: The last year.
        nullable: Whether "no answer" is allowed.
        clip: Whether a year or a day beyond the ends is pulled to them.

    Example:
        >>> joined = Date("joined", edges=["2020-01-01", "2024-01-01", "2027-12-31"]).lowered()[0]
        >>> joined.level("2026-11-16"), joined.labels
        (1, ('2020-01-01 to 2023-12-31', '2024-01-01 to 2027-12-31'))
    """

    by: str | None = None
    edges: tuple[str, ...] | None = None
    low: int | None = None
    high: int | None = None
    nullable: bool = False
    clip: bool = False

    if TYPE_CHECKING:

        def __init__(  # noqa: PLR0913, PLR0917 - the fields above, days as texts or dates
            self,
            name: str,
            by: str | None = None,
            edges: Sequence[str | datetime.date] | None = None,
            low: int | None = None,
            high: int | None = None,
            nullable: bool = False,
            clip: bool = False,
            **shown: Unpack[Texts],
        ) -> None: ...

    def lowered(self) -> tuple[AnyAttribute, ...]:
        """Return the attribute that this becomes."""
        if (self.by is None) == (self.edges is None):
            raise SchemaError(f"{self.name}: a date is asked by {', '.join(PARTS)}, or gives edges: one of the two")
        labels: tuple[str, ...] | None
        part: Any
        if self.edges is not None:
            part, labels = self._ranges(self.edges)
            low, high = 1, len(labels)
        elif self.by in PARTS:
            part, labels = self.by, {"weekday": WEEKDAYS, "month": MONTHS}.get(self.by or "")
            low, high = PARTS[part]
            if part == "year":
                if self.low is None or self.high is None:
                    raise SchemaError(f"{self.name}: by year needs low and high, the first and the last year")
                low, high = self.low, self.high
        else:
            raise SchemaError(f"{self.name}: a date is asked by {', '.join(PARTS)}, got {self.by!r}")
        if part != "year" and (self.low, self.high) != (None, None):
            raise SchemaError(f"{self.name}: low and high go with by year, not with {self.by or 'edges'}")
        texts = self.texts(labels=self.labels or labels)
        return (Ordinal(self.name, low, high, self.nullable, self.clip, date=part, **texts),)

    def _ranges(self, edges: Iterable[object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        days = tuple(edge.isoformat() if isinstance(edge, datetime.date) else str(edge) for edge in edges)
        if len(days) < 3 or not all(map(is_day, days)) or any(one >= two for one, two in itertools.pairwise(days)):
            raise SchemaError(f"{self.name}: edges are at least three rising days such as 2030-12-31, got {edges!r}")
        before = [(datetime.date.fromisoformat(day) - datetime.timedelta(days=1)).isoformat() for day in days[1:-1]]
        ends = [*before, days[-1]]
        return days, tuple(f"{first} to {last}" for first, last in zip(days[:-1], ends, strict=True))


class Choices(_Kind, frozen=True, tag="choices"):
    """Any number of choices: each becomes a yes or no of its own, and one epsilon covers them all, as ever.

    A person's device answers one question about the whole record, so ten choices cost no more privacy than one; they
    cost accuracy, as every attribute does. A record gives the list of what was chosen under the name of the choice.

    Example:
        >>> import sottovoce as sv
        >>> sv.Schema([Choices("transport", ["bus", "bike", "car"])]).levels({"transport": ["bus", "car"]})
        (1, 0, 1)
    """

    choices: tuple[str, ...]
    nullable: bool = False

    if TYPE_CHECKING:

        def __init__(
            self, name: str, choices: Sequence[str], nullable: bool = False, **shown: Unpack[Texts]
        ) -> None: ...

    def lowered(self) -> tuple[AnyAttribute, ...]:
        """Return the attributes that this becomes, one for each choice."""
        choices = _texts(self.name, "choices", self.choices)
        if self.title or self.unit:
            raise SchemaError(f"{self.name}: choices have a question and labels, and neither a title nor a unit")
        labels = tuple(self.labels) if self.labels else choices
        names = [f"{self.name}_{_NO_WORD.sub('_', choice).strip('_').lower()}" for choice in choices]
        if len(set(names)) != len(names) or len(labels) != len(choices):
            raise SchemaError(
                f"{self.name}: choices are different words, each with one label if any, got {list(choices)}; they "
                f"become the attributes {', '.join(names)}"
            )
        return tuple(
            Categorical(
                name,
                YES_NO,
                nullable=self.nullable,
                choice_of=self.name,
                title=label,
                question=self.question or None,
                translations=self._translations(number, len(choices)) or None,
            )
            for number, (name, label) in enumerate(zip(names, labels, strict=True))
        )

    def _translations(self, number: int, choices: int) -> tuple[Translation, ...]:
        for one in self.translations or ():
            if one.title or one.unit or (one.labels and len(one.labels) != choices):
                raise SchemaError(f"{self.name}: a translation of choices has a question, and a label for each choice")
        return tuple(
            Translation(one.language, question=one.question or None, title=one.labels[number] if one.labels else None)
            for one in self.translations or ()
        )


AnyKind = Boolean | Ordered | Integers | Date | Choices

KINDS: dict[str, type[AnyAttribute | AnyKind]] = {
    "ordinal": Ordinal,
    "numeric": Numeric,
    "categorical": Categorical,
    "boolean": Boolean,
    "ordered": Ordered,
    "integers": Integers,
    "date": Date,
    "choices": Choices,
}
"""Every kind that a schema file may name."""


def _texts(name: str, what: str, values: object) -> tuple[str, ...]:
    texts = () if isinstance(values, str) or not isinstance(values, Iterable) else tuple(values)
    if len(texts) < 2 or not all(isinstance(text, str) for text in texts) or len(set(texts)) != len(texts):
        raise SchemaError(f"{name}: {what} are at least two different texts, got {values!r}")
    return texts
