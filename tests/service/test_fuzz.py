"""Whatever is sent, a collector answers without an error of its own and counts nothing that is no report."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from sottovoce.plan.plan import Plan
from sottovoce.service.app import create_app
from sottovoce.service.settings import Settings
from sottovoce.service.verbs import VERBS
from tests.collectors import as_array, draw, make_plan, running


def spoil(generator: random.Random, wires: list[dict[str, object]]) -> tuple[bytes, str]:
    """Return a body that holds no good report: damaged text, wrong types, impossible numbers, noise."""
    wire = dict(generator.choice(wires))
    field = generator.choice(list(wire))
    texts = ["", "\0", "é" * 32, "f" * 31, "F" * 32, " " * 32]
    odd: list[object] = [None, True, -1, 1.5, 2**63, 10**40, [], {}, float("nan"), *texts]
    way = generator.randrange(6)
    if way == 0:
        wire[field] = generator.choice([value for value in odd if value != wire[field]])
    elif way == 1:
        del wire[field]
    elif way == 2:
        wire["more"] = generator.choice(odd)
    elif way == 3:
        wire |= {"question": generator.randrange(100, 2**62)}
    text = json.dumps(wire if generator.random() < 0.5 else [wire] * generator.randrange(1, 4)).encode()
    if way == 4:
        text = text[: generator.randrange(len(text) - 1)]
    elif way == 5:
        text = generator.randbytes(generator.randrange(0, 200))
    kinds = ["application/json", "application/json; charset=utf-8", "application/octet-stream", "text/plain", ""]
    return text, generator.choices(kinds, [6, 1, 2, 1, 1])[0]


async def call(app: FastAPI, path: str, body: bytes, kind: str) -> tuple[int, bytes]:
    """Return the status and body of the application's answer, without a network between."""
    headers = [(b"host", b"collector"), (b"content-type", kind.encode())]
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http"}
    scope |= {"path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "headers": headers}
    status, parts = 0, []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)
        parts.append(message.get("body", b""))

    await app(scope, receive, send)  # type: ignore[arg-type]
    return status, b"".join(parts)


async def post_malformed(app: FastAPI, plan: Plan, number: int) -> int:
    """Post that many malformed bodies; return how many reports are counted afterwards, ten good ones included."""
    generator = random.Random(number)
    wires = [json.loads(report.to_json()) for report in draw(plan, 50)]
    path = f"/v1/plans/{plan.fingerprint}/reports"
    collector = app.state.collector
    async with app.router.lifespan_context(app):
        for _ in range(number):
            body, kind = spoil(generator, wires)
            status, answer = await call(app, path, body, kind)
            assert status < 500, body
            assert status != 200 or json.loads(answer)["counted"] == 0, body
        status, answer = await call(app, path, as_array(draw(plan, 10)).encode(), "application/json")
        assert json.loads(answer)["counted"] == 10
        counted = collector.store.by_day(collector.served[plan.fingerprint].key.collection)
    return sum(count for _, _, count in counted)


def test_two_thousand_malformed_bodies_change_no_count(tmp_path: Path) -> None:
    plan = make_plan()
    app = create_app(Settings(database=str(tmp_path / "c.db")), [plan])
    assert asyncio.run(post_malformed(app, plan, 2_000)) == 10


@pytest.mark.slow
def test_a_hundred_thousand_malformed_bodies_change_no_count(tmp_path: Path) -> None:
    plan = make_plan()
    app = create_app(Settings(database=str(tmp_path / "c.db")), [plan])
    assert asyncio.run(post_malformed(app, plan, 100_000)) == 10


def test_the_api_answers_as_it_describes_itself(tmp_path: Path) -> None:
    plan = make_plan()
    with running([plan], str(tmp_path / "c.db"), minimum_reports=10, rate="1000000/minute") as collector:
        collector.post(plan, as_array(draw(plan, 20)))
        described = schemathesis.openapi.from_url(f"{collector.http.base_url}/v1/openapi.json")
        token, looked = collector.token(), []
        for found in described.get_all_operations():
            operation = found.ok()
            looked.append(f"{operation.method} {operation.path}".upper())

            @settings(max_examples=25, suppress_health_check=list(HealthCheck))
            @given(case=operation.as_strategy())
            def check(case: schemathesis.Case[Any]) -> None:
                if "fingerprint" in case.path_parameters:
                    case.path_parameters["fingerprint"] = plan.fingerprint
                answer = case.call(headers=token, timeout=120)
                assert answer.status_code < 500, answer.text
                # a schema cannot say which bytes are a report, nor which attributes a plan has
                case.validate_response(answer, excluded_checks=[ignored_auth, positive_data_acceptance])

            check()
        assert collector.total(plan) == 20
    assert len(looked) == len(set(looked)) == 25 + len(VERBS)
