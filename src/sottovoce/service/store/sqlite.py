"""A store in one SQLite file: write-ahead log, a sync at every commit, no server to run.

The one writer's connection holds the latest digests in memory (`sottovoce.service.store.recent`); should another
process write to the same file, SQLite says so and they are read again, so that counting stays exact whoever else is at
work. What is deleted is overwritten, and the log is emptied as time passes: it would tell one commit from the next.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import StoreError
from sottovoce.plan.plan import Plan
from sottovoce.service.store import plain, plan_log
from sottovoce.service.store.joining import require_joins
from sottovoce.service.store.keys import IdKey, Keyring, default_keys
from sottovoce.service.store.migrate import pending
from sottovoce.service.store.recent import RecentIds
from sottovoce.service.store.records import Records
from sottovoce.service.store.store import Counts, Mask, PlanKey, Reports, Storage, split

_COUNT = """
INSERT INTO counts (plan, day, question, code, count) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (plan, day, question, code) DO UPDATE SET count = count + excluded.count
"""
_REFUSE = """
INSERT INTO refusals (collection, day, reason, count) VALUES (?, ?, ?, ?)
ON CONFLICT (collection, day, reason) DO UPDATE SET count = count + excluded.count
"""
_CHANGED = "UPDATE collections SET revision = revision + 1 WHERE number = ?"
_CHECKPOINT_PAGES = 16_000
"""The log is copied into the file every 64 MB: pages that change often are then copied once, not each time."""

_CACHE_KIB = 49_152
_FREE_BYTES = 16 * 2**20
"""With less than this free on the disk a store is not well."""

_BUSY_SECONDS = 30
_TRUNCATE_SECONDS = 30.0
"""So often the log is emptied, if anything was written: until then it tells one commit from the next."""


class SQLiteStore(Records):
    """Counts in one file. Writing is for one thread at a time; the rest may be called from any."""

    _id_tables = ("settled_digests", "recent_digests", "plain_ids", "plain_runs")

    def __init__(self, path: str | Path, keys: Keyring | None = None) -> None:
        self.path = Path(path)
        self.keys = keys or Keyring(default_keys(str(path)))
        self._lock = threading.Lock()
        try:
            _make_private(self.path)
            self._writer = self._connect()
            with _transaction(self._writer):
                self._migrate()
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"cannot keep counts in {str(path)!r}: {_reason(error, self.path)}") from error
        self._recent: dict[int, RecentIds] = {}
        self._key: dict[int, IdKey] = {}
        self._plain: set[int] = set()
        self._written, self._truncated = False, monotonic()
        self._version = self._data_version()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
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
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            yield connection
        finally:
            connection.close()

    def _read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._reader() as reader:
            return reader.execute(sql, values).fetchall()

    def _write_all(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> list[int]:
        with self._lock, _transaction(self._writer) as writer:
            return [writer.execute(sql, values).rowcount for sql, values in statements]

    def _number_of_ids(self, collection: int) -> int:
        rows = self._read("SELECT digests FROM recent_digests WHERE collection = ?", (collection,))
        recent = {one for (run,) in rows for one in split(run)}
        settled = self._read("SELECT digest FROM settled_digests WHERE collection = ?", (collection,))
        return len(recent | {digest for (digest,) in settled})

    def _forgotten(self, collection: int) -> None:
        with self._lock:
            self._recent.pop(collection, None)
            self._key.pop(collection, None)
            self._plain.discard(collection)
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._writer.execute("VACUUM")

    def known(self, collection: int, ids: NDArray[np.bytes_]) -> Mask:
        """Return which ids were counted before."""
        order, digests = self._key_of(collection).digests(ids)
        with self._lock, _transaction(self._writer):
            seen = ~self._recent_ids(collection).new(digests)
            if collection in self._plain:
                seen |= plain.seen_in_sqlite(self._writer, collection, ids[order])
        answer = np.empty(len(ids), dtype=bool)
        answer[order] = seen
        return answer

    def register(self, plan: Plan) -> PlanKey:
        """Return the numbers of a plan, which is kept from now on; its collection's key must be the right one."""
        with self._lock, _transaction(self._writer) as writer:
            writer.execute("INSERT OR IGNORE INTO collections (collection) VALUES (?)", (plan.collection,))
            collection, check, purged = writer.execute(
                "SELECT number, key_check, purged FROM collections WHERE collection = ?", (plan.collection,)
            ).fetchone()
            require_joins(writer.execute, plan, collection)
            writer.execute(
                "INSERT OR IGNORE INTO plans (collection, fingerprint, document) VALUES (?, ?, ?)",
                (collection, plan.fingerprint, plan.to_json()),
            )
            (number,) = writer.execute("SELECT number FROM plans WHERE fingerprint = ?", (plan.fingerprint,)).fetchone()
            plan_log.append(writer.execute, plan)
            if purged is None:
                key = self._key[collection] = self.keys.matching(plan.collection, check)
                writer.execute("UPDATE collections SET key_check = ? WHERE number = ?", (key.check, collection))
                plain.convert_runs(writer, collection, key)
                if plain.any_in_sqlite(writer, collection):
                    self._plain.add(collection)
        return PlanKey(number, collection)

    def add(self, collection: int, day: datetime.date, reports: Reports, refusals: Mapping[str, int]) -> Mask:
        """Count the reports whose id is new, in one transaction; return which those were once it is on disk.

        Args:
            collection: The collection's number.
            day: Today.
            reports: What is to be counted.
            refusals: How many others were refused, by reason.
        """
        order, digests = self._key_of(collection).digests(reports.ids)
        reports = reports.take(order)
        with self._lock:
            try:
                with _transaction(self._writer):
                    recent = self._recent_ids(collection)
                    fresh = recent.new(digests)
                    if collection in self._plain:
                        fresh &= ~plain.seen_in_sqlite(self._writer, collection, reports.ids)
                    counted = reports.take(fresh)
                    if len(counted):
                        recent.append(digests[fresh])
                    self._count(day, counted)
                    self._writer.executemany(_REFUSE, [(collection, str(day), *row) for row in refusals.items()])
                    self._writer.execute(_CHANGED, (collection,))
            except BaseException:
                self._recent.clear()  # what is in memory may be ahead of the file: read it again
                raise
            recent.committed()
            self._written = True
        answer = np.empty(len(reports), dtype=bool)
        answer[order] = fresh
        return answer

    def upkeep(self, *, now: bool = False) -> bool:
        """Do a slice of what may wait: plain ids become digests, the log is emptied. Return whether more is left."""
        with self._lock:
            for collection in sorted(self._plain):
                with _transaction(self._writer) as writer:
                    if not plain.convert_in_sqlite(writer, collection, self._key[collection]):
                        self._plain.discard(collection)
                self._written = True
            if now or (self._written and monotonic() - self._truncated >= _TRUNCATE_SECONDS):
                self._writer.execute("PRAGMA busy_timeout = 0")  # whoever reads is not waited for: next time
                try:
                    blocked, _, _ = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                finally:
                    self._writer.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
                self._truncated = monotonic()
                self._written = bool(blocked)
        return bool(self._plain)

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

    def _columns(self, reader: sqlite3.Connection, plan: int) -> Any:
        rows = reader.execute(
            "SELECT question, code, sum(count) FROM counts WHERE plan = ? GROUP BY question, code", (plan,)
        ).fetchall()
        return np.array(rows, dtype=np.int64).reshape(-1, 3).T

    def storage(self) -> Storage:
        """Return how much room the store takes, its log included, and how much is left."""
        files = (self.path, self.path.with_name(f"{self.path.name}-wal"))
        free = os.statvfs(self.path.parent)
        return Storage(
            "sqlite", sum(file.stat().st_size for file in files if file.exists()), free.f_bavail * free.f_frsize
        )

    def check(self, *, write: bool = False) -> None:
        """Raise unless the store answers, and if ``write`` unless it takes a write: a full disk reads well."""
        with self._reader() as reader:
            reader.execute("SELECT count(*) FROM plans").fetchone()
        free = os.statvfs(self.path.parent)
        if free.f_bavail * free.f_frsize < _FREE_BYTES:
            raise sqlite3.OperationalError("the disk is full")
        if write:
            self._write("UPDATE collections SET revision = revision + 1")

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


def _make_private(path: Path) -> None:
    """Let only its owner read a file, its log beside it included, which SQLite makes with the same mode."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.close(descriptor)
    if path.stat().st_mode & 0o077 and path.stat().st_uid == os.geteuid():
        for one in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            with contextlib.suppress(FileNotFoundError):
                one.chmod(0o600)


def _reason(error: Exception, path: Path) -> str:
    """Return why a file cannot be used, and what helps where that is known."""
    text = error.strerror or str(error) if isinstance(error, OSError) else str(error)
    with contextlib.suppress(OSError):
        if path.stat().st_uid != os.geteuid():
            owner = f"the file belongs to user {path.stat().st_uid}, and this is user {os.geteuid()}"
            return f"{text}; {owner}: call this as its owner (sudo -u)"
    return text
