"""Predicates mean what SQL says they mean, whatever their form, and no text is misread."""

# ruff: noqa: SIM905 - words are easier to read in one text

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.query.sql import parse_sql
from tests.oracle import fraction, make_model
from tests.query.predicates import Predicate, predicates

MODEL = make_model()


@settings(max_examples=200)
@given(predicates)
def test_text_and_python_form_select_whom_sql_would_select(predicate: Predicate) -> None:
    expected = fraction(MODEL, predicate.truth)
    assert MODEL.answer(predicate.sql).fraction == pytest.approx(expected, abs=1e-12)
    assert MODEL.answer(predicate.python).fraction == pytest.approx(expected, abs=1e-12)
    assert MODEL.answer(str(predicate.python)).fraction == pytest.approx(expected, abs=1e-12)


WORDS = st.sampled_from(
    [
        *"age income region rooms AND OR NOT IN BETWEEN IS NULL TRUE FALSE ( ) , = <> != < <= > >= + - * / %".split(),
        *"1 2.5 1e3 'north' 'it''s' \"age\" SELECT FROM WHERE CASE WHEN THEN END LIKE ILIKE EXISTS ANY ALL".split(),
        *"abs( now() ; -- /* */ ' \" ` . :: ? :x @x $1 || && ! ~ ^ & | [ ] { } \\ XOR DIV INTERVAL DATE CAST".split(),
        *"AS int COLLATE ESCAPE SIMILAR TO UNION VALUES WITH IF ISNULL NOTNULL SYMMETRIC DISTINCT 0x10 1_000".split(),
        *('"the rooms"', "\x00", "é", "\n", "age > 1 AND", "OR region = 'east'", "NOT (income < 30)"),
    ]
)
PLACED = re.compile(r"at character \d+|the predicate is empty|the predicate has \d+ characters|the predicate is nested")
QUOTED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
UNDERSTOOD = {*"AGE INCOME REGION AND OR NOT IN BETWEEN IS NULL TRUE FALSE ISNULL NOTNULL E".split()}


@settings(max_examples=800)
@given(st.one_of(st.lists(WORDS, max_size=9).map(" ".join), st.text(max_size=30)))
@example("age > 3 OR")
@example("IF")
@example("(" * 5000 + "TRUE" + ")" * 5000)
@example("NOT " * 3000 + "TRUE")
@example(" OR ".join(["age = 1"] * 2000))
@example("age > " + "9" * 5000)
def test_any_text_is_answered_as_it_reads_or_refused_with_its_offset(text: str) -> None:
    try:
        answer, refusal = MODEL.answer(text), None
    except sv.QueryError as error:
        answer, refusal = None, str(error)
    if answer is None:
        assert PLACED.match(refusal)
        return
    # What was understood says the same when written out again, and no word or sign of the text was read over.
    again = MODEL.answer(str(parse_sql(text)))
    assert again.fraction == pytest.approx(answer.fraction, abs=1e-12)
    bare = re.sub(QUOTED, " ", text)
    assert {word.upper() for word in re.findall(r"[A-Za-z_]+", bare)} <= UNDERSTOOD
    assert not re.search(r"[;?@$%^&*{}\[\]~|\\:`]|!(?!=)", bare)


def test_everybody_is_one_and_nobody_is_nothing() -> None:
    everybody, nobody = MODEL.answer("TRUE"), MODEL.answer("FALSE")
    assert everybody.fraction == pytest.approx(1, abs=1e-12)
    assert (nobody.fraction, nobody.interval, nobody.deviation) == (0, (0, 0), 0)
    assert MODEL.answer().fraction == everybody.fraction


@pytest.mark.parametrize(
    ("outside", "inside"),
    [
        ("age <= 99", "age IS NOT NULL"),
        ("age >= -99", "age IS NOT NULL"),
        ("age < -99", "FALSE"),
        ("age > 2", "FALSE"),
        ("age BETWEEN -50 AND 0", "age <= 0"),
        ("income BETWEEN -10 AND 1000", "income IS NOT NULL"),
        ("income > 70", "FALSE"),
        ("income BETWEEN 90 AND 100", "FALSE"),
        ("income >= -3", "income IS NOT NULL"),
        ("income > 1e400", "FALSE"),
    ],
)
def test_bounds_outside_the_domain_are_cut_to_it(outside: str, inside: str) -> None:
    assert MODEL.answer(outside).fraction == pytest.approx(MODEL.answer(inside).fraction, abs=1e-12)
