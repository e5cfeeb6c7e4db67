"""Several processes at one port: everything counts once, one that is killed comes back, and all end together."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

import sottovoce as sv
from sottovoce.errors import SottovoceError
from sottovoce.service.settings import Settings
from tests.collectors import as_array, draw, make_plan
from tests.postgres import create_database, free_port, running_postgres

PLAN = make_plan()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running_postgres() as running:
        yield running


@contextlib.contextmanager
def serving(database: str, folder: Path, *more: str) -> Iterator[tuple[subprocess.Popen[bytes], httpx.Client]]:
    PLAN.save(folder / "plan.json")
    port = free_port()
    command = [sys.executable, "-c", "from sottovoce.cli import main; main()", "serve", str(folder / "plan.json")]
    command += ["--db", database, "--keys", str(folder / "keys"), "--port", str(port), "--workers", "2", *more]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            yield process, client
    finally:
        process.terminate()
        process.wait(30)


def workers_of(process: subprocess.Popen[bytes], number: int = 2) -> list[int]:
    """Return the workers, once there are so many."""
    while True:
        found = [int(one) for one in children(process.pid) if "spawn_main" in command_line(int(one))]
        if len(found) == number:
            return found
        assert process.poll() is None
        time.sleep(0.05)


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def command_line(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


def post(process: subprocess.Popen[bytes], client: httpx.Client, body: str) -> httpx.Response:
    """Post until somebody answers, as a client does."""
    url, headers = f"/v1/plans/{PLAN.fingerprint}/reports", {"content-type": "application/json", "connection": "close"}
    while True:
        with contextlib.suppress(httpx.TransportError):
            return client.post(url, content=body, headers=headers)
        assert process.poll() is None, "the collector ended"
        time.sleep(0.05)


def events(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "log").read_text().splitlines()]


def number_of(event: str, folder: Path) -> int:
    return sum(one.get("event") == event for one in events(folder))


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds, for as long as a test may take at most."""
    end = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def ended(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists() or ") Z " in Path(f"/proc/{pid}/stat").read_text()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_workers_count_everything_once_come_back_and_end_together(server: str, tmp_path: Path) -> None:
    database = create_database(server, "together")
    with serving(database, tmp_path, "--log-format", "json") as (process, client):
        batches = [as_array(draw(PLAN, 50)) for _ in range(20)]
        assert sum(post(process, client, batch).json()["counted"] for batch in batches) == 1000
        until(lambda: number_of("start", tmp_path) >= 2)  # one may answer all before the other has begun
        first = workers_of(process)
        os.kill(first[0], signal.SIGKILL)
        assert sum(post(process, client, batch).json()["duplicate"] for batch in batches) == 1000
        until(lambda: set(workers_of(process)) != set(first))
        text = client.get("/metrics").text
        assert re.search(r'^sottovoce_reports_total\{outcome="counted"\} 1000', text, flags=re.MULTILINE)
        assert re.search(r'^sottovoce_reports_total\{outcome="duplicate"\} 1000', text, flags=re.MULTILINE)
        last = workers_of(process)
        until(lambda: number_of("start", tmp_path) >= 3)
        process.send_signal(signal.SIGHUP)
        until(lambda: number_of("reload", tmp_path) >= 2)
        process.terminate()
        assert process.wait(30) == 0
        assert all(ended(pid) for pid in last)
    said = events(tmp_path)
    assert {"event": "worker", "reason": "exit -9"}.items() <= next(e for e in said if e["event"] == "worker").items()
    assert sum(event["event"] == "stop" for event in said) == 2
    assert os.environ.get("PROMETHEUS_MULTIPROC_DIR") is None
    os.environ["SOTTOVOCE_KEYS"] = str(tmp_path / "keys")
    try:
        assert sv.Tally.from_store(PLAN, database).total == 1000
    finally:
        del os.environ["SOTTOVOCE_KEYS"]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_a_hangup_that_comes_while_workers_start_is_heard_later(server: str, tmp_path: Path) -> None:
    with serving(create_database(server, "early"), tmp_path, "--log-format", "json") as (process, _):
        first = workers_of(process)
        for _ in range(20):
            process.send_signal(signal.SIGHUP)
            time.sleep(0.01)
        until(lambda: number_of("reload", tmp_path) >= 2)
        assert workers_of(process) == first


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_workers_end_when_the_one_that_watches_is_gone(server: str, tmp_path: Path) -> None:
    with serving(create_database(server, "alone"), tmp_path) as (process, client):
        assert post(process, client, draw(PLAN, 1)[0].to_json()).json()["counted"] == 1
        workers = workers_of(process)
        process.kill()
        until(lambda: all(ended(pid) for pid in workers))


def test_several_workers_on_sqlite_are_refused_with_what_to_do() -> None:
    with pytest.raises(SottovoceError, match=r"2 workers need PostgreSQL.*--db postgresql://"):
        Settings(workers=2, database="c.db")
    with pytest.raises(SottovoceError, match="at least one worker"):
        Settings(workers=0)


def test_a_rate_is_for_all_workers_together() -> None:
    settings = Settings(workers=4, database="postgresql://a@b/c", rate="600/minute", report_rate="10/hour")
    assert (settings.rate_limit.amount, settings.report_rate_limit.amount) == (150, 3)
    assert settings.rate_limit.get_expiry() == 60
