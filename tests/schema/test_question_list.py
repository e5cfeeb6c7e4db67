"""A list of questions becomes a schema."""

from __future__ import annotations

from typing import Any

import pytest

import sottovoce as sv
from sottovoce.schema.question_list import FORMS, read_questions


@pytest.mark.parametrize(
    ("answers", "document"),
    [
        ("yes/no", {"type": "boolean"}),
        ("18..99 years", {"type": "ordinal", "low": 18, "high": 99, "unit": "years"}),
        ("-5..5", {"type": "ordinal", "low": -5, "high": 5}),
        ("0..9000 EUR in 45 bins", {"type": "numeric", "low": 0.0, "high": 9000.0, "bins": 45, "unit": "EUR"}),
        ("0.5 .. 2.5", {"type": "numeric", "low": 0.5, "high": 2.5}),
        ("bad < so so < good", {"type": "ordered", "values": ["bad", "so so", "good"]}),
        ("north, south", {"type": "categorical", "values": ["north", "south"]}),
        ("any of: bus, bike", {"type": "choices", "choices": ["bus", "bike"]}),
        ("year 1950..2026", {"type": "date", "by": "year", "low": 1950, "high": 2026}),
        ("weekday", {"type": "date", "by": "weekday"}),
    ],
)
def test_answers_say_the_kind(answers: str, document: dict[str, Any]) -> None:
    (proposal,) = read_questions([f"x: What? | {answers}"])
    assert proposal.document == {"type": document["type"], "name": "x", "question": "What?", **document}


def test_names_are_taken_from_the_question_and_differ() -> None:
    lines = ["# a comment", "", "How old are you? | 0..99", "How old is your dog? | 0..30", "How old is it? | 0..9"]
    assert [one.name for one in read_questions(lines)] == ["old", "old_dog", "old_2"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "the list holds no question"),
        (["How old are you?"], r"line 1: 'How old are you\?' does not say what may be answered"),
        (["A? | yes/no", "B? | 3"], "line 2: 'B"),
        (["| yes/no"], "line 1"),
        (["a: A? | yes/no", "a: B? | yes/no"], "line 2: there is a question named a already"),
        (["A? | 1.2.3..4"], "line 1"),
    ],
)
def test_a_line_that_says_too_little_is_refused_with_its_number(lines: list[str], message: str) -> None:
    with pytest.raises(sv.SchemaError, match=message):
        read_questions(lines)


def test_forms_are_told_when_one_is_missing() -> None:
    with pytest.raises(sv.SchemaError) as raised:
        read_questions(["How?"])
    assert all(form in str(raised.value) for form in FORMS)
