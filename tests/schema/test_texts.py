"""Values written as text."""

from __future__ import annotations

import pytest

import sottovoce as sv
from sottovoce.schema.texts import is_null, read_text

CAR, MOOD = sv.Schema([sv.Boolean("car"), sv.Ordered("mood", ["bad", "3"])]).attributes


@pytest.mark.parametrize(("text", "value"), [("TRUE", "yes"), ("1", "yes"), (" Nein", "no"), ("f", "no"), ("eh", "eh")])
def test_yes_and_no_have_many_words(text: str, value: str) -> None:
    assert read_text(CAR, text) == value


def test_words_are_left_alone_where_they_are_values_themselves() -> None:
    assert read_text(sv.Categorical("answer", ["true", "false"]), "true") == "true"


def test_a_label_comes_before_a_number() -> None:
    assert [read_text(MOOD, text) for text in ("bad", "3", "2", "so so")] == ["bad", "3", 2.0, "so so"]


def test_no_answer_is_an_empty_text_or_a_usual_abbreviation_that_is_no_value() -> None:
    country = sv.Categorical("country", ["NA", "DE"])
    assert [is_null(country, text) for text in ("", "NA", "N/A", "DE")] == [True, False, True, False]
    assert is_null(MOOD, "null")
