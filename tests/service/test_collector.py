"""The checks that every route shares: tokens, bodies, batches, and a store that fails."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import HTTPException

from sottovoce.plan.plan import Plan
from sottovoce.service.collector import BINARY, JSON, Collector
from sottovoce.service.settings import Settings
from sottovoce.service.store import Reports, open_store
from tests.collectors import Running, as_array, draw, make_plan, running


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("[", "application/json", 400),
        ("", "application/json", 400),
        ("nonsense", "application/json", 400),
        ("[" * 100_000, "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"", "application/octet-stream", 400),
        (b"\x01" * 100, "application/octet-stream", 400),
        ("{}", "text/plain", 415),
        ("{}", "", 415),
        ("[" + "0," * 10_000 + "0]", "application/json", 413),
        (" " * (4 * 2**20 + 1), "application/json", 413),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_body_that_is_no_report_is_refused_whole(
    collector: Running, plan: Plan, body: str | bytes, kind: str, status: int
) -> None:
    before = collector.total(plan)
    answer = collector.post(plan, body, kind)
    assert answer.status_code == status
    assert answer.json()["detail"]
    assert collector.total(plan) == before


def test_a_token_may_be_used_only_so_often(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), rate="3/hour") as collector:
        token, path = collector.token(), collector.path(plan, "/status")
        assert [collector.http.get(path, headers=token).status_code for _ in range(4)] == [200, 200, 200, 429]
        assert collector.http.get(path, headers=collector.token()).status_code == 200


def test_a_store_that_fails_acknowledges_nothing_and_the_same_bytes_count_later(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running([plan], str(tmp_path / "c.db")) as collector:
        body = draw(plan, 1)[0].to_json()
        with monkeypatch.context() as broken:
            broken.setattr(Reports, "pairs", lambda self: 1 / 0)
            answer = collector.post(plan, body)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert collector.post(plan, body).json()["counted"] == 1


@pytest.fixture
def quiet(plan: Plan, tmp_path: Path) -> Iterator[Collector]:
    """A collector that nobody serves yet, of one plan, and of one of the same collection that expired."""
    made = Collector(
        Settings(batch_limit=5), open_store(str(tmp_path / "c.db")), [plan, make_plan(expires="2020-01-01")]
    )
    yield made
    made.store.close()


def test_a_plan_is_found_by_its_fingerprint_and_any_other_is_not(quiet: Collector, plan: Plan) -> None:
    assert quiet.find(plan.fingerprint).plan == plan
    with pytest.raises(HTTPException) as refused:
        quiet.find("0" * 64)
    assert refused.value.status_code == 404


def test_a_body_is_read_by_the_kind_that_it_is_said_to_be(quiet: Collector, plan: Plan) -> None:
    served, reports = quiet.find(plan.fingerprint), draw(plan, 2)
    text, binary = as_array(reports).encode(), b"".join(report.to_bytes() for report in reports)
    assert len(quiet.decode(served, JSON, text).reports) == len(quiet.decode(served, BINARY, binary).reports) == 2
    old = next(one for one in quiet.served.values() if one.plan != plan)
    six = as_array(draw(plan, 6)).encode()
    for asked, kind, body, status in (
        (served, JSON, binary, 400),
        (served, BINARY, text, 400),
        (served, "text/csv", text, 415),
        (served, JSON, six, 413),
        (old, JSON, text, 410),
    ):
        with pytest.raises(HTTPException) as refused:
            quiet.decode(asked, kind, body)
        assert refused.value.status_code == status


def test_a_collector_that_closes_has_counted_what_it_took(plan: Plan, tmp_path: Path) -> None:
    address = str(tmp_path / "c.db")

    async def run() -> None:
        collector = Collector(Settings(), open_store(address), [plan])
        collector.start()
        served = collector.find(plan.fingerprint)
        decoded = collector.decode(served, JSON, as_array(draw(plan, 3)).encode())
        counting = asyncio.create_task(collector.count(served, decoded))
        await asyncio.sleep(0)  # it has been handed to the writer
        await asyncio.to_thread(collector.close)
        assert (await counting).counted == 3
        assert b'sottovoce_reports_total{outcome="counted"} 3.0' in collector.metrics.text()

    asyncio.run(run())
    store = open_store(address)
    assert [number for _, _, number in store.by_day(store.register(plan).collection)] == [3]
    store.close()


def test_more_reports_than_may_wait_are_asked_to_come_later(plan: Plan, tmp_path: Path) -> None:
    async def run() -> HTTPException:
        collector = Collector(Settings(waiting_limit=2), open_store(str(tmp_path / "c.db")), [plan])
        collector.start()
        served = collector.find(plan.fingerprint)
        try:
            with pytest.raises(HTTPException) as refused:
                await collector.count(served, collector.decode(served, JSON, as_array(draw(plan, 3)).encode()))
        finally:
            collector.close()
        return refused.value

    refused = asyncio.run(run())
    assert (refused.status_code, refused.headers) == (429, {"Retry-After": "1"})
