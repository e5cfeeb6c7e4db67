"""Two thousand browsers through nginx with TLS: the collector beside an endpoint that inserts one row per request.

    python benchmarks/browsers.py                              # SQLite, a minute each, in turns
    python benchmarks/browsers.py --store postgres --pause 1   # two thousand posts a second
    python benchmarks/browsers.py --store postgres --commit-seconds 0.005

Every client has a TLS connection of its own, which it keeps, and posts one report after a pause by chance. nginx runs
with the block of deploy/, only its addresses and the limit of connections by address changed (all clients come from one
here). Clients, nginx, database and servers share this machine, so compare the two rather than trust either.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import resource
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import sottovoce as sv
from sottovoce.plan.registry import PlanKeywords

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.collector import Bodies, cpu, read_answer  # noqa: E402
from benchmarks.naive_collector import alone, process  # noqa: E402
from tests.postgres import create_database, free_port, running_postgres  # noqa: E402

TRUSTING = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
TRUSTING.check_hostname, TRUSTING.verify_mode = False, ssl.CERT_NONE


@contextlib.contextmanager
def nginx(folder: Path, upstream: int) -> Iterator[int]:
    """Yield the port of an nginx with the block of deploy/, in front of a port of this machine."""
    folder.mkdir()
    port, key, certificate = free_port(), folder / "key.pem", folder / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*made, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    block = (ROOT / "deploy" / "nginx-collector.conf").read_text()
    for old, new in {
        "127.0.0.1:8470": f"127.0.0.1:{upstream}",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl backlog=4096",
        "/etc/ssl/collector.pem": str(certificate),
        "/etc/ssl/collector.key": str(key),
        "/var/log/nginx/collector.log": str(folder / "error.log"),
        "limit_conn addresses 64": "limit_conn addresses 20000",
    }.items():
        assert old in block, old
        block = block.replace(old, new)
    user = "user root;" if os.geteuid() == 0 else ""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    whole = f"{user}daemon off; pid {folder}/pid; error_log {folder}/error.log crit; worker_rlimit_nofile 65536;\n"
    whole += "events { worker_connections 16384; }\n"
    (folder / "nginx.conf").write_text(f"{whole}http {{ {temporary}\n{block}\n}}\n")
    running = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        yield port
    finally:
        running.terminate()
        running.wait(20)


async def browse(port: int, bodies: Bodies, chosen: argparse.Namespace, end: float, found: list[float]) -> int:
    """Be one browser until the end; return how often something failed."""
    failed, writer = 0, None
    await asyncio.sleep(random.random() * chosen.pause)
    while time.monotonic() < end:
        try:
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=TRUSTING)
            request, started = bodies.next(), time.perf_counter()
            writer.write(request)
            answer = await asyncio.wait_for(read_answer(reader), 60)
            if answer.get("counted") == 1:
                found.append(time.perf_counter() - started)
            else:
                failed += 1
        except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError):
            failed, writer = failed + 1, None
        await asyncio.sleep(min(random.expovariate(1 / chosen.pause), max(0.0, end - time.monotonic())))
    if writer is not None:
        writer.close()
    return failed


async def crowd(port: int, bodies: Bodies, chosen: argparse.Namespace) -> tuple[list[float], int]:
    """Return how long every post took, those of the first seconds with their handshakes left out, and failures."""
    found, end = list[float](), time.monotonic() + chosen.seconds
    tasks = [asyncio.create_task(browse(port, bodies, chosen, end, found)) for _ in range(chosen.clients)]
    await asyncio.sleep(chosen.pause * 2)
    found.clear()
    return found, sum(await asyncio.gather(*tasks))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--clients", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=6, help="mean seconds between two posts of a client")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--commit-seconds", type=float, default=0.2, help="how long the collector's commits may wait")
    chosen = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
    schema = sv.Schema([sv.Ordinal(f"attribute_{number}", 0, 63) for number in range(6)])
    about: PlanKeywords = {"purpose": "a benchmark", "contact": "none", "expires": "2999-12-31"}
    plan = sv.Plan.create(schema, epsilon=1, users=5_000_000, **about)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        folder.chmod(0o711)
        plan.save(folder / "plan.json")
        ports, databases = (free_port(), free_port()), (str(folder / "ours.db"), str(folder / "naive.db"))
        if chosen.store == "postgres":
            server = stack.enter_context(running_postgres("shared_buffers=512MB"))
            databases = (create_database(server, "ours"), create_database(server, "naive"))
        serve = ["-c", "from sottovoce.cli import main; main()", "serve", str(folder / "plan.json"), "--db"]
        serve += [databases[0], "--port", str(ports[0]), "--keys", str(folder / "keys")]
        serve += ["--commit-seconds", str(chosen.commit_seconds)]
        naive_command = [str(ROOT / "benchmarks" / "naive_collector.py"), "--serve", f"{ports[1]}:{databases[1]}"]
        ours = stack.enter_context(process(*serve, port=ports[0]))
        naive = stack.enter_context(process(*naive_command, port=ports[1]))
        fronts = [stack.enter_context(nginx(folder / f"nginx{number}", port)) for number, port in enumerate(ports)]
        time.sleep(1)
        high: dict[str, list[float]] = {"collector": [], "naive": []}
        for number in range(chosen.rounds):
            for name, running, port in (("collector", ours, fronts[0]), ("naive", naive, fronts[1])):
                before, started = cpu(running.pid), time.monotonic()
                found, failed = asyncio.run(crowd(port, alone(plan), chosen))
                used = (cpu(running.pid) - before) / (time.monotonic() - started) * 100
                low, middle, top = np.percentile(found, [50, 90, 99]) * 1000
                high[name].append(float(top))
                print(
                    f"round {number + 1}  {name:9}  {len(found):6,} posts, {failed} failed  p50 {low:6.1f}  "
                    f"p90 {middle:6.1f}  p99 {top:7.1f} ms  processor {used:.0f} %  "
                    f"waiting processes {os.getloadavg()[0]:.1f}",
                    flush=True,
                )
        ratio = np.median(high["collector"]) / np.median(high["naive"])
        print(f"{chosen.store}, {chosen.clients} clients: the collector's p99 is {ratio:.2f} times the naive one's")


if __name__ == "__main__":
    main()
