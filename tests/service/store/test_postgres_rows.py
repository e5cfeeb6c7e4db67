"""The PostgreSQL store: rows do not tell by their transaction which were written together."""

from __future__ import annotations

import datetime
import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from sottovoce.errors import StoreError
from sottovoce.service.store import Store, open_store
from tests.collectors import make_plan, random_ids
from tests.conformance.test_stores import make_reports, total
from tests.postgres import create_database, running_postgres

DAY = datetime.date(2026, 3, 1)


@pytest.fixture
def database(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SOTTOVOCE_KEYS", str(tmp_path / "keys"))
    return create_database(postgres, f"store_{secrets.token_hex(6)}")


def test_upkeep_writes_all_counts_in_one_transaction_and_leaves_no_dead_row(database: str) -> None:
    store = open_store(database)
    key = store.register(make_plan())
    for code in range(20):
        store.add(key.collection, DAY, make_reports(key, random_ids(1), code=code), {})
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT count(DISTINCT xmin::text) FROM counts").fetchone() == (20,)
    store.upkeep(now=True)
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT count(DISTINCT xmin::text), count(*) FROM counts").fetchone() == (1, 20)
        shared = connection.execute("SELECT count(*) FROM counts c JOIN report_digests d ON c.xmin = d.xmin").fetchone()
        assert shared == (0,)
    store.close()


def test_counting_goes_on_while_counts_are_written_anew(database: str) -> None:
    stores = [open_store(database), open_store(database)]
    key = stores[0].register(make_plan())

    def add_all(store: Store) -> None:
        for code in range(40):
            store.add(key.collection, DAY, make_reports(key, random_ids(10), code=code % 7), {})

    with ThreadPoolExecutor(3) as pool:
        adding = [pool.submit(add_all, store) for store in stores]
        third = open_store(database)
        for _ in range(10):
            third.upkeep(now=True)
            third.counts(key.collection)
        for future in adding:
            future.result()
    assert total(third, key) == 800
    for store in (*stores, third):
        store.close()


def test_a_server_that_does_not_sync_is_refused(tmp_path: Path) -> None:
    with running_postgres("fsync=off") as server, pytest.raises(StoreError, match="turn fsync on"):
        open_store(f"{server}/postgres", tmp_path)
