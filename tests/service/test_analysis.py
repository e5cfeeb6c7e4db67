"""From counts to answers: what is fitted, explored, and said about a collection."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

import sottovoce as sv
from sottovoce.plan.plan import Plan
from sottovoce.tally.tally import Tally
from sottovoce.views.explorer import exploration
from tests.collectors import as_array, draw, running


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
