"""A store in PostgreSQL: a pool of connections, COPY for batches, the commit synchronous whatever the server's default.

Ids that are known are looked up first and the new ones copied straight into their table, in sorted order, so that
several collectors may share a database without deadlocks. The unique index decides which of them was first with an id;
the others look again.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg_pool import ConnectionPool

from sottovoce.errors import StoreError
from sottovoce.plan.plan import Plan
from sottovoce.service.store.migrate import pending
from sottovoce.service.store.store import ID, Counts, Mask, PlanKey, Reports, Token

_MIGRATION_LOCK = 0x50770  # any number that all collectors agree on
_CONNECT_SECONDS = 10

_ATTEMPTS = 10

_INCOMING = """
CREATE TEMPORARY TABLE IF NOT EXISTS incoming_counts
    (plan integer, question bigint, code bigint, count bigint) ON COMMIT DELETE ROWS
"""
_SEEN = """
SELECT coalesce(string_agg(uuid_send(id), ''::bytea), ''::bytea) FROM report_ids
WHERE collection = %s AND id = ANY (%s::uuid[])
"""
_ADD_COUNTS = """
INSERT INTO counts AS old SELECT plan, %s, question, code, count FROM incoming_counts ORDER BY plan, question, code
ON CONFLICT (plan, day, question, code) DO UPDATE SET count = old.count + excluded.count
"""
_REFUSE = """
INSERT INTO refusals AS old VALUES (%s, %s, %s, %s)
ON CONFLICT (collection, day, reason) DO UPDATE SET count = old.count + excluded.count
"""
_CHANGED = "UPDATE collections SET revision = revision + 1 WHERE number = %s"
_COPY_HEAD = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_TAIL = b"\xff\xff"
_COPY_ID = np.dtype([("fields", ">i2"), ("size", ">i4"), ("id", ID), ("collection_size", ">i4"), ("collection", ">i4")])
_COPY_COUNT = np.dtype(
    [("fields", ">i2"), ("plan_size", ">i4"), ("plan", ">i4")]
    + [field for name in ("question", "code", "count") for field in ((f"{name}_size", ">i4"), (name, ">i8"))]
)


class PostgresStore:
    """Counts in a PostgreSQL database."""

    def __init__(self, url: str) -> None:
        self._pool = ConnectionPool(
            url, min_size=1, max_size=4, timeout=_CONNECT_SECONDS, configure=_configure, open=False
        )
        try:
            self._pool.open(wait=True, timeout=_CONNECT_SECONDS)
            with self._pool.connection() as connection:
                _check_durable(connection)
                _migrate(connection)
        except (psycopg.Error, OSError) as error:  # the pool's own errors are psycopg's
            self._pool.close()
            raise StoreError(f"cannot keep counts in PostgreSQL: {error}") from error

    def register(self, plan: Plan) -> PlanKey:
        """Return the numbers of a plan, which is kept from now on."""
        with self._pool.connection() as connection:
            connection.execute(
                "INSERT INTO collections (collection) VALUES (%s) ON CONFLICT DO NOTHING", (plan.collection,)
            )
            found = connection.execute("SELECT number FROM collections WHERE collection = %s", (plan.collection,))
            (collection,) = _one(found)
            connection.execute(
                "INSERT INTO plans (collection, fingerprint, document) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                (collection, plan.fingerprint, plan.to_json()),
            )
            found = connection.execute("SELECT number FROM plans WHERE fingerprint = %s", (plan.fingerprint,))
            return PlanKey(_one(found)[0], collection)

    def add(self, collection: int, day: datetime.date, reports: Reports, refusals: Mapping[str, int]) -> Mask:
        """Count the reports whose id is new, in one transaction; return which those were once it is on disk."""
        for _ in range(_ATTEMPTS):
            try:
                return self._add(collection, day, reports, refusals)
            except psycopg.errors.UniqueViolation:
                continue  # another collector was first with one of the ids: look again, it is known now
        raise StoreError(f"other collectors were first {_ATTEMPTS} times in a row; send the reports again")

    def _add(self, collection: int, day: datetime.date, reports: Reports, refusals: Mapping[str, int]) -> Mask:
        with self._pool.connection() as connection:
            connection.execute(_INCOMING)
            (raw,) = _one(connection.execute(_SEEN, (collection, _id_list(reports.ids)), binary=True))
            fresh = ~np.isin(reports.ids, np.frombuffer(raw, dtype=ID)) if raw else np.ones(len(reports), dtype=bool)
            counted = reports.take(fresh)
            _copy(connection, "report_ids", _id_rows(counted.ids, collection))
            _copy(connection, "incoming_counts", _count_rows(counted.pairs()))
            connection.execute(_ADD_COUNTS, (day,))
            for reason, count in sorted(refusals.items()):
                connection.execute(_REFUSE, (collection, day, reason, count))
            connection.execute(_CHANGED, (collection,))
        return fresh

    def counts(self, collection: int) -> list[Counts]:
        """Return what was counted, plan by plan."""
        with self._pool.connection() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            plans = connection.execute(
                "SELECT number, fingerprint, document FROM plans WHERE collection = %s", (collection,)
            ).fetchall()
            return [Counts(name, document, *_columns(connection, number)) for number, name, document in plans]

    def revision(self, collection: int) -> int:
        """Return a number that grows with every change to what was counted or refused."""
        with self._pool.connection() as connection:
            found = connection.execute("SELECT revision FROM collections WHERE number = %s", (collection,))
            return int(_one(found)[0])

    def by_day(self, collection: int) -> list[tuple[str, datetime.date, int]]:
        """Return how many reports were counted, by plan's fingerprint and day."""
        with self._pool.connection() as connection:
            return connection.execute(
                "SELECT fingerprint, day, sum(count)::bigint FROM counts JOIN plans ON plans.number = counts.plan "
                "WHERE collection = %s GROUP BY fingerprint, day ORDER BY day, fingerprint",
                (collection,),
            ).fetchall()

    def refusals(self, collection: int) -> list[tuple[datetime.date, str, int]]:
        """Return how many reports were refused, by day and reason."""
        with self._pool.connection() as connection:
            return connection.execute(
                "SELECT day, reason, count FROM refusals WHERE collection = %s ORDER BY day, reason", (collection,)
            ).fetchall()

    def save_token(self, token: Token) -> None:
        """Keep a new token; a name may be used once."""
        row = (token.name, token.role, token.prefix, token.digest, token.created)
        try:
            with self._pool.connection() as connection:
                connection.execute("INSERT INTO tokens VALUES (%s, %s, %s, %s, %s)", row)
        except psycopg.errors.UniqueViolation as error:
            raise StoreError(f"there is a token named {token.name!r} already; choose another name") from error

    def find_token(self, prefix: str) -> Token | None:
        """Return the token with that public prefix."""
        with self._pool.connection() as connection:
            row = connection.execute("SELECT * FROM tokens WHERE prefix = %s", (prefix,)).fetchone()
        return None if row is None else Token(*row)

    def tokens(self) -> list[Token]:
        """Return all tokens, by name."""
        with self._pool.connection() as connection:
            return [Token(*row) for row in connection.execute("SELECT * FROM tokens ORDER BY name")]

    def revoke_token(self, name: str, day: datetime.date) -> bool:
        """Mark a token as revoked; return whether there was one to revoke."""
        with self._pool.connection() as connection:
            changed = connection.execute(
                "UPDATE tokens SET revoked = %s WHERE name = %s AND revoked IS NULL", (day, name)
            )
            return changed.rowcount == 1

    def check(self) -> None:
        """Raise unless the store answers."""
        with self._pool.connection() as connection:
            connection.execute("SELECT 1")

    def close(self) -> None:
        """Let go of all connections."""
        self._pool.close()


