"""``sottovoce plan``: options of the command become the plan that the library would make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

import sottovoce as sv
from sottovoce.cli import forecasts
from sottovoce.cli.plan import _options, _words
from sottovoce.plan.waves import Waves
from tests.cli.calls import fail, run, succeed, text_of
from tests.cli.forecasts_made_up import forecast_by_formula

DESIGN = ("plan", "schema.toml", "--epsilon", "0.7", "--users", 3_000, "--mechanism", "hdg")


def test_the_file_holds_the_plan_that_the_library_makes(folder: Path) -> None:
    about = {"purpose": "Where people live", "contact": "me@example.org", "expires": "2030-12-31"}
    told = [word for name, value in about.items() for word in (f"--{name}", value)]
    said = succeed(*DESIGN, "--option", "g1=8", "--option", "oracle=grr", *told, "--out", "new.json")
    expected = sv.Plan.create(
        sv.Schema.load("schema.toml"), epsilon="0.7", users=3_000, mechanism="hdg", g1=8, oracle="grr", **about
    )
    plan = sv.Plan.load("new.json")
    assert plan == expected
    assert said["fingerprint"] == plan.fingerprint
    assert said["collection"] == plan.collection
    assert said["questions"] == len(plan.questions)
    assert said["epsilon"] == plan.audit().epsilon
    assert "forecast" not in said


def test_an_options_value_is_json_if_it_reads_as_json_and_text_otherwise() -> None:
    given = ("g1=16", "shares=[0.5, 0.5]", "flag=true", "nothing=null", "oracle=grr", "text=a=b", "empty=")
    assert _options(given) == {
        "g1": 16,
        "shares": [0.5, 0.5],
        "flag": True,
        "nothing": None,
        "oracle": "grr",
        "text": "a=b",
        "empty": "",
    }


@pytest.mark.parametrize(
    "given", [("g1=1", "g1=2"), ("epsilon=9",), ("users=9",), ("mechanism=hio",), ("=3",), ("g1",)]
)
def test_an_option_given_twice_or_without_a_name_is_refused(given: tuple[str, ...]) -> None:
    with pytest.raises(click.BadParameter):
        _options(given)


def test_the_parameters_that_were_chosen_are_said_in_brackets() -> None:
    assert _words({"g1": 16, "cells": {"age": 4, "income": 8}, "questions": 21}) == (
        "(g1 = 16, cells age = 4, cells income = 8)"
    )
    assert _words({"questions": 21}) == ""


def test_a_forecast_is_of_the_design_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, object]] = []

    def spy(schema: sv.Schema, *, progress: object, **design: object) -> sv.Forecast:
        asked.append(design)
        return forecast_by_formula(schema, **design)

    monkeypatch.setattr(forecasts, "forecast", spy)
    monkeypatch.setattr(forecasts, "people_needed", lambda schema, **given: 12_345)
    told = ("--option", "g1=8", "--purpose", "none of the design", "--out", "new.json")
    said = succeed(*DESIGN, *told, "--forecast")["forecast"]
    assert asked == [{"epsilon": "0.7", "users": 3_000, "mechanism": "hdg", "g1": 8}]
    assert [row["dimensions"] for row in said["expected"]] == [1, 2, 3, 4, 5, 6]
    assert "people_needed" not in said
    assert succeed(*DESIGN, *told, "--within", 0.02)["forecast"]["people_needed"] == 12_345
    text = text_of(*DESIGN, *told, "--within", 0.02, "--dimensions", 2)
    assert "About 12,345 people bring nine in ten answers on 2 attributes within 2.00%." in text


def test_what_is_missing_is_said_before_anything_is_designed(folder: Path) -> None:
    assert "give --epsilon, or --central together with --delta" in fail(
        "plan", "schema.toml", "--users", 9, "--out", "x.json", code=2
    )
    assert "Missing option '--out'" in fail(*DESIGN, code=2)


@pytest.mark.parametrize("wrong", [("--like", "missing.csv"), ("--chart", "x.pdf"), ("--within", 0)])
def test_a_forecast_that_cannot_be_writes_no_plan(
    collection: Path, wrong: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forecasts, "forecast", forecast_by_formula)
    run("plan", "schema.toml", "--epsilon", 1, "--users", 9, *wrong, "--out", "x.json")
    assert not Path("x.json").exists()


def test_the_option_schema_is_refused_in_one_line(collection: Path) -> None:
    said = run("plan", "schema.toml", "--epsilon", 1, "--users", 9, "--option", "schema=1", "--out", "x.json")
    assert said.stderr.startswith("Error: ")


@pytest.mark.usefixtures("folder")
class TestWorkload:
    PLAN = ("plan", "schema.toml", "--epsilon", "2", "--users", "3000", "--out", "p.json")

    def workload(self, *given: str) -> dict[str, Any]:
        succeed(*self.PLAN, *given)
        found: dict[str, Any] = sv.Plan.load("p.json").options["workload"]
        return found

    def test_pairs_are_named_one_by_one_or_all_of_one_attribute(self) -> None:
        found = self.workload("--pairs", "household:*", "--pairs", "income:age=3")
        assert found["pairs"] == [
            *(["household", "region", 1.0] if name == "region" else [name, "household", 1.0] for name in OTHERS),
            ["age", "income", 3.0],
        ]

    def test_widths_are_parts_of_a_scale(self) -> None:
        assert self.workload("--widths", "0.1,0.5", "--by", "region")["widths"] == [0.1, 0.5]

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            (("--pairs", "age"), "'age' is not NAME:NAME"),
            (("--pairs", "age:income=much"), "is not NAME:NAME"),
            (("--pairs", "age:wealth"), "names wealth; the schema has age, income"),
            (("--pairs", "*:age"), "names * first"),
            (("--pairs", "age:income", "--by", "region"), "give one of the two"),
            (("--widths", "wide"), "'wide' is not numbers such as 0.1,0.5"),
        ],
    )
    def test_what_names_no_workload_is_refused(self, given: tuple[str, ...], message: str) -> None:
        assert message in fail(*self.PLAN, *given, code=2)


OTHERS = ("age", "income", "commute", "hours", "region")


def test_waves_become_part_of_the_plan(folder: Path) -> None:
    asked = ("plan", "schema.toml", "--users", 9_000, "--mechanism", "hdg", "--waves", 3, "--out", "new.json")
    succeed(*asked, "--lifetime", "0.8", "--first-wave", "2030-01-07", "--wave-days", 7)
    plan = sv.Plan.load("new.json")
    assert plan.waves == Waves(3, "2030-01-07", 7)
    assert str(plan.epsilon) == "0.8"
    assert succeed("audit", "new.json")["lifetime"] == plan.audit().epsilon
    assert "among all histories" in text_of("audit", "new.json")
    assert "give --epsilon" in fail(*asked, "--lifetime", 1, "--epsilon", 1, code=2)
    assert "give lifetime and no epsilon" in fail(*asked, "--epsilon", 1)
