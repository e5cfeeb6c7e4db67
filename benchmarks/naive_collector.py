"""What most people would write: an endpoint that checks a report and inserts one row per request.

    python benchmarks/naive_collector.py                     # beside the collector, SQLite, single posts
    python benchmarks/naive_collector.py --store postgres --connections 64

Each is a process of its own under uvicorn; this process is the load, first on one, then on the other, in turns, so that
both see the same machine. A report is acknowledged by both when it is on disk.
"""

from __future__ import annotations

import argparse
import contextlib
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

from pydantic import BaseModel

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))


class One(BaseModel):
    """A report as the naive endpoint checks it."""

    plan: str
    id: str
    question: int
    code: int


def make_app(database: str):
    """Return the naive endpoint."""
    import psycopg_pool
    from fastapi import FastAPI

    app = FastAPI()

    if "://" in database:
        pool = psycopg_pool.AsyncConnectionPool(database, min_size=8, max_size=8, open=False)

        @app.on_event("startup")
        async def opened() -> None:
            await pool.open()
            async with pool.connection() as connection:
                await connection.execute("CREATE TABLE reports (id text PRIMARY KEY, question bigint, code bigint)")

        @app.post("/v1/plans/{fingerprint}/reports")
        async def post(fingerprint: str, one: One) -> dict[str, int]:
            async with pool.connection() as connection:
                sql = "INSERT INTO reports VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
                done = await connection.execute(sql, (one.id, one.question, one.code))
                return {"counted": done.rowcount, "duplicate": 1 - done.rowcount}
    else:
        writer = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA synchronous = FULL")
        writer.execute("CREATE TABLE reports (id text PRIMARY KEY, question integer, code integer)")

        @app.post("/v1/plans/{fingerprint}/reports")
        async def post_sqlite(fingerprint: str, one: One) -> dict[str, int]:
            sql = "INSERT OR IGNORE INTO reports VALUES (?, ?, ?)"
            done = writer.execute(sql, (one.id, one.question, one.code))
            return {"counted": done.rowcount, "duplicate": 1 - done.rowcount}

    @app.get("/livez")
    async def live() -> dict[str, str]:
        return {"status": "ok"}

    return app


@contextlib.contextmanager
def process(*command: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a server that answers."""
    running = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError):
                urlopen(f"http://127.0.0.1:{port}/livez").close()
                break
            time.sleep(0.1)
        yield running
    finally:
        running.terminate()
        running.wait()


def alone(plan):
    """Return what makes requests of one report by itself, not of an array of one."""
    from benchmarks.collector import Bodies

    bodies = Bodies(plan, "json", 1)
    bodies._body = bodies._body[1:-1].copy()
    bodies._slots = bodies._slots - 1
    head, _, rest = bodies._head.partition(b"content-length: ")
    bodies._head = head + b"content-length: " + str(len(bodies._body)).encode() + rest[rest.index(b"\r\n") :]
    return bodies


def main() -> None:
    import numpy as np
    from benchmarks.collector import cpu, drive
    from tests.postgres import create_database, free_port, running_postgres

    import sottovoce as sv
    from sottovoce.plan.registry import PlanKeywords

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--posts", type=int, default=6_000, help="per round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", metavar="PORT:DATABASE", help="be the naive endpoint")
    chosen = parser.parse_args()
    if chosen.serve:
        import uvicorn

        port, _, database = chosen.serve.partition(":")
        uvicorn.run(make_app(database), port=int(port), access_log=False, log_level="error")
        return
    schema = sv.Schema([sv.Ordinal(f"attribute_{number}", 0, 63) for number in range(6)])
    about: PlanKeywords = {"purpose": "a benchmark", "contact": "none", "expires": "2999-12-31"}
    plan = sv.Plan.create(schema, epsilon=1, users=5_000_000, **about)
    bodies = alone(plan)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        plan.save(folder / "plan.json")
        ports, databases = (free_port(), free_port()), (str(folder / "ours.db"), str(folder / "naive.db"))
        if chosen.store == "postgres":
            server = stack.enter_context(running_postgres("shared_buffers=512MB"))
            databases = (create_database(server, "ours"), create_database(server, "naive"))
        ours = stack.enter_context(
            process(
                *(
                    "-c",
                    "from sottovoce.cli import main; main()",
                    "serve",
                    str(folder / "plan.json"),
                    "--db",
                    databases[0],
                ),
                *("--port", str(ports[0]), "--keys", str(folder / "keys")),
                port=ports[0],
            )
        )
        naive = stack.enter_context(process(__file__, "--serve", f"{ports[1]}:{databases[1]}", port=ports[1]))
        rates: dict[str, list[float]] = {"collector": [], "naive": []}
        for number in range(chosen.rounds):
            for name, running, port in (("collector", ours, ports[0]), ("naive", naive, ports[1])):
                before = cpu(running.pid)
                rate, latencies = drive(port, bodies, chosen.connections, chosen.posts)
                used = (cpu(running.pid) - before) / chosen.posts * 1e6
                low, high = np.percentile(latencies, [50, 99]) * 1000
                rates[name].append(rate)
                print(
                    f"round {number + 1}  {name:9}  {rate:7,.0f} posts/s  p50 {low:6.1f} ms  p99 {high:7.1f} ms  "
                    f"processor {used:5.0f} us",
                    flush=True,
                )
        ratio = np.median(rates["collector"]) / np.median(rates["naive"])
        print(
            f"{chosen.store}, {chosen.connections} connections: the collector takes {ratio:.2f} times the naive posts"
        )


if __name__ == "__main__":
    main()
