"""Faults: a store that hangs, a full disk, a stop whatever hangs, days of grace, plans read again, a first start."""

from __future__ import annotations

import contextlib
import datetime
import os
import secrets
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
from psycopg.conninfo import conninfo_to_dict

from sottovoce.service.served import Served, today
from sottovoce.service.store import PlanKey
from sottovoce.service.store.sqlite import SQLiteStore
from tests.collectors import as_array, draw, make_plan, running
from tests.postgres import create_database, free_port
from tests.silent_peer import wire_to

COMMAND = str(Path(sys.executable).with_name("sottovoce"))


@contextlib.contextmanager
def serving(plan: Path, database: str, *more: str):  # type: ignore[no-untyped-def]
    """Yield a collector that runs as a process of its own, and a client of it."""
    port = free_port()
    process = subprocess.Popen(
        [COMMAND, "serve", str(plan), "--db", database, "--port", str(port), *more],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            for _ in range(600):
                assert process.poll() is None, "the collector did not start"
                with contextlib.suppress(httpx.TransportError):
                    client.get("/livez")
                    break
                time.sleep(0.05)
            yield process, client
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def test_health_answers_in_two_seconds_when_the_store_hangs_and_liveness_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, gate = make_plan(), threading.Event()
    with running([plan], str(tmp_path / "c.db")) as collector:
        monkeypatch.setattr(SQLiteStore, "check", lambda self, **_: gate.wait(60))
        for path in ("/readyz", "/healthz", "/readyz"):
            started = time.monotonic()
            assert collector.http.get(path).status_code == 503
            assert time.monotonic() - started < 3
        assert collector.http.get("/livez").json() == {"status": "ok"}
        gate.set()
        monkeypatch.undo()
        time.sleep(0.1)
        assert collector.http.get("/readyz").status_code == 200
        assert collector.http.head("/healthz").status_code == collector.http.head("/livez").status_code == 200


def test_a_disk_that_is_full_is_not_healthy_until_it_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan()
    full = sqlite3.OperationalError("database or disk is full")
    with running([plan], str(tmp_path / "c.db")) as collector:
        body = draw(plan, 1)[0].to_json()
        with monkeypatch.context() as broken:
            broken.setattr(SQLiteStore, "add", lambda self, *_: (_ for _ in ()).throw(full))
            broken.setattr(SQLiteStore, "_write", lambda self, *_: (_ for _ in ()).throw(full))
            assert collector.post(plan, body).status_code == 503
            assert collector.http.get("/readyz").status_code == 503
        assert collector.http.get("/readyz").status_code == 200
        assert collector.post(plan, body).json()["counted"] == 1
        monkeypatch.setattr(os, "statvfs", lambda path: os.statvfs_result((4096, 4096, 10, 0, 0, 1, 1, 1, 0, 255)))
        assert collector.http.get("/readyz").status_code == 503


def test_the_same_failure_is_logged_once_with_the_databases_own_name_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    plan = make_plan()
    full = sqlite3.OperationalError("secret")
    full.sqlite_errorname = "SQLITE_FULL"
    with running([plan], str(tmp_path / "c.db"), commit_seconds=0.0) as collector:
        monkeypatch.setattr(SQLiteStore, "add", lambda self, *_: (_ for _ in ()).throw(full))
        for report in draw(plan, 5):
            assert collector.post(plan, report.to_json()).status_code == 503
        monkeypatch.undo()
    lines = [record.getMessage() for record in caplog.records if "commit failed" in record.getMessage()]
    assert lines == ["a commit failed: OperationalError SQLITE_FULL (1 since the last line)"]


def test_a_report_that_comes_in_the_days_of_grace_counts(tmp_path: Path) -> None:
    yesterday = (today() - datetime.timedelta(days=1)).isoformat()
    plan = make_plan(expires=yesterday)
    with running([plan], str(tmp_path / "c.db")) as collector:
        assert collector.post(plan, draw(plan, 1)[0].to_json()).json()["counted"] == 1
        assert collector.post(plan, as_array(draw(plan, 3))).json()["counted"] == 3
    with running([plan], str(tmp_path / "d.db"), grace=0) as collector:
        assert collector.post(plan, draw(plan, 1)[0].to_json()).status_code == 410


def test_the_last_day_is_the_plans_and_the_grace() -> None:
    plan, day = make_plan(expires="2026-02-25"), datetime.date
    served = Served(plan, PlanKey(1, 1), 7)
    assert not served.expired(day(2026, 3, 4))
    assert served.expired(day(2026, 3, 5))
    assert not Served(make_plan(expires="9999-12-31"), PlanKey(1, 1), 7).expired(day(9999, 12, 31))


@pytest.mark.parametrize("silent", [False, True])
def test_sigterm_ends_it_within_fifteen_seconds_whatever_hangs(postgres: str, tmp_path: Path, silent: bool) -> None:
    plan, path = make_plan(), tmp_path / "plan.json"
    plan.save(path)
    direct = create_database(postgres, f"stop_{secrets.token_hex(6)}")
    port = int(str(conninfo_to_dict(direct)["port"]))
    with (
        wire_to(port) as wire,
        serving(path, direct.replace(f":{port}/", f":{wire.port}/"), "--keys", str(tmp_path)) as (
            process,
            client,
        ),
    ):
        url = f"/v1/plans/{plan.fingerprint}/reports"
        headers = {"content-type": "application/json"}
        assert client.post(url, content=draw(plan, 1)[0].to_json(), headers=headers).json()["counted"] == 1
        if silent:
            wire.silent.set()
            with pytest.raises(httpx.TimeoutException):
                client.post(url, content=draw(plan, 1)[0].to_json(), headers=headers, timeout=1)
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        assert time.monotonic() - started < 15


def test_sighup_reads_the_plans_again_and_ends_nothing(tmp_path: Path) -> None:
    plan, path = make_plan(), tmp_path / "plan.json"
    plan.save(path)
    with serving(path, str(tmp_path / "c.db")) as (process, client):
        later = make_plan(expires="2998-01-01", purpose="a new one")
        later.save(path)
        assert client.get(f"/v1/plans/{later.fingerprint}").status_code == 404
        process.send_signal(signal.SIGHUP)
        for _ in range(200):
            if client.get(f"/v1/plans/{later.fingerprint}").status_code == 200:
                break
            time.sleep(0.05)
        assert client.get(f"/v1/plans/{later.fingerprint}").status_code == 200
        assert client.get(f"/v1/plans/{plan.fingerprint}").status_code == 200
        path.write_text("{")
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        assert client.get(f"/v1/plans/{plan.fingerprint}").status_code == 200


@pytest.mark.parametrize("first", ["token", "collection", "serve"])
def test_a_first_start_may_begin_with_any_command(tmp_path: Path, first: str) -> None:
    plan, path, database = make_plan(), tmp_path / "plan.json", str(tmp_path / "c.db")
    plan.save(path)
    commands = {"token": ["token", "create", "alice"], "collection": ["collection", "list"]}
    if first in commands:
        done = subprocess.run([COMMAND, *commands[first], "--db", database], capture_output=True, check=False)
        assert done.returncode == 0
    with serving(path, database) as (_, client):
        url = f"/v1/plans/{plan.fingerprint}/reports"
        answer = client.post(url, content=draw(plan, 1)[0].to_json(), headers={"content-type": "application/json"})
        assert answer.json()["counted"] == 1


def test_a_port_that_is_taken_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    make_plan().save(path)
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [COMMAND, "serve", str(path), "--db", str(tmp_path / "c.db"), "--port", port],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "cannot listen" in done.stderr or "address already in use" in done.stderr


def test_all_plans_expired_is_said_at_the_start(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with running([make_plan(expires="2020-01-01")], str(tmp_path / "c.db")):
        pass
    assert "all plans have expired" in caplog.text
