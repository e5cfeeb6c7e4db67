"""What commands say about expected errors: the table, the people needed, and the curve."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.cli import forecasts
from tests.cli.calls import run, succeed
from tests.cli.forecasts_made_up import forecast_by_formula

DESIGN = {"epsilon": "2", "users": 5_000, "mechanism": "hdg"}


@pytest.mark.slow
def test_a_plan_comes_with_what_to_expect_and_how_many_people_it_takes(collection: Path) -> None:
    asked = ("plan", "schema.toml", "--epsilon", 2, "--users", 5_000, "--out", "new.json", "--forecast")
    said = succeed(*asked, "--within", 0.2, "--chart", "forecast.svg")["forecast"]
    assert [row["dimensions"] for row in said["expected"]] == [1, 2, 3]
    for row in said["expected"]:
        assert 0 < row["easiest"] <= row["error"] <= row["hardest"] < 1
        assert row["error"] < row["within"]
    assert 1_000 <= said["people_needed"] < 100_000
    assert Path("forecast.svg").read_text(encoding="utf-8").startswith("<svg")
    shown = run(*asked, "--like", "people.csv").output
    assert "Expected error with 5,000 people" in shown
    assert "simulated collections" in " ".join(shown.split())
    assert "forecast" not in succeed("plan", "schema.toml", "--epsilon", 2, "--users", 5_000, "--out", "new.json")


def test_a_table_of_similar_people_is_read_and_stays_in_the_design(
    collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forecasts, "forecast", forecast_by_formula)
    schema = sv.Schema.load("schema.toml")
    _, alone = forecasts.make_forecast(schema, DESIGN, None)
    assert alone == DESIGN
    _, design = forecasts.make_forecast(schema, DESIGN, Path("people.csv"))
    assert design["like"].num_rows == 4_000
    assert design["like"].column_names == ["age", "income", "region"]
    assert "like" not in DESIGN


def test_the_people_needed_are_sought_without_the_number_planned(
    collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, object]] = []
    monkeypatch.setattr(forecasts, "people_needed", lambda schema, **given: asked.append(given) or 12_000)
    assert forecasts.needed(sv.Schema.load("schema.toml"), DESIGN, 0.02, 2) == 12_000
    assert asked == [{"within": 0.02, "dimensions": 2, "epsilon": "2", "mechanism": "hdg"}]


@pytest.mark.parametrize(("users", "crowds"), [(5_000, [1_000, 2_500, 10_000, 50_000]), (200, [1_000, 2_000])])
def test_the_curve_runs_from_a_tenth_of_the_people_to_ten_times_as_many(
    collection: Path, monkeypatch: pytest.MonkeyPatch, users: int, crowds: list[int]
) -> None:
    drawn: list[list[sv.Forecast]] = []
    draw = forecasts.forecast_chart
    monkeypatch.setattr(forecasts, "forecast", forecast_by_formula)
    monkeypatch.setattr(forecasts, "forecast_chart", lambda curve: drawn.append(curve) or draw(curve))
    forecasts.draw_forecast(sv.Schema.load("schema.toml"), {**DESIGN, "users": users}, Path("curve.svg"))
    assert [found.users for found in drawn[0]] == crowds
    assert Path("curve.svg").read_text(encoding="utf-8").startswith("<svg")


def test_json_and_table_show_the_same_figures(collection: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = forecast_by_formula(sv.Schema.load("schema.toml"), **DESIGN)
    assert found.epsilon == Decimal(2)
    document = forecasts.expected_document(found)
    assert document["expected"][1] == {
        name: getattr(found[2], name) for name in ("dimensions", "error", "within", "easiest", "hardest")
    }
    forecasts.show_forecast(document)
    text = capsys.readouterr().out
    assert "5,000 people, by hdg at epsilon 2:" in text
    for row in found.expected:
        cells = [f"{row.error:.2%}", f"{row.within:.2%}", f"{row.easiest:.2%}", "to", f"{row.hardest:.2%}"]
        assert [str(row.dimensions), *cells] in [line.split() for line in text.splitlines()]
