"""Releases: counts are shown in steps, for every plan and wave by itself, whoever asks and however often."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.plan.plan import Plan
from sottovoce.service.releases import released_counts
from sottovoce.service.served import today
from sottovoce.service.settings import Settings
from sottovoce.service.store import Store, open_store
from tests.collectors import as_array, draw, draw_wave, make_plan, make_reports, random_ids, running


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = open_store(database)
    yield opened
    opened.close()


def shown(store: Store, collection: int, step: int) -> int:
    return sum(int(one.count.sum()) for one in released_counts(store, collection, step))


def test_what_is_shown_grows_in_steps_and_survives_a_restart(store: Store) -> None:
    plan = make_plan()
    key = store.register(plan)
    seen = []
    for _ in range(9):
        store.add(key.collection, today(), make_reports(key, random_ids(4)), {})
        seen.append(shown(store, key.collection, 10))
    assert seen == [0, 0, 12, 12, 12, 24, 24, 24, 36]
    assert shown(store, key.collection, 1) == 36
    store.add(key.collection, today(), make_reports(key, random_ids(9)), {})
    assert shown(store, key.collection, 10) == 36
    (kept,) = store.releases(key.collection)
    assert (kept.fingerprint, kept.wave, kept.reports) == (plan.fingerprint, 1, 36)
    store.delete_collection(key.collection)
    assert store.releases(key.collection) == []


def test_of_two_collectors_one_releases(store: Store) -> None:
    plan = make_plan()
    store.register(plan)
    assert store.release(plan.fingerprint, 1, 0, 10, b"first")
    assert not store.release(plan.fingerprint, 1, 0, 12, b"slower")
    assert store.release(plan.fingerprint, 1, 10, 25, b"next")
    (kept,) = store.releases(store.register(plan).collection)
    assert (kept.reports, kept.document) == (25, b"next")


def test_every_wave_has_its_own_steps(store: Store) -> None:
    plan = sv.Plan.create(make_plan().schema, users=9_000, waves=2, lifetime=1, mechanism="hdg")
    key, per_wave = store.register(plan), plan.questions.per_wave
    for question, number in ((0, 9), (per_wave, 12), (per_wave + 1, 3)):
        store.add(key.collection, today(), make_reports(key, random_ids(number), question=question, code=0), {})
    (counts,) = released_counts(store, key.collection, 10)
    assert dict(zip(counts.question.tolist(), counts.count.tolist(), strict=True)) == {per_wave: 12, per_wave + 1: 3}


@pytest.mark.filterwarnings("ignore::sottovoce.errors.FewReportsWarning")  # so few, to be quick
def test_tallies_status_and_answers_are_all_of_the_last_release(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), minimum_reports=10, release_step=100) as collector:
        token = collector.token()

        def said() -> tuple[int, int, int]:
            status = collector.http.get(collector.path(plan, "/status"), headers=token).json()
            assert status["release_step"] == 100
            tally = collector.http.get(collector.path(plan, "/tally"), headers=token).content
            (tmp_path / "t.parquet").write_bytes(tally)
            fitted = collector.http.post(collector.path(plan, "/fit"), headers=token, json={"quality": "fast"})
            return status["reports"], sv.Tally.load(tmp_path / "t.parquet").total, fitted.json().get("reports", 0)

        collector.post(plan, as_array(draw(plan, 99)))
        assert said() == (0, 0, 0)
        collector.post(plan, as_array(draw(plan, 21)))
        assert said() == (120, 120, 120)
        collector.post(plan, as_array(draw(plan, 90)))
        assert said() == (120, 120, 120)
        collector.post(plan, as_array(draw(plan, 10)))
        assert said() == (220, 220, 220)


@pytest.mark.filterwarnings("ignore::sottovoce.errors.FewReportsWarning")  # so few, to be quick
def test_a_collector_fits_the_last_wave_or_the_one_that_is_asked_for(tmp_path: Path) -> None:
    plan = sv.Plan.create(make_plan().schema, users=9_000, waves=3, lifetime=1, mechanism="hdg")
    with running([plan], str(tmp_path / "c.db"), minimum_reports=10) as collector:
        token = collector.token()
        for wave, number in ((1, 40), (2, 30)):
            collector.post(plan, as_array(draw_wave(plan, number, wave)))
        for asked, reports_of in (({}, 30), ({"wave": 1}, 40)):
            fitted = collector.http.post(collector.path(plan, "/fit"), headers=token, json={"quality": "fast", **asked})
            assert fitted.json()["reports"] == reports_of
        answer = collector.http.post(collector.path(plan, "/answers"), headers=token, json={"where": ["age > 3"]})
        assert answer.json()["reports"] == 40
        wrong = collector.http.post(collector.path(plan, "/fit"), headers=token, json={"wave": 4})
        assert wrong.status_code == 409


def test_a_step_of_nothing_is_refused() -> None:
    with pytest.raises(sv.SottovoceError, match="release_step is an integer of at least 1"):
        Settings(release_step=0)
