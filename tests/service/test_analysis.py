"""From counts to answers: what is fitted, explored, and said about a collection."""

from __future__ import annotations

import datetime
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import sottovoce as sv
from sottovoce.plan.plan import Plan
from sottovoce.service import analysis
from sottovoce.service.analysis import Analyst, NotFittedError, TooFewReportsError
from sottovoce.service.messages import AnswersRequest
from sottovoce.service.served import Served, register_plans
from sottovoce.service.store import Counts, open_store
from sottovoce.service.store.sqlite import SQLiteStore
from sottovoce.tally.tally import Tally
from sottovoce.views.explorer import exploration
from sottovoce.views.explorer.waves import waves_exploration
from tests.collectors import as_array, draw, draw_wave, make_plan, make_reports, random_ids, running


@pytest.mark.filterwarnings("ignore::sottovoce.errors.FewReportsWarning")  # so few, to be quick
def test_answers_are_those_of_the_same_tally_fitted_here(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db")) as collector:
        reports, token = draw(plan, 2_000), collector.token()
        collector.post(plan, as_array(reports))
        collector.http.post(collector.path(plan, "/fit"), headers=token, json={"quality": "fast", "seed": 3})
        queries = [{"age": [4, 9]}, {"hours": [0, 3], "age": [7, 7]}]
        answer = collector.http.post(collector.path(plan, "/answers"), headers=token, json={"queries": queries}).json()
    tally = Tally(plan)
    tally.add(reports)
    expected = sv.fit(plan, tally, seed=3, quality="fast").answer_ranges(queries)
    assert [line["fraction"] for line in answer["answers"]] == pytest.approx(expected.tolist())


@pytest.mark.filterwarnings("ignore::sottovoce.errors.FewReportsWarning")  # so few, to be quick
def test_the_explorer_gets_the_last_fit_and_the_status_says_which_it_is(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), minimum_reports=100) as collector:
        token, path = collector.token(), collector.path(plan, "/exploration")
        assert collector.http.get(path, headers=token).status_code == 409
        status = collector.http.get(collector.path(plan, "/status"), headers=token).json()
        assert (status["fit"], status["minimum_reports"]) == (None, 100)
        reports, seen = draw(plan, 5_000), set()
        collector.post(plan, as_array(reports))
        for _ in range(2):
            collector.http.post(collector.path(plan, "/fit"), headers=token, json={"quality": "fast"})
            explored = collector.http.get(path, headers=token)
            status = collector.http.get(collector.path(plan, "/status"), headers=token).json()
            assert status["fit"] == {"id": explored.json()["fit"], "reports": 5_000}
            assert explored.headers["cache-control"] == "no-store"
            seen.add(status["fit"]["id"])
        assert len(seen) == 2
    tally = Tally(plan)
    tally.add(reports)
    here = exploration(sv.fit(plan, tally, quality="fast"), plan=plan)
    assert explored.json()["exploration"] == json.loads(msgspec.json.encode(here))


@pytest.mark.filterwarnings("ignore::sottovoce.errors.FewReportsWarning")  # so few, to be quick
def test_of_a_plan_with_waves_the_explorer_gets_every_wave_that_was_fitted(plan: Plan, tmp_path: Path) -> None:
    waves = sv.Plan.create(plan.schema, users=9_000, waves=3, lifetime=1, purpose="a test")
    with running([waves], str(tmp_path / "c.db"), minimum_reports=100) as collector:
        token, path = collector.token(), collector.path(waves, "/exploration")
        assert collector.http.get(path, headers=token).status_code == 409
        tally = Tally(waves)
        for wave, number in ((1, 500), (3, 400)):
            reports = draw_wave(waves, number, wave)
            tally.add(reports)
            collector.post(waves, as_array(reports))
            asked = {"quality": "fast", "wave": wave}
            collector.http.post(collector.path(waves, "/fit"), headers=token, json=asked).raise_for_status()
            explored = collector.http.get(path, headers=token).json()
            status = collector.http.get(collector.path(waves, "/status"), headers=token).json()
            assert explored["fits"] == status["fits"]
            assert explored["fit"] == status["fit"]["id"]
        assert [(one["wave"], one["reports"]) for one in explored["fits"]] == [(1, 500), (3, 400)]
    here = waves_exploration(sv.fit_waves(waves, tally, quality="fast"))
    assert explored["exploration"] == json.loads(msgspec.json.encode(here))


def test_nothing_is_fitted_or_answered_below_the_minimum(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), minimum_reports=10) as collector:
        token = collector.token()
        collector.post(plan, as_array(draw(plan, 9)))
        refused = collector.http.post(collector.path(plan, "/fit"), headers=token)
        assert refused.status_code == 409
        assert "below 10" in refused.json()["detail"]
        asked = collector.http.post(collector.path(plan, "/answers"), headers=token, json={"queries": [{}]})
        assert asked.status_code == 409
        collector.post(plan, as_array(draw(plan, 1)))
        assert collector.http.post(collector.path(plan, "/fit"), headers=token).status_code == 200


DAY = datetime.date(2026, 3, 1)


