"""A stranger's attacks on a collector, without a token, while honest people post: memory, longest wait, log.

    python benchmarks/attack_collector.py                # fifteen minutes, SQLite, this machine alone
    python benchmarks/attack_collector.py --minutes 3 --store postgres

Attacks take turns: half-open connections, bodies of a gigabyte, held uploads, long headers, aborted and malformed
requests, and reports of as many different codes as a wide plan has. Everything ends by itself.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx

import sottovoce as sv
from sottovoce.plan.registry import PlanKeywords

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.postgres import create_database, free_port, running_postgres  # noqa: E402

CONNECTIONS = 2_000


class Target:
    """Where to send what."""

    def __init__(self, port: int, plan: sv.Plan) -> None:
        self.port, self.plan = port, plan
        self.path = f"/v1/plans/{plan.fingerprint}"
        self.reports = [sv.Client(plan).draw({"a": 1, "b": 2, "c": 3}) for _ in range(500)]

    def connect(self) -> socket.socket:
        """Return a new connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def head(self, rest: str, **headers: object) -> bytes:
        """Return the head of a post."""
        lines = [f"POST {self.path}{rest} HTTP/1.1", "host: c", "content-type: application/json"]
        return (
            "\r\n".join([*lines, *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items())]) + "\r\n\r\n"
        ).encode()


def half_open(target: Target, end: float) -> None:
    """Hold two thousand connections with half a header each."""
    with contextlib.ExitStack() as held:
        for _ in range(CONNECTIONS):
            with contextlib.suppress(OSError):
                held.enter_context(target.connect()).sendall(b"POST /v1/pl")
        while time.monotonic() < end:
            time.sleep(0.2)


def gigabytes(target: Target, end: float) -> None:
    """Send bodies without end to every route."""
    while time.monotonic() < end:
        for rest in ("/reports", "/fit", "/answers"):
            with contextlib.suppress(OSError), target.connect() as one:
                one.sendall(target.head(rest, transfer_encoding="chunked"))
                for _ in range(1024):
                    one.sendall(b"100000\r\n" + b" " * 2**20 + b"\r\n")
            with contextlib.suppress(OSError), target.connect() as one:
                one.sendall(target.head(rest, content_length=2**30))
                one.recv(100)


def held_uploads(target: Target, end: float) -> None:
    """Hold three hundred uploads of almost four megabytes."""
    with contextlib.ExitStack() as held:
        for _ in range(300):
            with contextlib.suppress(OSError):
                one = held.enter_context(target.connect())
                one.sendall(target.head("/reports", content_length=4_000_000) + b" " * 3_900_000)
        while time.monotonic() < end:
            time.sleep(0.2)


def long_headers(target: Target, end: float) -> None:
    """Send headers of 300 MB."""
    while time.monotonic() < end:
        with contextlib.suppress(OSError), target.connect() as one:
            one.sendall(b"GET / HTTP/1.1\r\nx: ")
            for _ in range(300):
                one.sendall(b"y" * 2**20)


def aborted(target: Target, end: float) -> None:
    """Abort requests in the middle, and send nonsense."""
    while time.monotonic() < end:
        for rest in (b"\0\1\2\r\n\r\n", target.head("/reports", content_length=900) + b"[{"):
            with contextlib.suppress(OSError), target.connect() as one:
                one.sendall(rest)


def wide(target: Target, end: float) -> None:
    """Report as many different codes as there are."""
    questions, number = target.plan.questions, 0
    with httpx.Client(timeout=30) as client:
        while time.monotonic() < end:
            rows = []
            for _ in range(5_000):
                number += 1
                question = number % len(questions)
                code = number * 7919 % int(questions.codes[question])
                rows.append(
                    f'{{"plan":"{target.plan.fingerprint}","id":"{os.urandom(16).hex()}",'
                    f'"question":{question},"code":{code}}}'
                )
            url = f"http://127.0.0.1:{target.port}{target.path}/reports"
            with contextlib.suppress(httpx.HTTPError):
                client.post(url, content="[" + ",".join(rows) + "]", headers={"content-type": "application/json"})


