"""Random predicates in three forms at once: SQL text, Python expressions, and the truth about one person."""

from __future__ import annotations

import operator
from dataclasses import dataclass

from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.query.expression import Constant, Expression
from tests.oracle import SCHEMA, Truth

QUARTERS = [
    low + (high - low) * quarter / 4
    for low, high in zip(SCHEMA.attributes[1].boundaries, SCHEMA.attributes[1].boundaries[1:], strict=False)
    for quarter in range(4)
] + [70.0]
_OPERATORS = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRROR = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Predicate:
    """One predicate in all its forms."""

    sql: str
    python: Expression
    truth: Truth


def quoted(name: str) -> str:
    return f'"{name}"' if " " in name else name


def literal(value: object) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def _known(value: object, test: object) -> bool | None:
    return None if value is None else bool(test(value))


BOUNDS = {
    "age": st.one_of(st.integers(-3, 4), st.sampled_from([-0.5, 0.25, 1.0, 1e9, -1e400])),
    "income": st.one_of(st.sampled_from(QUARTERS), st.sampled_from([-5, 80, 1e300])),
    "the rooms": st.integers(-1, 6),
}
VALUES = {
    "age": st.integers(-1, 2),
    "region": st.sampled_from(SCHEMA.attributes[2].values),
    "the rooms": st.integers(1, 3),
}


@st.composite
def comparisons(draw: st.DrawFn) -> Predicate:
    name = draw(st.sampled_from(["age", "income", "region", "the rooms"]))
    symbols = {"income": ["<", "<=", ">", ">="], "region": ["=", "<>"]}.get(name, list(_OPERATORS))
    symbol = draw(st.sampled_from(symbols))
    value = draw((VALUES if symbol in ("=", "<>") else BOUNDS)[name])
    flipped = draw(st.booleans())
    left, right = quoted(name), literal(value).replace("inf", "1e400")
    sql = f"{right} {_MIRROR[symbol]} {left}" if flipped else f"{left} {symbol} {right}"
    compare = _OPERATORS[symbol]
    return Predicate(
        sql, compare(sv.col(name), value), lambda person: _known(person[name], lambda own: compare(own, value))
    )


@st.composite
def ranges(draw: st.DrawFn) -> Predicate:
    name = draw(st.sampled_from(list(BOUNDS)))
    low, high = sorted([draw(BOUNDS[name]), draw(BOUNDS[name])])
    negated = draw(st.booleans())
    low_text, high_text = (literal(end).replace("inf", "1e400") for end in (low, high))
    sql = f"{quoted(name)} {'NOT ' * negated}BETWEEN {low_text} AND {high_text}"
    python = sv.col(name).between(low, high)
    return Predicate(
        sql,
        ~python if negated else python,
        lambda person: _known(person[name], lambda own: (low <= own <= high) != negated),
    )


@st.composite
def lists(draw: st.DrawFn) -> Predicate:
    name = draw(st.sampled_from(list(VALUES)))
    values = draw(st.lists(VALUES[name], min_size=1, max_size=4))
    negated = draw(st.booleans())
    sql = f"{quoted(name)} {'NOT ' * negated}IN ({', '.join(map(literal, values))})"
    python = sv.col(name).isin(values)
    return Predicate(
        sql,
        ~python if negated else python,
        lambda person: _known(person[name], lambda own: (own in values) != negated),
    )


@st.composite
def nulls(draw: st.DrawFn) -> Predicate:
    name = draw(st.sampled_from(list(SCHEMA.names)))
    negated = draw(st.booleans())
    python = sv.col(name).is_null()
    return Predicate(
        f"{quoted(name)} IS {'NOT ' * negated}NULL",
        ~python if negated else python,
        lambda person: (person[name] is None) != negated,
    )


def constants() -> st.SearchStrategy[Predicate]:
    return st.booleans().map(lambda truth: Predicate(str(truth).upper(), Constant(truth), lambda person: truth))


def _not(inner: Predicate) -> Predicate:
    def truth(person: dict[str, object]) -> bool | None:
        held = inner.truth(person)
        return None if held is None else not held

    return Predicate(f"NOT ({inner.sql})", ~inner.python, truth)


def _and(left: Predicate, right: Predicate) -> Predicate:
    def truth(person: dict[str, object]) -> bool | None:
        sides = {left.truth(person), right.truth(person)}
        return False if False in sides else None if None in sides else True

    return Predicate(f"({left.sql}) AND ({right.sql})", left.python & right.python, truth)


def _or(left: Predicate, right: Predicate) -> Predicate:
    def truth(person: dict[str, object]) -> bool | None:
        sides = {left.truth(person), right.truth(person)}
        return True if True in sides else None if None in sides else False

    return Predicate(f"({left.sql}) OR ({right.sql})", left.python | right.python, truth)


leaves = st.one_of(comparisons(), ranges(), lists(), nulls(), constants())
predicates = st.recursive(
    leaves,
    lambda inner: st.one_of(
        inner.map(_not),
        st.tuples(inner, inner).map(lambda two: _and(*two)),
        st.tuples(inner, inner).map(lambda two: _or(*two)),
    ),
    max_leaves=7,
)
