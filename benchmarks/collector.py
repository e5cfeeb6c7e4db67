"""How many reports a collector counts per second: SQLite and PostgreSQL, batches and single posts, as it fills up.

    python benchmarks/collector.py                       # SQLite, ten million reports
    python benchmarks/collector.py --store postgres      # a PostgreSQL server is started in a temporary directory
    python benchmarks/collector.py --reports 1000000 --form binary
    python benchmarks/collector.py --reports 0 --store postgres --workers 2 --connections 256

The collector is its own process, as `sottovoce serve` starts it; this process is the load. Both share the machine, and
PostgreSQL too, so a rate is that of all of them together. Every answer is checked, and so is the total at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import numpy as np
import psycopg

import sottovoce as sv
from sottovoce.plan.registry import PlanKeywords

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.postgres import create_database, free_port, running_postgres  # noqa: E402

BATCH, CONNECTIONS, SINGLES = 1_000, 8, 20_000
STEP = 1_000_000
POSTGRES = ("shared_buffers=2GB", "max_wal_size=8GB", "checkpoint_timeout=15min", "wal_compression=on")


class Bodies:
    """Makes requests with new ids: questions and codes are drawn once, only ids differ from one request to the next."""

    def __init__(self, plan: sv.Plan, form: str, size: int) -> None:
        self.form, self.size = form, size
        client = sv.Client(plan)
        record = dict.fromkeys(plan.schema.names, 17)
        reports = [client.draw(record) for _ in range(size)]
        head = f"POST /v1/plans/{plan.fingerprint}/reports HTTP/1.1\r\nhost: collector\r\n"
        if form == "binary":
            raw = [report.to_bytes() for report in reports]
            offsets = np.cumsum([0] + [len(one) for one in raw[:-1]]) + 33
            self._body, width, kind = np.frombuffer(b"".join(raw), np.uint8).copy(), 16, "octet-stream"
        else:
            texts = [report.to_json().encode() for report in reports]
            starts = np.cumsum([1] + [len(one) + 1 for one in texts[:-1]])
            offsets = starts + np.array([one.index(b'"id":"') + 6 for one in texts])
            self._body, width, kind = np.frombuffer(b"[" + b",".join(texts) + b"]", np.uint8).copy(), 32, "json"
        self._slots = offsets[:, None] + np.arange(width)
        self._head = f"{head}content-type: application/{kind}\r\ncontent-length: {len(self._body)}\r\n\r\n".encode()

    def next(self) -> bytes:
        """Return the next request, head and body."""
        ids = os.urandom(16 * self.size)
        raw = ids if self.form == "binary" else ids.hex().encode()
        self._body[self._slots] = np.frombuffer(raw, np.uint8).reshape(self.size, -1)
        return self._head + self._body.tobytes()


async def post(port: int, bodies: Bodies, requests: int, latencies: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(requests):
        request = bodies.next()
        started = time.perf_counter()
        writer.write(request)
        answer = await read_answer(reader)
        latencies.append(time.perf_counter() - started)
        assert answer["counted"] == bodies.size, answer
    writer.close()
    await writer.wait_closed()


async def read_answer(reader: asyncio.StreamReader) -> dict[str, object]:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
    answer: dict[str, object] = json.loads(await reader.readexactly(length))
    return answer


def drive(port: int, bodies: Bodies, connections: int, requests: int) -> tuple[float, list[float]]:
    """Return the reports per second, and every request's latency."""
    latencies: list[float] = []

    async def run() -> float:
        started = time.perf_counter()
        each = requests // connections
        await asyncio.gather(*[post(port, bodies, each, latencies) for _ in range(connections)])
        return each * connections * bodies.size / (time.perf_counter() - started)

    return asyncio.run(run()), latencies


@contextlib.contextmanager
def collector(plan: Path, database: str, *options: str) -> Iterator[tuple[int, int]]:
    """Yield the port and the process id of a collector."""
    port = free_port()
    command = [
        str(Path(sys.executable).with_name("sottovoce")),
        "serve",
        str(plan),
        "--db",
        database,
        "--port",
        str(port),
        *options,
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError):
                urlopen(f"http://127.0.0.1:{port}/healthz").close()
                break
            time.sleep(0.1)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()


