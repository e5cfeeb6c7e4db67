"""Headers that keep browsers safe, and which web pages may call the API."""

from __future__ import annotations

from pathlib import Path

from sottovoce.plan.plan import Plan
from sottovoce.service.guard import HEADERS
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
