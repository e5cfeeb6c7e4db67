"""Tokens: shown once, kept as digests, found in constant time, ended at once."""

from __future__ import annotations

import datetime
import hmac
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sottovoce.cli.group import main
from sottovoce.errors import StoreError
from sottovoce.service.auth import check_token, create_token
from sottovoce.service.store import open_store

DAY = datetime.date(2026, 3, 1)


def test_a_token_proves_its_role_until_it_is_revoked(database: str) -> None:
    store = open_store(database)
    text = create_token(store, "alice", "analyst", DAY)
    found = check_token(store, text)
    assert found is not None
    assert (found.name, found.role) == ("alice", "analyst")
    store.revoke_token("alice", DAY)
    assert check_token(store, text) is None
    store.close()


def test_only_the_digest_of_the_secret_is_kept(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "c.db"))
    text = create_token(store, "alice", "analyst", DAY)
    store.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert text.rpartition("_")[2].encode() not in kept
    assert text.split("_", 2)[2].encode() not in kept


@pytest.mark.parametrize("text", ["", "sv_", "sv__", "nonsense", "sv_0_0", "sv_\0_x", "sv_é_x", "\udcff"])
def test_what_is_no_token_proves_nothing_and_is_compared_all_the_same(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(str(tmp_path / "c.db"))
    compared = []
    compare = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda *both: compared.append(both) or compare(*both))
    assert check_token(store, text) is None
    assert [len(side) for side in compared[0]] == [32, 32]
    store.close()


def test_a_token_with_the_right_prefix_and_a_wrong_secret_proves_nothing(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "c.db"))
    text = create_token(store, "alice", "analyst", DAY)
    assert check_token(store, text[:-1] + ("A" if text[-1] != "A" else "B")) is None
    store.close()


def test_a_token_needs_a_name_and_a_role(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "c.db"))
    with pytest.raises(StoreError, match="a name of 1 to 100"):
        create_token(store, " ", "analyst", DAY)
    with pytest.raises(StoreError, match="analyst, reporter"):
        create_token(store, "alice", "king", DAY)
    store.close()


def test_tokens_are_made_listed_and_ended_from_the_command_line(database: str) -> None:
    def run(*arguments: str) -> dict[str, object]:
        result = CliRunner().invoke(main, ["token", *arguments, "--db", database, "--json"])
        assert result.exit_code == 0, result.output
        document: dict[str, object] = json.loads(result.stdout)
        return document

    made = run("create", "alice", "--role", "reporter")
    store = open_store(database)
    assert check_token(store, str(made["token"])) is not None
    run("revoke", "alice")
    assert check_token(store, str(made["token"])) is None
    store.close()
    (line,) = run("list")["tokens"]  # type: ignore[misc]
    assert (line["name"], line["role"], line["revoked"] is None) == ("alice", "reporter", False)
    again = CliRunner().invoke(main, ["token", "revoke", "alice", "--db", database])
    assert again.exit_code == 1
    assert "no token named 'alice' to revoke" in again.stderr
