"""SQL text -> an expression, by a whitelist of nodes: whatever is not on it is refused, never ignored.

Understood are comparisons of an attribute with a literal, BETWEEN, IN, IS [NOT] NULL, AND, OR, NOT, TRUE and FALSE.
"""

from __future__ import annotations

from typing import Any, NoReturn

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError, TokenError

from sottovoce.errors import QueryError
from sottovoce.query.expression import And, Between, Compare, Constant, Expression, In, IsNull, Not, Or, Value

MAX_LENGTH = 20_000
"""The longest text that is read."""

_OPERATORS = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_ALLOWED = "comparisons, BETWEEN, IN, IS NULL, AND, OR, NOT, TRUE and FALSE over attributes and literals"

_FORBIDDEN = {("SEMICOLON", ";"), ("NOT", "!"), ("VAR", "IF")}
"""What the parser would take as more than a predicate, or not bind as its writer may think."""


def parse_sql(text: str) -> Expression:
    """Return the predicate that an SQL text states, as it would stand behind WHERE.

    Example:
        >>> print(parse_sql("30 <= age"))
        age >= 30
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
            for token in sqlglot.tokenize(self.text):
                if (token.token_type.name, token.text.upper()) in _FORBIDDEN:
                    self._fail(f"{token.text} is not understood; allowed are {_ALLOWED}", token.start)
            return self._expression(sqlglot.parse_one(self.text, into=exp.Condition))
        except TokenError:
            self._fail("not understood: a quote or comment that does not end", self._last_opening())
        except SqlglotError as error:
            found = getattr(error, "errors", None) or [{}]
            what = str(found[0].get("description") or "cannot be read").split(" for <")[0]
            self._fail(f"not understood: {what}", self._offset(found[0]))
        except RecursionError:
            self._fail("nested too deeply; use IN for long lists of values", 0)

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
                name, offset = self._column(node.this)
                return Between(name, self._literal(node.args["low"]), self._literal(node.args["high"]), offset)
            case exp.In():
                self._only(node, "this", "expressions")
                name, offset = self._column(node.this)
                return In(name, tuple(self._literal(value) for value in node.expressions), offset)
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
        name, offset = self._column(left)
        if isinstance(right, exp.Null):
            self._refuse("a comparison with NULL (write IS NULL)", node)
        return Compare(name, operator, self._literal(right), offset)

    def _column(self, node: Any) -> tuple[str, int]:
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

    def _last_opening(self) -> int:
        return max(0, *(self.text.rfind(mark) for mark in ("'", '"', "/*", "$")))

    def _offset(self, found: dict[str, Any]) -> int:
        line, column, marked = found.get("line"), found.get("col"), found.get("highlight") or ""
        if not line or column is None:
            return 0
        before = self.text.splitlines(keepends=True)[: line - 1]
        return int(sum(map(len, before)) + max(0, column - len(marked)))

    def _refuse(self, what: str, node: Any) -> NoReturn:
        self._fail(f"{what} is not understood; allowed are {_ALLOWED}", _start(node))

    def _fail(self, why: str, offset: int) -> NoReturn:
        raise QueryError(f"at character {offset + 1}, near {self.text[offset : offset + 20]!r}: {why}")


def _start(node: Any) -> int:
    """Return where a node stands; one that does not know, as NULL, stands where what it is part of does."""
    while node is not None:
        starts = [part.meta["start"] for part in node.walk() if "start" in part.meta]
        if starts:
            return int(min(starts))
        node = node.parent
    return 0


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