def _configure(connection: psycopg.Connection[Any]) -> None:
    connection.execute("SET synchronous_commit TO on")
    connection.execute("SET client_min_messages TO warning")
    connection.commit()


def _check_durable(connection: psycopg.Connection[Any]) -> None:
    if _one(connection.execute("SHOW fsync")) != ("on",):
        raise StoreError("this PostgreSQL runs with fsync off and would lose acknowledged reports; turn fsync on")


def _migrate(connection: psycopg.Connection[Any]) -> None:
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATION_LOCK,))
    connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)")
    (version,) = _one(connection.execute("SELECT coalesce(max(version), 0) FROM schema_version"))
    for number, text in pending("postgres", version):
        connection.execute(text.encode())
        connection.execute("INSERT INTO schema_version VALUES (%s)", (number,))


def _one(cursor: psycopg.Cursor[Any]) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = cursor.fetchone()
    assert row is not None
    return row


def _columns(connection: psycopg.Connection[Any], plan: int) -> Any:
    rows = connection.execute(
        "SELECT question, code, sum(count)::bigint FROM counts WHERE plan = %s GROUP BY question, code "
        "ORDER BY question, code",
        (plan,),
    ).fetchall()
    return np.array(rows, dtype=np.int64).reshape(-1, 3).T


def _copy(connection: psycopg.Connection[Any], table: str, rows: NDArray[Any]) -> None:
    """Send rows that numpy laid out as PostgreSQL's binary form wants them: no work in Python for any one row."""
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} FROM STDIN (FORMAT BINARY)".encode()) as copy,
    ):
        copy.write(_COPY_HEAD + rows.tobytes() + _COPY_TAIL)


def _id_list(ids: NDArray[np.bytes_]) -> str:
    text = ids.tobytes().hex()
    return "{" + ",".join([text[place : place + 32] for place in range(0, len(text), 32)]) + "}"


def _id_rows(ids: NDArray[np.bytes_], collection: int) -> NDArray[Any]:
    rows = np.empty(len(ids), dtype=_COPY_ID)
    rows["fields"], rows["size"], rows["id"] = 2, ID.itemsize, ids
    rows["collection_size"], rows["collection"] = 4, collection
    return rows


def _count_rows(pairs: NDArray[np.int64]) -> NDArray[Any]:
    rows = np.empty(len(pairs), dtype=_COPY_COUNT)
    rows["fields"], rows["plan_size"], rows["plan"] = 4, 4, pairs[:, 0]
    for place, name in enumerate(("question", "code", "count"), start=1):
        rows[f"{name}_size"], rows[name] = 8, pairs[:, place]
    return rows
