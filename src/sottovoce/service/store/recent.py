"""The latest ids of a SQLite store, as keyed digests: in memory and as sorted runs on disk, until they are settled.

A random id dirties a page of its own in a large tree, so ids written there one batch at a time cost a page each, and a
collector slows down as it fills. Instead a commit appends its ids as **one run**, and the ids of a whole generation are
settled later in the order of the ids, a slice with every commit, so that neighbours share a page.
"""

from __future__ import annotations

import secrets
import sqlite3
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.service.store.store import ID

GENERATION = 500_000
"""So many ids are gathered before they are settled: about 80 MB of memory for two generations, whatever was counted."""

_WIDTH = ID.itemsize
_INDICES = """
WITH RECURSIVE indices (number) AS (SELECT 0 WHERE ?2 > 0 UNION ALL SELECT number + 1 FROM indices
WHERE number + 1 < ?2)
"""
SETTLE = f"""
{_INDICES}
INSERT OR IGNORE INTO settled_digests SELECT ?3, substr(?1, 1 + 16 * number, 16) FROM indices
"""
"""Puts the digests that stand one after the other in ?1, ?2 of them, into the tree of collection ?3."""


def indices_query(table: str, column: str) -> str:
    """Return the query for the indices of those ids in ?1, ?2 of them, that a table holds of collection ?3."""
    return f"""
{_INDICES}
SELECT number FROM indices CROSS JOIN {table} AS held
WHERE held.collection = ?3 AND held.{column} = substr(?1, 1 + 16 * number, 16)
"""


_SEEN = indices_query("settled_digests", "digest")


class RecentIds:
    """The ids of one collection: which were seen, and the work of settling them. Every call is in a transaction."""

    def __init__(self, connection: sqlite3.Connection, collection: int) -> None:
        self._connection, self._collection = connection, collection
        self._gathering: set[bytes] = set()
        self._settling: set[bytes] = set()
        self._queue, self._taken = b"", 0
        self._appended: list[bytes] = []
        runs = connection.execute("SELECT generation, digests FROM recent_digests WHERE collection = ?", (collection,))
        held: dict[int, set[bytes]] = {}
        for generation, ids in runs:
            held.setdefault(generation, set()).update(split(ids))
        self._generation = max(held, default=0)
        self._gathering = held.pop(self._generation, set())
        self._start_settling(set().union(*held.values()))

    def new(self, ids: NDArray[np.bytes_]) -> NDArray[np.bool_]:
        """Return which of some sorted ids were not seen before."""
        raw = ids.tobytes()
        gathering, settling = self._gathering, self._settling
        fresh = np.fromiter((id not in gathering and id not in settling for id in split(raw)), bool, len(ids))
        for (start,) in self._connection.execute(_SEEN, (raw, len(ids), self._collection)):
            fresh[start] = False
        return fresh

    def append(self, ids: NDArray[np.bytes_]) -> None:
        """Write new ids as one run, and settle a slice of the generation before."""
        raw = ids.tobytes()
        self._connection.execute(
            "INSERT INTO recent_digests (key, collection, generation, digests) VALUES (?, ?, ?, ?)",
            (secrets.randbits(63), self._collection, self._generation, raw),
        )
        self._appended = split(raw)
        self._settle_slice(2 * len(ids))

    def committed(self) -> None:
        """Take note that the transaction is on disk."""
        self._gathering.update(self._appended)
        self._appended = []
        if self._taken >= len(self._queue):
            self._settling, self._queue, self._taken = set(), b"", 0
            if len(self._gathering) >= GENERATION:
                self._generation += 1
                self._start_settling(self._gathering)
                self._gathering = set()

    def _start_settling(self, ids: set[bytes]) -> None:
        self._settling, self._taken = ids, 0
        self._queue = np.sort(np.frombuffer(b"".join(ids), dtype=ID)).tobytes()

    def _settle_slice(self, count: int) -> None:
        if not self._queue:
            return
        part = self._queue[self._taken : self._taken + _WIDTH * count]
        self._connection.execute(SETTLE, (part, len(part) // _WIDTH, self._collection))
        self._taken += len(part)
        if self._taken >= len(self._queue):
            done: tuple[Any, ...] = (self._collection, self._generation)
            self._connection.execute("DELETE FROM recent_digests WHERE collection = ? AND generation < ?", done)


def split(raw: bytes) -> list[bytes]:
    """Return the ids that stand one after the other in ``raw``."""
    return [raw[start : start + _WIDTH] for start in range(0, len(raw), _WIDTH)]
