"""``sottovoce calibrate``: a model brought to known shares, from the command line or a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sottovoce as sv
from tests.cli.calls import fail, run, succeed

SCHEMA = sv.Schema(
    [sv.Ordinal("age", 0, 9), sv.Categorical("region", ["north", "south"]), sv.Ordered("mood", ["bad", "good"])]
)
KNOWN = (
    "--known",
    "region=north:0.3,south:0.7",
    "--known",
    "age=0..4:0.6,5..9:0.4",
    "--known",
    "mood=bad:0.5,good:0.5",
)


@pytest.fixture(autouse=True)
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sv.Model:
    monkeypatch.chdir(tmp_path)
    plan = sv.Plan.create(SCHEMA, epsilon=4, users=2000)
    people = {"age": [*range(10)] * 200, "region": ["north", "south"] * 1000, "mood": ["bad", "good"] * 1000}
    model = sv.fit(plan, sv.simulate(plan, people, seed=3))
    model.save("model.json")
    return model


def test_the_model_agrees_with_what_is_known_and_with_python(model: sv.Model) -> None:
    said = succeed("calibrate", "model.json", *KNOWN, "--out", "weighted.json")
    assert list(said["calibrated"]) == ["region", "age", "mood"]
    weighted = sv.load_model("weighted.json")
    assert weighted.marginal("region") == pytest.approx([0.3, 0.7], abs=1e-6)
    assert weighted.answer("age <= 4").fraction == pytest.approx(0.6, abs=1e-6)
    assert [row["after"] for row in said["calibrated"]["region"]] == pytest.approx([0.3, 0.7], abs=1e-6)
    known = {"region": {"north": 0.3, "south": 0.7}, "age": {(0, 4): 0.6, (5, 9): 0.4}, "mood": {1: 0.5, 2: 0.5}}
    assert weighted.marginal("age") == pytest.approx(model.calibrate(known).marginal("age"))
    assert (
        "calibrated to the known shares of region" in run("calibrate", "model.json", *KNOWN, "--out", "w.json").output
    )


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_known_shares_may_stand_in_a_file(suffix: str) -> None:
    toml = '[region]\nnorth = 0.3\nsouth = 0.7\n[age]\n"0..4" = 0.6\n"5..9" = 0.4\n'
    shares = {"region": {"north": 0.3, "south": 0.7}, "age": {"0..4": 0.6, "5..9": 0.4}}
    Path(f"known.{suffix}").write_text(toml if suffix == "toml" else json.dumps(shares), encoding="utf-8")
    succeed("calibrate", "model.json", "--file", f"known.{suffix}", "--out", "weighted.json")
    assert sv.load_model("weighted.json").answer("age <= 4").fraction == pytest.approx(0.6, abs=1e-6)


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ("where=a:1", "'where=a:1' is not NAME=VALUE:SHARE,...; the attributes are age, region, mood"),
        ("region=north", "region: 'north' is not VALUE:SHARE, such as north:0.4"),
        ("region=north:0.3,south:0.3", "add up to 0.6"),
        ("region=west:1", "region: got 'west'"),
        ("age=young:1", "age: 'young' is neither a number nor a band LOW..HIGH"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(known: str, message: str) -> None:
    assert message in fail("calibrate", "model.json", "--known", known, "--out", "weighted.json")
    assert not Path("weighted.json").exists()


def test_shares_are_needed_once() -> None:
    assert "give known shares" in fail("calibrate", "model.json", "--out", "weighted.json", code=2)
    twice = ("--known", "region=north:0.3,south:0.7") * 2
    assert "region is given twice" in fail("calibrate", "model.json", *twice, "--out", "weighted.json")
    Path("known.json").write_text("[1]", encoding="utf-8")
    assert "a table of values and shares" in fail("calibrate", "model.json", "--file", "known.json", "--out", "w.json")
