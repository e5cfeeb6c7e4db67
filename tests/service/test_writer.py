"""The one writer: batches that wait are committed together, and acknowledged after the commit."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from sottovoce.service.metrics import Metrics
from sottovoce.service.store import ID, PlanKey, Reports, open_store
from sottovoce.service.store.sqlite import SQLiteStore
from sottovoce.service.writer import BusyError, Outcome, Writer
from tests.collectors import make_plan, random_ids


def make_reports(key: PlanKey, ids: bytes, code: int = 0) -> Reports:
    column = np.frombuffer(ids, dtype=ID)
    ones = np.ones(len(column), dtype=np.int64)
    return Reports(column, ones * key.plan, ones * 0, ones * code)


class Gate(SQLiteStore):
    """A store whose commits wait until they are let through, and which remembers their sizes."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.open, self.sizes = threading.Event(), list[int]()

    def add(self, collection, day, reports, refusals):  # type: ignore[no-untyped-def]
        self.open.wait()
        self.sizes.append(len(reports))
        return super().add(collection, day, reports, refusals)


def test_batches_that_wait_are_committed_together_and_answered_after_that(tmp_path: Path) -> None:
    store = Gate(tmp_path / "c.db")
    key = store.register(make_plan())

    async def run() -> list[Outcome]:
        writer = Writer(store, Metrics(), waiting_limit=10_000)
        first = writer.submit(key.collection, make_reports(key, random_ids(5)))
        while writer._waiting:  # until the writer has taken the first
            await asyncio.sleep(0.001)
        futures = [writer.submit(key.collection, make_reports(key, random_ids(10))) for _ in range(20)]
        await asyncio.sleep(0.05)
        assert not first.done()
        assert not any(future.done() for future in futures)
        store.open.set()
        outcomes = await asyncio.gather(first, *futures)
        writer.close()
        return outcomes

    assert asyncio.run(run()) == [Outcome(5, 0)] + [Outcome(10, 0)] * 20
    assert store.sizes == [5, 200]
    store.close()


def test_of_equal_ids_in_one_commit_the_first_wins(tmp_path: Path) -> None:
    store = Gate(tmp_path / "c.db")
    key, ids = store.register(make_plan()), random_ids(3)

    async def run() -> list[Outcome]:
        writer = Writer(store, Metrics(), waiting_limit=10_000)
        futures = [writer.submit(key.collection, make_reports(key, ids * 2, code)) for code in (4, 5)]
        store.open.set()
        outcomes = await asyncio.gather(*futures)
        writer.close()
        return outcomes

    assert asyncio.run(run()) == [Outcome(3, 3), Outcome(0, 6)]
    (counts,) = store.counts(key.collection)
    assert (counts.code.tolist(), counts.count.tolist()) == ([4], [3])
    store.close()


def test_more_than_may_wait_is_refused_at_once(tmp_path: Path) -> None:
    store = Gate(tmp_path / "c.db")
    key = store.register(make_plan())

    async def run() -> None:
        writer = Writer(store, Metrics(), waiting_limit=100)
        taken = writer.submit(key.collection, make_reports(key, random_ids(60)))
        while writer._waiting:
            await asyncio.sleep(0.001)
        waiting = writer.submit(key.collection, make_reports(key, random_ids(60)))
        with pytest.raises(BusyError):
            writer.submit(key.collection, make_reports(key, random_ids(60)))
        store.open.set()
        assert list(await asyncio.gather(taken, waiting)) == [Outcome(60, 0)] * 2
        writer.close()

    asyncio.run(run())
    store.close()


def test_what_waits_is_committed_and_refusals_are_written_when_the_writer_closes(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "c.db"))
    key = store.register(make_plan())

    async def run() -> None:
        writer = Writer(store, Metrics(), waiting_limit=100)
        future = writer.submit(key.collection, make_reports(key, random_ids(60)))
        await future
        writer.refuse(key.collection, Counter(malformed=2))
        writer.submit(key.collection, make_reports(key, random_ids(40)))
        writer.refuse(key.collection, Counter(malformed=1))
        writer.close()
        with pytest.raises(BusyError):
            writer.submit(key.collection, make_reports(key, random_ids(1)))

    asyncio.run(run())
    assert [count for _, _, count in store.by_day(key.collection)] == [100]
    assert [(reason, count) for _, reason, count in store.refusals(key.collection)] == [("malformed", 3)]
    store.close()
