"""Faults while people post: nothing acknowledged is lost, nothing counts twice, and how long nobody was answered.

    python benchmarks/fault_collector.py                      # SQLite: two collectors on one file
    python benchmarks/fault_collector.py --store postgres     # two collectors; PostgreSQL restarts, hangs, falls silent
    python benchmarks/fault_collector.py --singles 200000     # go on until so many single posts were acknowledged

Some connections post one report at a time, some post batches. Each request is posted until it is acknowledged, by
whichever collector answers, and then the next. At the end the counts are compared with what was acknowledged. A full
disk is a real one, a small file system in memory, which only root may mount; others leave that fault out. Loopback
alone; everything ends by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import os
import pwd
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg

import sottovoce as sv
from sottovoce.plan.registry import PlanKeywords

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.collector import Bodies, read_answer  # noqa: E402
from tests.postgres import create_database, find_binaries, free_port, running_postgres  # noqa: E402
from tests.silent_peer import Wire, wire_to  # noqa: E402

DISK = 512 * 2**20


class Replica:
    """A collector that can be killed and started again on its port, of this version or of another's source."""

    def __init__(self, plan: Path, database: str, *options: str, source: Path | None = None) -> None:
        self.port = free_port()
        command = [sys.executable, "-c", "from sottovoce.cli import main; main()", "serve", str(plan), "--db", database]
        self._command = [*command, "--port", str(self.port), *options]
        self._environment = dict(os.environ, **({"PYTHONPATH": str(source)} if source else {}))
        self.start()

    def start(self) -> None:
        """Start it."""
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(self._command, stdout=quiet, stderr=quiet, env=self._environment)

    def wait(self) -> None:
        """Return when it listens."""
        while self.process.poll() is None:
            with contextlib.suppress(OSError):
                asyncio.run(_connect(self.port))
                return
            time.sleep(0.1)
        raise SystemExit("a collector did not start")

    def kill(self) -> None:
        """Kill it without a word, start it again after two seconds, and return when it listens."""
        self.process.kill()
        self.process.wait()
        time.sleep(2)
        self.start()
        self.wait()

    def hang(self, seconds: float) -> None:
        """Stop it in the middle of whatever it does, and let it go on."""
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)


async def _connect(port: int) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.close()


class Crowd:
    """Connections that post until they are told to end."""

    def __init__(self, replicas: list[Replica], plan: sv.Plan) -> None:
        self.replicas, self.plan = replicas, plan
        self.acknowledged, self.singles, self.duplicate, self.failed = 0, 0, 0, 0
        self.last, self.silence = time.monotonic(), 0.0
        self.ended = False

    async def post(self, number: int, size: int) -> None:
        """Post request after request of so many reports, each until it is acknowledged."""
        bodies, turn = Bodies(self.plan, "json", size), number
        writer: asyncio.StreamWriter | None = None
        while not self.ended:
            request, done = bodies.next(), False
            while not done:
                turn += 1
                try:
                    if writer is None:
                        port = self.replicas[turn % len(self.replicas)].port
                        reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 5)
                    assert writer is not None
                    writer.write(request)
                    answer = await asyncio.wait_for(read_answer(reader), 40)
                    done = "counted" in answer
                except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError):
                    done = False
                if done:
                    now = time.monotonic()
                    self.silence, self.last = max(self.silence, now - self.last), now
                    self.acknowledged += size
                    self.singles += size == 1
                    self.duplicate += int(answer["duplicate"])  # type: ignore[call-overload]
                else:
                    self.failed += 1
                    if writer is not None:
                        writer.close()
                    writer = None
                    await asyncio.sleep(0.2)
        if writer is not None:
            writer.close()


Faults = list[tuple[str, Callable[[], None]]]


async def run(crowd: Crowd, chosen: argparse.Namespace, faults: Faults) -> None:
    """Let the crowd post through one fault after the other, and on until enough was acknowledged."""
    started = time.monotonic()
    posting = [asyncio.create_task(crowd.post(number, 1)) for number in range(chosen.connections)]
    posting += [asyncio.create_task(crowd.post(number, chosen.size)) for number in range(chosen.gateways)]
    await asyncio.sleep(5)
    for name, fault in faults:
        crowd.silence, before, failed = 0.0, crowd.acknowledged, crowd.failed
        await asyncio.to_thread(fault)
        await asyncio.sleep(8)
        silence = max(crowd.silence, time.monotonic() - crowd.last)
        print(
            f"{name}: longest silence {silence:.1f} s, {crowd.acknowledged - before:,} acknowledged, "
            f"{crowd.failed - failed:,} requests sent again",
            flush=True,
        )
    end = started + 60 * chosen.minutes
    while (crowd.singles < chosen.singles or crowd.acknowledged < chosen.reports) and time.monotonic() < end:
        await asyncio.sleep(1)
    crowd.ended = True
    await asyncio.wait_for(asyncio.gather(*posting), 120)


