"""Faults while people post: nothing acknowledged is lost, nothing counts twice, and how long nobody was answered.

    python benchmarks/fault_collector.py                      # SQLite: kill -9, twice
    python benchmarks/fault_collector.py --store postgres     # two replicas; PostgreSQL hangs; one replica is killed

Each connection posts a request until it is acknowledged, by whichever replica answers, and then the next. At the end
the counts are compared with what was acknowledged. Loopback alone; everything ends by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

import sottovoce as sv

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.collector import Bodies, read_answer  # noqa: E402
from tests.postgres import create_database, free_port, running_postgres  # noqa: E402


class Replica:
    """A collector that can be killed and started again on its port."""

    def __init__(self, plan: Path, database: str, keys: Path) -> None:
        self.port = free_port()
        command = [sys.executable, "-c", "from sottovoce.cli import main; main()", "serve", str(plan), "--db", database]
        self._command = [*command, "--port", str(self.port), "--keys", str(keys)]
        self.start()

    def start(self) -> None:
        """Start it."""
        self.process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        """Kill it without a word, and start it again after two seconds."""
        self.process.kill()
        self.process.wait()
        time.sleep(2)
        self.start()


class Crowd:
    """Connections that post until they are told to end."""

    def __init__(self, replicas: list[Replica], plan: sv.Plan, size: int) -> None:
        self.replicas, self.plan, self.size = replicas, plan, size
        self.acknowledged, self.duplicate, self.failed, self.last, self.silence = 0, 0, 0, time.monotonic(), 0.0
        self.ended = False

    async def post(self, number: int) -> None:
        """Post request after request, each until it is acknowledged."""
        bodies, turn = Bodies(self.plan, "json", self.size), number
        writer = None
        while not self.ended:
            request, done = bodies.next(), False
            while not done:
                turn += 1
                try:
                    if writer is None:
                        port = self.replicas[turn % len(self.replicas)].port
                        reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 5)
                    writer.write(request)
                    answer = await asyncio.wait_for(read_answer(reader), 40)
                    done = "counted" in answer
                except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError):
                    done = False
                if done:
                    now = time.monotonic()
                    self.silence, self.last = max(self.silence, now - self.last), now
                    self.acknowledged += self.size
                    self.duplicate += int(answer["duplicate"])  # type: ignore[call-overload]
                else:
                    self.failed += 1
                    if writer is not None:
                        writer.close()
                    writer = None
                    await asyncio.sleep(0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--size", type=int, default=1, help="reports of a request")
    parser.add_argument("--stop", type=float, default=30, help="seconds for which PostgreSQL is stopped")
    chosen = parser.parse_args()
    schema = sv.Schema([sv.Ordinal(f"attribute_{number}", 0, 63) for number in range(6)])
    about = {"purpose": "faults", "contact": "none", "expires": "2999-12-31"}
    plan = sv.Plan.create(schema, epsilon=1, users=5_000_000, **about)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        plan.save(folder / "plan.json")
        database, faults = str(folder / "c.db"), dict[str, Callable[[], None]]()
        if chosen.store == "postgres":
            database = create_database(stack.enter_context(running_postgres()), "faults")
            faults["backends ended"] = lambda: end_backends(database)
            faults[f"PostgreSQL stopped for {chosen.stop:.0f} s"] = lambda: stop_server(database, chosen.stop)
        replicas = [Replica(folder / "plan.json", database, folder / "keys")]
        time.sleep(6)
        if chosen.store == "postgres":
            replicas.append(Replica(folder / "plan.json", database, folder / "keys"))
            time.sleep(6)
        faults["kill -9 of a collector"] = replicas[-1].kill
        faults["kill -9 again"] = replicas[-1].kill
        try:
            crowd = Crowd(replicas, plan, chosen.size)
            asyncio.run(run(crowd, chosen.connections, faults))
        finally:
            for replica in replicas:
                replica.process.terminate()
                replica.process.wait(20)
        os.environ["SOTTOVOCE_KEYS"] = str(folder / "keys")
        counted = sv.Tally.from_store(plan, database).total
        print(
            f"{chosen.store}: acknowledged {crowd.acknowledged:,}, counted {counted:,}, lost or double "
            f"{abs(counted - crowd.acknowledged):,}, recognised again {crowd.duplicate:,}, "
            f"requests sent again {crowd.failed:,}"
        )


async def run(crowd: Crowd, connections: int, faults: dict[str, Callable[[], None]]) -> None:
    """Let the crowd post through one fault after the other."""
    posting = [asyncio.create_task(crowd.post(number)) for number in range(connections)]
    await asyncio.sleep(5)
    for name, fault in faults.items():
        crowd.silence, before = 0.0, crowd.acknowledged
        await asyncio.to_thread(fault)
        await asyncio.sleep(8)
        print(
            f"{name}: longest silence {crowd.silence:.1f} s, {crowd.acknowledged - before:,} acknowledged", flush=True
        )
    crowd.ended = True
    await asyncio.wait_for(asyncio.gather(*posting), 120)


def end_backends(database: str) -> None:
    """End all connections of the collectors, as a restart does."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")


def stop_server(database: str, seconds: float) -> None:
    """Stop every process of the server, as a hung machine does, and let it go on."""
    with psycopg.connect(database) as connection:
        (folder,) = connection.execute("SHOW data_directory").fetchone() or ("",)
    parent = int(Path(folder, "postmaster.pid").read_text().split()[0])
    children = [
        int(one)
        for one in subprocess.run(
            ["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False
        ).stdout.split()
    ]
    for one in (parent, *children):
        os.kill(one, signal.SIGSTOP)
    time.sleep(seconds)
    for one in (parent, *children):
        os.kill(one, signal.SIGCONT)


if __name__ == "__main__":
    main()
