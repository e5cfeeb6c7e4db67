"""A database from before digests: both forms are known while it is turned over, and nothing counts twice."""

from __future__ import annotations

import contextlib
import datetime
import sqlite3
from pathlib import Path

import numpy as np
import psycopg
import pytest

from sottovoce.plan.plan import Plan
from sottovoce.service.store import ID, Store, open_store, plain
from sottovoce.service.store.migrate import migrations
from tests.collectors import make_plan, random_ids
from tests.conformance.test_stores import make_reports, total

DAY = datetime.date(2026, 3, 1)


def fill_as_before(database: str, plan: Plan, settled: bytes, run: bytes) -> None:
    """Make a database of schema 2, as the last version left it."""
    rows = [settled[start : start + 16] for start in range(0, len(settled), 16)]
    if "://" in database:
        rows += [run[start : start + 16] for start in range(0, len(run), 16)]
        with psycopg.connect(database) as connection:
            connection.execute("CREATE TABLE schema_version (version integer NOT NULL)")
            for number, text in migrations("postgres")[:2]:
                connection.execute(text.encode())
                connection.execute("INSERT INTO schema_version VALUES (%s)", (number,))
            connection.execute("INSERT INTO collections (collection) VALUES (%s)", (plan.collection,))
            with connection.cursor() as cursor:
                cursor.executemany("INSERT INTO report_ids VALUES (%s::uuid, 1)", [(row.hex(),) for row in rows])
        return
    with contextlib.closing(sqlite3.connect(database)) as file, file:
        for _, text in migrations("sqlite")[:2]:
            file.executescript(text)
        file.execute("PRAGMA user_version = 2")
        file.execute("INSERT INTO collections (number, collection) VALUES (1, ?)", (plan.collection,))
        file.executemany("INSERT INTO settled_ids VALUES (1, ?)", [(row,) for row in rows])
        file.execute("INSERT INTO recent_ids VALUES (7, 1, 0, ?)", (run,))


def plain_left(store: Store) -> int:
    return int(store._read("SELECT count(*) FROM plain_ids")[0][0])  # type: ignore[attr-defined]


def test_ids_from_before_are_known_before_while_and_after_they_become_digests(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain, "SLICE", 300)
    plan, settled, run = make_plan(), random_ids(1_000), random_ids(200)
    fill_as_before(database, plan, settled, run)
    store = open_store(database)
    key = store.register(plan)
    assert key.collection == 1
    rounds = 0
    while True:
        assert not store.add(1, DAY, make_reports(key, settled + run), {}).any()
        if not store.upkeep():
            break
        rounds += 1
    assert rounds >= 3
    assert plain_left(store) == 0
    fresh = random_ids(50)
    assert store.add(1, DAY, make_reports(key, fresh + settled + run), {}).sum() == 50
    assert not store.add(1, DAY, make_reports(key, fresh + settled + run), {}).any()
    assert total(store, key) == 50
    store.close()


def test_two_collectors_that_turn_ids_over_at_the_same_time_lose_none(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain, "SLICE", 100)
    plan, settled = make_plan(), random_ids(500)
    fill_as_before(database, plan, settled, b"")
    first, second = open_store(database), open_store(database)
    key = first.register(plan)
    second.register(plan)
    while first.upkeep() | second.upkeep():
        pass
    for store in (first, second):
        assert plain_left(store) == 0
        assert not store.add(1, DAY, make_reports(key, settled), {}).any()
        store.close()


def test_no_plain_id_is_left_in_a_file_that_was_turned_over(tmp_path: Path) -> None:
    plan, settled, run = make_plan(), random_ids(300), random_ids(40)
    path = tmp_path / "c.db"
    fill_as_before(str(path), plan, settled, run)
    store = open_store(str(path))
    store.register(plan)
    while store.upkeep(now=True):
        pass
    raw = b"".join(one.read_bytes() for one in tmp_path.glob("c.db*") if one.is_file())
    store.close()
    assert not [row for row in np.frombuffer(settled + run, dtype=ID).tolist() if row.ljust(16, b"\0") in raw]
