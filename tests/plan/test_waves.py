"""Waves: the plan that has them, and what all that a device ever sends tells about all histories."""

from __future__ import annotations

import datetime
import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.plan.audit import waves_words
from sottovoce.plan.waves import Waves
from tests.crowds import mixed_schema


def small_plan(cells: int, waves: int) -> sv.Plan:
    """Return a plan of one attribute."""
    schema = sv.Schema([sv.Ordinal("a", 0, cells - 1)])
    return sv.Plan.create(schema, users=1_000, waves=waves, lifetime=1)


def all_sent(plan: sv.Plan, histories: np.ndarray) -> np.ndarray:
    """Return, for every history of levels, the weight of everything that a device may send in all waves.

    Rows are histories. A column is a turn (wave and question) and a code; the turn's own probability is the same for
    every history, and left out, as only ratios within a column matter.
    """
    waves, per_wave = plan.questions.waves, plan.questions.per_wave
    parts = []
    for turn, number in itertools.product(range(waves), range(per_wave)):
        question = plan.question(turn * per_wave + number)
        levels = range(plan.schema.sizes[0])
        rows = np.array([question.channel.row(question.cell([level])) for level in levels], dtype=np.uint64)
        parts.append(rows[histories[:, turn]])
    return np.concatenate(parts, axis=1)


def worst_ratio(sent: np.ndarray) -> Fraction:
    pairs = set(zip(sent.max(axis=0).tolist(), sent.min(axis=0).tolist(), strict=True))
    return max(Fraction(most, least) for most, least in pairs)


@pytest.mark.parametrize("waves", [2, 5, 8])
@pytest.mark.parametrize("cells", [2, 4])
def test_the_lifetime_is_the_worst_ratio_over_all_sequences_and_histories(cells: int, waves: int) -> None:
    plan = small_plan(cells, waves)
    audit = plan.audit()
    histories = np.array(list(itertools.product(range(cells), repeat=waves)))
    sent = all_sent(plan, histories)
    assert worst_ratio(sent) == audit.ratio
    changes = (histories[:, 1:] != histories[:, :-1]) @ (2 ** np.arange(waves - 1))
    same = [worst_ratio(sent[changes == which]) for which in range(2 ** (waves - 1))]
    assert max(same) == audit.ratio
    assert audit.lifetime == audit.epsilon <= 1
    assert audit.waves == waves


def test_questions_are_numbered_wave_by_wave() -> None:
    plan = sv.Plan.create(mixed_schema(), users=9_000, waves=3, lifetime="0.8", mechanism="hdg")
    single, per_wave = plan.one_wave, plan.questions.per_wave
    assert len(plan.questions) == 3 * per_wave == 3 * len(single.questions)
    assert single.waves is None
    assert single.users == 3_000
    assert single.epsilon == plan.epsilon
    for number in range(per_wave):
        for wave in range(3):
            asked, alone = plan.question(wave * per_wave + number), single.question(number)
            assert asked.index == wave * per_wave + number
            assert (asked.attributes, asked.tables, asked.channel) == (alone.attributes, alone.tables, alone.channel)
    assert plan.questions.codes.tolist() == single.questions.codes.tolist() * 3


def test_a_plan_without_waves_does_not_speak_of_them_and_one_with_them_reads_back(tmp_path: Path) -> None:
    plain = sv.Plan.create(mixed_schema(), epsilon=1, users=900, mechanism="hdg")
    assert b"waves" not in plain.to_json()
    first = datetime.date(2027, 1, 4)
    plan = sv.Plan.create(
        mixed_schema(), users=900, waves=12, lifetime=1, first_wave=first, wave_days=7, mechanism="hdg"
    )
    assert plan.waves == Waves(12, "2027-01-04", 7)
    plan.save(tmp_path / "plan.json")
    read = sv.Plan.load(tmp_path / "plan.json")
    assert read == plan
    assert read.fingerprint == plan.fingerprint
    assert plan.collection not in (plain.collection, plan.one_wave.collection)
    with pytest.raises(sv.PlanError, match="not a plan, or damaged"):
        sv.Plan.from_json(plain.to_json().replace(b'"version":1', b'"version":1,"waves":null'))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"waves": 3}, "give lifetime and no epsilon"),
        ({"waves": 3, "lifetime": 1, "epsilon": 1}, "give lifetime and no epsilon"),
        ({"lifetime": 1}, "say how many there are"),
        ({"epsilon": 1, "wave_days": 7}, "say how many there are"),
        ({"waves": 1, "lifetime": 1}, "waves is an integer from 2 to 1000"),
        ({"waves": True, "lifetime": 1}, "waves is an integer"),
        ({"waves": 3, "lifetime": 1, "first_wave": "2027-01-04"}, "go together"),
        ({"waves": 3, "lifetime": 1, "first_wave": "monday", "wave_days": 7}, "first_wave is a date"),
        ({"waves": 3, "lifetime": 1, "first_wave": "2027-01-04", "wave_days": 0}, "wave_days is an integer"),
        ({"waves": 3, "lifetime": 50}, "epsilon is a number from 0.01 to 20"),
        ({}, "epsilon is a number from 0.01 to 20"),
    ],
)
def test_waves_that_cannot_be_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(sv.PlanError, match=words):
        sv.Plan.create(mixed_schema(), users=900, mechanism="hdg", **options)  # type: ignore[arg-type]


def test_a_plan_that_does_not_say_when_its_waves_are_must_be_told() -> None:
    with pytest.raises(sv.PlanError, match="does not say when its waves are"):
        Waves(3, None, None).on(datetime.date(2027, 1, 1))
    with pytest.raises(sv.PlanError, match="wave is an integer from 1 to 3"):
        Waves(3, None, None).check_wave(4)


def test_the_words_state_the_lifetime_among_the_same_changes_and_among_all() -> None:
    assert waves_words(small_plan(2, 8).one_wave.audit()) == []
    words = " ".join(waves_words(small_plan(2, 8).audit()))
    assert "in 8 waves and report in one" in words
    assert "among histories that change at the same waves" in words
    assert "among all histories" in words
