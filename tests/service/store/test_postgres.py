"""A store in PostgreSQL: durable whatever the server's default, exact when collectors race."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Iterator

import msgspec
import numpy as np
import psycopg
import pytest

from sottovoce.errors import StoreError
from sottovoce.plan.plan import Plan
from sottovoce.service.store import ID, open_store, postgres
from sottovoce.service.store.postgres import PostgresStore
from sottovoce.tally.tally import Tally
from tests.collectors import draw, make_plan, make_reports, random_ids
from tests.postgres import create_database, running_postgres

DAY = datetime.date(2026, 3, 1)


@pytest.fixture
def url(postgres: str) -> str:
    return create_database(postgres, f"collector_{secrets.token_hex(6)}")


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    opened = PostgresStore(url)
    yield opened
    opened.close()


def test_a_commit_waits_for_the_disk_whatever_the_databases_default(url: str) -> None:
    name = url.rpartition("/")[2]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{name}" SET synchronous_commit TO off'.encode())
    with psycopg.connect(url) as connection:
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("off",)
    store = PostgresStore(url)
    with store._pool.connection() as connection:
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
    store.close()


def test_a_second_design_of_a_round_is_not_kept(store: PostgresStore) -> None:
    first = make_plan(mechanism="ahdg")
    designs = []
    for number in (30, 60):
        tally = Tally(first)
        tally.add(draw(first, number))
        designs.append(first.next_round(tally))
    designs[1] = msgspec.structs.replace(designs[1], tables=designs[1].tables[::-1])  # another one for certain
    collection = store.register(first).collection
    store.register(designs[0])
    with pytest.raises(StoreError, match="one design of each round"):
        store.register(designs[1])
    assert store.fingerprints(collection) == [first.fingerprint, designs[0].fingerprint]
    assert len(store.log().entries) == 2


@pytest.mark.slow
def test_a_server_that_would_lose_acknowledged_reports_is_refused() -> None:
    with running_postgres("fsync=off") as server, pytest.raises(StoreError, match="turn fsync on"):
        PostgresStore(create_database(server, "collector"))


def test_a_batch_that_another_collector_was_first_with_is_looked_at_again(
    store: PostgresStore, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other collector commits one of the ids between this one's look at what is known and its copy."""
    key, ids = store.register(plan), random_ids(3)
    copy, other = postgres._copy_digests, PostgresStore(store._pool.conninfo)

    def late(connection: psycopg.Connection, digests: np.ndarray, collection: int) -> None:
        monkeypatch.setattr(postgres, "_copy_digests", copy)
        assert other.add(key.collection, DAY, make_reports(key, ids[:16], code=2), {}).all()
        copy(connection, digests, collection)

    monkeypatch.setattr(postgres, "_copy_digests", late)
    reports = make_reports(key, ids)
    fresh = store.add(key.collection, DAY, reports, {"malformed": 1})
    other.close()
    np.testing.assert_array_equal(fresh, reports.ids != np.frombuffer(ids[:16], dtype=ID))
    (counts,) = store.counts(key.collection)
    assert dict(zip(counts.code.tolist(), counts.count.tolist(), strict=True)) == {1: 2, 2: 1}
    assert store.refusals(key.collection) == [(DAY, "malformed", 1)], "the attempt that failed left nothing"


def test_a_batch_that_loses_every_race_is_given_back(
    store: PostgresStore, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, tried = store.register(plan), []

    def lose(*arguments: object) -> None:
        tried.append(arguments)
        raise psycopg.errors.UniqueViolation

    monkeypatch.setattr(store, "_add", lose)
    with pytest.raises(StoreError, match="send the reports again"):
        store.add(key.collection, DAY, make_reports(key, random_ids(1)), {})
    assert len(tried) > 1


def test_either_scheme_of_a_url_opens_it(url: str, plan: Plan) -> None:
    store = open_store(url.replace("postgresql://", "postgres://"))
    assert isinstance(store, PostgresStore)
    store.check()
    store.close()
    with pytest.raises(psycopg.Error):
        store.check()
