"""``sottovoce token``: a secret is shown once, names are listed, and an ended token stays ended."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.calls import fail, run, succeed, text_of

auth = pytest.importorskip("sottovoce.service.auth", reason="the extra service is not installed")
store = pytest.importorskip("sottovoce.service.store", reason="the extra service is not installed")


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_token_is_all_that_creating_it_prints_and_it_proves_its_role() -> None:
    result = run("token", "create", "alice", "--db", "c.db")
    assert result.exit_code == 0, result.output
    text = result.stdout.rstrip("\n")
    kept = store.open_store("c.db")
    try:
        found = auth.check_token(kept, text)
    finally:
        kept.close()
    assert found is not None
    assert (found.name, found.role) == ("alice", "analyst")


def test_the_list_shows_names_and_days_and_no_secret() -> None:
    secrets = [succeed("token", "create", name, "--db", "c.db")["token"] for name in ("alice", "bob")]
    succeed("token", "revoke", "bob", "--db", "c.db")
    listed = succeed("token", "list", "--db", "c.db")["tokens"]
    assert {row["name"]: row["revoked"] is not None for row in listed} == {"alice": False, "bob": True}
    text = text_of("token", "list", "--db", "c.db")
    assert "alice analyst" in text
    assert not any(secret in text or secret.split("_", 2)[2] in text for secret in secrets)


def test_a_name_taken_or_unknown_is_refused_in_one_line() -> None:
    succeed("token", "create", "alice", "--db", "c.db")
    assert "alice" in fail("token", "create", "alice", "--db", "c.db")
    assert "sottovoce token list shows all" in fail("token", "revoke", "bob", "--db", "c.db")
    assert "'king' is not one of" in fail("token", "create", "carol", "--role", "king", "--db", "c.db", code=2)
    assert [row["name"] for row in succeed("token", "list", "--db", "c.db")["tokens"]] == ["alice"]


def test_people_are_told_who_is_revoked() -> None:
    succeed("token", "create", "alice", "--db", "c.db")
    assert text_of("token", "revoke", "alice", "--db", "c.db") == "alice is revoked"


def test_without_the_extra_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sottovoce.service.store", None)
    assert "pip install 'sottovoce[service]'" in fail("token", "list", "--db", "c.db")
