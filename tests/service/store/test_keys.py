"""The keys of ids: made once, shared by all collectors, checked before anything is counted, and gone when destroyed."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from sottovoce.errors import StoreError
from sottovoce.service.store import ID, Keyring, open_store
from sottovoce.service.store.keys import IdKey, default_keys
from tests.collectors import make_plan, random_ids

COLLECTION = "c" * 64


def test_of_many_that_make_a_key_at_the_same_time_one_is_kept(tmp_path: Path) -> None:
    ring = Keyring(tmp_path / "keys")
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: ring.of(COLLECTION), range(40)))
    assert len(made) == 1
    assert [path.name for path in (tmp_path / "keys").iterdir()] == [f"{COLLECTION}.key"]


def test_digests_are_sorted_and_come_with_the_order_of_their_ids() -> None:
    key, ids = IdKey(secrets.token_bytes(32)), np.frombuffer(random_ids(500), dtype=ID)
    order, digests = key.digests(ids)
    raw = digests.tobytes()
    made = [raw[start : start + 16] for start in range(0, len(raw), 16)]
    assert made == sorted(made)
    given = ids.tobytes()
    assert made == [key.digest(given[16 * start : 16 * start + 16]) for start in order]


def test_a_key_tells_nothing_of_itself() -> None:
    key = IdKey(secrets.token_bytes(32))
    assert key.secret.hex() not in repr(key)
    assert key.check != key.digest(b"sottovoce: check")


def test_a_wrong_or_missing_key_refuses_to_start_and_the_right_one_does_not(database: str, tmp_path: Path) -> None:
    plan, right, wrong = make_plan(), tmp_path / "right", tmp_path / "wrong"
    for _ in range(2):
        store = open_store(database, right)
        store.register(plan)
        store.close()
    store = open_store(database, wrong)
    with pytest.raises(StoreError, match="is missing"):
        store.register(plan)
    Keyring(wrong).of(plan.collection)
    with pytest.raises(StoreError, match="is not the one"):
        store.register(plan)
    store.close()


@pytest.mark.parametrize("text", ["", "00", "nonsense", "é" * 64])
def test_a_damaged_key_is_refused_and_not_made_anew(tmp_path: Path, text: str) -> None:
    (tmp_path / f"{COLLECTION}.key").write_text(text)
    with pytest.raises(StoreError, match="the key in"):
        Keyring(tmp_path).of(COLLECTION)


def test_a_key_that_was_destroyed_is_gone(tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    ring.of(COLLECTION)
    assert ring.destroy(COLLECTION)
    assert not ring.destroy(COLLECTION)
    assert list(tmp_path.iterdir()) == []


def test_keys_are_beside_a_file_and_with_a_server_in_the_users_own_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOTTOVOCE_KEYS", raising=False)
    monkeypatch.setattr("platformdirs.user_state_path", lambda name, **_: tmp_path / name)
    assert default_keys("sqlite:///a/b.db") == Path("a/b.db.keys")
    assert default_keys("postgresql://server/db") == tmp_path / "sottovoce" / "keys"
    monkeypatch.setenv("SOTTOVOCE_KEYS", "/keys")
    assert default_keys("a.db") == Path("/keys")
