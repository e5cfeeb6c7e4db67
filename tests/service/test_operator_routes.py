"""The operator's routes: for operators alone, at once, written down, and refused in words."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sottovoce.plan.plan import Plan
from sottovoce.service.store import open_store
from tests.collectors import Running, as_array, draw, make_plan, running

TOMORROW = (datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=1)).isoformat()


@pytest.fixture
def plan() -> Plan:
    return make_plan()


@pytest.fixture
def served(plan: Plan, tmp_path: Path) -> Iterator[Running]:
    with running([plan], str(tmp_path / "c.db"), minimum_reports=50, look_every=600) as collector:
        yield collector


@pytest.fixture
def operator(served: Running) -> dict[str, str]:
    return served.token("operator")


def call(served: Running, method: str, path: str, who: dict[str, str], body: Any = None) -> Any:
    return served.http.request(method, path, headers=who, json=body)


def routes(plan: Plan) -> list[tuple[str, str, Any]]:
    one = f"/v1/collections/{plan.collection}"
    return [
        ("GET", "/v1/collections", None),
        ("POST", f"{one}/close", None),
        ("POST", f"{one}/reopen", None),
        ("POST", f"{one}/extend", {"expires": TOMORROW}),
        ("POST", f"{one}/plans", {}),
        ("POST", f"{one}/forecast", None),
        ("GET", "/v1/tokens", None),
        ("POST", "/v1/tokens", {"name": "alice"}),
        ("POST", "/v1/tokens/revoke", {"name": "alice"}),
    ]


def test_strangers_analysts_and_reporters_are_refused(served: Running, plan: Plan) -> None:
    for method, path, body in routes(plan):
        assert call(served, method, path, {}, body).status_code == 401
        for role in ("analyst", "reporter"):
            answer = call(served, method, path, served.token(role), body)
            assert answer.status_code == 403
            assert f"role operator, this one is of role {role}" in answer.json()["detail"]
    assert served.post(plan, draw(plan, 1)[0].to_json()).json()["counted"] == 1


def test_an_operator_neither_reads_statuses_nor_asks(served: Running, plan: Plan, operator: dict[str, str]) -> None:
    assert call(served, "GET", served.path(plan, "/status"), operator).status_code == 403
    assert call(served, "POST", served.path(plan, "/answers"), operator, {"where": ["TRUE"]}).status_code == 403


def test_closing_opening_and_extending_hold_at_once(served: Running, plan: Plan, operator: dict[str, str]) -> None:
    one = f"/v1/collections/{plan.collection}"
    assert call(served, "POST", f"{one}/close", operator).json()["done"] == "close"
    assert served.post(plan, draw(plan, 1)[0].to_json()).status_code == 410
    assert call(served, "POST", f"{one}/reopen", operator).status_code == 200
    assert served.post(plan, draw(plan, 1)[0].to_json()).json()["counted"] == 1
    longer = call(served, "POST", f"{one}/extend", operator, {"expires": TOMORROW}).json()["plan"]
    document = served.http.get(f"/v1/plans/{longer}").json()
    assert (document["expires"], document["version"]) == (TOMORROW, 2)
    past = call(served, "POST", f"{one}/extend", operator, {"expires": "2020-01-01"})
    assert (past.status_code, "a day that comes" in past.json()["detail"]) == (409, True)
    store = open_store(served.settings.database)
    asked = {what for _, _, _, what, _ in store.asked()}
    store.close()
    assert {"close", "reopen", f"extend to {TOMORROW}"} <= asked


def test_a_refreshed_plan_is_served_and_another_is_not(served: Running, plan: Plan, operator: dict[str, str]) -> None:
    import sottovoce as sv

    served.post(plan, as_array(reports := draw(plan, 200)))
    tally = sv.Tally(plan)
    tally.add(reports)
    refreshed, path = plan.refresh(tally), f"/v1/collections/{plan.collection}/plans"

    def add(document: bytes) -> Any:
        return served.http.post(path, content=document, headers={**operator, "content-type": "application/json"})

    assert add(refreshed.to_json()).json()["plan"] == refreshed.fingerprint
    assert served.post(refreshed, draw(refreshed, 1)[0].to_json()).json()["counted"] == 1
    other = add(make_plan(purpose="another").to_json())
    assert (other.status_code, "not of" in other.json()["detail"]) == (409, True)
    assert add(b"{}").status_code == 422
    assert add(b"\xff").status_code == 422


def test_tokens_are_made_with_limits_listed_and_revoked(served: Running, plan: Plan, operator: dict[str, str]) -> None:
    asked = {"name": "<b>alice</b>", "role": "analyst", "expires": TOMORROW, "collection": plan.collection}
    made = call(served, "POST", "/v1/tokens", operator, asked)
    assert made.headers["cache-control"] == "no-store"
    alice = {"authorization": f"Bearer {made.json()['token']}"}
    assert call(served, "GET", served.path(plan, "/status"), alice).status_code == 200
    lines = {line["name"]: line for line in call(served, "GET", "/v1/tokens", operator).json()["tokens"]}
    assert lines["<b>alice</b>"] | asked == lines["<b>alice</b>"]
    assert made.json()["token"].rpartition("_")[2] not in str(lines)
    assert call(served, "POST", "/v1/tokens/revoke", operator, {"name": "<b>alice</b>"}).status_code == 200
    assert call(served, "GET", served.path(plan, "/status"), alice).status_code == 401


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"name": "x", "role": "operator"}, 422, "'analyst' or 'reporter'"),
        ({"name": "x", "expires": "2020-01-01"}, 422, "one that comes, got 2020-01-01"),
        ({"name": "x", "expires": "soon"}, 422, "expires"),
        ({"name": "x", "collection": "0" * 64}, 404, "has no collection"),
        ({"name": "x", "reports": 3}, 409, "only a reporter's token"),
        ({"name": " "}, 409, "1 to 100 characters"),
        ({"name": "x", "rolle": "analyst"}, 422, "rolle"),
    ],
)
def test_a_token_that_cannot_be_is_refused_in_words(
    served: Running, operator: dict[str, str], body: Any, status: int, words: str
) -> None:
    answer = call(served, "POST", "/v1/tokens", operator, body)
    assert answer.status_code == status
    assert words in str(answer.json()["detail"])
    assert call(served, "POST", "/v1/tokens/revoke", operator, {"name": "x"}).status_code == 409


def test_a_collection_that_there_is_not_is_not_found(served: Running, operator: dict[str, str]) -> None:
    for what in ("close", "reopen", "extend", "plans", "forecast"):
        answer = call(served, "POST", f"/v1/collections/{'0' * 64}/{what}", operator, {"expires": TOMORROW})
        assert (answer.status_code, "has no collection" in answer.json()["detail"]) == (404, True)


def test_a_forecast_waits_for_reports_and_is_shown_from_then_on(
    served: Running, plan: Plan, operator: dict[str, str]
) -> None:
    path = f"/v1/collections/{plan.collection}/forecast"
    assert call(served, "POST", path, operator).status_code == 409
    served.post(plan, as_array(draw(plan, 60)))
    found = call(served, "POST", path, operator).json()
    assert found["now"]["reports"] == 60
    shown = call(served, "GET", "/v1/collections", operator)
    assert shown.headers["cache-control"] == "no-store"
    assert shown.json()["collections"][0]["forecast"] == found


def test_the_page_runs_its_own_program_alone_and_is_framed_by_nobody(served: Running) -> None:
    answer = served.http.get("/operate")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'; script-src 'sha256-" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert served.http.options("/v1/collections", headers={"origin": "https://evil.example"}).status_code == 405
    assert "access-control-allow-origin" not in answer.headers
