"""Bodies are read within limits: of one, and of all that are not complete."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

from sottovoce.plan.plan import Plan
from tests.collectors import Running, as_array, draw, running
from tests.raw_http import connected, head, memory, read_all


@pytest.mark.parametrize("rest", ["/reports", "/fit", "/answers"])
def test_a_body_that_says_it_is_too_long_is_refused_before_it_is_read(
    collector: Running, plan: Plan, rest: str
) -> None:
    with connected(collector) as connection:
        connection.sendall(head(collector.path(plan, rest), content_length=2**30, content_type="application/json"))
        answered = read_all(connection)
    assert b" 413 " in answered


@pytest.mark.parametrize("rest", ["/reports", "/fit", "/answers", "/status"])
def test_a_stranger_can_make_no_route_read_a_body_without_end(collector: Running, plan: Plan, rest: str) -> None:
    before, sent = memory(), 0
    with connected(collector) as connection:
        connection.sendall(
            head(collector.path(plan, rest), transfer_encoding="chunked", content_type="application/json")
        )
        with contextlib.suppress(ConnectionError):
            for _ in range(300):
                connection.sendall(b"100000\r\n" + b" " * 2**20 + b"\r\n")
                sent += 2**20
    if rest == "/reports":
        assert sent < 100 * 2**20
    assert memory() - before < 100 * 2**20
    started = time.monotonic()
    assert collector.http.get("/livez").status_code == 200
    assert time.monotonic() - started < 1


def test_whoever_has_no_token_is_refused_before_the_body_comes(collector: Running, plan: Plan) -> None:
    for rest in ("/fit", "/answers"):
        with connected(collector) as connection:
            connection.sendall(head(collector.path(plan, rest), content_length=1000, content_type="application/json"))
            connection.settimeout(5)
            assert b" 401 " in connection.recv(65536)


def test_held_uploads_are_bounded_and_a_quick_one_is_taken_all_the_same(plan: Plan, tmp_path: Path) -> None:
    with (
        running([plan], str(tmp_path / "c.db"), upload_limit=2**20) as collector,
        contextlib.ExitStack() as held,
    ):
        part = head(collector.path(plan, "/reports"), content_length=600_000, content_type="application/json")
        slow = []
        for _ in range(12):
            connection = held.enter_context(connected(collector))
            connection.sendall(part + b" " * 500_000)
            slow.append(connection)
        started = time.monotonic()
        assert collector.post(plan, as_array(draw(plan, 2_000))).json()["counted"] == 2_000
        assert time.monotonic() - started < 5
        bodies = collector.server.config.app.state.collector.bodies  # type: ignore[union-attr]
        assert bodies._held <= 2**20
        slow[0].settimeout(5)
        assert b" 408 " in slow[0].recv(65536)


def test_what_was_held_is_let_go_when_the_client_goes_away(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db")) as collector:
        bodies = collector.server.config.app.state.collector.bodies  # type: ignore[union-attr]
        with connected(collector) as connection:
            path = collector.path(plan, "/reports")
            connection.sendall(head(path, content_length=600_000, content_type="application/json") + b" " * 500_000)
            end = time.monotonic() + 10
            while not bodies._held and time.monotonic() < end:
                time.sleep(0.01)
            assert bodies._held
        while bodies._held and time.monotonic() < end:
            time.sleep(0.01)
        assert bodies._held == 0


def test_memory_is_given_back_once_when_much_that_was_held_is_gone(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), look_every=3600) as collector:
        bodies = collector.server.config.app.state.collector.bodies  # type: ignore[union-attr]
        request = head(collector.path(plan, "/reports"), content_length=4_000_000, content_type="application/json")
        end = time.monotonic() + 20
        with contextlib.ExitStack() as held:
            for _ in range(4):
                held.enter_context(connected(collector)).sendall(request + b" " * 3_900_000)
            while bodies._held < 4 * 3_500_000 and time.monotonic() < end:
                time.sleep(0.01)
            assert not bodies.let_go()
        while bodies._held and time.monotonic() < end:
            time.sleep(0.01)
        assert bodies.let_go()
        assert not bodies.let_go()
