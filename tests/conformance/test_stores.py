"""What every store must do, SQLite and PostgreSQL alike: count once, in one transaction, and forget nothing."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sottovoce.errors import StoreError
from sottovoce.plan.plan import Plan
from sottovoce.service.store import ID, PlanKey, Reports, Store, Token, open_store, postgres, recent
from tests.collectors import make_plan, make_reports, random_ids

DAY, NEXT = datetime.date(2026, 3, 1), datetime.date(2026, 3, 2)


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = open_store(database)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan()


def total(store: Store, key: PlanKey) -> int:
    return sum(count for _, _, count in store.by_day(key.collection))


def test_a_report_counts_once_however_often_it_is_sent(store: Store, plan: Plan) -> None:
    key = store.register(plan)
    reports = make_reports(key, random_ids(100))
    assert store.add(key.collection, DAY, reports, {}).all()
    assert not store.add(key.collection, NEXT, reports, {}).any()
    assert store.by_day(key.collection) == [(plan.fingerprint, DAY, 100)]


def test_of_a_batch_with_old_and_new_ids_the_new_are_counted(store: Store, plan: Plan) -> None:
    key = store.register(plan)
    old, new = random_ids(30), random_ids(50)
    store.add(key.collection, DAY, make_reports(key, old), {})
    mixed = make_reports(key, old + new)
    fresh = store.add(key.collection, DAY, mixed, {})
    assert set(mixed.ids[fresh].tolist()) == set(np.frombuffer(new, dtype=ID).tolist())
    assert total(store, key) == 80


def test_the_first_report_of_an_id_wins(store: Store, plan: Plan) -> None:
    key, ids = store.register(plan), random_ids(1)
    store.add(key.collection, DAY, make_reports(key, ids, code=2), {})
    store.add(key.collection, DAY, make_reports(key, ids, code=3), {})
    (counts,) = store.counts(key.collection)
    assert (counts.question.tolist(), counts.code.tolist(), counts.count.tolist()) == ([0], [2], [1])


def test_an_id_is_unique_within_its_collection_alone(store: Store, plan: Plan) -> None:
    other = make_plan(purpose="another collection")
    keys, ids = [store.register(plan), store.register(other)], random_ids(5)
    assert keys[0].collection != keys[1].collection
    assert all(store.add(key.collection, DAY, make_reports(key, ids), {}).all() for key in keys)


def test_ids_with_zero_bytes_at_their_ends_stay_different(store: Store, plan: Plan) -> None:
    key = store.register(plan)
    ids = b"".join([bytes(16), bytes(15) + b"\1", b"\1" + bytes(15), b"\1\0" * 8])
    assert store.add(key.collection, DAY, make_reports(key, ids), {}).all()
    assert not store.add(key.collection, DAY, make_reports(key, ids), {}).any()


def test_counts_add_up_over_batches_days_and_codes(store: Store, plan: Plan) -> None:
    key = store.register(plan)
    for day in (DAY, NEXT):
        for code in (0, 1, 1):
            store.add(key.collection, day, make_reports(key, random_ids(10), question=2, code=code), {})
    (counts,) = store.counts(key.collection)
    assert (counts.fingerprint, counts.document) == (plan.fingerprint, plan.to_json())
    rows = zip(counts.question.tolist(), counts.code.tolist(), counts.count.tolist(), strict=True)
    assert sorted(rows) == [(2, 0, 20), (2, 1, 40)]
    assert [(day, count) for _, day, count in store.by_day(key.collection)] == [(DAY, 30), (NEXT, 30)]


def test_the_largest_code_is_counted(store: Store, plan: Plan) -> None:
    key = store.register(plan)
    store.add(key.collection, DAY, make_reports(key, random_ids(1), code=2**63 - 1), {})
    assert store.counts(key.collection)[0].code.tolist() == [2**63 - 1]


def test_refusals_are_added_by_day_and_reason(store: Store, plan: Plan) -> None:
    key = store.register(plan)
    nothing = make_reports(key, b"")
    for refused in ({"malformed": 2}, {"malformed": 1, "wrong plan": 5}):
        assert len(store.add(key.collection, DAY, nothing, refused)) == 0
    assert store.refusals(key.collection) == [(DAY, "malformed", 3), (DAY, "wrong plan", 5)]


def test_the_revision_grows_with_every_counted_batch_and_every_refusal(store: Store, plan: Plan) -> None:
    key, other = store.register(plan), store.register(make_plan(purpose="another collection"))
    revisions = [store.revision(key.collection)]
    for ids, refused in (
        (random_ids(3), {}),
        (b"", {"malformed": 1}),
        (random_ids(1), {"malformed": 2}),
        (b"", {"x": 1}),
    ):
        store.add(key.collection, DAY, make_reports(key, ids), refused)
        revisions.append(store.revision(key.collection))
    assert revisions == sorted(set(revisions)), "each is above the one before"
    assert store.revision(key.collection) == revisions[-1], "looking changes nothing"
    assert store.revision(other.collection) == revisions[0], "another collection did not change"


def test_the_revision_is_kept_with_the_counts_and_seen_by_every_collector(database: str, plan: Plan) -> None:
    first, second = open_store(database), open_store(database)
    key = first.register(plan)
    first.add(key.collection, DAY, make_reports(key, random_ids(2)), {})
    before = second.revision(key.collection)
    second.add(key.collection, DAY, make_reports(key, random_ids(2)), {})
    after = first.revision(key.collection)
    assert after > before
    first.close()
    second.close()
    again = open_store(database)
    assert again.register(plan) == key
    assert again.revision(key.collection) == after
    again.close()


def test_a_batch_that_fails_leaves_the_revision_alone(
    store: Store, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = store.register(plan)
    before = store.revision(key.collection)
    with monkeypatch.context() as broken:
        broken.setattr(Reports, "pairs", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.add(key.collection, DAY, make_reports(key, random_ids(3)), {"malformed": 1})
    assert store.revision(key.collection) == before


def test_plans_of_one_collection_share_its_ids_and_keep_their_own_counts(store: Store, plan: Plan) -> None:
    later = make_plan(expires="2998-01-01")
    keys, ids = [store.register(plan), store.register(later)], random_ids(4)
    assert keys[0].collection == keys[1].collection
    assert keys[0].plan != keys[1].plan
    store.add(keys[0].collection, DAY, make_reports(keys[0], ids), {})
    assert not store.add(keys[1].collection, DAY, make_reports(keys[1], ids), {}).any()
    store.add(keys[1].collection, DAY, make_reports(keys[1], random_ids(7)), {})
    counted = {counts.fingerprint: int(counts.count.sum()) for counts in store.counts(keys[0].collection)}
    assert counted == {plan.fingerprint: 4, later.fingerprint: 7}


def test_everything_is_there_when_the_store_is_opened_again(database: str, plan: Plan) -> None:
    ids = random_ids(1_000)
    for round_ in range(3):
        store = open_store(database)
        key = store.register(plan)
        fresh = store.add(key.collection, DAY, make_reports(key, ids), {"malformed": 1})
        assert fresh.all() == (round_ == 0)
        assert total(store, key) == 1_000
        assert store.refusals(key.collection) == [(DAY, "malformed", round_ + 1)]
        store.close()


def test_two_collectors_of_one_database_count_an_id_once(database: str, plan: Plan) -> None:
    first, second = open_store(database), open_store(database)
    key = first.register(plan)
    assert second.register(plan) == key
    for _ in range(5):
        ids = random_ids(40)
        assert first.add(key.collection, DAY, make_reports(key, ids), {}).all()
        assert not second.add(key.collection, DAY, make_reports(key, ids), {}).any()
        assert second.add(key.collection, DAY, make_reports(key, more := random_ids(40)), {}).all()
        assert not first.add(key.collection, DAY, make_reports(key, more), {}).any()
    assert total(first, key) == total(second, key) == 400
    first.close()
    second.close()


def test_two_collectors_at_the_same_moment_count_an_id_once(database: str, plan: Plan) -> None:
    stores = [open_store(database), open_store(database)]
    key = stores[0].register(plan)
    batches = [random_ids(400) for _ in range(15)]

    def add_all(opened: Store) -> int:
        return sum(int(opened.add(key.collection, DAY, make_reports(key, ids), {}).sum()) for ids in batches)

    with ThreadPoolExecutor(2) as pool:
        counted = list(pool.map(add_all, stores))
    assert sum(counted) == total(stores[0], key) == 400 * len(batches)
    for opened in stores:
        opened.close()


def test_a_batch_that_fails_leaves_no_trace(store: Store, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    key = store.register(plan)
    reports = make_reports(key, random_ids(10))
    with monkeypatch.context() as broken:
        broken.setattr(Reports, "pairs", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.add(key.collection, DAY, reports, {"malformed": 1})
    assert store.by_day(key.collection) == []
    assert store.refusals(key.collection) == []
    assert store.add(key.collection, DAY, reports, {}).all()


def test_ids_are_known_through_every_generation(
    store: Store, database: str, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent, "GENERATION", 2_000)
    key = store.register(plan)
    batches = [random_ids(300) for _ in range(40)]
    for ids in batches:
        assert store.add(key.collection, DAY, make_reports(key, ids), {}).all()
    again = open_store(database)
    for opened in (store, again):
        for ids in batches:
            assert not opened.add(key.collection, DAY, make_reports(key, ids), {}).any()
    again.close()
    assert total(store, key) == 300 * len(batches)


def test_tokens_are_found_by_their_prefix_until_they_are_revoked(store: Store) -> None:
    token = Token("alice", "analyst", "ab12", b"\0digest", DAY)
    store.save_token(token)
    assert store.find_token("ab12") == token
    assert store.find_token("ab13") is None
    with pytest.raises(StoreError, match="'alice' already"):
        store.save_token(Token("alice", "analyst", "ffff", b"", DAY))
    assert store.revoke_token("alice", NEXT)
    assert not store.revoke_token("alice", NEXT)
    assert not store.revoke_token("bob", NEXT)
    assert [found.revoked for found in store.tokens()] == [NEXT]


def test_a_store_that_cannot_be_opened_says_so(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "_CONNECT_SECONDS", 1)
    with pytest.raises(StoreError, match="cannot keep counts in"):
        open_store(f"{tmp_path}/missing/collector.db")
    with pytest.raises(StoreError, match="cannot keep counts in PostgreSQL"):
        open_store("postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")
