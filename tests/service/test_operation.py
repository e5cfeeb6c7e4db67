"""What an operator does, whoever asks for it: the command line or the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sottovoce.errors import PlanError, StoreError
from sottovoce.service.auth import create_token
from sottovoce.service.operation import (
    add_plan,
    close_collection,
    extend_plan,
    find_collection,
    list_collections,
    list_tokens,
    purge_collection,
    reopen_collection,
    revoke_token,
)
from sottovoce.service.served import today
from sottovoce.service.store import Store, open_store
from tests.collectors import make_plan

PLAN = make_plan()


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = open_store(database)
    opened.register(PLAN)
    yield opened
    opened.close()


def test_a_collection_is_closed_opened_and_when_its_ids_are_forgotten_not_again(store: Store) -> None:
    with pytest.raises(StoreError, match="close the collection first"):
        purge_collection(store, PLAN.collection)
    close_collection(store, PLAN.collection)
    assert find_collection(store, PLAN.collection).closed == today()
    reopen_collection(store, PLAN.collection)
    assert list_collections(store)[0]["closed"] is None
    close_collection(store, PLAN.collection)
    assert purge_collection(store, PLAN.collection) == 0
    with pytest.raises(StoreError, match="ids of this collection were forgotten"):
        reopen_collection(store, PLAN.collection)


def test_what_there_is_not_is_said(store: Store) -> None:
    for act in (find_collection, close_collection, reopen_collection, purge_collection):
        with pytest.raises(StoreError, match="has no collection 000000000000"):
            act(store, "0" * 64)
    with pytest.raises(StoreError, match="has no collection"):
        add_plan(store, make_plan(purpose="another"))
    with pytest.raises(StoreError, match="no token named 'nobody'"):
        revoke_token(store, "nobody")


def test_a_plan_is_extended_to_a_day_that_comes(store: Store) -> None:
    longer = extend_plan(store, PLAN, "2999-12-31")
    assert (longer.collection, longer.version, longer.expires) == (PLAN.collection, 2, "2999-12-31")
    assert list_collections(store)[0]["plans"] == 2
    with pytest.raises(StoreError, match="a day that comes, got 2020-01-01; to end it, close it"):
        extend_plan(store, PLAN, "2020-01-01")
    with pytest.raises(PlanError, match="expires"):
        extend_plan(store, PLAN, "soon")
    assert list_collections(store)[0]["plans"] == 2


def test_tokens_are_listed_without_their_secrets(store: Store) -> None:
    text = create_token(store, "alice", "analyst", today())
    (line,) = list_tokens(store)
    assert (line["name"], line["role"], line["revoked"]) == ("alice", "analyst", None)
    assert text.split("_", 2)[2] not in str(line)
    assert revoke_token(store, "alice") == today()
    assert list_tokens(store)[0]["revoked"] == today().isoformat()


def test_an_operators_token_is_for_all_collections(store: Store) -> None:
    from sottovoce.service.auth import Limits

    with pytest.raises(StoreError, match="for all collections"):
        create_token(store, "bob", "operator", today(), Limits(collection=PLAN.collection))


def test_how_much_room_a_store_takes(store: Store) -> None:
    storage = store.storage()
    assert storage.kind in ("sqlite", "postgresql")
    assert storage.used > 4096
    assert (storage.free is None) == (storage.kind == "postgresql")


def test_a_wave_has_a_model_of_its_own_beside_the_last(store: Store) -> None:
    from sottovoce.service.store import KeptModel

    number = find_collection(store, PLAN.collection).number
    assert (store.model_day(number), store.wave_heads(number)) == (None, {})
    for wave, name in ((2, "b"), (1, "a"), (2, "c")):
        store.save_model(number, today(), KeptModel(name, PLAN.fingerprint, wave, name.encode()), wave)
    assert store.wave_heads(number) == {1: ("a", 1), 2: ("c", 2)}
    assert store.model_head(number) == ("c", 2)
    assert store.model_day(number) == today()
    one = store.model(number, 1)
    assert one is not None
    assert one.document == b"a"
    store.delete_collection(number)
    assert store.wave_heads(number) == {}


def test_the_command_line_does_the_same(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from sottovoce.cli.group import main

    database, path = tmp_path / "c.db", tmp_path / "plan.json"
    PLAN.save(path)
    opened = open_store(str(database))
    opened.register(PLAN)
    opened.close()
    past = [
        "collection",
        "extend",
        str(path),
        "--db",
        str(database),
        "--expires",
        "2020-01-01",
        "--out",
        str(tmp_path / "x"),
    ]
    refused = CliRunner().invoke(main, past)
    assert "a day that comes, got 2020-01-01" in refused.stderr
    assert not (tmp_path / "x").exists()
    made = CliRunner().invoke(main, ["token", "create", "olga", "--role", "operator", "--db", str(database)])
    assert made.output.startswith("sv_")
