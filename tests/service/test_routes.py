"""Every route finds its plan, checks who asks, and answers in its own form."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from sottovoce.plan.log import Log
from sottovoce.plan.plan import Plan
from tests.collectors import Running, as_array, draw, make_plan, running


def test_a_plan_is_served_as_the_bytes_whose_digest_is_its_fingerprint(collector: Running, plan: Plan) -> None:
    answer = collector.http.get(collector.path(plan))
    assert hashlib.sha256(answer.content).hexdigest() == plan.fingerprint
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["etag"] == f'"{plan.fingerprint}"'
    assert "x-sottovoce-warning" not in answer.headers
    assert collector.http.get("/v1/plans").json()["plans"][0]["fingerprint"] == plan.fingerprint


@pytest.mark.parametrize("rest", ["", "/status", "/exploration", "/reports", "/fit", "/answers"])
def test_a_plan_that_is_not_served_is_not_found(collector: Running, rest: str) -> None:
    method = "GET" if rest in ("", "/status", "/exploration") else "POST"
    answer = collector.http.request(
        method,
        f"/v1/plans/{'0' * 64}{rest}",
        headers=collector.token(),
        json={"queries": [{}]} if rest == "/answers" else None,
    )
    assert answer.status_code == 404


def test_status_fit_and_answers_need_an_analysts_token(collector: Running, plan: Plan) -> None:
    for method, rest in (("GET", "/status"), ("GET", "/exploration"), ("POST", "/fit"), ("POST", "/answers")):
        path = collector.path(plan, rest)
        body: object = {"queries": [{}]} if rest == "/answers" else None
        assert collector.http.request(method, path, json=body).status_code == 401
        wrong = {"authorization": "Bearer sv_000000000000_guess"}
        assert collector.http.request(method, path, json=body, headers=wrong).status_code == 401
        assert collector.http.request(method, path, json=body, headers=collector.token("reporter")).status_code == 403


def test_posting_needs_a_token_where_that_is_asked_for(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), require_token=True) as collector:
        body = draw(plan, 1)[0].to_json()
        assert collector.post(plan, body).status_code == 401
        assert collector.post(plan, body, **collector.token("analyst")).status_code == 403
        assert collector.post(plan, body, **collector.token("reporter")).json()["counted"] == 1


@pytest.mark.parametrize(
    "queries",
    [[{"height": [1, 2]}], [{"age": [9, 3]}], [{"age": [1]}], [{"region": ["west"]}], [], "age", [{"age": None}]],
)
def test_a_query_that_cannot_be_understood_is_refused(collector: Running, plan: Plan, queries: object) -> None:
    token = collector.token()
    collector.post(plan, as_array(draw(plan, 60)))
    collector.http.post(collector.path(plan, "/fit"), headers=token)
    answer = collector.http.post(collector.path(plan, "/answers"), headers=token, json={"queries": queries})
    assert answer.status_code == 422


def test_the_explorers_page_may_run_its_own_program_and_talk_to_its_collector(collector: Running) -> None:
    answer = collector.http.get("/explore")
    policy = answer.headers["content-security-policy"]
    assert answer.headers["content-type"].startswith("text/html")
    assert "connect-src 'self'" in policy
    assert "script-src 'sha256-" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("fingerprint", ["x", "0" * 63, "F" * 64, "0" * 65])
def test_what_is_no_fingerprint_is_refused_before_it_is_looked_up(collector: Running, fingerprint: str) -> None:
    assert collector.http.get(f"/v1/plans/{fingerprint}").status_code == 422
    sent = collector.http.post(
        f"/v1/plans/{fingerprint}/reports", content="[]", headers={"content-type": "application/json"}
    )
    assert sent.status_code == 404


def test_the_content_type_may_say_more_than_the_kind(collector: Running, plan: Plan) -> None:
    answer = collector.post(plan, as_array(draw(plan, 2)), "Application/JSON; charset=utf-8")
    assert answer.json() == {"counted": 2, "duplicate": 0, "refused": []}


def test_the_log_lists_every_plan_that_was_ever_served(plan: Plan, tmp_path: Path) -> None:
    database = str(tmp_path / "c.db")
    with running([plan], database) as collector:
        first = Log.from_json(collector.http.get("/v1/log").content)
    later = make_plan(purpose="another")
    with running([later], database) as collector:
        answer = collector.http.get("/v1/log")
    log = Log.from_json(answer.content)
    assert log.extends(first)
    assert [entry.fingerprint for entry in log.entries] == [plan.fingerprint, later.fingerprint]
    assert answer.headers["content-type"] == "application/json"


def test_a_signature_is_shown_where_there_is_one(plan: Plan, tmp_path: Path) -> None:
    other = make_plan(purpose="another")
    with running([plan, other], str(tmp_path / "c.db"), signatures={plan.fingerprint: b'{"key":"k"}'}) as collector:
        assert collector.http.get(collector.path(plan, "/signature")).json() == {"key": "k"}
        assert collector.http.get(collector.path(other, "/signature")).status_code == 404
