"""What all kinds of attributes share; their levels are asked in test_attributes.py."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.schema.attribute import index_by_name
from sottovoce.schema.missing import is_absent


@pytest.mark.parametrize("value", [None, float("nan"), np.float32("nan"), np.datetime64("NaT", "D")])
def test_nothing_is_absent_in_many_ways(value: object) -> None:
    assert is_absent(value)


@pytest.mark.parametrize("value", [0, "", False, "NaN", [], np.array([1, 2])])
def test_something_is_not_absent(value: object) -> None:
    assert not is_absent(value)


@pytest.mark.parametrize("attribute", [sv.Ordinal("a", 0, 3, True), sv.Numeric("a", 0, 1, 4, nullable=True)])
def test_no_answer_is_the_last_level(attribute: sv.Ordinal) -> None:
    assert attribute.null_level == attribute.level(None) == attribute.size - 1 == 4
    assert attribute.levels(np.array([np.nan, 0.0])).tolist() == [4, 0]


def test_attributes_can_be_keys_and_show_what_was_given_only() -> None:
    attribute = sv.Ordinal("a", 0, 3, translations=[sv.Translation("de", title="A")])
    assert {attribute: 1}[sv.Ordinal("a", 0, 3, translations=(sv.Translation("de", title="A"),))] == 1
    assert repr(sv.Ordinal("a", 0, 3)) == "Ordinal(name='a', low=0, high=3)"


def test_names_are_found_by_index() -> None:
    assert index_by_name(("x", "y")) == {"x": 0, "y": 1}
