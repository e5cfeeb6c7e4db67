"""A report is drawn once, kept on disk, and only then sent; every retry sends the same bytes."""

from __future__ import annotations

import builtins
import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.client import delivery
from sottovoce.client.ledger import Ledger
from sottovoce.plan.plan import Plan
from tests.collectors import RECORD, make_plan, running


class Flaky(http.server.BaseHTTPRequestHandler):
    """A collector that hears everything and answers what it is told to."""

    plan: Plan
    answers: list[tuple[int, bytes]]
    heard: list[bytes]

    def do_GET(self) -> None:
        self._answer(200, self.plan.to_json())

    def do_POST(self) -> None:
        self.heard.append(self.rfile.read(int(self.headers["content-length"])))
        if self.answers[0][0] == 0:
            self.answers.pop(0)
            self.connection.close()
            return
        self._answer(*self.answers.pop(0))

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


COUNTED = (200, b'{"counted": 1, "duplicate": 0, "refused": []}')
DUPLICATE = (200, b'{"counted": 0, "duplicate": 1, "refused": []}')


@pytest.fixture
def flaky() -> Iterator[tuple[str, type[Flaky]]]:
    handler = type("Handler", (Flaky,), {"plan": make_plan(), "answers": [], "heard": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1/plans/{handler.plan.fingerprint}", handler
        server.shutdown()
        thread.join()


def test_after_failures_and_restarts_the_same_bytes_are_sent(flaky: tuple[str, type[Flaky]], tmp_path: Path) -> None:
    url, server = flaky
    server.answers = [(0, b""), (503, b"{}"), (429, b'{"detail": "later"}'), DUPLICATE]
    for _ in range(3):
        with pytest.raises(sv.DeliveryError, match="the same bytes"):
            sv.Client.from_url(url, ledger=tmp_path).send(RECORD)
    report = sv.Client.from_url(url, ledger=tmp_path).send({"age": 1, "hours": 1, "region": "north"})
    assert server.heard == [report.to_json().encode()] * 4


def test_a_collection_that_was_answered_is_not_answered_again(flaky: tuple[str, type[Flaky]], tmp_path: Path) -> None:
    url, server = flaky
    server.answers = [COUNTED]
    sent = sv.Client.from_url(url, ledger=tmp_path).send(RECORD)
    assert sent is not None
    assert sent.plan == server.plan.collection
    server.plan = make_plan(expires="2998-01-01")
    newer = url.rpartition("/")[0] + "/" + server.plan.fingerprint
    assert sv.Client.from_url(newer, ledger=tmp_path).send(RECORD) is None
    assert len(server.heard) == 1


def test_a_ledger_is_found_under_its_older_name(flaky: tuple[str, type[Flaky]], tmp_path: Path) -> None:
    url, server = flaky
    server.answers = [COUNTED]
    assert sv.Client.from_url(url, spent=tmp_path).send(RECORD) is not None
    assert sv.Client.from_url(url, ledger=tmp_path).send(RECORD) is None


def test_the_mark_is_set_at_the_draw(flaky: tuple[str, type[Flaky]], tmp_path: Path) -> None:
    url, server = flaky
    server.answers = [(0, b"")]
    client = sv.Client.from_url(url, ledger=tmp_path)
    with pytest.raises(sv.DeliveryError):
        client.send(RECORD)
    spent = Ledger(tmp_path).find(server.plan.collection)
    assert spent is not None
    assert not spent.acknowledged
    assert spent.report is not None
    assert [spent.report.encode()] == server.heard


def test_a_record_that_does_not_fit_spends_nothing(flaky: tuple[str, type[Flaky]], tmp_path: Path) -> None:
    url, server = flaky
    with pytest.raises(sv.RecordError):
        sv.Client.from_url(url, ledger=tmp_path).send({"age": 99})
    assert Ledger(tmp_path).find(server.plan.collection) is None
    assert server.heard == []


def test_an_expired_plan_is_not_answered(flaky: tuple[str, type[Flaky]], tmp_path: Path) -> None:
    url, server = flaky
    server.plan = make_plan(expires="2020-01-01")
    with pytest.raises(sv.DeliveryError, match="ended on 2020-01-01"):
        sv.Client.from_url(url.rpartition("/")[0] + "/" + server.plan.fingerprint, ledger=tmp_path).send(RECORD)
    assert Ledger(tmp_path).entries() == []


def test_a_plan_that_was_altered_on_its_way_is_refused(flaky: tuple[str, type[Flaky]]) -> None:
    url, server = flaky
    server.plan = make_plan(purpose="something else")
    with pytest.raises(sv.DeliveryError, match="it was altered"):
        sv.Client.from_url(url)


def test_a_report_that_is_refused_for_good_is_said_to_be(flaky: tuple[str, type[Flaky]], tmp_path: Path) -> None:
    url, server = flaky
    server.answers = [
        (410, b'{"detail": "this plan expired"}'),
        (200, b'{"counted":0,"duplicate":0,"refused":[{"index":0,"reason":"wrong plan"}]}'),
    ]
    for words in ("410: this plan expired", "wrong plan"):
        with pytest.raises(sv.DeliveryError, match=words):
            sv.Client.from_url(url, ledger=tmp_path).send(RECORD)


def test_a_client_with_a_token_posts_where_one_is_needed(tmp_path: Path) -> None:
    plan = make_plan()
    with running([plan], str(tmp_path / "c.db"), require_token=True) as collector:
        with pytest.raises(sv.DeliveryError, match="needs a token"):
            sv.Client.from_url(collector.url(plan), ledger=tmp_path / "spent").send(RECORD)
        token = collector.token("reporter")["authorization"].removeprefix("Bearer ")
        sv.Client.from_url(collector.url(plan), token=token, ledger=tmp_path / "spent").send(RECORD)
        assert collector.total(plan) == 1


def test_a_client_of_a_plan_alone_does_not_know_where_to_send() -> None:
    with pytest.raises(sv.DeliveryError, match="from_url"):
        sv.Client(make_plan()).send(RECORD)


def test_without_httpx_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *arguments: object, **more: object) -> object:
        if name == "httpx":
            raise ImportError(name)
        return load(name, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(sv.DeliveryError, match=r"sottovoce\[http\]"):
        sv.Client.from_url("http://127.0.0.1:1/v1/plans/0")


def test_a_client_loads_neither_numpy_nor_httpx_until_it_needs_them() -> None:
    code = "import sys, sottovoce.client; print([m for m in ('numpy', 'httpx', 'platformdirs') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "body", [b"<html>hello</html>", b"[]", b"{}", b"\xff", b"", b'{"counted": "1", "duplicate": 0}']
)
def test_an_answer_that_is_no_receipt_is_an_error_of_ours_and_the_report_is_kept(
    flaky: tuple[str, type[Flaky]], tmp_path: Path, body: bytes
) -> None:
    url, server = flaky
    server.answers = [(200, body), COUNTED]
    with pytest.raises(sv.DeliveryError, match="the same bytes"):
        sv.Client.from_url(url, ledger=tmp_path).send(RECORD)
    sv.Client.from_url(url, ledger=tmp_path).send(RECORD)
    assert server.heard[0] == server.heard[1]


def test_a_plan_of_any_length_is_not_taken(flaky: tuple[str, type[Flaky]], monkeypatch: pytest.MonkeyPatch) -> None:
    url, server = flaky
    monkeypatch.setattr(delivery, "PLAN_BYTES", 100)
    with pytest.raises(sv.DeliveryError, match="longer than 100 bytes"):
        sv.Client.from_url(url)
    monkeypatch.undo()
    server.plan = type("Page", (), {"to_json": lambda self: b"<html>"})()
    with pytest.raises(sv.DeliveryError, match="is no plan"):
        sv.Client.from_url(url)
