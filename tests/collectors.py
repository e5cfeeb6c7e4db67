"""Collectors that really run, and the plans and reports that tests post to them."""

from __future__ import annotations

import math
import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest import mock

import httpx
import numpy as np
import uvicorn

import sottovoce as sv
from sottovoce.client.report import Report
from sottovoce.plan.plan import Plan
from sottovoce.service import analysis
from sottovoce.service.app import make_server
from sottovoce.service.auth import create_token
from sottovoce.service.served import today
from sottovoce.service.settings import Settings
from sottovoce.service.store import ID, PlanKey, Reports, open_store

SCHEMA = sv.Schema([sv.Ordinal("age", 0, 15), sv.Ordinal("hours", 0, 15), sv.Categorical("region", ["north", "south"])])
RECORD = {"age": 7, "hours": 3, "region": "south"}


def make_plan(**options: object) -> Plan:
    about = {"purpose": "a test", "contact": "tests@example.org", "expires": "2999-12-31"}
    return sv.Plan.create(SCHEMA, epsilon=1, users=10_000, **{**about, **options})


def draw(plan: Plan, number: int) -> list[Report]:
    client = sv.Client(plan)
    return [client.draw(RECORD) for _ in range(number)]


def draw_wave(plan: Plan, number: int, wave: int, record: dict[str, object] = RECORD) -> list[Report]:
    """Return the reports of so many people with one record, all of whom have their turn in a wave."""
    table = sv.randomize(plan, {name: [value] * number for name, value in record.items()}, wave=wave)
    rows = table.to_pylist()
    return [Report(plan.fingerprint, secrets.token_hex(16), row["question"], row["code"]) for row in rows]


def as_array(reports: list[Report]) -> str:
    return "[" + ",".join(report.to_json() for report in reports) + "]"


@dataclass(frozen=True)
class Running:
    """A collector that runs in this process on a port of its own, and a client that talks to it."""

    server: uvicorn.Server
    http: httpx.Client
    settings: Settings

    def path(self, plan: Plan, rest: str = "") -> str:
        return f"/v1/plans/{plan.fingerprint}{rest}"

    def url(self, plan: Plan) -> str:
        return f"{self.http.base_url}".rstrip("/") + self.path(plan)

    def post(self, plan: Plan, body: str | bytes, kind: str = "application/json", **headers: str) -> httpx.Response:
        headers = {"content-type": kind, **headers}
        return self.http.post(self.path(plan, "/reports"), content=body, headers=headers)

    def token(self, role: str = "analyst") -> dict[str, str]:
        store = open_store(self.settings.database)
        try:
            text = create_token(store, secrets.token_hex(4), role, today())
        finally:
            store.close()
        return {"authorization": f"Bearer {text}"}

    def total(self, plan: Plan) -> int:
        answer = self.http.get(self.path(plan, "/status"), headers=self.token())
        return int(answer.raise_for_status().json()["reports"])


@contextmanager
def running(plans: list[Plan], database: str, source: str = "127.0.0.1", **settings: object) -> Iterator[Running]:
    """Yield a collector of some plans, served by uvicorn on a loopback port; the client calls from ``source``.

    Its status is always exact, however slow the machine is.
    """
    chosen = Settings(database=database, **{"port": 0, **settings})  # type: ignore[arg-type]
    server = make_server(chosen, plans)
    thread = threading.Thread(target=server.run)
    thread.start()
    with mock.patch.object(analysis, "LONG_LOOK", math.inf):
        try:
            while not server.started:
                assert thread.is_alive(), "the collector did not start"
                time.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            transport = httpx.HTTPTransport(local_address=source)
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", transport=transport, timeout=60) as client:
                yield Running(server, client, chosen)
        finally:
            server.should_exit = True
            thread.join()


def random_ids(number: int) -> bytes:
    return os.urandom(16 * number)


def make_reports(key: PlanKey, ids: bytes, *, question: int = 0, code: int = 1) -> Reports:
    """Return reports that all say the same, as a store wants them: sorted by id."""
    column = np.sort(np.frombuffer(ids, dtype=ID))
    ones = np.ones(len(column), dtype=np.int64)
    return Reports(column, ones * key.plan, ones * question, ones * code)
