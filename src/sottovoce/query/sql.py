"""SQL text -> an expression, by a whitelist of nodes: whatever is not on it is refused, never ignored.

Understood are comparisons of an attribute with a literal, BETWEEN, IN, IS [NOT] NULL, AND, OR, NOT, TRUE and FALSE.
"""

from __future__ import annotations

from typing import Any, NoReturn

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sottovoce.errors import QueryError
from sottovoce.query.expression import And, Between, Compare, Constant, Expression, In, IsNull, Not, Or, Value

MAX_LENGTH = 20_000
"""The longest text that is read."""

_OPERATORS = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_ALLOWED = "comparisons, BETWEEN, IN, IS NULL, AND, OR, NOT, TRUE and FALSE over attributes and literals"


def parse_sql(text: str) -> Expression:
    """Return the predicate that an SQL text states, as it would stand behind WHERE.

    Example:
        >>> parse_sql("age >= 30")
        Compare(name='age', operator='>=', value=30, place=0)
    """
    if not isinstance(text, str):
        raise QueryError(f"a predicate is a text or an expression made with col(), got {type(text).__name__}")
    if not text.strip():
        raise QueryError("the predicate is empty; write TRUE to ask for everybody")
    if len(text) > MAX_LENGTH:
        raise QueryError(f"the predicate has {len(text)} characters, at most {MAX_LENGTH} are read")
    return _Reader(text).read()


class _Reader:
    """Reads one text; keeps it to show where a refusal arose."""

    def __init__(self, text: str) -> None:
        self.text = text

    def read(self) -> Expression:
        try:
            parsed = sqlglot.parse(self.text)
            if len(parsed) != 1 or parsed[0] is None:
                self._refuse("more than one statement", parsed[-1])
            return self._expression(parsed[0])
        except SqlglotError as error:
            found = getattr(error, "errors", None) or [{}]
            what = str(found[0].get("description") or "cannot be read").split(" for <")[0]
            self._fail(f"not understood: {what}", self._offset(found[0]))
        except RecursionError:
            self._fail("nested too deeply", None)

    def _expression(self, node: Any) -> Expression:
        if node.comments:
            self._refuse("a comment", node)
        match node:
            case exp.Paren():
                self._only(node, "this")
                return self._expression(node.this)
            case exp.And() | exp.Or():
                self._only(node, "this", "expression")
                sides = self._expression(node.this), self._expression(node.expression)
                return And(*sides) if isinstance(node, exp.And) else Or(*sides)
            case exp.Not():
                self._only(node, "this")
                return Not(self._expression(node.this))
            case exp.Boolean():
                self._only(node, "this")
                return Constant(bool(node.this))
            case exp.Between():
                self._only(node, "this", "low", "high")
                name, place = self._column(node.this)
                return Between(name, self._literal(node.args["low"]), self._literal(node.args["high"]), place)
            case exp.In():
                self._only(node, "this", "expressions")
                name, place = self._column(node.this)
                return In(name, tuple(self._literal(value) for value in node.expressions), place)
            case exp.Is() if isinstance(node.expression, exp.Null):
                self._only(node, "this", "expression")
                return IsNull(*self._column(node.this))
        if type(node) in _OPERATORS:
            return self._comparison(node)
        self._refuse(_describe(node), node)

    def _comparison(self, node: Any) -> Expression:
        self._only(node, "this", "expression")
        operator, left, right = _OPERATORS[type(node)], node.this, node.expression
        if isinstance(left, exp.Column) and isinstance(right, exp.Column):
            self._refuse("a comparison of two columns", node)
        if isinstance(right, exp.Column):
            left, right, operator = right, left, _MIRRORED[operator]
        name, place = self._column(left)
        if isinstance(right, exp.Null):
            self._refuse("a comparison with NULL (write IS NULL)", node)
        return Compare(name, operator, self._literal(right), place)

    def _column(self, node: Any) -> tuple[str, int | None]:
        if not isinstance(node, exp.Column):
            self._refuse(f"{_describe(node)} where an attribute should stand", node)
        self._only(node, "this")
        if not isinstance(node.this, exp.Identifier):
            self._refuse(_describe(node.this), node)
        if node.comments or node.this.comments:
            self._refuse("a comment", node)
        return node.this.name, _start(node)

    def _literal(self, node: Any) -> Value:
        sign = 1
        while isinstance(node, exp.Neg | exp.Paren):
            self._only(node, "this")
            sign *= -1 if isinstance(node, exp.Neg) else 1
            node = node.this
        if not isinstance(node, exp.Literal):
            self._refuse(f"{_describe(node)} where a literal should stand", node)
        if node.comments:
            self._refuse("a comment", node)
        if node.is_string:
            if sign < 0:
                self._refuse("a negative text", node)
            return str(node.this)
        try:
            return sign * (int(node.this) if node.this.isdigit() else float(node.this))
        except ValueError:
            self._refuse(f"the number {node.this}", node)

    def _only(self, node: Any, *allowed: str) -> None:
        extra = [name for name, value in node.args.items() if value and name not in allowed]
        if extra:
            self._refuse(f"{_describe(node)} with {extra[0]}", node)

    def _offset(self, found: dict[str, Any]) -> int | None:
        line, column, marked = found.get("line"), found.get("col"), found.get("highlight") or ""
        if not line or column is None:
            return None
        before = self.text.splitlines(keepends=True)[: line - 1]
        return int(sum(map(len, before)) + max(0, column - len(marked)))

    def _refuse(self, what: str, node: Any) -> NoReturn:
        self._fail(f"{what} is not understood; allowed are {_ALLOWED}", _start(node))

    def _fail(self, why: str, place: int | None) -> NoReturn:
        raise QueryError(f"{locate(self.text, place)}: {why}")


def locate(text: str, place: int | None) -> str:
    """Return words that say where in a text something stands."""
    if place is None:
        return f"in {text[:60]!r}"
    return f"at character {place + 1}, near {text[place : place + 20]!r}"


def _start(node: Any) -> int | None:
    starts = [part.meta["start"] for part in node.walk() if "start" in part.meta] if node is not None else []
    return int(min(starts)) if starts else None


def _describe(node: Any) -> str:
    if isinstance(node, exp.Column):
        return "a qualified name" if node.args.get("table") else "a bare column"
    if isinstance(node, exp.Literal):
        return "a literal"
    if isinstance(node, exp.Func):
        return "a function"
    if isinstance(node, exp.Query | exp.Subquery):
        return "a subquery"
    return type(node).__name__.upper() if node is not None else "nothing"
