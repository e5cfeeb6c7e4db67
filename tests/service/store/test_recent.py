"""The latest ids of a SQLite store: known at once, settled later, never forgotten."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import numpy as np
import pytest

from sottovoce.service.store import ID, recent
from sottovoce.service.store.migrate import migrations
from sottovoce.service.store.recent import RecentIds, SortedIds, indices_held
from sottovoce.service.store.store import leads
from tests.collectors import random_ids


@pytest.fixture
def connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    """A database in memory, where a generation is a hundred ids and a block forty."""
    monkeypatch.setattr(recent, "GENERATION", 100)
    monkeypatch.setattr(recent, "BLOCK", 40)
    opened = sqlite3.connect(":memory:", isolation_level=None)
    for _, text in migrations("sqlite"):
        opened.executescript(text)
    yield opened
    opened.close()


def some(number: int) -> np.ndarray:
    return np.sort(np.frombuffer(random_ids(number), dtype=ID))


def held(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return how many ids are settled, and how many stand in runs."""
    (settled,) = connection.execute("SELECT count(*) FROM settled_digests").fetchone()
    (waiting,) = connection.execute("SELECT coalesce(sum(length(digests)), 0) / 16 FROM recent_digests").fetchone()
    return settled, waiting


def append(ids: RecentIds, batch: np.ndarray) -> None:
    ids.append(batch)
    ids.committed()


def test_an_id_is_new_until_its_commit_and_known_in_every_later_one(connection: sqlite3.Connection) -> None:
    ids, batch = RecentIds(connection, 1), some(10)
    assert ids.new(batch).all()
    append(ids, batch)
    assert not ids.new(batch).any()
    mixed = np.sort(np.concatenate([batch[::2], some(3)]))
    np.testing.assert_array_equal(ids.new(mixed), ~np.isin(mixed, batch))
    assert RecentIds(connection, 2).new(batch).all(), "another collection has not seen them"


def test_a_full_generation_is_settled_slice_by_slice_while_others_come(connection: sqlite3.Connection) -> None:
    ids, batches = RecentIds(connection, 1), [some(60) for _ in range(4)]
    append(ids, batches[0])
    append(ids, batches[1])
    assert held(connection) == (0, 120), "gathered, nothing settled yet"
    append(ids, batches[2][:30])
    assert held(connection) == (60, 150), "each id that comes settles two that wait"
    append(ids, batches[2][30:])
    assert held(connection) == (120, 60), "the runs of the settled generation are gone"
    append(ids, batches[3])
    for known in (ids, RecentIds(connection, 1)):
        assert not any(known.new(batch).any() for batch in batches)


def test_the_work_of_settling_goes_on_after_a_restart(connection: sqlite3.Connection) -> None:
    ids, batches = RecentIds(connection, 1), [some(60) for _ in range(3)]
    append(ids, batches[0])
    append(ids, batches[1])
    append(ids, batches[2][:10])
    again = RecentIds(connection, 1)
    assert not any(again.new(batch).any() for batch in (*batches[:2], batches[2][:10]))
    append(again, batches[2][10:])
    append(again, last := some(60))
    assert held(connection)[0] >= 120
    assert not any(RecentIds(connection, 1).new(batch).any() for batch in (*batches, last))


def test_nothing_is_forgotten_while_ids_come_one_by_one_and_in_batches(connection: sqlite3.Connection) -> None:
    ids, batches = RecentIds(connection, 1), [some(size) for size in (1, 39, 1, 7, 95, 1, 1, 250, 3, 60, 40, 99)]
    for number, batch in enumerate(batches):
        assert ids.new(batch).all()
        append(ids, batch)
        assert not any(ids.new(earlier).any() for earlier in batches[: number + 1])
    assert held(connection)[0] >= 100
    assert not any(RecentIds(connection, 1).new(batch).any() for batch in batches)


def test_ids_that_begin_alike_are_told_apart() -> None:
    alike = [b"same one" + ending for ending in (bytes(8), b"b" * 8, b"\xff" * 8)]
    kept = SortedIds([alike[1], b"a" * 16, alike[2]])
    asked = np.array([*alike, b"a" * 16, b"z" * 16, bytes(16)], dtype=ID)
    assert kept.seen(asked, leads(asked)).tolist() == [False, True, True, True, False, False]
    assert SortedIds().seen(asked, leads(asked)).tolist() == [False] * 6


@pytest.mark.parametrize("number", [1, 100, 5_000, 200_000])
def test_every_id_of_a_batch_is_looked_up_however_many_there_are(connection: sqlite3.Connection, number: int) -> None:
    batch = some(number)
    last = batch[-1].ljust(16, b"\0")
    connection.execute("INSERT INTO settled_digests (collection, digest) VALUES (1, ?)", (last,))
    for collection, expected in ((1, [(number - 1,)]), (2, [])):
        found = indices_held(connection, "settled_digests", "digest", collection, batch.tobytes())
        assert list(found) == expected
