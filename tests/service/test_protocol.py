"""Limits before anything is read: half a header, a long one, too many connections, a body that does not come."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path

import pytest

from sottovoce.plan.plan import Plan
from tests.collectors import draw, running
from tests.raw_http import connected, head, memory, read_all


def test_half_a_header_is_given_up_after_seconds(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), header_seconds=0.3) as collector:
        for first in (b"", b"POST /v1/pl", b"GET /livez HTTP/1.1\r\nhost: a\r\nx: "):
            with connected(collector) as connection:
                connection.sendall(first)
                assert b" 408 " in read_all(connection)


def test_the_second_header_of_a_connection_has_a_deadline_too(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), header_seconds=0.3) as collector, connected(collector) as connection:
        connection.sendall(head("/livez", "GET") + b"GET /li")
        answered = read_all(connection)
        assert b"200 OK" in answered
        assert b" 408 " in answered


def test_an_answer_may_take_longer_than_headers_and_bodies_may(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit that takes a second, where headers and bodies have a third of one."""
    with running([plan], str(tmp_path / "c.db"), header_seconds=0.3, body_seconds=0.3) as collector:
        store = collector.server.config.app.state.collector.store  # type: ignore[union-attr]
        add = store.add

        def slow(*arguments: object) -> object:
            time.sleep(1)
            return add(*arguments)

        monkeypatch.setattr(store, "add", slow)
        assert collector.post(plan, draw(plan, 1)[0].to_json()).json()["counted"] == 1


def test_a_connection_that_is_kept_may_rest_longer_than_a_header_may_take(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), header_seconds=0.3) as collector, connected(collector) as connection:
        for _ in range(3):
            connection.sendall(head("/livez", "GET"))
            answered = b""
            while not answered.endswith(b"}"):  # head and body may come apart
                part = connection.recv(65536)
                assert part, answered
                answered += part
            assert b"200 OK" in answered
            time.sleep(0.6)


def test_a_long_header_is_refused_before_it_ends(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), header_bytes=10_000) as collector, connected(collector) as connection:
        before, sent = memory(), 0
        connection.sendall(b"GET /livez HTTP/1.1\r\nhost: a\r\nx: ")
        with contextlib.suppress(ConnectionError):
            for _ in range(300):
                connection.sendall(b"y" * 2**20)
                sent += 2**20
        assert sent < 100 * 2**20
        assert memory() - before < 50 * 2**20


def test_a_body_that_does_not_come_is_given_up_and_nothing_is_said_about_it(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), body_seconds=0.3) as collector, connected(collector) as connection:
        path = collector.path(plan, "/reports")
        connection.sendall(head(path, content_length=1000, content_type="application/json") + b"[")
        assert b" 408 " in read_all(connection)


def test_connections_that_ask_nothing_make_room_for_those_that_do(plan: Plan, tmp_path: Path) -> None:
    with (
        running([plan], str(tmp_path / "c.db"), connections=40, header_seconds=60) as collector,
        contextlib.ExitStack() as open_ones,
    ):
        for _ in range(120):
            open_ones.enter_context(connected(collector)).sendall(b"POST /v1/plans")
        started = time.monotonic()
        assert collector.post(plan, draw(plan, 1)[0].to_json()).json()["counted"] == 1
        assert time.monotonic() - started < 1
        assert len(collector.server.server_state.connections) <= 41


def test_two_thousand_half_open_connections_keep_nobody_waiting(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), header_seconds=60) as collector, contextlib.ExitStack() as open_ones:
        before = memory()
        for _ in range(2_000):
            open_ones.enter_context(connected(collector)).sendall(b"POST /v1/plans")
        waits = []
        for report in draw(plan, 10):
            started = time.monotonic()
            assert collector.post(plan, report.to_json()).json()["counted"] == 1
            waits.append(time.monotonic() - started)
        assert max(waits) < 1
        assert memory() - before < 200 * 2**20


def test_who_left_while_waiting_to_be_accepted_is_not_looked_at(plan: Plan, tmp_path: Path) -> None:
    """The collector is held up while fifty people send a report each and leave, and one stays."""
    with running([plan], str(tmp_path / "c.db")) as collector, connected(collector) as patient:
        inside = collector.server.config.app.state.collector  # type: ignore[union-attr]
        held_up, go_on = threading.Event(), threading.Event()
        inside._writer._loop.call_soon_threadsafe(lambda: (held_up.set(), go_on.wait(60)))
        assert held_up.wait(60)
        *hurried, last = [report.to_json().encode() for report in draw(plan, 51)]
        path = collector.path(plan, "/reports")
        for body in hurried:
            with connected(collector) as connection:
                connection.sendall(head(path, content_length=len(body), content_type="application/json") + body)
        patient.sendall(
            head(path, content_length=len(last), content_type="application/json", connection="close") + last
        )
        go_on.set()
        assert b'"counted":1' in read_all(patient)
        assert collector.total(plan) == 1
