"""The collector's API, asked over a real connection."""

from __future__ import annotations

from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.plan.plan import Plan
from tests.collectors import RECORD, Running, as_array, draw, make_plan, running


def test_reports_are_counted_one_by_one_in_arrays_and_as_bytes(collector: Running, plan: Plan) -> None:
    before = collector.total(plan)
    one, *some = draw(plan, 30)
    assert collector.post(plan, one.to_json()).json() == {"counted": 1, "duplicate": 0, "refused": []}
    assert collector.post(plan, as_array([one, *some])).json() == {"counted": 29, "duplicate": 1, "refused": []}
    more = draw(plan, 20)
    binary = b"".join(report.to_bytes() for report in [*more, *more[:5], one])
    answer = collector.post(plan, binary, "application/octet-stream")
    assert answer.json() == {"counted": 20, "duplicate": 6, "refused": []}
    assert collector.total(plan) == before + 50


def test_refusals_are_shown_by_reason(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db")) as collector:
        assert collector.post(plan, "[{}, {}, 3]").json()["counted"] == 0
        collector.post(plan, draw(plan, 1)[0].to_json())
        status = collector.http.get(collector.path(plan, "/status"), headers=collector.token()).json()
    assert [(line["reason"], line["count"]) for line in status["refused"]] == [("malformed", 3)]


def test_the_fitted_model_answers_as_the_library_does(collector: Running, plan: Plan) -> None:
    reports, token = draw(plan, 3_000), collector.token()
    collector.post(plan, as_array(reports))
    fitted = collector.http.post(collector.path(plan, "/fit"), headers=token).json()
    assert fitted["reports"] == collector.total(plan)
    queries = [{}, {"age": [4, 9]}, {"age": [0, 7], "region": ["south"]}]
    answer = collector.http.post(collector.path(plan, "/answers"), headers=token, json={"queries": queries}).json()
    assert answer["reports"] == fitted["reports"]
    assert answer["answers"][0]["fraction"] == pytest.approx(1)
    assert all(-1e-9 <= line["fraction"] <= 1 + 1e-9 for line in answer["answers"])
    sql = ["TRUE", "age BETWEEN 4 AND 9", "age < 8 AND region = 'south'"]
    same = collector.http.post(collector.path(plan, "/answers"), headers=token, json={"where": sql}).json()
    for line, other in zip(answer["answers"], same["answers"], strict=True):
        assert line["fraction"] == pytest.approx(other["fraction"])
        assert other["interval"][0] <= other["fraction"] <= other["interval"][1]
    refused: list[dict[str, list[object]]] = [
        {"where": ["age >"]},
        {"where": []},
        {"where": ["TRUE"], "queries": [{}]},
    ]
    for wrong in refused:
        assert collector.http.post(collector.path(plan, "/answers"), headers=token, json=wrong).status_code == 422


def test_every_plan_of_a_collection_is_taken_and_counted_under_its_own_fingerprint(tmp_path: Path) -> None:
    first, second = make_plan(), make_plan(expires="2998-12-31")
    with running([first, second], str(tmp_path / "c.db")) as collector:
        reports = [*draw(first, 3), *draw(second, 4)]
        assert collector.post(first, as_array(reports)).json()["counted"] == 7
        assert collector.post(second, as_array(reports)).json()["duplicate"] == 7
        status = collector.http.get(collector.path(first, "/status"), headers=collector.token()).json()
    assert {line["plan"]: line["count"] for line in status["days"]} == {first.fingerprint: 3, second.fingerprint: 4}
    assert status["reports"] == 7


def test_the_client_of_a_collector_sends_over_http(collector: Running, plan: Plan, tmp_path: Path) -> None:
    before = collector.total(plan)
    sv.Client.from_url(collector.url(plan), ledger=tmp_path).send(RECORD)
    assert collector.total(plan) == before + 1
