"""The checks that mechanisms share refuse in one wording, by name."""

from __future__ import annotations

import math

import pytest

import sottovoce as sv
from sottovoce.mechanisms.options import (
    check_choice,
    check_granularity,
    check_positive,
    require_pairs,
    require_small_pairs,
)


def test_a_choice_that_is_none_is_refused_with_those_there_are() -> None:
    check_choice("oracle", "grr", ("olh", "grr"))
    with pytest.raises(sv.PlanError, match="oracle is one of olh, grr, got 'oue'"):
        check_choice("oracle", "oue", ("olh", "grr"))


def test_a_granularity_is_two_or_more_or_left_to_the_guideline() -> None:
    check_granularity("g2", None)
    check_granularity("g2", 2)
    with pytest.raises(sv.PlanError, match="g2 is at least 2, got 1"):
        check_granularity("g2", 1)


@pytest.mark.parametrize("number", [0.0, -0.5, math.inf, math.nan])
def test_a_number_that_is_not_positive_and_finite_is_refused_by_its_name(number: float) -> None:
    check_positive(alpha1=0.7, alpha2=1e-300)
    with pytest.raises(sv.PlanError, match="alpha2 is a positive number, got"):
        check_positive(alpha1=0.7, alpha2=number)


def test_one_attribute_is_refused_where_pairs_are_asked_about() -> None:
    attributes = [sv.Ordinal("age", 0, 9), sv.Ordinal("rooms", 1, 4)]
    require_pairs(sv.Schema(attributes), "hdg")
    with pytest.raises(sv.PlanError, match="hdg asks about pairs of attributes, and this schema has only 'age'"):
        require_pairs(sv.Schema(attributes[:1]), "hdg")


def test_the_two_largest_attributes_decide_whether_all_pairs_of_levels_fit() -> None:
    small, large = sv.Ordinal("age", 0, 99), sv.Ordinal("income", 0, 2**10 - 1)
    require_small_pairs(sv.Schema([large, small, sv.Ordinal("rent", 0, 2**10 - 1)]), "calm")
    with pytest.raises(sv.PlanError, match=r"'income' and 'rent' have 1049600; use fewer bins, or hdg"):
        require_small_pairs(sv.Schema([large, small, sv.Ordinal("rent", 0, 2**10)]), "calm")
