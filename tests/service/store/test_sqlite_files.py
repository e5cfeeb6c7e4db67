"""The SQLite store: one file that is its owner's, a log that does not last, and sentences instead of tracebacks."""

from __future__ import annotations

import datetime
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from sottovoce.errors import StoreError
from sottovoce.service.store import open_store, sqlite
from tests.collectors import make_plan, random_ids
from tests.conformance.test_stores import make_reports

DAY = datetime.date(2026, 3, 1)


def test_the_log_is_emptied_as_time_passes_and_readers_do_not_hold_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_TRUNCATE_SECONDS", 0.0)
    store = open_store(str(tmp_path / "c.db"))
    key, log = store.register(make_plan()), tmp_path / "c.db-wal"
    store.add(key.collection, DAY, make_reports(key, random_ids(5)), {})
    reader = sqlite3.connect(tmp_path / "c.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM counts").fetchone()
    store.add(key.collection, DAY, make_reports(key, random_ids(5)), {})
    store.upkeep()
    assert log.stat().st_size > 0
    reader.execute("COMMIT")
    reader.close()
    store.upkeep()
    assert log.stat().st_size == 0
    store.close()


def test_a_file_that_others_could_read_becomes_its_owners(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    sqlite3.connect(path).close()
    path.touch(0o644)
    path.chmod(0o644)
    open_store(str(path)).close()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of somebody else")
def test_a_database_that_belongs_to_somebody_else_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    open_store(str(path)).close()
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents[:3]:
        if "pytest" in str(parent):
            parent.chmod(0o755)
    code = f"import os, sottovoce.service.store.sqlite as s; os.setuid(65534); s.SQLiteStore({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "StoreError: cannot keep counts in" in done.stderr
    assert "belongs to user 0" in done.stderr


def test_a_directory_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot keep counts"):
        open_store(str(tmp_path))
