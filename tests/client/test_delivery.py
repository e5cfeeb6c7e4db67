"""A report is drawn once, kept on disk, and only then sent; every retry sends the same bytes."""

from __future__ import annotations

import builtins
import datetime
import email.utils
import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.client import delivery
from sottovoce.client.delivery import Tries, seconds_until
from sottovoce.client.ledger import Ledger
from sottovoce.plan.plan import Plan
from tests.collectors import RECORD, make_plan, running
from tests.postgres import free_port


class Flaky(http.server.BaseHTTPRequestHandler):
    """A collector that hears everything and answers what it is told to."""

    plan: Plan
    answers: list[tuple[int, bytes] | tuple[int, bytes, str]]
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

    def _answer(self, status: int, body: bytes, retry_after: str = "") -> None:
        self.send_response(status)
        if retry_after:
            self.send_header("retry-after", retry_after)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


COUNTED = (200, b'{"counted": 1, "duplicate": 0, "refused": []}')
ONCE = Tries(attempts=1)
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
            sv.Client.from_url(url, ledger=tmp_path, tries=ONCE).send(RECORD)
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


def test_the_mark_is_set_at_the_draw(flaky: tuple[str, type[Flaky]], tmp_path: Path) -> None:
    url, server = flaky
    server.answers = [(0, b"")]
    client = sv.Client.from_url(url, ledger=tmp_path, tries=ONCE)
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
    assert Ledger(tmp_path).find(server.plan.collection) is None


def test_a_plan_that_was_altered_on_its_way_is_refused(flaky: tuple[str, type[Flaky]], tmp_path: Path) -> None:
    url, server = flaky
    server.plan = make_plan(purpose="something else")
    with pytest.raises(sv.DeliveryError, match="it was altered"):
        sv.Client.from_url(url, ledger=tmp_path)
    assert list(tmp_path.rglob("*.json")) == []


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
        sv.Client.from_url(url, ledger=tmp_path, tries=ONCE).send(RECORD)
    sv.Client.from_url(url, ledger=tmp_path).send(RECORD)
    assert server.heard[0] == server.heard[1]


def test_a_plan_of_any_length_is_not_taken(
    flaky: tuple[str, type[Flaky]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url, server = flaky
    monkeypatch.setattr(delivery, "PLAN_BYTES", 100)
    with pytest.raises(sv.DeliveryError, match="longer than 100 bytes"):
        sv.Client.from_url(url, ledger=tmp_path)
    monkeypatch.undo()
    server.plan = type("Page", (), {"to_json": lambda self: b"<html>"})()
    with pytest.raises(sv.DeliveryError, match="is no plan"):
        sv.Client.from_url(url, ledger=tmp_path)


def test_what_fails_is_tried_again_with_waits_by_chance_and_not_before_the_collector_said(
    flaky: tuple[str, type[Flaky]], tmp_path: Path
) -> None:
    url, server = flaky
    server.answers = [(0, b""), (503, b"{}", "30"), (429, b"{}"), (408, b"{}"), COUNTED]
    waits = list[float]()
    tries = Tries(attempts=5, first=1, wait=waits.append)
    report = sv.Client.from_url(url, ledger=tmp_path, tries=tries).send(RECORD)
    assert server.heard == [report.to_json().encode()] * 5
    first, told, third, fourth = waits
    assert 0 <= first <= 1
    assert 30 <= told <= 45
    assert 0 <= third <= 4
    assert 0 <= fourth <= 8


def test_no_two_devices_wait_alike() -> None:
    """System randomness of 32 bits: two of twenty waits are equal once in 10^7 runs."""
    for retry_after in (None, 30.0):
        assert len({Tries().pause(1, retry_after) for _ in range(20)}) == 20


def test_a_collector_that_asks_for_a_long_wait_is_left_alone(flaky: tuple[str, type[Flaky]], tmp_path: Path) -> None:
    url, server = flaky
    server.answers = [(503, b"{}", "3600"), COUNTED]
    with pytest.raises(sv.DeliveryError, match=r"come back in 3600 s.*the same bytes") as caught:
        sv.Client.from_url(url, ledger=tmp_path).send(RECORD)
    assert (caught.value.lasting, caught.value.retry_after) == (False, 3600)
    assert len(server.heard) == 1


def test_a_lasting_refusal_is_not_tried_again(flaky: tuple[str, type[Flaky]], tmp_path: Path) -> None:
    url, server = flaky
    server.answers = [(410, b"{}", "1"), COUNTED]
    with pytest.raises(sv.DeliveryError) as caught:
        sv.Client.from_url(url, ledger=tmp_path).send(RECORD)
    assert (caught.value.lasting, caught.value.retry_after) == (True, None)
    assert len(server.heard) == 1


def test_a_date_to_come_back_at_is_understood() -> None:
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=10)
    seconds = seconds_until(email.utils.format_datetime(soon, usegmt=True))
    assert seconds is not None
    assert seconds <= 600
    assert seconds_until("Sun, 06 Nov 1994 08:49:37") == 0
    assert seconds_until("") is None


def test_a_device_draws_offline_and_what_waits_is_counted_once_when_it_is_online_again(tmp_path: Path) -> None:
    plan, port = make_plan(), free_port()
    database, spent = str(tmp_path / "c.db"), tmp_path / "spent"
    with running([plan], database, port=port) as collector:
        url = collector.url(plan)
        sv.Client.from_url(url, ledger=spent)
    offline = sv.Client.from_url(url, ledger=spent, tries=ONCE)
    assert not offline.pending
    with pytest.raises(sv.RecordError, match="give a record"):
        offline.send()
    with pytest.raises(sv.DeliveryError, match="the same bytes"):
        offline.send(RECORD)
    assert offline.pending
    assert sv.Client.send_pending(ledger=spent) == []
    drawn = Ledger(spent).find(plan.collection)
    assert drawn is not None
    with running([plan], database, port=port) as collector:
        (report,) = sv.Client.send_pending(ledger=spent)
        assert report.to_json() == drawn.report
        assert not sv.Client.from_url(url, ledger=spent).pending
        assert sv.Client.from_url(url, ledger=spent).send() is None
        assert sv.Client.send_pending(ledger=spent) == []
        assert collector.total(plan) == 1


def test_one_report_that_cannot_be_sent_stops_no_other(flaky: tuple[str, type[Flaky]], tmp_path: Path) -> None:
    url, server = flaky
    plans = [server.plan, make_plan(purpose="another"), make_plan(purpose="a third")]
    for plan in plans:
        server.plan, server.answers = plan, [(503, b"{}")]
        address = url.rpartition("/")[0] + "/" + plan.fingerprint
        with pytest.raises(sv.DeliveryError):
            sv.Client.from_url(address, ledger=tmp_path, tries=ONCE).send(RECORD)
    server.answers = [COUNTED, (410, b"{}"), DUPLICATE]
    assert len(sv.Client.send_pending(ledger=tmp_path)) == 2
    server.answers = [COUNTED]
    assert len(sv.Client.send_pending(ledger=tmp_path)) == 1
    assert len(set(server.heard)) == 3
