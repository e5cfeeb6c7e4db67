"""Requests byte by byte, as no client sends them."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator

from tests.collectors import Running


@contextlib.contextmanager
def connected(collector: Running, seconds: float = 20) -> Iterator[socket.socket]:
    """Yield a connection to a collector."""
    port = collector.http.base_url.port
    assert port is not None
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        yield connection


def read_all(connection: socket.socket, seconds: float = 20) -> bytes:
    """Return what comes until the other side closes."""
    parts, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            part = connection.recv(65536)
        except ConnectionError:
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts)


def head(path: str, method: str = "POST", **headers: object) -> bytes:
    """Return the head of a request."""
    lines = [f"{method} {path} HTTP/1.1", "host: collector"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def memory(pid: int | str = "self") -> int:
    """Return the resident memory of a process, in bytes."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096
