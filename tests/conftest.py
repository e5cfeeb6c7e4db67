"""Hypothesis draws the same examples in every run, and no test depends on how long one takes."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("sottovoce", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("sottovoce")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A PostgreSQL server that really runs, for the whole session."""
    from tests.postgres import running_postgres

    with running_postgres() as server:
        yield server


@pytest.fixture(autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of ids that stand in no file's directory are made in a directory of the test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp() / "state"))


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where a collector keeps its counts: a new SQLite file, or a new database of a real PostgreSQL server."""
    if request.param == "sqlite":
        return str(tmp_path / "collector.db")
    monkeypatch.setenv("SOTTOVOCE_KEYS", str(tmp_path / "keys"))
    from tests.postgres import create_database

    return create_database(request.getfixturevalue("postgres"), f"collector_{secrets.token_hex(6)}")
