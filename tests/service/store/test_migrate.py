"""Numbered migrations: applied once each, in order, and nothing that was counted is lost."""

from __future__ import annotations

import contextlib
import datetime
import sqlite3
from pathlib import Path

import psycopg
import pytest

from sottovoce.errors import StoreError
from sottovoce.plan.plan import Plan
from sottovoce.service.store import Store, open_store
from sottovoce.service.store.migrate import migrations, pending
from tests.collectors import make_reports, random_ids

DAY, NEXT = datetime.date(2026, 3, 1), datetime.date(2026, 3, 2)


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_migrations_are_numbered_without_gaps_and_a_database_gets_those_it_has_not_had(dialect: str) -> None:
    numbers = [number for number, _ in migrations(dialect)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert pending(dialect, 0) == migrations(dialect)
    assert [number for number, _ in pending(dialect, 1)] == numbers[1:]
    assert pending(dialect, numbers[-1]) == []


OLD_ID = b"an id seen early"


def make_old_sqlite(address: str, plan: Plan) -> None:
    """Write a file as the first version did, with counts, a refusal, an id and a token in it."""
    with contextlib.closing(sqlite3.connect(address)) as connection, connection:
        connection.executescript(dict(migrations("sqlite"))[1])
        connection.execute("PRAGMA user_version = 1")
        connection.execute("INSERT INTO collections VALUES (4, ?)", (plan.collection,))
        connection.execute("INSERT INTO plans VALUES (9, 4, ?, ?)", (plan.fingerprint, plan.to_json()))
        connection.executemany(
            "INSERT INTO counts VALUES (9, ?, ?, ?, ?)",
            [(str(DAY), 0, 1, 5), (str(NEXT), 0, 1, 2), (str(NEXT), 2, 0, 3)],
        )
        connection.execute("INSERT INTO refusals VALUES (4, ?, 'malformed', 6)", (str(DAY),))
        connection.execute("INSERT INTO recent_ids VALUES (77, 4, 0, ?)", (OLD_ID,))
        connection.execute("INSERT INTO tokens VALUES ('alice', 'analyst', 'ab', x'00', ?, NULL)", (str(DAY),))
    connection.close()


def make_old_postgres(url: str, plan: Plan) -> None:
    """Fill a database as the first version did, with the same in it."""
    with psycopg.connect(url) as connection:
        connection.execute(dict(migrations("postgres"))[1].encode())
        connection.execute("CREATE TABLE schema_version (version integer NOT NULL)")
        connection.execute("INSERT INTO schema_version VALUES (1)")
        connection.execute("INSERT INTO collections OVERRIDING SYSTEM VALUE VALUES (4, %s)", (plan.collection,))
        connection.execute(
            "INSERT INTO plans OVERRIDING SYSTEM VALUE VALUES (9, 4, %s, %s)", (plan.fingerprint, plan.to_json())
        )
        for row in ((DAY, 0, 1, 5), (NEXT, 0, 1, 2), (NEXT, 2, 0, 3)):
            connection.execute("INSERT INTO counts VALUES (9, %s, %s, %s, %s)", row)
        connection.execute("INSERT INTO refusals VALUES (4, %s, 'malformed', 6)", (DAY,))
        connection.execute("INSERT INTO report_ids VALUES (%s::uuid, 4)", (OLD_ID.hex(),))
        connection.execute("INSERT INTO tokens VALUES ('alice', 'analyst', 'ab', '\\x00', %s, NULL)", (DAY,))


def check_kept(store: Store, plan: Plan) -> None:
    """Fail unless the old database's contents are all there."""
    key = store.register(plan)
    assert (key.plan, key.collection) == (9, 4)
    (counts,) = store.counts(4)
    assert (counts.fingerprint, counts.document) == (plan.fingerprint, plan.to_json())
    rows = zip(counts.question.tolist(), counts.code.tolist(), counts.count.tolist(), strict=True)
    assert sorted(rows) == [(0, 1, 7), (2, 0, 3)]
    assert store.by_day(4) == [(plan.fingerprint, DAY, 5), (plan.fingerprint, NEXT, 5)]
    assert store.refusals(4) == [(DAY, "malformed", 6)]
    assert [token.name for token in store.tokens()] == ["alice"]


def test_a_database_of_the_first_version_is_migrated_by_opening_it_and_keeps_its_counts(
    database: str, plan: Plan
) -> None:
    (make_old_postgres if "://" in database else make_old_sqlite)(database, plan)
    for _ in range(2):  # the second time there is nothing left to migrate
        store = open_store(database)
        check_kept(store, plan)
        before = store.revision(4)
        assert store.add(4, NEXT, make_reports(store.register(plan), OLD_ID), {}).tolist() == [False]
        store.close()
    store = open_store(database)
    assert store.add(4, NEXT, make_reports(store.register(plan), random_ids(3)), {}).all()
    assert store.revision(4) > before
    assert store.by_day(4)[-1] == (plan.fingerprint, NEXT, 8)
    store.close()


def test_a_migration_that_fails_leaves_the_database_as_it_was(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = str(tmp_path / "c.db")
    make_old_sqlite(address, plan)
    with monkeypatch.context() as broken:
        broken.setattr(
            "sottovoce.service.store.sqlite.pending",
            lambda dialect, version: [*pending(dialect, version), (99, "CREATE TABLE odd (x); NONSENSE")],
        )
        with pytest.raises(StoreError, match="cannot keep counts in"):
            open_store(address)
    with contextlib.closing(sqlite3.connect(address)) as connection, connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'odd'").fetchall()
    connection.close()
    store = open_store(address)
    check_kept(store, plan)
    store.close()
