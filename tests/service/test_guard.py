"""Headers that keep browsers safe, and which web pages may call the API."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.types import Message, Receive, Scope, Send

from sottovoce.plan.plan import Plan
from sottovoce.service.guard import HEADERS, OriginsPerPlan, SecurityHeaders
from tests.collectors import Running, make_plan, running


def test_web_pages_of_a_plans_own_origins_may_post_and_no_others(plan: Plan, tmp_path: Path) -> None:
    other = make_plan(purpose="another")
    origins = {plan.fingerprint: ("https://survey.example.org",)}

    def ask(collector: Running, asked: Plan, origin: str, rest: str = "/reports") -> str | None:
        headers = {"origin": origin, "access-control-request-method": "POST"}
        answer = collector.http.options(collector.path(asked, rest), headers=headers)
        return answer.headers.get("access-control-allow-origin")

    with running([plan, other], str(tmp_path / "c.db"), origins=origins) as collector:
        assert ask(collector, plan, "https://survey.example.org") == "https://survey.example.org"
        assert ask(collector, plan, "https://elsewhere.example.org") is None
        assert ask(collector, other, "https://survey.example.org") is None
        assert ask(collector, plan, "https://survey.example.org", "/answers") is None


def test_every_answer_carries_the_security_headers(collector: Running, plan: Plan) -> None:
    for path in ("/v1/plans", collector.path(plan), "/nowhere", "/metrics", "/healthz", "/v1/openapi.json"):
        headers = collector.http.get(path).headers
        assert {name: headers[name] for name in HEADERS} == HEADERS
        assert "server" not in headers


async def page(scope: Scope, receive: Receive, send: Send) -> None:
    """An application whose answer has a policy of its own."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-security-policy", b"own")]})
    await send({"type": "http.response.body", "body": b"page"})


def ask(app: SecurityHeaders | OriginsPerPlan, path: str, **headers: str) -> dict[str, str]:
    """Return the headers of the answer to a GET, without a server between."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": path, "headers": raw, "query_string": b""}
    asyncio.run(app(scope, receive, send))
    assert sent[-1]["body"] == b"page"
    return {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def test_a_header_that_an_answer_has_of_its_own_is_left_as_it_is() -> None:
    assert ask(SecurityHeaders(page), "/explore") == {**HEADERS, "content-security-policy": "own"}


def test_what_is_open_to_web_pages_of_a_plan_is_the_plan_and_posting_alone() -> None:
    app = OriginsPerPlan(page, lambda plan: ("https://survey.example.org",) if plan == "f" * 64 else ())
    opened = [
        path
        for path in (
            f"/v1/plans/{'f' * 64}",
            f"/v1/plans/{'f' * 64}/reports",
            f"/v1/plans/{'f' * 64}/status",
            f"/v1/plans/{'f' * 64}/reports/more",
            f"/v1/plans/{'0' * 64}",
            f"/v1/plans/{'1' * 64}/reports",
            "/v1/plans",
            "/",
        )
        if "access-control-allow-origin" in ask(app, path, origin="https://survey.example.org")
    ]
    assert opened == [f"/v1/plans/{'f' * 64}", f"/v1/plans/{'f' * 64}/reports"]
    elsewhere = ask(app, f"/v1/plans/{'f' * 64}", origin="https://elsewhere.example.org")
    assert "access-control-allow-origin" not in elsewhere
