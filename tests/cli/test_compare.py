"""``sottovoce compare``: every mechanism and epsilon on a table of the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.cli import compare
from tests.cli.calls import fail, run, succeed
from tests.cli.forecasts_made_up import forecast_by_formula


def test_comparing_tries_every_mechanism_and_epsilon_and_says_who_cannot(collection: Path) -> None:
    said = succeed("compare", "schema.toml", "--data", "people.csv", "--epsilon", 1, "--epsilon", 8)
    tried = {(one["mechanism"], one["epsilon"]) for one in said["compared"]}
    assert tried >= {("hdg", 1), ("hdg", 8), ("calm", 1), ("tdg", 8)}
    assert "no order" in said["refused"]["msw"]
    one, eight = (found["expected"][1]["error"] for found in said["compared"] if found["mechanism"] == "calm")
    assert eight < one, "less noise at a larger epsilon"
    shown = run(
        "compare", "schema.toml", "--data", "people.csv", "--epsilon", 1, "--mechanism", "hdg", "--chart", "c.svg"
    )
    assert "4,000 people report" in shown.output
    assert Path("c.svg").exists()


def test_a_comparison_that_cannot_be_takes_one_line(collection: Path) -> None:
    compare = ("compare", "schema.toml", "--data")
    assert "no order" in fail(*compare, "people.csv", "--mechanism", "msw")
    assert "known are" in fail(*compare, "people.csv", "--mechanism", "magic")
    assert "missing.csv" in fail(*compare, "missing.csv")


def test_each_mechanism_is_tried_once_with_the_users_asked_for(
    collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[tuple[str, str, int]] = []

    def spy(schema: sv.Schema, **design: object) -> sv.Forecast:
        tried.append((design["mechanism"], design["epsilon"], design["users"]))
        return forecast_by_formula(schema, **design)

    monkeypatch.setattr(compare, "forecast", spy)
    asked = ("compare", "schema.toml", "--data", "people.csv", "--epsilon", 1, "--epsilon", 2, "--users", 900)
    said = succeed(*asked, "--mechanism", "hdg", "--mechanism", "calm", "--mechanism", "hdg")
    assert tried == [("hdg", "1", 900), ("hdg", "2", 900), ("calm", "1", 900), ("calm", "2", 900)]
    assert said["users"] == 900
    tried.clear()
    succeed("compare", "schema.toml", "--data", "people.csv", "--epsilon", 1, "--mechanism", "hdg")
    assert tried == [("hdg", "1", 4_000)], "as many as the table has rows"


def test_the_table_is_sorted_by_epsilon(collection: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "forecast", forecast_by_formula)
    asked = ("compare", "schema.toml", "--data", "people.csv", "--epsilon", 8, "--epsilon", 0.5)
    shown = run(*asked, "--mechanism", "hdg", "--mechanism", "calm").output
    rows = [line.split() for line in shown.splitlines() if line.rstrip().endswith("%")]
    assert [(row[0], row[1]) for row in rows] == [("0.5", "hdg"), ("0.5", "calm"), ("8", "hdg"), ("8", "calm")]


def test_a_table_without_rows_is_refused(collection: Path) -> None:
    Path("nobody.csv").write_text("age,income,region\n", encoding="utf-8")
    assert "there is nobody to report" in fail("compare", "schema.toml", "--data", "nobody.csv")
    assert "there is nobody to report" in fail(
        "plan", "schema.toml", "--epsilon", 1, "--users", 9, "--like", "nobody.csv", "--out", "x.json"
    )


def test_no_users_are_refused(collection: Path) -> None:
    fail("compare", "schema.toml", "--data", "people.csv", "--users", 0, "--mechanism", "hdg", "--epsilon", 1)
