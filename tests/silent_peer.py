"""A wire to a server that can fall silent, when nothing is refused and nothing comes through, or be down."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator


class Wire:
    """A proxy on a port of its own; while ``silent`` is set it takes bytes and connections and passes on nothing.

    While ``down`` is set it ends all connections, as a server that was killed does.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self.silent, self.down = threading.Event(), threading.Event()
        self._ended = threading.Event()
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(0.1)
        self.port = int(self._server.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._ended.set()

    def _accept(self) -> None:
        with self._server:
            while not self._ended.is_set():
                with contextlib.suppress(TimeoutError):
                    near, _ = self._server.accept()
                    if self.down.is_set():
                        near.close()
                        continue
                    try:
                        far = socket.create_connection(("127.0.0.1", self._target))
                    except OSError:  # the server is down: so is the wire to it
                        near.close()
                        continue
                    for pair in ((near, far), (far, near)):
                        threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        source.settimeout(0.1)
        while not self._ended.is_set() and not self.down.is_set():
            try:
                part = source.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                break
            while self.silent.is_set() and not self._ended.is_set():
                self._ended.wait(0.05)
            try:
                if not part:
                    break
                target.sendall(part)
            except OSError:
                break
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)
        source.close()


@contextlib.contextmanager
def wire_to(port: int) -> Iterator[Wire]:
    """Yield a wire to a port of this machine; it is gone afterwards."""
    wire = Wire(port)
    try:
        yield wire
    finally:
        wire.close()
