"""A store in one file: read while it is written, synced at every commit."""

from __future__ import annotations

import contextlib
import datetime
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from sottovoce.errors import StoreError
from sottovoce.plan.plan import Plan
from sottovoce.service.store import open_store
from sottovoce.service.store.sqlite import SQLiteStore
from tests.collectors import make_reports, random_ids

DAY = datetime.date(2026, 3, 1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    opened = SQLiteStore(tmp_path / "c.db")
    yield opened
    opened.close()


def test_a_path_or_a_url_of_one_opens_the_same_file(store: SQLiteStore, plan: Plan) -> None:
    key = store.register(plan)
    store.add(key.collection, DAY, make_reports(key, random_ids(3)), {})
    again = open_store(f"sqlite:///{store.path}")
    assert isinstance(again, SQLiteStore)
    assert again.by_day(key.collection) == [(plan.fingerprint, DAY, 3)]
    again.close()


def test_whoever_reads_sees_the_last_commit_while_another_process_writes(store: SQLiteStore, plan: Plan) -> None:
    key = store.register(plan)
    store.add(key.collection, DAY, make_reports(key, random_ids(3)), {})
    writing = sqlite3.connect(store.path, isolation_level=None)
    writing.execute("BEGIN IMMEDIATE")
    writing.execute("UPDATE counts SET count = 1000")
    assert store.by_day(key.collection) == [(plan.fingerprint, DAY, 3)]
    writing.execute("ROLLBACK")
    writing.close()


def test_ids_that_another_process_wrote_are_read_again_before_the_next_batch(store: SQLiteStore, plan: Plan) -> None:
    key, ids = store.register(plan), random_ids(5)
    assert store.add(key.collection, DAY, make_reports(key, random_ids(1)), {}).all()
    other = SQLiteStore(store.path)
    other.add(key.collection, DAY, make_reports(key, ids), {})
    other.close()
    assert not store.add(key.collection, DAY, make_reports(key, ids), {}).any()


def test_every_commit_is_synced_to_the_disk_and_the_log_is_written_ahead(store: SQLiteStore) -> None:
    assert store._writer.execute("PRAGMA synchronous").fetchone() == (2,), "FULL: a power cut loses nothing"
    assert store._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, and not to be lost" * 100)
    with pytest.raises(StoreError, match=r"cannot keep counts in .*notes\.txt"):
        SQLiteStore(path)
    assert path.read_text() == "not a database, and not to be lost" * 100


def test_a_store_that_answers_is_told_from_one_whose_tables_are_gone(store: SQLiteStore) -> None:
    store.check()
    with contextlib.closing(sqlite3.connect(store.path)) as vandal, vandal:
        vandal.execute("DROP TABLE plans")
    vandal.close()
    with pytest.raises(sqlite3.OperationalError, match="plans"):
        store.check()
