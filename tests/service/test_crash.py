"""Killed at random moments under load, a collector has counted every acknowledged report exactly once."""

from __future__ import annotations

import concurrent.futures
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from sottovoce.client.report import Report
from sottovoce.plan.plan import Plan
from sottovoce.service.auth import create_token
from sottovoce.service.served import today
from sottovoce.service.store import open_store
from tests.collectors import as_array, draw, make_plan
from tests.postgres import free_port

SENDERS, BATCH = 4, 50


@contextmanager
def collector(plan: Path, database: str, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Yield a collector that runs as a process of its own, and its address."""
    port = free_port()
    command = [str(Path(sys.executable).with_name("sottovoce")), "serve", str(plan), "--db", database, *options]
    process = subprocess.Popen([*command, "--port", str(port)], stdout=subprocess.DEVNULL, start_new_session=True)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            assert process.poll() is None, "the collector did not start"
            try:
                httpx.get(f"{url}/healthz")
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield process, url
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()


def send_until_killed(
    url: str, batches: Iterator[list[Report]], stop: threading.Event
) -> tuple[list[Report], list[Report]]:
    """Return what was acknowledged, and the batch of which nobody knows."""
    acknowledged: list[Report] = []
    with httpx.Client(timeout=60) as client:
        while not stop.is_set():
            batch = next(batches)
            try:
                headers = {"content-type": "application/json"}
                answer = client.post(url, content=as_array(batch), headers=headers).raise_for_status().json()
            except httpx.TransportError:
                return acknowledged, batch
            assert answer["counted"] + answer["duplicate"] == len(batch)
            acknowledged += batch
    return acknowledged, []


def crash_once(plan: Plan, path: Path, database: str, delay: float) -> tuple[list[Report], list[Report]]:
    """Run a collector under load, kill it after ``delay`` seconds; return what was acknowledged, and what was not."""

    def batches() -> Iterator[list[Report]]:
        while True:
            yield draw(plan, BATCH)

    stop = threading.Event()
    with collector(path, database) as (process, url), concurrent.futures.ThreadPoolExecutor(SENDERS) as pool:
        target = f"{url}/v1/plans/{plan.fingerprint}/reports"
        sent = [pool.submit(send_until_killed, target, batches(), stop) for _ in range(SENDERS)]
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        stop.set()
        parts = [future.result() for future in sent]
    return [one for part in parts for one in part[0]], [one for part in parts for one in part[1]]


def check_crashes(plan: Plan, path: Path, database: str, crashes: int) -> None:
    plan.save(path)
    generator = random.Random(crashes)
    acknowledged: list[Report] = []
    unknown: list[Report] = []
    for _ in range(crashes):
        known, lost = crash_once(plan, path, database, generator.uniform(0.1, 0.8))
        acknowledged += known
        unknown += lost
    assert acknowledged, "nothing was acknowledged before the crashes"
    with collector(path, database) as (_, url):
        target, headers = f"{url}/v1/plans/{plan.fingerprint}", {"content-type": "application/json"}
        counted = 0
        for start in range(0, len(acknowledged), 5_000):
            body = as_array(acknowledged[start : start + 5_000])
            counted += httpx.post(f"{target}/reports", content=body, headers=headers, timeout=60).json()["counted"]
        assert counted == 0, "a report that was acknowledged had not been counted"
        httpx.post(f"{target}/reports", content=as_array(unknown), headers=headers, timeout=60).raise_for_status()
        store = open_store(database)
        token = create_token(store, "crash", "analyst", today())
        store.close()
        status = httpx.get(f"{target}/status", headers={"authorization": f"Bearer {token}"}, timeout=60).json()
    assert status["reports"] == len(acknowledged) + len(unknown)


def test_what_was_acknowledged_before_a_crash_is_counted_once(database: str, tmp_path: Path) -> None:
    check_crashes(make_plan(), tmp_path / "plan.json", database, 2)


@pytest.mark.slow
def test_what_was_acknowledged_before_twenty_crashes_is_counted_once(database: str, tmp_path: Path) -> None:
    check_crashes(make_plan(), tmp_path / "plan.json", database, 20)