def memory(pid: int) -> str:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(f"{int(line.split()[1]) // 1024} MB" for line in lines if line.startswith("VmRSS"))


def cpu(pid: int) -> float:
    """Return the processor time of a process and of its workers."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(cpu(int(child)) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def database_cpu(database: str) -> float:
    """Return the processor time of all processes of a PostgreSQL server; SQLite runs within the collector."""
    if "://" not in database:
        return 0.0
    with psycopg.connect(database) as connection:
        pids = connection.execute("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()").fetchall()
    return sum(cpu(pid) for (pid,) in pids)


def milliseconds(latencies: list[float]) -> str:
    low, high = np.percentile(latencies, [50, 99]) * 1000
    return f"p50 {low:6.1f} ms  p99 {high:7.1f} ms"


def measure(plan: sv.Plan, database: str, reports: int, form: str, workers: int, singles: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.json"
        plan.save(path)
        more = ("--workers", str(workers)) if workers > 1 else ()
        with collector(path, database, *more) as (port, pid):
            bodies = Bodies(plan, form, BATCH)
            for done in range(STEP, reports + 1, STEP):
                before, mine, theirs = cpu(pid), time.process_time(), database_cpu(database)
                rate, latencies = drive(port, bodies, CONNECTIONS, STEP // BATCH)
                used, load = (cpu(pid) - before) / STEP * 1e6, (time.process_time() - mine) / STEP * 1e6
                stored = (database_cpu(database) - theirs) / STEP * 1e6
                print(
                    f"{done:12,} ids  {rate:9,.0f} reports/s  {milliseconds(latencies)}  memory {memory(pid)}  "
                    f"processor us per report: collector {used:.1f}, database {stored:.1f}, load {load:.1f}  "
                    f"waiting processes {os.getloadavg()[0]:.1f}",
                    flush=True,
                )
            single = Bodies(plan, form, 1)
            before, mine, theirs = cpu(pid), time.process_time(), database_cpu(database)
            sent = SINGLES // singles * singles
            rate, latencies = drive(port, single, singles, SINGLES)
            used, load = (cpu(pid) - before) / sent * 1e6, (time.process_time() - mine) / sent * 1e6
            stored = (database_cpu(database) - theirs) / sent * 1e6
            print(
                f"single posts, {singles} connections: {rate:,.0f} reports/s  {milliseconds(latencies)}  "
                f"processor us per report: collector {used:.0f}, database {stored:.0f}, load {load:.0f}"
            )
            request = Request(f"http://127.0.0.1:{port}/metrics")
            text = urlopen(request).read().decode()
            counted = next(
                line for line in text.splitlines() if line.startswith('sottovoce_reports_total{outcome="counted"')
            )
            assert float(counted.split()[1]) == reports // STEP * STEP + sent, counted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--reports", type=int, default=10 * STEP, help="in whole millions; 0 for single posts alone")
    parser.add_argument("--form", choices=["json", "binary"], default="json")
    parser.add_argument("--workers", type=int, default=1, help="processes of the collector, on PostgreSQL")
    parser.add_argument("--connections", type=int, default=32, help="of single posts; workers share them")
    chosen = parser.parse_args()
    schema = sv.Schema([sv.Ordinal(f"attribute_{number}", 0, 63) for number in range(6)])
    about: PlanKeywords = {"purpose": "a benchmark", "contact": "none", "expires": "2999-12-31"}
    plan = sv.Plan.create(schema, epsilon=1, users=10_000_000, **about)
    print(
        f"{chosen.store}, {chosen.form}, {CONNECTIONS} connections, batches of {BATCH:,}, {os.cpu_count()} processors"
    )
    with contextlib.ExitStack() as stack:
        if chosen.store == "sqlite":
            database = stack.enter_context(tempfile.TemporaryDirectory()) + "/collector.db"
        else:
            server = stack.enter_context(running_postgres(*POSTGRES))
            database = create_database(server, "collector")
        measure(plan, database, chosen.reports, chosen.form, chosen.workers, chosen.connections)


if __name__ == "__main__":
    main()
