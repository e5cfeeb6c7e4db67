"""The log of plans in both stores: a chain that only grows, whoever adds to it at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sottovoce.plan.log import Log
from sottovoce.service.store import Store, open_store
from tests.collectors import make_plan


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = open_store(database)
    yield opened
    opened.close()


def test_every_plan_is_logged_once_and_in_order(store: Store) -> None:
    plans = [make_plan(purpose=name) for name in ("one", "two", "three")]
    for plan in (*plans, *plans):
        store.register(plan)
    log = store.log()
    assert [entry.fingerprint for entry in log.entries] == [plan.fingerprint for plan in plans]
    assert Log.from_json(log.to_json()) == log


def test_a_collection_that_is_deleted_stays_in_the_log(store: Store) -> None:
    plan = make_plan()
    key = store.register(plan)
    before = store.log()
    store.delete_collection(key.collection)
    assert store.log() == before
    store.register(plan)
    assert store.log() == before


def test_several_that_add_at_the_same_time_make_one_chain(database: str) -> None:
    stores = [open_store(database) for _ in range(4)]
    plans = [make_plan(purpose=str(number)) for number in range(20)]
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: stores[number % 4].register(plans[number // 2]), range(40)))
        log = stores[0].log()
    finally:
        for store in stores:
            store.close()
    assert len(log.entries) == 20
    assert Log.from_json(log.to_json()) == log