ATTACKS: tuple[Callable[[Target, float], None], ...] = (half_open, gigabytes, held_uploads, long_headers, aborted, wide)


def honest(target: Target, ended: threading.Event, waits: list[float], wrong: list[str]) -> None:
    """Post single reports until the end, each with a connection of its own, and note how long each took."""
    client = sv.Client(target.plan)
    while not ended.is_set():
        body = client.draw({"a": 1, "b": 2, "c": 3}).to_json().encode()
        request = target.head("/reports", content_length=len(body), connection="close") + body
        started = time.monotonic()
        try:
            with target.connect() as one:
                one.settimeout(30)
                one.sendall(request)
                answer = b"".join(iter(lambda: one.recv(4096), b""))
            if b'"counted":1' not in answer:
                wrong.append(answer[:12].decode("latin-1"))
        except OSError as error:
            wrong.append(type(error).__name__)
        waits.append(time.monotonic() - started)
        time.sleep(0.1)


def memory(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 2**20


def main() -> None:  # noqa: PLR0915 - one run from start to end
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--minutes", type=float, default=15)
    names = [attack.__name__ for attack in ATTACKS]
    parser.add_argument("--only", choices=names, action="append", help="leave the other attacks out")
    chosen = parser.parse_args()
    attacks = [attack for attack in ATTACKS if not chosen.only or attack.__name__ in chosen.only]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))
    schema = sv.Schema([sv.Ordinal(name, 0, 63) for name in "abc"])
    about: PlanKeywords = {"purpose": "an attack", "contact": "none", "expires": "2999-12-31"}
    plan = sv.Plan.create(schema, epsilon=1, users=1_000_000, mechanism="hio", **about)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        plan.save(folder / "plan.json")
        database = str(folder / "c.db")
        if chosen.store == "postgres":
            database = create_database(stack.enter_context(running_postgres()), "attacked")
        port, log = free_port(), stack.enter_context((folder / "log").open("w+b"))
        command = [sys.executable, "-c", "from sottovoce.cli import main; main()", "serve", str(folder / "plan.json")]
        command += ["--db", database, "--port", str(port), "--keys", str(folder / "keys")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)
        try:
            for _ in range(300):
                with contextlib.suppress(httpx.HTTPError):
                    httpx.get(f"http://127.0.0.1:{port}/livez")
                    break
                time.sleep(0.1)
            assert process.poll() is None, "the collector did not start"
            target, ended = Target(port, plan), threading.Event()
            waits, wrong = list[float](), list[str]()
            person = threading.Thread(target=honest, args=(target, ended, waits, wrong))
            person.start()
            time.sleep(5)
            start, worst = memory(process.pid), 0.0
            print(f"{chosen.store}: quiet, longest wait {max(waits):.2f} s, memory {start:.0f} MB", flush=True)
            each = (chosen.minutes * 60 - 5) / len(attacks)
            for attack in attacks:
                first, most = len(waits), 0.0
                attacker = multiprocessing.Process(target=attack, args=(target, time.monotonic() + each))
                attacker.start()
                while attacker.is_alive():
                    most = max(most, memory(process.pid))
                    time.sleep(0.2)
                assert process.poll() is None, f"the collector did not survive {attack.__name__}"
                worst = max(worst, most)
                slow = sorted(waits[first:] or [0.0])
                print(
                    f"{attack.__name__:12} memory at most {most - start:+5.0f} MB  honest: {len(slow)} posts, "
                    f"median {slow[len(slow) // 2]:.2f} s, longest {slow[-1]:.2f} s",
                    flush=True,
                )
            ended.set()
            person.join()
            print(f"memory at most {worst - start:+.0f} MB, {len(wrong)} honest posts failed: {sorted(set(wrong))}")
        finally:
            process.terminate()
            process.wait(20)
        log.seek(0)
        text = log.read().decode()
        print(f"the log has {len(text.splitlines())} lines:", text[:500])


if __name__ == "__main__":
    main()