def end_backends(database: str) -> None:
    """End all connections of the collectors."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")


def data_directory(database: str) -> Path:
    with psycopg.connect(database) as connection:
        (place,) = connection.execute("SHOW data_directory").fetchone() or ("",)
    return Path(place)


def restart_server(database: str, *, kill: bool) -> None:
    """Restart PostgreSQL; or kill it without a word and start it again after three seconds."""
    data, binaries = data_directory(database), find_binaries()
    user = "postgres" if os.geteuid() == 0 else None
    command = [f"{binaries}/pg_ctl", "-D", str(data), "-l", str(data.parent / "log"), "-w", "-t", "120", "-m", "fast"]
    if kill:
        os.kill(int((data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        time.sleep(3)
    subprocess.run([*command, "restart"], user=user, cwd=data.parent, stdout=subprocess.DEVNULL, check=True)


def hang_server(database: str, seconds: float) -> None:
    """Stop every process of the server, as a hung machine does, and let it go on."""
    parent = int((data_directory(database) / "postmaster.pid").read_text().split()[0])
    found = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False)
    everyone = [parent, *map(int, found.stdout.split())]
    for one in everyone:
        os.kill(one, signal.SIGSTOP)
    time.sleep(seconds)
    for one in everyone:
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGCONT)


def fall_silent(wire: Wire, seconds: float) -> None:
    """Let nothing through to the database and nothing back, without closing anything."""
    wire.silent.set()
    time.sleep(seconds)
    wire.silent.clear()


def fill_disk(mount: Path, seconds: float) -> None:
    """Fill a file system to the last byte, and make room again."""
    filler = mount / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(2**16))
    with filler.open("ab", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"0")
    time.sleep(seconds)
    filler.unlink()


@contextlib.contextmanager
def small_disk(place: Path, *, owner: str | None) -> Iterator[Path | None]:
    """Yield a file system of its own, or nothing where mounting is not allowed."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        if owner is not None:
            account = pwd.getpwnam(owner)
            os.chown(place, account.pw_uid, account.pw_gid)
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def prepare(chosen: argparse.Namespace, stack: contextlib.ExitStack, folder: Path) -> tuple[str, str, Faults]:
    """Return the database as collectors see it, as this program does, and the faults of its store."""
    faults: Faults = []
    if chosen.store == "sqlite":
        disk = stack.enter_context(small_disk(folder / "disk", owner=None))
        if disk is not None:
            faults.append(("disk full for 10 s", functools.partial(fill_disk, disk, 10)))
        database = str((disk or folder) / "c.db")
        return database, database, faults
    folder.chmod(0o711)
    server = stack.enter_context(running_postgres())
    disk = stack.enter_context(small_disk(folder / "disk", owner="postgres" if os.geteuid() == 0 else None))
    if disk is None:
        direct = create_database(server, "faults")
    else:
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE TABLESPACE small LOCATION '{disk}'".encode())
            connection.execute("CREATE DATABASE faults TABLESPACE small")
        direct = f"{server}/faults"
        faults.append(("disk full for 10 s", functools.partial(fill_disk, disk, 10)))
    wire = stack.enter_context(wire_to(int(server.rpartition(":")[2])))
    seen = direct.replace(server.rpartition(":")[2], str(wire.port))
    faults += [
        ("PostgreSQL restarted", lambda: restart_server(direct, kill=False)),
        ("PostgreSQL killed", lambda: restart_server(direct, kill=True)),
        ("backends ended", lambda: end_backends(direct)),
        (f"PostgreSQL hangs for {chosen.stop:.0f} s", lambda: hang_server(direct, chosen.stop)),
        (f"connections black-holed for {chosen.stop:.0f} s", lambda: fall_silent(wire, chosen.stop)),
    ]
    return seen, direct, faults


def make_plan() -> sv.Plan:
    """Return the plan of a national survey."""
    schema = sv.Schema([sv.Ordinal(f"attribute_{number}", 0, 63) for number in range(6)])
    about: PlanKeywords = {"purpose": "faults", "contact": "none", "expires": "2999-12-31"}
    return sv.Plan.create(schema, epsilon=1, users=5_000_000, **about)


def tell(what: str, crowd: Crowd, plan: sv.Plan, database: str, keys: Path) -> None:
    """Print what was acknowledged beside what was counted."""
    os.environ["SOTTOVOCE_KEYS"] = str(keys)
    counted = sv.Tally.from_store(plan, database).total
    print(
        f"{what}: acknowledged {crowd.acknowledged:,} ({crowd.singles:,} single posts), counted {counted:,}, "
        f"lost {max(0, crowd.acknowledged - counted):,}, double {max(0, counted - crowd.acknowledged):,}, "
        f"recognised again {crowd.duplicate:,}, requests sent again {crowd.failed:,}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--connections", type=int, default=256, help="that post one report at a time")
    parser.add_argument("--gateways", type=int, default=1, help="connections that post batches")
    parser.add_argument("--size", type=int, default=500, help="reports of a batch")
    parser.add_argument("--stop", type=float, default=30, help="for how many seconds something hangs")
    parser.add_argument("--singles", type=int, default=0, help="go on until so many single posts were acknowledged")
    parser.add_argument("--reports", type=int, default=0, help="and so many reports")
    parser.add_argument("--minutes", type=float, default=30, help="but no longer than this")
    chosen = parser.parse_args()
    plan = make_plan()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        plan.save(folder / "plan.json")
        database, direct, faults = prepare(chosen, stack, folder)
        replicas = list[Replica]()
        try:
            for _ in range(2):
                replicas.append(Replica(folder / "plan.json", database, "--keys", str(folder / "keys")))
                replicas[-1].wait()
            faults.append((f"a collector hangs for {chosen.stop:.0f} s", lambda: replicas[0].hang(chosen.stop)))
            faults += [("kill -9 of one of two collectors", replicas[1].kill), ("of the other", replicas[0].kill)]
            crowd = Crowd(replicas, plan)
            asyncio.run(run(crowd, chosen, faults))
        finally:
            for replica in replicas:
                replica.process.terminate()
                replica.process.wait(20)
        tell(chosen.store, crowd, plan, direct, folder / "keys")


if __name__ == "__main__":
    main()
