"""Terms: AND multiplies, OR includes and excludes, NOT keeps to those who answered; all of it exactly."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given

import sottovoce as sv
from sottovoce.query.functional import parse
from sottovoce.query.sql import parse_sql
from sottovoce.query.terms import EVERYBODY, Terms, conjunction, expand
from tests.oracle import SCHEMA
from tests.query.predicates import Predicate, predicates


def terms(text: str) -> Terms:
    return expand(SCHEMA, parse_sql(text))


class TestExpansion:
    def test_either_of_two_attributes_is_both_less_what_is_counted_twice(self) -> None:
        age, rooms = (0, ((2.0, 4.0),)), (3, ((0.0, 1.0),))
        assert terms('age > 0 OR "the rooms" = 1') == {(age,): 1, (rooms,): 1, (age, rooms): -1}

    def test_either_of_one_attribute_is_a_single_product(self) -> None:
        assert terms("age = -1 OR age = 2 OR age = 1") == {((0, ((0.0, 1.0), (2.0, 4.0))),): 1}

    def test_not_leaves_out_those_who_gave_no_answer(self) -> None:
        assert terms("NOT (age < 1)") == terms("age >= 1") == {((0, ((2.0, 4.0),)),): 1}
        assert terms("NOT (age < 1 OR region = 'east')") == terms("age >= 1 AND region <> 'east'")
        assert terms("age IS NULL") == {((0, ((4.0, 5.0),)),): 1}

    def test_part_of_a_bin_is_part_of_its_stretch(self) -> None:
        assert terms("income BETWEEN 5 AND 20") == {((1, ((0.5, 1.5),)),): 1}

    def test_what_contradicts_itself_selects_nobody(self) -> None:
        assert terms("age > 1 AND age < 1") == terms("FALSE") == terms("NOT TRUE") == {}

    def test_a_query_names_the_domain_though_the_attribute_clips(self) -> None:
        schema = sv.Schema([sv.Ordinal("age", 0, 9, clip=True)])
        with pytest.raises(sv.QueryError, match="got 12; allowed are the integers 0 to 9"):
            expand(schema, sv.col("age") == 12)

    @given(predicates, predicates)
    def test_conjunction_commutes_and_everybody_changes_nothing(self, first: Predicate, second: Predicate) -> None:
        one, other = expand(SCHEMA, first.python), expand(SCHEMA, second.python)
        assert conjunction(one, EVERYBODY) == conjunction(EVERYBODY, one) == one
        assert conjunction(one, other) == conjunction(other, one)
        assert conjunction(one, {}) == {}


@pytest.mark.parametrize(
    ("text", "offset", "said"),
    [
        ("size > 1", 1, "unknown attribute 'size'; this collection has age, income"),
        ("TRUE AND size > 1", 10, "unknown attribute 'size'"),
        ("age BETWEEN 1 AND 0", 1, "age: BETWEEN 1 AND 0 is reversed"),
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
    ],
)
def test_what_is_no_predicate_is_refused_with_its_offset(text: str, offset: int | None, said: str) -> None:
    with pytest.raises(sv.QueryError, match=re.escape(said)) as refusal:
        terms(text)
    if offset is not None:
        assert re.match(rf"at character {offset}\b", str(refusal.value))


@pytest.mark.parametrize(
    ("where", "said"),
    [
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
    ],
)
def test_a_python_form_that_cannot_be_is_refused(where: object, said: str) -> None:
    with pytest.raises(sv.QueryError, match=re.escape(said)):
        parse(SCHEMA, where)


def test_a_predicate_that_expands_to_too_many_products_is_refused() -> None:
    schema = sv.Schema([sv.Ordinal(f"a{number}", 0, 9) for number in range(14)])
    assert len(expand(schema, parse_sql(" OR ".join(f"{name} > 5" for name in schema.names[:10])))) == 2**10 - 1
    with pytest.raises(sv.QueryError, match="expands to more than 4096 products"):
        expand(schema, parse_sql(" OR ".join(f"{name} > 5" for name in schema.names)))
