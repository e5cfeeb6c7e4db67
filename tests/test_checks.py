"""The checks of arguments: exact ends, no booleans, and a message that says what was given and what is allowed."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce._checks import check_fraction, check_integer, is_number
from sottovoce.errors import PlanError, QueryError


@pytest.mark.parametrize("value", [0, -2, 2.5, math.nan, math.inf, np.int8(3), np.float32(0.5), Fraction(1, 3)])
def test_real_numbers_of_any_type_are_numbers(value: object) -> None:
    assert is_number(value)


@pytest.mark.parametrize("value", [True, False, np.True_, "2", b"2", None, 1j, [1], np.array([1.0])])
def test_booleans_text_and_lists_are_no_numbers(value: object) -> None:
    assert not is_number(value)


@given(st.integers(), st.integers(), st.none() | st.integers())
def test_an_integer_passes_exactly_from_the_least_to_the_most(value: int, least: int, most: int | None) -> None:
    if least <= value and (most is None or value <= most):
        assert check_integer("users", value, error=PlanError, least=least, most=most) == value
    else:
        with pytest.raises(PlanError):
            check_integer("users", value, error=PlanError, least=least, most=most)


def test_an_integer_of_numpy_comes_back_as_pythons_own() -> None:
    found = check_integer("users", np.int16(7), error=PlanError, least=1)
    assert (found, type(found)) == (7, int)


@pytest.mark.parametrize("value", [True, np.True_, 2.0, np.float64(2), "2", None, math.nan, Decimal(2)])
def test_what_is_no_integer_is_refused_with_what_is_allowed(value: object) -> None:
    with pytest.raises(PlanError) as raised:
        check_integer("users", value, error=PlanError, least=1)
    assert str(raised.value) == f"users is an integer of at least 1, got {value!r}"
    with pytest.raises(QueryError) as raised_between:
        check_integer("port", value, error=QueryError, least=1, most=9)
    assert str(raised_between.value) == f"port is an integer from 1 to 9, got {value!r}"


@given(st.floats())
def test_a_fraction_is_between_zero_and_one_and_its_ends_count_only_when_allowed(value: float) -> None:
    for ends, allowed in ((True, 0 <= value <= 1), (False, 0 < value < 1)):
        if allowed:
            assert check_fraction("level", value, error=QueryError, ends=ends) == value
        else:
            with pytest.raises(QueryError):
                check_fraction("level", value, error=QueryError, ends=ends)


@pytest.mark.parametrize("ends", [True, False])
def test_the_ends_themselves_and_fractions_of_other_types(ends: bool) -> None:
    for end in (0, 1, 0.0, 1.0):
        if ends:
            assert check_fraction("share", end, error=QueryError, ends=True) == end
        else:
            with pytest.raises(QueryError, match="above 0 and below 1"):
                check_fraction("share", end, error=QueryError)
    found = check_fraction("share", Fraction(1, 4), error=QueryError, ends=ends)
    assert (found, type(found)) == (0.25, float)


@pytest.mark.parametrize("value", [True, "0.5", None, math.nan, -0.1])
def test_what_is_no_fraction_is_refused_with_what_is_usual(value: object) -> None:
    with pytest.raises(QueryError) as raised:
        check_fraction("level", value, error=QueryError, usual="0.9 is usual")
    assert str(raised.value) == f"level is a number above 0 and below 1, got {value!r}; 0.9 is usual"
