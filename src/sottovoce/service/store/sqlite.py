"""A store in one SQLite file: write-ahead log, a sync at every commit, no server to run.

The one writer's connection holds the latest ids in memory (`sottovoce.service.store.recent`); should another process
write to the same file, SQLite says so and they are read again, so that counting stays exact whoever else is at work.
"""

from __future__ import annotations

import contextlib
import datetime
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sottovoce.errors import StoreError
from sottovoce.plan.plan import Plan
from sottovoce.service.store.migrate import pending
from sottovoce.service.store.recent import RecentIds
from sottovoce.service.store.store import Counts, Mask, PlanKey, Reports, Token

_COUNT = """
INSERT INTO counts VALUES (?, ?, ?, ?, ?)
ON CONFLICT (plan, day, question, code) DO UPDATE SET count = count + excluded.count
"""
_REFUSE = """
INSERT INTO refusals VALUES (?, ?, ?, ?)
ON CONFLICT (collection, day, reason) DO UPDATE SET count = count + excluded.count
"""
_CHANGED = "UPDATE collections SET revision = revision + 1 WHERE number = ?"
_CHECKPOINT_PAGES = 16_000
"""The log is copied into the file every 64 MB: pages that change often are then copied once, not each time."""

_CACHE_KIB = 131_072


