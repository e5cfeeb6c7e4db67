"""Titles, questions, units, labels and translations: shown to people, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

import sottovoce as sv
from sottovoce.schema.presentation import MAX_TEXT

GERMAN = sv.Translation("de", title="Zufriedenheit", labels=["schlecht", "gut"])


def test_what_was_not_given_is_not_in_the_document() -> None:
    plain = json.loads(sv.Schema([sv.Ordinal("age", 0, 9), sv.Categorical("of", ["a", "b"])]).to_json())
    assert [sorted(attribute) for attribute in plain["attributes"]] == [
        ["clip", "high", "low", "name", "nullable", "type"],
        ["name", "nullable", "type", "values"],
    ]
    assert sorted(plain) == ["attributes"]


def test_none_says_nothing_either() -> None:
    bare = sv.Ordinal("age", 0, 9)
    assert sv.Ordinal("age", 0, 9, title=None, labels=None, translations=None, date=None, values=None) == bare


def test_a_plan_differs_by_what_it_shows_but_not_by_what_it_asks() -> None:
    bare = sv.Plan.create(sv.Schema([sv.Ordinal("age", 0, 9)]), epsilon=1, users=1000)
    shown = sv.Plan.create(sv.Schema([sv.Ordinal("age", 0, 9, title="Age")]), epsilon=1, users=1000)
    assert shown.fingerprint != bare.fingerprint
    assert shown.collection != bare.collection
    assert (shown.tables, shown.families) == (bare.tables, bare.families)
    assert sv.Plan.from_json(shown.to_json()) == shown


class TestShown:
    ATTRIBUTE = sv.Ordinal(
        "content", 1, 2, title="Content", question="How?", labels=["bad", "good"], translations=[GERMAN]
    )

    def test_says_what_was_translated_and_the_rest_as_it_is(self):
        assert self.ATTRIBUTE.shown() == ("Content", "How?", "", ("bad", "good"))
        assert self.ATTRIBUTE.shown("de") == ("Zufriedenheit", "How?", "", ("schlecht", "gut"))
        assert self.ATTRIBUTE.shown("fr") == self.ATTRIBUTE.shown()

    def test_has_the_name_for_want_of_a_title(self):
        assert sv.Numeric("income", 0, 9).shown().title == "income"

    def test_a_schema_knows_its_languages(self):
        assert sv.Schema([self.ATTRIBUTE], language="en").languages == ("en", "de")
        assert sv.Schema([self.ATTRIBUTE]).languages == ("de",)
        assert sv.Schema([sv.Ordinal("a", 0, 1)]).languages == ()


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"title": ""}, r"age: title is 1 to 2000 visible characters, got ''"),
        ({"question": "a\nb"}, "age: question is"),
        ({"unit": "x" * (MAX_TEXT + 1)}, "age: unit is"),
        ({"unit": 3}, "age: unit is .* got 3"),
        ({"labels": ["a"]}, "age: 1 labels for 3 values; give one for each"),
        ({"labels": ["a", "a", "b"]}, "age: labels are different texts"),
        ({"labels": "abc"}, "age: labels are different texts"),
        ({"translations": [GERMAN, GERMAN]}, "age: translations are one Translation for each language"),
        ({"translations": [GERMAN]}, "age, in de: 2 labels for 3 values"),
        ({"translations": ["de"]}, "age: translations are one Translation"),
    ],
)
def test_texts_that_cannot_be_shown_are_refused(texts: dict[str, Any], message: str) -> None:
    with pytest.raises(sv.SchemaError, match=message):
        sv.Ordinal("age", 0, 2, **texts)


@pytest.mark.parametrize("language", ["", "German", "DE", "de_DE", None, "de-"])
def test_a_language_is_a_code(language: object) -> None:
    with pytest.raises(sv.SchemaError, match="a language is a code such as en, de or pt-BR"):
        sv.Translation(language)
    with pytest.raises(sv.SchemaError, match="a language is a code"):
        sv.Schema([sv.Ordinal("a", 0, 1)], language=language or "")
