"""A store in PostgreSQL: a pool of connections, COPY for batches, the commit synchronous whatever the server's default.

Digests that are known are looked up first and the new ones copied straight into their table, in sorted order, so that
several collectors may share a database without deadlocks. The unique index decides which of them was first with an id;
the others look again.

A server that falls silent costs seconds (`sottovoce.service.store.connections`). PostgreSQL writes the number of a
transaction into every row; `upkeep` writes the counts anew, so that their numbers are not those of the digests.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from sottovoce.errors import StoreError
from sottovoce.plan.plan import Plan
from sottovoce.service.store import plain, plan_log
from sottovoce.service.store.arrays import IdList, IntegerList
from sottovoce.service.store.connections import Connections
from sottovoce.service.store.joining import require_joins
from sottovoce.service.store.keys import IdKey, Keyring, default_keys
from sottovoce.service.store.migrate import pending
from sottovoce.service.store.records import Records
from sottovoce.service.store.store import ID, Counts, Mask, PlanKey, Reports, Storage

_MIGRATION_LOCK, _REWRITE_LOCK, _LOG_LOCK = 0x50770, 0x50771, 0x50772  # any numbers that all collectors agree on
_CONNECT_SECONDS = 10
_REWRITE_SECONDS = 3600.0
"""So often the counts are written anew, if any changed: until then a row tells which transaction changed it last."""

_ATTEMPTS = 10

_SEEN = """
SELECT coalesce(string_agg(uuid_send(digest), ''::bytea), ''::bytea) FROM report_digests
WHERE collection = %s AND digest = ANY (%s::uuid[])
"""
_ADD_COUNTS = """
INSERT INTO counts AS old (plan, day, question, code, count)
SELECT plan, %s, question, code, count
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[]) AS incoming (plan, question, code, count)
ORDER BY plan, question, code
ON CONFLICT (plan, day, question, code) DO UPDATE SET count = old.count + excluded.count
"""
_REFUSE = """
INSERT INTO refusals AS old (collection, day, reason, count) VALUES (%s, %s, %s, %s)
ON CONFLICT (collection, day, reason) DO UPDATE SET count = old.count + excluded.count
"""
_CHANGED = "UPDATE collections SET revision = revision + 1 WHERE number = %s"
_COPY_HEAD = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_TAIL = b"\xff\xff"
_COPY_ROW = np.dtype(
    [("fields", ">i2"), ("size", ">i4"), ("digest", ID), ("collection_size", ">i4"), ("collection", ">i4")]
)


class PostgresStore(Records):
    """Counts in a PostgreSQL database."""

    _id_tables = ("report_digests", "plain_ids")

    def __init__(self, url: str, keys: Keyring | None = None) -> None:
        self.keys = keys or Keyring(default_keys(url))
        self._pool = Connections(url, seconds=_CONNECT_SECONDS)
        self._key: dict[int, IdKey] = {}
        self._plain: set[int] = set()
        self._written, self._rewritten = False, monotonic()
        try:
            self._pool.open()
            with self._pool.connection() as connection:
                _check_durable(connection)
                _migrate(connection)
        except (psycopg.Error, OSError) as error:  # the pool's own errors are psycopg's
            self._pool.close()
            raise StoreError(f"cannot keep counts in PostgreSQL: {error}") from error
        except StoreError:
            self._pool.close()
            raise

    def _read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._pool.connection() as connection:
            return connection.execute(sql.replace("?", "%s").encode(), values).fetchall()

    def _write_all(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> list[int]:
        with self._pool.connection() as connection:
            return [connection.execute(sql.replace("?", "%s").encode(), values).rowcount for sql, values in statements]

    def _number_of_ids(self, collection: int) -> int:
        return int(self._read("SELECT count(*) FROM report_digests WHERE collection = ?", (collection,))[0][0])

    def _forgotten(self, collection: int) -> None:
        self._key.pop(collection, None)
        self._plain.discard(collection)
        with self._pool.apart() as connection:
            connection.execute("VACUUM (FULL) report_digests")
            connection.execute("VACUUM (FULL) plain_ids")

    def known(self, collection: int, ids: NDArray[np.bytes_]) -> Mask:
        """Return which ids were counted before."""
        order, digests = self._key_of(collection).digests(ids)
        with self._pool.connection() as connection:
            (raw,) = _one(connection.execute(_SEEN, (collection, IdList(digests)), binary=True))
            seen = np.isin(digests, np.frombuffer(raw, dtype=ID)) if raw else np.zeros(len(ids), dtype=bool)
            if collection in self._plain:
                seen |= plain.seen_in_postgres(connection, collection, ids[order])
        answer = np.empty(len(ids), dtype=bool)
        answer[order] = seen
        return answer

    def register(self, plan: Plan) -> PlanKey:
        """Return the numbers of a plan, which is kept from now on; its collection's key must be the right one."""
        with self._pool.connection() as connection:
            connection.execute(
                "INSERT INTO collections (collection) VALUES (%s) ON CONFLICT DO NOTHING", (plan.collection,)
            )
            found = connection.execute(
                "SELECT number, key_check, purged FROM collections WHERE collection = %s FOR UPDATE", (plan.collection,)
            )
            collection, check, purged = _one(found)

            def run(sql: str, values: Sequence[Any]) -> psycopg.Cursor[Any]:
                return connection.execute(sql.replace("?", "%s").encode(), values)

            require_joins(run, plan, collection)
            connection.execute(
                "INSERT INTO plans (collection, fingerprint, document) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                (collection, plan.fingerprint, plan.to_json()),
            )
            found = connection.execute("SELECT number FROM plans WHERE fingerprint = %s", (plan.fingerprint,))
            number = _one(found)[0]
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOG_LOCK,))
            plan_log.append(run, plan)
            if purged is None:
                key = self._key[collection] = self.keys.matching(plan.collection, check)
                if check is None:
                    sql = "UPDATE collections SET key_check = %s WHERE number = %s"
                    connection.execute(sql, (key.check, collection))
                if plain.any_in_postgres(connection, collection):
                    self._plain.add(collection)
        return PlanKey(number, collection)

    def add(self, collection: int, day: datetime.date, reports: Reports, refusals: Mapping[str, int]) -> Mask:
        """Count the reports whose id is new, in one transaction; return which those were once it is on disk.

        Args:
            collection: The collection's number.
            day: Today.
            reports: What is to be counted.
            refusals: How many others were refused, by reason.

        Raises:
            StoreError: If other collectors were first with an id each time that it was tried; nothing was counted.
        """
        order, digests = self._key_of(collection).digests(reports.ids)
        for _ in range(_ATTEMPTS):
            try:
                fresh = self._add(collection, day, reports.take(order), digests, refusals)
            except psycopg.errors.UniqueViolation:
                continue  # another collector was first with one of the ids: look again, it is known now
            self._written = True
            answer = np.empty(len(reports), dtype=bool)
            answer[order] = fresh
            return answer
        raise StoreError(f"other collectors were first {_ATTEMPTS} times in a row; send the reports again")

    def _add(
        self,
        collection: int,
        day: datetime.date,
        reports: Reports,
        digests: NDArray[np.bytes_],
        refusals: Mapping[str, int],
    ) -> Mask:
        with self._pool.connection() as connection:
            (raw,) = _one(connection.execute(_SEEN, (collection, IdList(digests)), binary=True))
            fresh = ~np.isin(digests, np.frombuffer(raw, dtype=ID)) if raw else np.ones(len(reports), dtype=bool)
            if collection in self._plain:
                fresh &= ~plain.seen_in_postgres(connection, collection, reports.ids)
            counted = reports.take(fresh)
            _copy_digests(connection, digests[fresh], collection)
            connection.execute(_ADD_COUNTS, (day, *map(IntegerList, counted.pairs().T)))
            for reason, count in sorted(refusals.items()):
                connection.execute(_REFUSE, (collection, day, reason, count))
            connection.execute(_CHANGED, (collection,))
        return fresh

    def upkeep(self, *, now: bool = False) -> bool:
        """Do a slice of what may wait: digests of plain ids, counts written anew. Return whether more is left."""
        for collection in sorted(self._plain):
            with self._pool.connection() as connection:
                digests = plain.take_in_postgres(connection, collection, self._key[collection])
                _copy_digests(connection, digests, collection)
                if not len(digests) and not plain.any_in_postgres(connection, collection):
                    self._plain.discard(collection)
        if now or (self._written and monotonic() - self._rewritten >= _REWRITE_SECONDS):
            self._rewritten = monotonic()
            self._written = not self._rewrite_counts()
        return bool(self._plain)

    def _rewrite_counts(self) -> bool:
        """Write all counts in one transaction, then the file without the old rows; return whether it was done.

        Freezing or clustering alone would keep the numbers of the transactions.
        """
        with self._pool.apart() as connection:
            if _one(connection.execute("SELECT pg_try_advisory_lock(%s)", (_REWRITE_LOCK,))) != (True,):
                return False  # another collector is at it
            connection.execute("SET lock_timeout = 2000")
            try:
                with connection.transaction():
                    connection.execute("LOCK TABLE counts IN SHARE ROW EXCLUSIVE MODE")
                    connection.execute("UPDATE counts SET count = count")
                connection.execute("VACUUM (FULL) counts")
            except psycopg.errors.LockNotAvailable:
                return False  # somebody reads for long: next time
        return True

    def counts(self, collection: int) -> list[Counts]:
        """Return what was counted, plan by plan."""
        with self._pool.connection() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            plans = connection.execute(
                "SELECT number, fingerprint, document FROM plans WHERE collection = %s", (collection,)
            ).fetchall()
            return [Counts(name, document, *_columns(connection, number)) for number, name, document in plans]

    def storage(self) -> Storage:
        """Return how much room the store takes; how much is left only its own machine knows."""
        return Storage("postgresql", int(self._read("SELECT pg_database_size(current_database())")[0][0]), None)

    def check(self, *, write: bool = False) -> None:
        """Raise unless the store answers, and if ``write`` unless it takes a write: a full disk reads well."""
        self._read("SELECT 1")
        if write:
            self._write("UPDATE collections SET revision = revision + 1")

    def close(self) -> None:
        """Let go of all connections."""
        self._pool.close()


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


def _copy_digests(connection: psycopg.Connection[Any], digests: NDArray[np.bytes_], collection: int) -> None:
    """Send digests as rows that numpy laid out as PostgreSQL's binary form wants them."""
    rows = np.empty(len(digests), dtype=_COPY_ROW)
    rows["fields"], rows["size"], rows["digest"] = 2, ID.itemsize, digests
    rows["collection_size"], rows["collection"] = 4, collection
    with (
        connection.cursor() as cursor,
        cursor.copy(b"COPY report_digests (digest, collection) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.write(_COPY_HEAD + rows.tobytes() + _COPY_TAIL)
