"""``sottovoce next-round``: a plan of the same collection, or one line that says why there is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from tests.cli.calls import fail, succeed, text_of
from tests.crowds import normal_crowd, square_schema


@pytest.fixture
def first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sv.Plan:
    """The plan and the tally of a first round, as files."""
    monkeypatch.chdir(tmp_path)
    plan = sv.Plan.create(square_schema(2, 16), epsilon=1, users=1000, mechanism="ahdg", first=0.25)
    plan.save("first.json")
    sv.simulate(plan, normal_crowd(250, attributes=2, levels=16, seed=1), seed=1).save("first.parquet")
    return plan


def test_the_next_round_is_a_plan_of_the_same_collection(first: sv.Plan) -> None:
    said = succeed("next-round", "first.json", "first.parquet", "--out", "second.json")
    second = sv.Plan.load("second.json")
    assert second.to_json() == first.next_round(sv.Tally.load("first.parquet")).to_json()
    assert said == {
        "plan": "second.json",
        "fingerprint": second.fingerprint,
        "collection": first.collection,
        "round": 2,
        "rounds": 2,
        "people": 750,
        "reports": 250,
        "questions": 3,
        "epsilon": second.audit().epsilon,
    }
    assert np.all(second.questions.shares[: len(first.questions)] == 0)
    words = text_of("next-round", "first.json", "first.parquet", "--out", "second.json")
    assert "round 2 of 2, 3 questions designed from 250 reports" in words
    assert "about 750 people who were not asked yet" in words


def test_a_tally_says_whether_to_design_another_round_or_to_fit(first: sv.Plan) -> None:
    said = text_of("tally", "first.json", "first.parquet", "--out", "counted.parquet")
    assert "Next: sottovoce next-round first.json counted.parquet --out next.json" in said
    first.next_round(sv.Tally.load("first.parquet")).save("second.json")
    said = text_of("tally", "second.json", "first.parquet", "--out", "both.parquet")
    assert "Next: sottovoce fit second.json both.parquet --out model.json" in said


def test_what_has_no_next_round_says_why(first: sv.Plan) -> None:
    first.next_round(sv.Tally.load("first.parquet")).save("second.json")
    assert "round 2 of 2, the last" in fail("next-round", "second.json", "first.parquet", "--out", "third.json")
    hdg = sv.Plan.create(square_schema(2, 16), epsilon=1, users=1000, mechanism="hdg")
    hdg.save("hdg.json")
    said = fail("next-round", "hdg.json", "first.parquet", "--out", "third.json")
    assert "hdg asks everything in one round; those of more rounds are: ahdg" in said
    sv.Tally(first).save("empty.parquet")
    assert "the tally is empty" in fail("next-round", "first.json", "empty.parquet", "--out", "third.json")
    assert not Path("third.json").exists()