class SQLiteStore:
    """Counts in one file. Writing is for one thread at a time; the rest may be called from any."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        try:
            self._writer = self._connect()
            with _transaction(self._writer):
                self._migrate()
        except sqlite3.Error as error:
            raise StoreError(f"cannot keep counts in {str(path)!r}: {error}") from error
        self._recent: dict[int, RecentIds] = {}
        self._version = self._data_version()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        return connection

    def _migrate(self) -> None:
        version = self._writer.execute("PRAGMA user_version").fetchone()[0]
        for number, text in pending("sqlite", version):
            for statement in filter(str.strip, text.split(";")):
                self._writer.execute(statement)
            self._writer.execute(f"PRAGMA user_version = {number}")

    def _data_version(self) -> int:
        return int(self._writer.execute("PRAGMA data_version").fetchone()[0])

    @contextlib.contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        try:
            yield connection
        finally:
            connection.close()

    def register(self, plan: Plan) -> PlanKey:
        """Return the numbers of a plan, which is kept from now on."""
        with self._lock, _transaction(self._writer) as writer:
            writer.execute("INSERT OR IGNORE INTO collections (collection) VALUES (?)", (plan.collection,))
            (collection,) = writer.execute(
                "SELECT number FROM collections WHERE collection = ?", (plan.collection,)
            ).fetchone()
            writer.execute(
                "INSERT OR IGNORE INTO plans (collection, fingerprint, document) VALUES (?, ?, ?)",
                (collection, plan.fingerprint, plan.to_json()),
            )
            (number,) = writer.execute("SELECT number FROM plans WHERE fingerprint = ?", (plan.fingerprint,)).fetchone()
        return PlanKey(number, collection)

    def add(self, collection: int, day: datetime.date, reports: Reports, refusals: Mapping[str, int]) -> Mask:
        """Count the reports whose id is new, in one transaction; return which those were once it is on disk."""
        with self._lock:
            try:
                with _transaction(self._writer):
                    recent = self._recent_ids(collection)
                    fresh = recent.new(reports.ids)
                    counted = reports.take(fresh)
                    if len(counted):
                        recent.append(counted.ids)
                    self._count(day, counted)
                    self._writer.executemany(_REFUSE, [(collection, str(day), *row) for row in refusals.items()])
                    self._writer.execute(_CHANGED, (collection,))
            except BaseException:
                self._recent.clear()  # what is in memory may be ahead of the file: read it again
                raise
            recent.committed()
        return fresh

    def _recent_ids(self, collection: int) -> RecentIds:
        version = self._data_version()
        if version != self._version:
            self._recent.clear()
            self._version = version
        if collection not in self._recent:
            self._recent[collection] = RecentIds(self._writer, collection)
        return self._recent[collection]

    def _count(self, day: datetime.date, reports: Reports) -> None:
        text = str(day)
        rows = ((plan, text, question, code, count) for plan, question, code, count in reports.pairs().tolist())
        self._writer.executemany(_COUNT, rows)

    def counts(self, collection: int) -> list[Counts]:
        """Return what was counted, plan by plan."""
        with self._reader() as reader:
            reader.execute("BEGIN")
            plans = reader.execute(
                "SELECT number, fingerprint, document FROM plans WHERE collection = ?", (collection,)
            ).fetchall()
            return [Counts(name, document, *self._columns(reader, number)) for number, name, document in plans]

    def revision(self, collection: int) -> int:
        """Return a number that grows with every change to what was counted or refused."""
        with self._reader() as reader:
            row = reader.execute("SELECT revision FROM collections WHERE number = ?", (collection,)).fetchone()
            return int(row[0])

    def _columns(self, reader: sqlite3.Connection, plan: int) -> Any:
        rows = reader.execute(
            "SELECT question, code, sum(count) FROM counts WHERE plan = ? GROUP BY question, code", (plan,)
        ).fetchall()
        return np.array(rows, dtype=np.int64).reshape(-1, 3).T

    def by_day(self, collection: int) -> list[tuple[str, datetime.date, int]]:
        """Return how many reports were counted, by plan's fingerprint and day."""
        with self._reader() as reader:
            rows = reader.execute(
                "SELECT fingerprint, day, sum(count) FROM counts JOIN plans ON plans.number = counts.plan "
                "WHERE collection = ? GROUP BY fingerprint, day ORDER BY day, fingerprint",
                (collection,),
            )
            return [(fingerprint, datetime.date.fromisoformat(day), count) for fingerprint, day, count in rows]

    def refusals(self, collection: int) -> list[tuple[datetime.date, str, int]]:
        """Return how many reports were refused, by day and reason."""
        with self._reader() as reader:
            rows = reader.execute(
                "SELECT day, reason, count FROM refusals WHERE collection = ? ORDER BY day, reason", (collection,)
            )
            return [(datetime.date.fromisoformat(day), reason, count) for day, reason, count in rows]

    def save_token(self, token: Token) -> None:
        """Keep a new token; a name may be used once."""
        row = (token.name, token.role, token.prefix, token.digest, str(token.created), None)
        try:
            with self._lock, _transaction(self._writer) as writer:
                writer.execute("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?)", row)
        except sqlite3.IntegrityError as error:
            raise StoreError(f"there is a token named {token.name!r} already; choose another name") from error

    def find_token(self, prefix: str) -> Token | None:
        """Return the token with that public prefix."""
        with self._reader() as reader:
            row = reader.execute("SELECT * FROM tokens WHERE prefix = ?", (prefix,)).fetchone()
        return None if row is None else _token(row)

    def tokens(self) -> list[Token]:
        """Return all tokens, by name."""
        with self._reader() as reader:
            return [_token(row) for row in reader.execute("SELECT * FROM tokens ORDER BY name")]

    def revoke_token(self, name: str, day: datetime.date) -> bool:
        """Mark a token as revoked; return whether there was one to revoke."""
        with self._lock, _transaction(self._writer) as writer:
            changed = writer.execute(
                "UPDATE tokens SET revoked = ? WHERE name = ? AND revoked IS NULL", (str(day), name)
            )
            return changed.rowcount == 1

    def check(self) -> None:
        """Raise unless the store answers."""
        with self._reader() as reader:
            reader.execute("SELECT count(*) FROM plans").fetchone()

    def close(self) -> None:
        """Let go of all connections."""
        with self._lock:
            self._writer.close()


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _token(row: tuple[Any, ...]) -> Token:
    name, role, prefix, digest, created, revoked = row
    ended = None if revoked is None else datetime.date.fromisoformat(revoked)
    return Token(name, role, prefix, digest, datetime.date.fromisoformat(created), ended)
