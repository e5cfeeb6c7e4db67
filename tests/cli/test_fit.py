"""``sottovoce fit``: a tally becomes the model that the library would make of it, and doubts are said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.cli import fit
from tests.cli.calls import fail, run, succeed, text_of


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a plan and a tally of so few reports that fitting warns."""
    monkeypatch.chdir(tmp_path)
    plan = sv.Plan.create(sv.Schema([sv.Ordinal("age", 0, 7), sv.Ordinal("hours", 0, 7)]), epsilon=1, users=200)
    plan.save("plan.json")
    sv.simulate(plan, {"age": [1, 2], "hours": [3, 4]}, seed=1).save("tally.parquet")
    return tmp_path


def test_the_file_holds_the_model_that_the_library_fits(collection: Path) -> None:
    said = succeed("fit", "plan.json", "tally.parquet", "--out", "new.json")
    assert said == {
        "model": "new.json",
        "mechanism": "hdg",
        "epsilon": 4.0,
        "reports": 4_000,
        "attributes": ["age", "income", "region"],
        "warnings": [],
    }
    model, expected = sv.load_model("new.json"), sv.fit(sv.Plan.load("plan.json"), sv.Tally.load("tally.parquet"))
    assert model.marginal("age", "income", "region") == pytest.approx(expected.marginal("age", "income", "region"))
    assert model.answer("age < 25").interval == pytest.approx(expected.answer("age < 25").interval)


def test_too_few_reports_are_said_to_be_and_the_model_is_written(few: Path) -> None:
    (warning,) = succeed("fit", "plan.json", "tally.parquet", "--out", "model.json")["warnings"]
    assert sv.load_model("model.json").reports == 2
    text = text_of("fit", "plan.json", "tally.parquet", "--out", "model.json")
    assert f"Warning: {' '.join(warning.split())}." in text
    assert "it knows age, hours" in text


def test_seed_and_quality_reach_the_fit(collection: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, object]] = []

    def spy(plan: sv.Plan, tally: sv.Tally, **options: object) -> sv.Model:
        asked.append(options)
        return sv.fit(plan, tally, **options)

    monkeypatch.setattr(fit, "fit", spy)
    succeed("fit", "plan.json", "tally.parquet", "--seed", 9, "--quality", "fast", "--out", "new.json")
    assert [(options["seed"], options["quality"]) for options in asked] == [(9, "fast")]
    assert "'best' is not one of" in fail(
        "fit", "plan.json", "tally.parquet", "--quality", "best", "--out", "x", code=2
    )


def test_a_tally_of_another_plan_is_refused_and_nothing_written(collection: Path) -> None:
    sv.Plan.create(sv.Schema.load("schema.toml"), epsilon=3, users=4_000, mechanism="hdg").save("other.json")
    before = sorted(path.name for path in collection.iterdir())
    fail("fit", "other.json", "tally.parquet", "--out", "new.json")
    assert "would be overwritten" in fail("fit", "plan.json", "tally.parquet", "--out", "tally.parquet")
    assert sorted(path.name for path in collection.iterdir()) == before


@pytest.mark.usefixtures("collection")
def test_progress_is_told_in_a_pipe_where_it_is_asked_for() -> None:
    quiet = run("fit", "plan.json", "tally.parquet", "--out", "new.json")
    told = run("fit", "plan.json", "tally.parquet", "--progress", "--json", "--out", "new.json")
    assert quiet.stderr == ""
    assert told.stderr.endswith("fit: 100 %\n")
    assert json.loads(told.stdout)["model"] == "new.json"
