"""A PostgreSQL that falls silent costs seconds, and what was not acknowledged counts once afterwards."""

from __future__ import annotations

import datetime
import secrets
import threading
import time
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from sottovoce.service.store import connections, open_store
from sottovoce.service.store.connections import patient_for_seconds
from tests.collectors import make_plan, random_ids
from tests.conformance.test_stores import make_reports, total
from tests.postgres import create_database
from tests.silent_peer import wire_to

DAY = datetime.date(2026, 3, 1)


def test_an_address_says_how_long_to_wait_and_its_own_words_win() -> None:
    named = conninfo_to_dict(patient_for_seconds("postgresql://a@b/c?keepalives_idle=60&options=-c%20x.y%3D1"))
    assert named["keepalives_idle"] == "60"
    assert int(str(named["tcp_user_timeout"])) <= 10_000
    assert "statement_timeout" in str(named["options"])
    assert "idle_in_transaction_session_timeout" in str(named["options"])
    assert str(named["options"]).endswith("-c x.y=1")


def test_a_server_that_falls_silent_is_an_error_in_seconds_and_is_used_again_later(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "WATCH_SECONDS", 2)
    direct = create_database(postgres, f"silent_{secrets.token_hex(6)}")
    port = int(str(conninfo_to_dict(direct)["port"]))
    with wire_to(port) as wire:
        store = open_store(direct.replace(f":{port}/", f":{wire.port}/"), tmp_path / "keys")
        key = store.register(make_plan())
        store.add(key.collection, DAY, make_reports(key, random_ids(5)), {})
        ids = random_ids(7)
        wire.silent.set()
        started = time.monotonic()
        with pytest.raises(psycopg.Error):
            store.add(key.collection, DAY, make_reports(key, ids), {})
        assert time.monotonic() - started < 12
        wire.silent.clear()
        store.add(key.collection, DAY, make_reports(key, ids), {})
        assert total(store, key) == 12
        started = time.monotonic()
        wire.silent.set()
        store.close()
        assert time.monotonic() - started < 5


def test_a_server_that_was_away_is_found_soon_after_it_comes_back(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waits that double would find a server that was away for 3.6 seconds after about seven: here that is an error."""
    monkeypatch.setattr("sottovoce.service.store.postgres._CONNECT_SECONDS", 5.5)
    direct = create_database(postgres, f"away_{secrets.token_hex(6)}")
    port = int(str(conninfo_to_dict(direct)["port"]))
    with wire_to(port) as wire:
        store = open_store(direct.replace(f":{port}/", f":{wire.port}/"), tmp_path / "keys")
        key = store.register(make_plan())
        store.add(key.collection, DAY, make_reports(key, random_ids(5)), {})
        wire.down.set()
        time.sleep(0.5)  # until every connection has ended
        back = threading.Timer(3.6, wire.down.clear)
        back.start()
        store.add(key.collection, DAY, make_reports(key, random_ids(7)), {})
        assert total(store, key) == 12
        back.join()
        store.close()


def test_every_connection_commits_synchronously_whatever_the_address_says(postgres: str, tmp_path: Path) -> None:
    database = create_database(postgres, f"lazy_{secrets.token_hex(6)}")
    store = open_store(f"{database}?options=-c%20synchronous_commit%3Doff", tmp_path / "keys")
    assert store._read("SHOW synchronous_commit") == [("on",)]  # type: ignore[attr-defined]
    store.close()
