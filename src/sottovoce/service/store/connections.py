"""Connections to PostgreSQL of which none hangs for ever: a server that falls silent is an error after seconds.

The kernel notices a peer that is gone (keepalives, unacknowledged data), the server ends what takes too long, and a
watch ends what even then does not come back, such as a server that was stopped in the middle of a statement.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from time import monotonic
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

STATEMENT_SECONDS = 20
IDLE_SECONDS = 5
CHECK_SECONDS = 2
WATCH_SECONDS = 25
"""After so long a connection in use is cut from this side; above what the server itself allows a statement."""

APART_SECONDS = 300
"""The same for work that may take long."""

RETRY_SECONDS = 0.5
"""So often a server that is away is tried again. The pool by itself would double its pauses, and find a server that
comes back only after as long again as it was away."""

_PEER = {
    "connect_timeout": "5",
    "keepalives": "1",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "8000",
}


def patient_for_seconds(url: str) -> str:
    """Return the address with limits on waiting, unless it names others itself.

    Example:
        >>> "tcp_user_timeout=8000" in patient_for_seconds("postgresql://a@b/c")
        True
        >>> "tcp_user_timeout=1" in patient_for_seconds("postgresql://a@b/c?tcp_user_timeout=1").split()
        True
    """
    named = conninfo_to_dict(url)
    limits = (
        f"-c statement_timeout={STATEMENT_SECONDS * 1000} "
        f"-c idle_in_transaction_session_timeout={IDLE_SECONDS * 1000} "
        "-c synchronous_commit=on -c client_min_messages=warning"
    )
    options = f"{limits} {named.get('options') or ''}".strip()
    return make_conninfo(**{**_PEER, **{name: str(value) for name, value in named.items()}, "options": options})


class Connections:
    """A pool of checked connections, and a watch over those in use."""

    def __init__(self, url: str, *, seconds: float) -> None:
        self.conninfo, self._address, self._seconds = url, patient_for_seconds(url), seconds
        self._pool: ConnectionPool[psycopg.Connection[Any]] = ConnectionPool(
            self._address,
            min_size=1,
            max_size=4,
            timeout=seconds,
            reconnect_timeout=RETRY_SECONDS,
            check=self._check,
            configure=_configure,
            open=False,
        )
        self._used: dict[int, tuple[float, int]] = {}
        self._closed = threading.Event()
        self._watch = threading.Thread(target=self._watch_used, name="postgres watch", daemon=True)

    def open(self) -> None:
        """Connect, or raise."""
        self._pool.open(wait=True, timeout=self._seconds)
        self._watch.start()

    @contextlib.contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a connection in a transaction, which ends with it."""
        connection = self._take()
        try:
            with connection, self._watched(connection, WATCH_SECONDS):
                yield connection
        finally:
            self._pool.putconn(connection)

    def _take(self) -> psycopg.Connection[Any]:
        """Return a connection from the pool; each time that one is asked for, the pool tries a server that is away."""
        end = monotonic() + self._seconds
        while True:
            try:
                return self._pool.getconn(timeout=min(RETRY_SECONDS, self._seconds))
            except PoolTimeout:
                if monotonic() >= end:
                    raise

    @contextlib.contextmanager
    def apart(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a connection of its own, without a transaction and without a limit on how long a statement takes."""
        with psycopg.connect(self._address, autocommit=True) as connection, self._watched(connection, APART_SECONDS):
            connection.execute("SET statement_timeout = 0")
            yield connection

    def close(self) -> None:
        """Let go of all connections, without waiting for any that hangs."""
        self._closed.set()
        self._pool.close(timeout=2)

    def _check(self, connection: psycopg.Connection[Any]) -> None:
        """Raise unless a connection from the pool still answers."""
        with self._watched(connection, CHECK_SECONDS):
            ConnectionPool.check_connection(connection)

    @contextlib.contextmanager
    def _watched(self, connection: psycopg.Connection[Any], seconds: float) -> Iterator[None]:
        key = id(connection)
        self._used[key] = monotonic() + seconds, connection.fileno()
        try:
            yield
        finally:
            self._used.pop(key, None)

    def _watch_used(self) -> None:
        while not self._closed.wait(0.5):
            now = monotonic()
            for key, (deadline, number) in list(self._used.items()):
                if now > deadline and self._used.pop(key, None) is not None:
                    _cut(number)


def _cut(number: int) -> None:
    """End both directions of a connection from another thread: whoever waits on it gets an error at once."""
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(number)) as other:
        other.shutdown(socket.SHUT_RDWR)


def _configure(connection: psycopg.Connection[Any]) -> None:
    connection.execute("SET synchronous_commit TO on")  # whatever the address or the server says
    connection.commit()
