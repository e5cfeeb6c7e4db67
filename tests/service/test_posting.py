"""Posts of reports are answered before the framework, and aborted or broken requests leave no word behind."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import pytest

from sottovoce.plan.plan import Plan
from sottovoce.service.analysis import Analyst
from sottovoce.service.guard import HEADERS
from tests.collectors import Running, draw, running
from tests.raw_http import connected, head, read_all


def test_aborted_and_malformed_requests_are_silent(
    plan: Plan, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG), running([plan], str(tmp_path / "c.db")) as collector:
        logging.getLogger("httpx").setLevel(logging.WARNING)
        logging.getLogger("httpcore").setLevel(logging.WARNING)
        caplog.clear()
        reports, answers = collector.path(plan, "/reports"), collector.path(plan, "/answers")
        token = collector.token()["authorization"]
        for _ in range(20):
            for path in (reports, answers):
                with connected(collector) as connection:
                    sent = head(path, content_length=5000, content_type="application/json", authorization=token)
                    connection.sendall(sent + b"[{")
            for noise in (
                b"\0\1\2 nonsense\r\n\r\n",
                b"GET / HTTP/9.9\r\n\r\n",
                b"GET /\xff HTTP/1.1\r\nhost: a\r\n\r\n",
            ):
                with connected(collector) as connection:
                    connection.sendall(noise)
                    read_all(connection, 1)
            with connected(collector) as connection:
                connection.sendall(head("/livez", "GET", connection="upgrade", upgrade="websocket"))
        time.sleep(0.3)
        assert collector.post(plan, draw(plan, 1)[0].to_json()).json()["counted"] == 1
        said = [record for record in caplog.records if record.name != "asyncio"]
    assert said == []
    assert "".join(capfd.readouterr()) == ""


def test_an_error_of_our_own_is_one_line_without_what_was_asked(
    plan: Plan, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running([plan], str(tmp_path / "c.db")) as collector:
        token, path = collector.token(), collector.path(plan, "/status")
        monkeypatch.setattr(Analyst, "status", lambda self, served: dict[str, str]()["telltale"])
        assert collector.http.get(path, headers=token).status_code == 500
    lines = [record.getMessage() for record in caplog.records if "answer failed" in record.getMessage()]
    assert len(lines) == 1
    assert lines[0].startswith("an answer failed: KeyError at test_posting.py:")
    assert "telltale" not in caplog.text


def test_the_answer_to_a_post_carries_the_headers_of_all_answers(collector: Running, plan: Plan) -> None:
    answer = collector.post(plan, draw(plan, 1)[0].to_json())
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert answer.headers["content-type"] == "application/json"


def test_a_page_of_the_plans_origin_may_read_the_answer_and_no_other(plan: Plan, tmp_path: Path) -> None:
    origins = {plan.fingerprint: ("https://survey.example.org",)}
    with running([plan], str(tmp_path / "c.db"), origins=origins) as collector:
        body = draw(plan, 1)[0].to_json()
        mine = collector.post(plan, body, origin="https://survey.example.org")
        other = collector.post(plan, body, origin="https://elsewhere.example.org")
    assert mine.headers["access-control-allow-origin"] == "https://survey.example.org"
    assert "access-control-allow-origin" not in other.headers
    assert mine.headers["vary"] == other.headers["vary"] == "Origin"
