"""Findings and values in words."""

from __future__ import annotations

import pytest

import sottovoce as sv
from sottovoce.model.answer import Answer, Estimate
from sottovoce.model.findings import Finding
from sottovoce.views.report_page.words import estimate_words, finding_words, label_words

SCHEMA = sv.Schema(
    [sv.Categorical("mode", ["car", "bus"]), sv.Ordinal("minutes", 0, 90), sv.Numeric("cost", 0, 3000, bins=30)]
)
MODE, MINUTES, COST = SCHEMA.attributes


def share(value: float) -> Answer:
    return Answer.make(value, 0.01, level=0.9, reports=1, where="")


def number(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, interval=(low, high), level=0.9)


@pytest.mark.parametrize(
    ("attribute", "label", "words"),
    [
        (MODE, "car", "car"),
        (MINUTES, 7, "7"),
        (MINUTES, (20, 29), "20 to 29"),
        (MINUTES, (90, 90), "90"),
        (COST, (1000.0, 1500.0), "1,000 to under 1,500"),
        (COST, None, "no answer"),
    ],
)
def test_values_and_bands(attribute: sv.Ordinal, label: object, words: str) -> None:
    assert label_words(attribute, label) == words  # type: ignore[arg-type]


def test_numbers_stand_with_their_interval() -> None:
    assert estimate_words(number(29.23, 28.71, 30), MINUTES) == "29.2 (28.7 to 30)"
    assert estimate_words(share(0.5), MODE) == "50.0% (48.4% to 51.6%)"


def test_a_difference_of_means_is_a_sentence_with_a_side() -> None:
    gap = number(-16.0, -25.5, -8.4)
    finding = Finding("minutes", None, "mode", "bus", number(27, 26, 28), number(43, 42, 44), gap, 0.01)
    assert finding_words(SCHEMA, finding) == (
        "The mean minutes is lower where mode is bus than elsewhere",
        "27 against 43: 16.0 less (8.40 to 25.5)",
    )


def test_a_difference_of_shares_is_said_in_points() -> None:
    gap = number(0.3, 0.1, 0.44)
    finding = Finding("mode", "car", "minutes", (0, 21), share(0.5), share(0.2), gap, 0.01)
    assert finding_words(SCHEMA, finding) == (
        "Mode is car more often where minutes is 0 to 21 than elsewhere",
        "50.0% against 20.0%: 30.0 points more (10.0 to 44.0)",
    )


def test_titles_labels_and_units_are_the_schema_s_own() -> None:
    schema = sv.Schema(
        [
            sv.Ordinal("mood", 1, 3, title="Mood", labels=["bad", "so so", "good"]),
            sv.Numeric("way", 0, 60, bins=6, title="way to work", unit="minutes"),
            sv.Categorical("sex", ["f", "m"], labels=["female", "male"]),
        ]
    )
    mood, way, sex = schema.attributes
    assert [label_words(mood, label) for label in (2, (1, 2), None)] == ["so so", "bad to so so", "no answer"]
    assert label_words(sex, "m") == "male"
    assert estimate_words(number(29.23, 28.71, 30), way) == "29.2 minutes (28.7 to 30)"
    finding = Finding("way", None, "mood", (1, 2), number(27, 26, 28), number(11, 10, 12), number(16, 8.4, 25.5), 0.01)
    assert finding_words(schema, finding) == (
        "The mean way to work is higher where Mood is bad to so so than elsewhere",
        "27 against 11: 16.0 minutes more (8.40 to 25.5)",
    )
