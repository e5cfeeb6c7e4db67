"""Migrations: the same numbers for both databases, each once, and none for a database that is ahead."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import psycopg
import pytest

from sottovoce.errors import StoreError
from sottovoce.service.store import open_store
from sottovoce.service.store.migrate import migrations, pending


def test_both_databases_have_the_same_migrations() -> None:
    names = [[number for number, _ in migrations(dialect)] for dialect in ("sqlite", "postgres")]
    assert names[0] == names[1] == list(range(1, len(names[0]) + 1))


def test_each_is_pending_until_it_was_applied() -> None:
    newest = migrations("sqlite")[-1][0]
    assert [number for number, _ in pending("sqlite", newest - 1)] == [newest]
    assert pending("sqlite", newest) == []


def test_a_database_of_a_newer_version_is_refused(database: str) -> None:
    open_store(database).close()
    if "://" in database:
        with psycopg.connect(database) as connection:
            connection.execute("INSERT INTO schema_version VALUES (999)")
    else:
        with contextlib.closing(sqlite3.connect(database)) as writer, writer:
            writer.execute("PRAGMA user_version = 999")
        writer.close()
    with pytest.raises(StoreError, match="newer version of sottovoce"):
        open_store(database)


def test_columns_that_a_newer_version_adds_do_not_matter(database: str, tmp_path: Path) -> None:
    from sottovoce.service.auth import check_token, create_token
    from sottovoce.service.served import today

    store = open_store(database)
    text = create_token(store, "alice", "analyst", today())
    store._write("ALTER TABLE tokens ADD COLUMN later text")  # type: ignore[attr-defined]
    assert check_token(store, text) is not None
    assert [token.name for token in store.tokens()] == ["alice"]
    store.close()
