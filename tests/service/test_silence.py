"""A collector keeps and logs nothing about who asks: no address, no header, no time finer than a day."""

from __future__ import annotations

import contextlib
import logging
import re
import sqlite3
from pathlib import Path

import psycopg
import pytest

from sottovoce.service.store import open_store
from tests.collectors import as_array, draw, make_plan, running

ADDRESS, AGENT, SECRET = "127.83.12.9", "Telltale/7.3", "telltale-header-value"


def dump(database: str) -> str:
    """Return every value of every table as text, and of SQLite the bytes of its files too."""
    if "://" in database:
        with psycopg.connect(database) as connection:
            tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
            rows = [connection.execute(f"SELECT t::text FROM {name} t".encode()).fetchall() for (name,) in tables]
            return repr(rows)
    files = [path for path in Path(database).parent.glob(Path(database).name + "*") if path.is_file()]
    raw = b"".join(path.read_bytes() for path in files)
    with contextlib.closing(sqlite3.connect(database)) as reader, reader:
        tables = reader.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        rows = [reader.execute(f"SELECT * FROM {name}").fetchall() for (name,) in tables]
    reader.close()
    return repr(rows) + raw.decode("latin-1")


def test_neither_the_database_nor_any_log_holds_the_clients_address_or_headers(
    database: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    plan = make_plan()
    with caplog.at_level(logging.INFO), running([plan], database, source=ADDRESS) as collector:
        caplog.handler.setLevel(logging.INFO)
        logging.getLogger("httpx").setLevel(logging.WARNING)
        collector.http.headers.update(
            {"user-agent": AGENT, "x-forwarded-for": ADDRESS, "forwarded": f"for={ADDRESS}", "cookie": SECRET}
        )
        collector.post(plan, as_array(draw(plan, 20)))
        collector.post(plan, "[{}, nonsense")
        collector.post(plan, "[{}]")
        collector.http.get(f"/nowhere?{SECRET}")
        collector.http.get(collector.path(plan, "/status"), headers={"authorization": f"Bearer {SECRET}"})
        metrics = collector.http.get("/metrics").text
        assert collector.total(plan) == 20
        kept = dump(database)
    said = caplog.text + "".join(capfd.readouterr()) + metrics
    for telltale in (ADDRESS, AGENT, SECRET, ADDRESS.encode().hex()):
        assert telltale not in kept
        assert telltale not in said


def test_no_time_finer_than_a_day_is_kept(database: str) -> None:
    plan = make_plan()
    with running([plan], database) as collector:
        collector.post(plan, as_array(draw(plan, 20)))
        collector.total(plan)
        kept = dump(database)
    assert not re.search(r"\d\d:\d\d:\d\d", kept), "a time of day"
    if "://" in database:
        with psycopg.connect(database) as connection:
            types = connection.execute(
                "SELECT DISTINCT data_type FROM information_schema.columns WHERE table_schema = 'public'"
            ).fetchall()
        assert not [kind for (kind,) in types if kind.startswith("time")]


def test_digests_and_answers_stand_apart_and_digests_in_their_own_order(database: str) -> None:
    plan = make_plan()
    with running([plan], database) as collector:
        reports = draw(plan, 300)
        collector.post(plan, as_array(reports))
    store = open_store(database)
    key = store.register(plan)
    assert sum(int(counts.count.sum()) for counts in store.counts(key.collection)) == 300
    digest = store.keys.of(plan.collection).digest
    store.close()
    if "://" in database:
        with psycopg.connect(database) as connection:
            rows = connection.execute("SELECT digest FROM report_digests ORDER BY ctid")
            kept = [str(row[0]).replace("-", "") for row in rows]
    else:
        with contextlib.closing(sqlite3.connect(database)) as reader, reader:
            runs = reader.execute("SELECT digests FROM recent_digests").fetchall()
        reader.close()
        kept = [one for (run,) in runs for one in re.findall("." * 32, run.hex())]
    assert kept == sorted(digest(bytes.fromhex(report.id)).hex() for report in reports)
