"""A real PostgreSQL server in a temporary directory, from the binaries of Debian's package or those on the path."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

DEBIAN = "/usr/lib/postgresql"


def find_binaries() -> Path | None:
    """Return where initdb and pg_ctl are."""
    found = sorted(Path(DEBIAN).glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


@contextmanager
def running_postgres(*options: str) -> Iterator[str]:
    """Yield the URL of a server's own database, without the database's name; the server stops afterwards.

    PostgreSQL refuses to run as root, so root runs it as the user that Debian's package made.
    """
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    user = "postgres" if os.geteuid() == 0 else None
    directory = Path(tempfile.mkdtemp(prefix="sottovoce-postgres-"))
    if user is not None:
        account = pwd.getpwnam(user)
        os.chown(directory, account.pw_uid, account.pw_gid)
    port = free_port()

    def run(*arguments: str) -> None:
        done = subprocess.run(arguments, user=user, cwd=directory, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr + done.stdout

    data = directory / "data"
    run(f"{binaries}/initdb", "-D", str(data), "-U", "collector", "-A", "trust", "-N", "-E", "UTF8", "--no-locale")
    settings = f"-p {port} -h 127.0.0.1 -k '' " + " ".join(f"-c {option}" for option in options)
    started = [f"{binaries}/pg_ctl", "-D", str(data), "-l", str(directory / "log"), "-w", "-t", "120"]
    subprocess.run([*started, "-o", settings, "start"], user=user, cwd=directory, stdout=subprocess.DEVNULL, check=True)
    try:
        yield f"postgresql://collector@127.0.0.1:{port}"
    finally:
        run(f"{binaries}/pg_ctl", "-D", str(data), "-m", "fast", "-w", "-t", "120", "stop")
        shutil.rmtree(directory)


def create_database(server: str, name: str) -> str:
    """Return the URL of a new, empty database."""
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    return f"{server}/{name}"


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
