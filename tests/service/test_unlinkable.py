"""Whoever steals the store, its log files and the devices' ids cannot tell which answer belongs to an id."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from sottovoce.client.report import Report
from tests.collectors import as_array, draw, make_plan, running

POSTS = 60


def all_bytes(database: str) -> Iterator[bytes]:
    """Yield every file of a store, its write-ahead log included, as a thief of the disk gets them."""
    if "://" in database:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
            (folder,) = connection.execute("SHOW data_directory").fetchone() or ("",)
            (number,) = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()  # type: ignore[misc]
        paths = [*Path(folder, "base", str(number)).iterdir(), *Path(folder, "pg_wal").glob("0*")]
    else:
        paths = [path for path in Path(database).parent.glob(Path(database).name + "*") if path.is_file()]
    for path in paths:
        yield path.read_bytes()


def commits(path: Path, copy: Path) -> Iterator[tuple[bytes, set[tuple[int, ...]]]]:
    """Yield for each commit in a write-ahead log the pages it wrote, and all counts after it."""
    base, log = bytearray(path.read_bytes()), Path(f"{path}-wal").read_bytes()
    size = struct.unpack(">I", log[8:12])[0] if log else 4096
    written = b""
    for start in range(32, len(log), 24 + size):
        page, committed = struct.unpack(">II", log[start : start + 8])
        if log[start + 8 : start + 16] != log[16:24]:
            return  # frames of an earlier round of the log
        content = log[start + 24 : start + 24 + size]
        base[len(base) :] = bytes(max(0, page * size - len(base)))
        base[(page - 1) * size : page * size] = content
        written += content
        if committed:
            image = bytearray(base)
            image[18:20] = b"\1\1"  # so that SQLite looks for no log beside the copy
            copy.write_bytes(image)
            reader = sqlite3.connect(copy)
            yield written, set(reader.execute("SELECT plan, question, code, count FROM counts"))
            reader.close()
            written = b""


def linked_by_log(database: str, digests: dict[bytes, Report], copy: Path) -> int:
    """Return how many ids a thief of a SQLite file and its log links to their answer, commit by commit."""
    found, before, seen = 0, set[tuple[int, ...]](), set[bytes]()
    for written, counts in commits(Path(database), copy):
        new = {digest for digest in digests if digest in written} - seen
        changed = {row[1:3] for row in counts - before}
        if len(new) == len(changed) == 1:
            report = digests[next(iter(new))]
            found += changed == {(report.question, report.code)}
        seen |= new
        before = counts
    return found


def linked_by_transaction(database: str, digests: dict[bytes, Report]) -> int:
    """Return how many ids plain SQL links to their answer by the number of the transaction that wrote both."""
    with psycopg.connect(database) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        named = [name for (name,) in tables if name in ("report_ids", "report_digests", "plain_ids")]
        found = 0
        for name in named:
            column = "id" if name != "report_digests" else "digest"
            rows = connection.execute(
                f"SELECT uuid_send({column}), question, code FROM {name} k JOIN counts c ON c.xmin = k.xmin".encode()
            )
            found += sum(
                raw in digests and (question, code) == (digests[raw].question, digests[raw].code)
                for raw, question, code in rows
            )
    return found


def test_no_id_that_a_device_sent_stands_in_any_byte_of_the_store_or_its_log(database: str) -> None:
    plan = make_plan()
    with running([plan], database, commit_seconds=0.0) as collector:
        reports = draw(plan, POSTS)
        for report in reports:
            assert collector.post(plan, report.to_json()).json()["counted"] == 1
        files = list(all_bytes(database))
        assert not [report.id for report in reports if any(bytes.fromhex(report.id) in raw for raw in files)]
        assert not [report.id for report in reports if any(report.id.encode() in raw for raw in files)]


def test_a_stolen_store_links_no_id_to_its_answer(database: str, tmp_path: Path) -> None:
    plan = make_plan()
    with running([plan], database, commit_seconds=0.0) as collector:
        reports = draw(plan, POSTS)
        for report in reports:
            collector.post(plan, report.to_json())
        known = {bytes.fromhex(report.id): report for report in reports}
        if "://" in database:
            assert linked_by_transaction(database, known) == 0
        else:
            assert linked_by_log(database, known, tmp_path / "copy.db") == 0


def test_after_upkeep_even_the_key_links_nothing_by_commits(database: str, tmp_path: Path) -> None:
    plan = make_plan()
    with running([plan], database, commit_seconds=0.0) as collector:
        reports = draw(plan, POSTS)
        for report in reports:
            collector.post(plan, report.to_json())
        state = collector.server.config.app.state.collector  # type: ignore[union-attr]
        state.store.upkeep(now=True)
        served = state.served[plan.fingerprint]
        digest = state.store.keys.of(plan.collection).digest
        known = {digest(bytes.fromhex(report.id)): report for report in reports}
        assert served.plan == plan
        assert any(raw in file for raw in known for file in all_bytes(database)), "the thief's key is the right one"
        if "://" in database:
            assert linked_by_transaction(database, known) == 0
        else:
            assert Path(f"{database}-wal").stat().st_size == 0
            assert linked_by_log(database, known, tmp_path / "copy.db") == 0
        assert collector.total(plan) == POSTS


def test_a_single_report_waits_for_others_and_a_crowd_does_not(tmp_path: Path) -> None:
    plan = make_plan()
    with running([plan], str(tmp_path / "c.db"), commit_reports=20, commit_seconds=60.0) as collector:
        receipt = collector.post(plan, as_array(draw(plan, 20))).json()
        assert receipt["counted"] == 20


def test_only_their_owner_reads_the_store_and_its_keys(tmp_path: Path) -> None:
    plan = make_plan()
    database = tmp_path / "c.db"
    with running([plan], str(database)) as collector:
        collector.post(plan, as_array(draw(plan, 20)))
        found = [path for path in tmp_path.rglob("*") if path.name.startswith(("c.db", plan.collection))]
        assert {f"c.db{end}" for end in ("", "-wal", "-shm", ".keys")} <= {path.name for path in found}
        assert [path for path in found if path.stat().st_mode & 0o077] == []


@pytest.mark.parametrize("deleted", ["settled", "recent"])
def test_what_is_deleted_from_a_file_is_overwritten(tmp_path: Path, deleted: str) -> None:
    from sottovoce.service.store import open_store

    store = open_store(str(tmp_path / f"{deleted}.db"))
    writer = store._writer  # type: ignore[attr-defined]
    assert writer.execute("PRAGMA secure_delete").fetchone() == (1,)
    store.close()
