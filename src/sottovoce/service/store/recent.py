"""The latest ids of a SQLite store, as keyed digests: in memory and as sorted runs on disk, until they are settled.

A random id dirties a page of its own in a large tree, so ids written there one batch at a time cost a page each, and a
collector slows down as it fills. Instead a commit appends its ids as **one run**, and the ids of a whole generation are
settled later in the order of the ids, a slice with every commit, so that neighbours share a page.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.service.store.store import ID, leads, sorting, split

GENERATION = 500_000
"""So many ids are gathered before they are settled: two generations take about 40 MB, whatever was counted."""

BLOCK = 100_000
"""So many of the latest are held as a set; then they are sorted, and take a quarter of the memory."""

_WIDTH = ID.itemsize
_INDICES = "CREATE TEMPORARY TABLE IF NOT EXISTS indices (number INTEGER PRIMARY KEY)"
_MORE_INDICES = """
WITH RECURSIVE more (number) AS (SELECT ?1 UNION ALL SELECT number + 1 FROM more WHERE number + 1 < ?2)
INSERT INTO indices SELECT number FROM more
"""
_SETTLE = """
INSERT OR IGNORE INTO settled_digests SELECT ?3, substr(?1, 1 + 16 * number, 16) FROM indices WHERE number < ?2
"""


def indices_held(
    connection: sqlite3.Connection, table: str, column: str, collection: int, raw: bytes
) -> Iterator[tuple[int]]:
    """Yield the indices of the ids that a table holds.

    Args:
        connection: The store's connection.
        table: The table; of our own, never a text from elsewhere.
        column: The column of its ids.
        collection: The collection's number.
        raw: The ids, 16 bytes each, one after the other.
    """
    count = _need_indices(connection, raw)
    query = f"""
    SELECT number FROM indices CROSS JOIN {table} AS held
    WHERE number < ?2 AND held.collection = ?3 AND held.{column} = substr(?1, 1 + 16 * number, 16)
    """
    return connection.execute(query, (raw, count, collection))


def settle(connection: sqlite3.Connection, collection: int, raw: bytes) -> None:
    """Put digests into the large tree, in the caller's transaction.

    Args:
        connection: The store's connection.
        collection: The collection's number.
        raw: The digests, 16 bytes each, one after the other.
    """
    connection.execute(_SETTLE, (raw, _need_indices(connection, raw), collection))


def _need_indices(connection: sqlite3.Connection, raw: bytes) -> int:
    """Return how many ids there are; the connection's table of indices has as many rows from now on."""
    count = len(raw) // _WIDTH
    connection.execute(_INDICES)
    (have,) = connection.execute("SELECT coalesce(max(number) + 1, 0) FROM indices").fetchone()
    if have < count:
        connection.execute(_MORE_INDICES, (have, 2 * count))
    return count


class SortedIds:
    """Ids in their order, sixteen bytes each and eight more to find them by."""

    def __init__(self, runs: Sequence[bytes] = ()) -> None:
        ids = np.frombuffer(b"".join(runs), dtype=ID)
        self.ids = ids[sorting(ids)]
        self._leads = leads(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def seen(self, ids: NDArray[np.bytes_], lead: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of some ids are among these; ``lead`` is their first halves."""
        found = np.zeros(len(ids), dtype=bool)
        if len(self):
            found = self._leads.take(np.searchsorted(self._leads, lead), mode="clip") == lead
            (near,) = found.nonzero()
            if len(near):
                found[near] = self.ids.take(np.searchsorted(self.ids, ids[near]), mode="clip") == ids[near]
        return found


class RecentIds:
    """The ids of one collection: which were seen, and the work of settling them. Every call is in a transaction."""

    def __init__(self, connection: sqlite3.Connection, collection: int) -> None:
        self._connection, self._collection = connection, collection
        self._latest: set[bytes] = set()
        self._runs: list[bytes] = []
        self._appended: list[bytes] = []
        runs = connection.execute("SELECT generation, digests FROM recent_digests WHERE collection = ?", (collection,))
        held: dict[int, list[bytes]] = {}
        for generation, ids in runs:
            held.setdefault(generation, []).append(ids)
        self._generation = max(held, default=0)
        self._blocks = [SortedIds(held.pop(self._generation, []))]
        self._settling, self._taken = SortedIds([run for runs in held.values() for run in runs]), 0

    def new(self, ids: NDArray[np.bytes_]) -> NDArray[np.bool_]:
        """Return which of some sorted ids were not seen before."""
        raw, lead = ids.tobytes(), leads(ids)
        parts, fresh = split(raw), np.ones(len(ids), dtype=bool)
        if not self._latest.isdisjoint(parts):
            fresh = np.fromiter((one not in self._latest for one in parts), bool, len(ids))
        for block in (*self._blocks, self._settling):
            fresh &= ~block.seen(ids, lead)
        for (index,) in indices_held(self._connection, "settled_digests", "digest", self._collection, raw):
            fresh[index] = False
        return fresh

    def append(self, ids: NDArray[np.bytes_]) -> None:
        """Write new ids as one run, and settle a slice of the generation before."""
        raw = ids.tobytes()
        self._connection.execute(
            "INSERT INTO recent_digests (key, collection, generation, digests) VALUES (?, ?, ?, ?)",
            (secrets.randbits(63), self._collection, self._generation, raw),
        )
        self._appended = [raw]
        self._settle_slice(2 * len(ids))

    def committed(self) -> None:
        """Take note that the transaction is on disk."""
        self._runs += self._appended
        self._latest.update(split(b"".join(self._appended)))
        self._appended = []
        settled = self._taken >= len(self._settling)
        full = settled and len(self._latest) + sum(map(len, self._blocks)) >= GENERATION
        if full or len(self._latest) >= BLOCK:
            self._blocks.append(SortedIds(self._runs))
            self._latest, self._runs = set(), []
        if settled and self._taken:
            self._settling, self._taken = SortedIds(), 0
        if full:
            self._generation += 1
            self._settling = SortedIds([block.ids.tobytes() for block in self._blocks])
            self._blocks = []

    def _settle_slice(self, count: int) -> None:
        part = self._settling.ids[self._taken : self._taken + count]
        if not len(part):
            return
        settle(self._connection, self._collection, part.tobytes())
        self._taken += len(part)
        if self._taken >= len(self._settling):
            done: tuple[Any, ...] = (self._collection, self._generation)
            self._connection.execute("DELETE FROM recent_digests WHERE collection = ? AND generation < ?", done)
