"""Predicates as values: `col("age").between(30, 50) & (col("income") >= 60_000)`.

An expression names attributes and holds the user's own values; it knows no schema. SQL text is read into the same
expressions, so that there is one meaning for both forms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot.tokens import Tokenizer

from sottovoce.errors import QueryError

Value = int | float | str | None
"""What an attribute may be compared with; None only in a list for "no answer"."""

_KEYWORDS = frozenset(Tokenizer.KEYWORDS) | {"IF"}


class Expression:
    """A predicate; combine predicates with ``&``, ``|`` and ``~``. As text, it is SQL."""

    __slots__ = ()

    def __and__(self, other: Expression) -> Expression:
        return And(self, other) if isinstance(other, Expression) else NotImplemented

    def __or__(self, other: Expression) -> Expression:
        return Or(self, other) if isinstance(other, Expression) else NotImplemented

    def __invert__(self) -> Expression:
        return Not(self)

    def __bool__(self) -> bool:
        raise TypeError("a predicate has no truth of its own: combine predicates with &, | and ~, not and, or, not")


@dataclass(frozen=True, slots=True)
class Constant(Expression):
    """Everybody or nobody."""

    truth: bool

    def __str__(self) -> str:
        return "TRUE" if self.truth else "FALSE"


@dataclass(frozen=True, slots=True)
class Compare(Expression):
    """An attribute against a value; ``operator`` is one of = <> < <= > >=."""

    name: str
    operator: str
    value: Value
    offset: int | None = None

    def __str__(self) -> str:
        return f"{sql_name(self.name)} {self.operator} {_literal(self.value)}"


@dataclass(frozen=True, slots=True)
class Between(Expression):
    """An attribute from low to high, both included."""

    name: str
    low: Value
    high: Value
    offset: int | None = None

    def __str__(self) -> str:
        return f"{sql_name(self.name)} BETWEEN {_literal(self.low)} AND {_literal(self.high)}"


@dataclass(frozen=True, slots=True)
class In(Expression):
    """An attribute among listed values."""

    name: str
    values: tuple[Value, ...]
    offset: int | None = None

    def __str__(self) -> str:
        return f"{sql_name(self.name)} IN ({', '.join(map(_literal, self.values))})"


@dataclass(frozen=True, slots=True)
class IsNull(Expression):
    """An attribute without an answer."""

    name: str
    offset: int | None = None

    def __str__(self) -> str:
        return f"{sql_name(self.name)} IS NULL"


@dataclass(frozen=True, slots=True)
class And(Expression):
    """Both predicates hold."""

    left: Expression
    right: Expression

    def __str__(self) -> str:
        return " AND ".join(f"({side})" if isinstance(side, Or) else str(side) for side in (self.left, self.right))


@dataclass(frozen=True, slots=True)
class Or(Expression):
    """At least one predicate holds."""

    left: Expression
    right: Expression

    def __str__(self) -> str:
        return f"{self.left} OR {self.right}"


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """The predicate is false; like SQL's NOT, it leaves out those who gave no answer."""

    inner: Expression

    def __str__(self) -> str:
        return f"NOT ({self.inner})"


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """An attribute to be compared; made by `col`."""

    name: str

    def __eq__(self, value: object) -> Expression:  # type: ignore[override]
        return Compare(self.name, "=", value)  # type: ignore[arg-type]

    def __ne__(self, value: object) -> Expression:  # type: ignore[override]
        return Compare(self.name, "<>", value)  # type: ignore[arg-type]

    def __lt__(self, value: Value) -> Expression:
        return Compare(self.name, "<", value)

    def __le__(self, value: Value) -> Expression:
        return Compare(self.name, "<=", value)

    def __gt__(self, value: Value) -> Expression:
        return Compare(self.name, ">", value)

    def __ge__(self, value: Value) -> Expression:
        return Compare(self.name, ">=", value)

    __hash__ = None  # type: ignore[assignment]  # comparing gives a predicate, so columns cannot be keys

    def between(self, low: Value, high: Value) -> Expression:
        """Return the predicate that the attribute is from low to high, both included."""
        return Between(self.name, low, high)

    def isin(self, values: Iterable[Value]) -> Expression:
        """Return the predicate that the attribute is one of the values."""
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise QueryError(f"{self.name}: isin takes a list of values, got {values!r}: wrap it in [ ]")
        return In(self.name, tuple(values))

    def is_null(self) -> Expression:
        """Return the predicate that there is no answer."""
        return IsNull(self.name)


def col(name: str) -> Column:
    """Return an attribute that can be compared with values.

    Example:
        >>> import sottovoce as sv
        >>> str(sv.col("age").between(30, 50) & (sv.col("income") >= 60_000))
        'age BETWEEN 30 AND 50 AND income >= 60000'
    """
    return Column(name)


def sql_name(name: object) -> str:
    """Return an attribute's name as SQL writes it: in double quotes unless it is a plain word that is no keyword."""
    text = str(name)
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) and text.upper() not in _KEYWORDS
    return text if plain else '"' + text.replace('"', '""') + '"'


def _literal(value: object) -> str:
    if isinstance(value, float) and math.isinf(value):
        return "1e999" if value > 0 else "-1e999"  # SQL has no word for it, and reads this as it
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)
