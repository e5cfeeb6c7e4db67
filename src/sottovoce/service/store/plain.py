"""Ids that an earlier version kept as they came: looked up as they are, and turned into digests a slice at a time.

While any are left, both forms are looked up, so that nothing counts twice; a slice is one transaction.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from sottovoce.service.store.arrays import IdList
from sottovoce.service.store.keys import IdKey
from sottovoce.service.store.recent import indices_held, settle
from sottovoce.service.store.store import ID, Mask

SLICE = 20_000
"""So many ids are turned into digests in one transaction: some tenths of a second."""

_POSTGRES_SEEN = """
SELECT coalesce(string_agg(uuid_send(id), ''::bytea), ''::bytea) FROM plain_ids
WHERE collection = %s AND id = ANY (%s::uuid[])
"""
_POSTGRES_TAKE = """
DELETE FROM plain_ids WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM plain_ids WHERE collection = %s LIMIT %s FOR UPDATE SKIP LOCKED)) RETURNING uuid_send(id)
"""


def convert_runs(connection: sqlite3.Connection, collection: int, key: IdKey) -> None:
    """Turn a SQLite file's plain runs, two generations of ids at most, into digests, in the caller's transaction.

    Args:
        connection: The file, within a transaction.
        collection: The collection's number.
        key: Its key, by which ids become digests.
    """
    rows = connection.execute("SELECT key, generation, ids FROM plain_runs WHERE collection = ?", (collection,))
    for number, generation, ids in rows.fetchall():
        _, digests = key.digests(np.frombuffer(ids, dtype=ID))
        connection.execute(
            "INSERT INTO recent_digests (key, collection, generation, digests) VALUES (?, ?, ?, ?)",
            (number, collection, generation, digests.tobytes()),
        )
    connection.execute("DELETE FROM plain_runs WHERE collection = ?", (collection,))


def any_in_sqlite(connection: sqlite3.Connection, collection: int) -> bool:
    """Return whether a collection has plain ids in a SQLite file."""
    return (
        connection.execute("SELECT 1 FROM plain_ids WHERE collection = ? LIMIT 1", (collection,)).fetchone() is not None
    )


def seen_in_sqlite(connection: sqlite3.Connection, collection: int, ids: NDArray[np.bytes_]) -> Mask:
    """Return which ids stand in a SQLite file as they are.

    Args:
        connection: The file.
        collection: The collection's number.
        ids: Ids of reports, 16 bytes each.
    """
    known = np.zeros(len(ids), dtype=bool)
    for (index,) in indices_held(connection, "plain_ids", "id", collection, ids.tobytes()):
        known[index] = True
    return known


def convert_in_sqlite(connection: sqlite3.Connection, collection: int, key: IdKey) -> bool:
    """Turn a slice of the plain ids into digests, in the caller's transaction; return whether any was left.

    Args:
        connection: The file, within a transaction.
        collection: The collection's number.
        key: Its key, by which ids become digests.
    """
    rows = connection.execute("SELECT id FROM plain_ids WHERE collection = ? ORDER BY id LIMIT ?", (collection, SLICE))
    ids = [id for (id,) in rows]
    if not ids:
        return False
    _, digests = key.digests(np.frombuffer(b"".join(ids), dtype=ID))
    settle(connection, collection, digests.tobytes())
    connection.execute("DELETE FROM plain_ids WHERE collection = ? AND id <= ?", (collection, ids[-1]))
    return True


def any_in_postgres(connection: psycopg.Connection[Any], collection: int) -> bool:
    """Return whether a collection has plain ids in a PostgreSQL database."""
    found = connection.execute("SELECT 1 FROM plain_ids WHERE collection = %s LIMIT 1", (collection,))
    return found.fetchone() is not None


def seen_in_postgres(connection: psycopg.Connection[Any], collection: int, ids: NDArray[np.bytes_]) -> Mask:
    """Return which ids stand in a PostgreSQL database as they are.

    Args:
        connection: The database.
        collection: The collection's number.
        ids: Ids of reports, 16 bytes each.
    """
    found = connection.execute(_POSTGRES_SEEN, (collection, IdList(ids)), binary=True).fetchone()
    raw = found[0] if found else b""
    return np.isin(ids, np.frombuffer(raw, dtype=ID)) if raw else np.zeros(len(ids), dtype=bool)


def take_in_postgres(connection: psycopg.Connection[Any], collection: int, key: IdKey) -> NDArray[np.bytes_]:
    """Remove a slice of a collection's plain ids, in the caller's transaction; return their digests, sorted.

    Args:
        connection: The database, within a transaction.
        collection: The collection's number.
        key: Its key, by which ids become digests.
    """
    rows = connection.execute(_POSTGRES_TAKE, (collection, SLICE)).fetchall()
    return key.digests(np.frombuffer(b"".join(bytes(raw) for (raw,) in rows), dtype=ID))[1]
