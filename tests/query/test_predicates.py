"""Predicates mean what SQL says they mean, whatever their form; what is not a predicate is refused with its place."""

# ruff: noqa: SIM905 - words are easier to read in one text

from __future__ import annotations

import math
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.query.sql import MAX_LENGTH, parse_sql
from sottovoce.query.terms import expand
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
def test_any_text_is_answered_as_it_reads_or_refused_with_its_place(text: str) -> None:
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


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("", None, "empty"),
        ("   \n", None, "empty"),
        ("abs(age) > 1", 1, "a function"),
        ("age > now()", 7, "a function"),
        ("age IN (SELECT 1)", 1, "IN with query"),
        ("(SELECT 1) > 0", 9, "a subquery"),
        ("EXISTS (SELECT 1)", 16, "a function"),
        ("size > 1", 1, "unknown attribute 'size'; this collection has age, income"),
        ("TRUE AND size > 1", 10, "unknown attribute 'size'"),
        ("age", 1, "a bare column"),
        ("age > 1 AND income", 13, "a bare column"),
        ("NOT region", 5, "a bare column"),
        ("age > income", 1, "a comparison of two columns"),
        ("age = NULL", 1, "a comparison with NULL (write IS NULL)"),
        ("NULL < age", 8, "a comparison with NULL"),
        ("age IN (1, NULL)", 1, "NULL where a literal should stand"),
        ("age BETWEEN 1 AND 0", 1, "age: BETWEEN 1 AND 0 is reversed"),
        ("age BETWEEN NULL AND 0", 1, "NULL where a literal should stand"),
        ("age = 3", 1, "age: got 3; allowed are the integers -1 to 2"),
        ("age IN (0, 3)", 1, "got 3"),
        ("age = 0.5", 1, "got 0.5"),
        ("age > 'old'", 1, "got 'old'"),
        ("age = 'old'", 1, "got 'old'"),
        ("region > 'north'", 1, "its values have no order"),
        ("region = 'atlantis'", 1, "allowed are 'north'"),
        ("region = 1", 1, "got 1"),
        ("region IN ()", 1, "IN needs at least one value"),
        ("income = 10", 1, "known by bins"),
        ("age + 1 > 2", 1, "ADD where an attribute should stand"),
        ("age > 1 + 1", 7, "ADD where a literal should stand"),
        ("crowd.age > 1", 1, "a qualified name"),
        ("region LIKE 'n%'", 1, "LIKE"),
        ("age > 1; age > 2", 8, ";"),
        ("age > 1 age < 2", 9, "not understood"),
        ("age > 1 AND", 9, "not understood"),
        ("age > 1)", 8, "not understood"),
        ("region = 'north", 10, "a quote or comment that does not end"),
        ("age > 1 -- all of them", 7, "a comment"),
        ("! age > 1", 1, "! is not understood"),
        ("age > TRUE", 1, "BOOLEAN where a literal should stand"),
        ("1 < 2", 1, "a literal where an attribute should stand"),
        ("CASE WHEN age > 1 THEN TRUE END", 11, "a function"),
        ("age IS TRUE", 1, "IS is not understood"),
        ("age BETWEEN SYMMETRIC 2 AND 1", 1, "BETWEEN with symmetric"),
        ("SELECT age", 1, "not understood"),
        ("DROP TABLE crowd", 1, "not understood"),
    ],
)
def test_what_is_no_predicate_is_refused_with_its_place(text: str, place: int | None, said: str) -> None:
    with pytest.raises(sv.QueryError, match=re.escape(said)) as refusal:
        MODEL.answer(text)
    if place is not None:
        assert re.match(rf"at character {place}\b", str(refusal.value))


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (5, "text or an expression"),
        (None, "text or an expression"),
        (sv.col("age"), "text or an expression"),
        (sv.col("age") == None, "a comparison with None"),  # noqa: E711
        (sv.col("age") == math.nan, "a comparison with nan"),  # noqa: PLW0177
        (sv.col("age") == sv.col("the rooms"), "a comparison with"),
        (sv.col("age") < sv.col("the rooms"), "compare with the integers"),
        (sv.col("age") < None, "got None"),
        (sv.col("age") == True, "got True"),  # noqa: E712
        (sv.col("age") < math.nan, "got nan"),  # noqa: PLW0177
        (sv.col("age").isin([]), "at least one value"),
        (sv.col("age").isin([None]), "a comparison with None"),
        (sv.col(["age"]) > 1, "unknown attribute"),
        (sv.col("nobody") > 1, "unknown attribute 'nobody'"),
        ("x" * (MAX_LENGTH + 1), "characters"),
    ],
)
def test_a_python_form_that_cannot_be_is_refused(where: object, said: str) -> None:
    with pytest.raises(sv.QueryError, match=re.escape(said)):
        MODEL.answer(where)


@pytest.mark.parametrize("values", ["north", 5])
def test_isin_takes_a_list(values: object) -> None:
    with pytest.raises(sv.QueryError, match="isin takes a list"):
        sv.col("region").isin(values)


def test_python_forms_are_not_combined_by_and() -> None:
    with pytest.raises(TypeError, match="combine predicates with &"):
        bool(sv.col("age") > 1)
    with pytest.raises(TypeError):
        (sv.col("age") > 1) & True


def test_a_predicate_that_expands_to_too_many_products_is_refused() -> None:
    schema = sv.Schema([sv.Ordinal(f"a{number}", 0, 9) for number in range(14)])
    assert len(expand(schema, parse_sql(" OR ".join(f"{name} > 5" for name in schema.names[:10])))) == 2**10 - 1
    with pytest.raises(sv.QueryError, match="expands to more than 4096 products"):
        expand(schema, parse_sql(" OR ".join(f"{name} > 5" for name in schema.names)))


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


@pytest.mark.parametrize(
    "text",
    [
        "age >= 30 AND (income < 5 OR NOT (region IN ('north', 'it''s')))",
        '"the rooms" BETWEEN 1 AND 2 OR age IS NULL',
        "NOT (age <> 1)",
        '"select" > 3',
        '"with ""quotes""" = 1',
    ],
)
def test_an_expression_is_written_as_the_sql_that_it_is(text: str) -> None:
    assert str(parse_sql(text)) == text