class Watched(SQLiteStore):
    """A store that remembers how often its counts were read; `meanwhile` is done once, after the next reading."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.read, self.meanwhile = 0, lambda: None

    def counts(self, collection: int) -> list[Counts]:
        self.read += 1
        found = super().counts(collection)
        todo, self.meanwhile = self.meanwhile, lambda: None
        todo()
        return found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Watched]:
    opened = Watched(tmp_path / "c.db")
    yield opened
    opened.close()


@pytest.fixture
def served(store: Watched, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> Served:
    monkeypatch.setattr(analysis, "monotonic", lambda: 0.0)  # no look takes long, however busy the machine is
    return register_plans(store, [plan])[plan.fingerprint]


def count(store: Watched, served: Served, number: int, refused: dict[str, int] | None = None) -> None:
    store.add(served.key.collection, DAY, make_reports(served.key, random_ids(number)), refused or {})


def test_a_status_reads_the_counts_again_only_when_they_changed(store: Watched, served: Served) -> None:
    analyst = Analyst(store, minimum_reports=1)
    count(store, served, 5)
    first = analyst.status(served)
    assert first["reports"] == 5
    assert [analyst.status(served) for _ in range(3)] == [first] * 3
    assert store.read == 1
    count(store, served, 2)
    assert [analyst.status(served)["reports"] for _ in range(3)] == [7] * 3
    assert store.read == 2


def test_a_refusal_alone_shows_at_the_next_look(store: Watched, served: Served) -> None:
    analyst = Analyst(store, minimum_reports=1)
    assert analyst.status(served)["refused"] == []
    count(store, served, 0, {"malformed": 2})
    assert analyst.status(served)["refused"] == [{"day": "2026-03-01", "reason": "malformed", "count": 2}]


def test_a_report_that_is_counted_while_a_status_is_made_shows_at_the_next_look(store: Watched, served: Served) -> None:
    analyst = Analyst(store, minimum_reports=1)
    count(store, served, 5)
    store.meanwhile = lambda: count(store, served, 1)
    assert analyst.status(served)["reports"] == 5
    assert analyst.status(served)["reports"] == 6


def test_a_status_shows_a_fit_though_no_count_changed(store: Watched, served: Served) -> None:
    analyst = Analyst(store, minimum_reports=1)
    count(store, served, 5)
    assert analyst.status(served)["fit"] is None
    analyst.fit(served, seed=0, quality="fast")
    assert analyst.status(served)["fit"]["reports"] == 5


def test_plans_of_one_collection_have_each_their_own_status(store: Watched, plan: Plan) -> None:
    later = make_plan(expires="2998-01-01")
    both = register_plans(store, [plan, later])
    assert plan.collection == later.collection
    count(store, both[plan.fingerprint], 5)
    analyst = Analyst(store, minimum_reports=1)
    statuses = [analyst.status(one) for one in both.values()]
    assert [status["plan"] for status in statuses] == [plan.fingerprint, later.fingerprint]
    assert [status["reports"] for status in statuses] == [5, 5]


def test_the_plan_that_is_served_is_not_read_again_and_another_is_read_once(
    store: Watched, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: Counter[bytes] = Counter()
    from_json = Plan.from_json

    def watched(document: bytes) -> Plan:
        read[document] += 1
        return from_json(document)

    monkeypatch.setattr(analysis.Plan, "from_json", watched)
    analyst = Analyst(store, minimum_reports=1)
    count(store, served, 5)
    analyst.status(served)
    analyst.fit(served, seed=0, quality="fast")
    assert not read
    earlier = make_plan(expires="2998-01-01")
    count(store, Served(earlier, store.register(earlier)), 3)
    read.clear()  # a store looks whether a new plan's questions are those of the others
    assert analyst.status(served)["reports"] == 8
    count(store, served, 1)
    assert analyst.status(served)["reports"] == 9
    assert read == {earlier.to_json(): 1}


def test_before_the_first_fit_nothing_is_answered_and_below_the_minimum_nothing_fitted(
    store: Watched, served: Served
) -> None:
    analyst = Analyst(store, minimum_reports=6)
    count(store, served, 5)
    with pytest.raises(TooFewReportsError, match="5 reports were counted; nothing is fitted or answered below 6"):
        analyst.fit(served, seed=0, quality="fast")
    with pytest.raises(NotFittedError, match="fit first"):
        analyst.answer(served, AnswersRequest(where=["TRUE"]))
    with pytest.raises(NotFittedError, match="fit first"):
        analyst.explore(served)


def test_more_queries_than_are_evaluated_at_once_are_answered_in_their_order(store: Watched, served: Served) -> None:
    analyst = Analyst(store, minimum_reports=1)
    count(store, served, 50)
    model = analyst.fit(served, seed=0, quality="fast")
    queries = [{"age": [low % 16, 15]} for low in range(501)]
    lines = analyst.answer(served, AnswersRequest(queries=queries)).answers
    assert [line.fraction for line in lines] == pytest.approx(model.answer_ranges(queries).tolist())


def test_a_status_that_takes_long_is_looked_up_rarely_and_one_that_does_not_is_exact(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(str(tmp_path / "c.db"))
    served = Served(plan, store.register(plan))
    analyst, looks = Analyst(store, minimum_reports=1), list[int]()
    monkeypatch.setattr(analysis, "LONG_LOOK", 0.1)
    revision = iter(range(100))
    monkeypatch.setattr(store, "revision", lambda collection: next(revision))
    for seconds, expected in ((0.0, 3), (0.2, 1)):
        looks.clear()
        analyst._looked.clear()
        monkeypatch.setattr(
            Analyst, "_look", lambda self, served, pause=seconds: looks.append(1) or time.sleep(pause) or {}
        )
        for _ in range(3):
            analyst.status(served)
        assert len(looks) == expected
    store.close()
