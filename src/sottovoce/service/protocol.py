"""HTTP with limits before anything is read: on connections, on headers, and on how long either may take.

Half a header or half a body is given up after seconds, a long header is refused unread, and when there are more
connections than allowed, those that ask nothing make room. Nothing about a connection is logged.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_SILENT = logging.Logger("sottovoce.silent", level=logging.CRITICAL + 1)
"""A logger that stands alone: no configuration finds it, and nothing it is told is heard."""

_CLOSE_WAIT = 8
"""Linux's number for a connection whose other side has closed."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What a connection may take.

    Attributes:
        connections: The most connections at a time; one too many, and the one that has asked nothing longest goes.
        header_bytes: The most bytes of a request's line and headers.
        header_seconds: How long they may take to come.
        body_seconds: How long a body may take to come.
    """

    connections: int
    header_bytes: int
    header_seconds: float
    body_seconds: float


class LimitedProtocol(HttpToolsProtocol):
    """uvicorn's protocol, with limits; `limited` makes the class for some limits."""

    limits: ConnectionLimits
    waiting: dict[LimitedProtocol, None]
    """Connections without a request, in the order in which they began to wait."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.logger = _SILENT
        self._head_bytes, self._in_head, self._in_body, self._begun = 0, True, False, False
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, and make room if there are too many; whoever left while it waited to be accepted is not looked at."""
        if peer_has_left(transport):
            self.transport = transport
            transport.abort()
            return
        super().connection_made(transport)
        self.waiting[self] = None
        self._deadline = self.loop.call_later(self.limits.header_seconds, self._give_up)
        if len(self.connections) > self.limits.connections:
            next(iter(self.waiting)).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self.waiting.pop(self, None)
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, unless it is too much of a header."""
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > self.limits.header_bytes:
            self._refuse(431, "headers are too long")
        elif self._begun and self._deadline is None and not self.transport.is_closing():
            seconds = self.limits.body_seconds if self._in_body else self.limits.header_seconds
            self._deadline = self.loop.call_later(seconds, self._give_up)

    def on_message_begin(self) -> None:
        """Take note of a request's first byte: from now on it has a deadline, and until then none."""
        self._begun = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Begin a request."""
        self._in_head, self._in_body, self._head_bytes = False, True, 0
        self.waiting.pop(self, None)
        self._stop_clock()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Take note that a request is complete: its answer may take long, and the next bytes are another's header."""
        self._in_head, self._in_body, self._begun, self._head_bytes = True, False, False, 0
        super().on_message_complete()
        self._stop_clock()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self.waiting[self] = None

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        self._refuse(408, "the request took too long")

    def _refuse(self, status: int, reason: str) -> None:
        """Say why, if nothing was said yet, and end the connection."""
        if self.transport is None or self.transport.is_closing():
            return
        started = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if not started:
            body = f'{{"detail":"{reason}"}}'.encode()
            head = f"HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
            self.transport.write(head.encode() + b"connection: close\r\n\r\n" + body)
        self.transport.close()


def peer_has_left(transport: asyncio.Transport) -> bool:
    """Return whether the other side of a connection has closed it, where the system tells: nobody waits for an answer.

    A flood of connections that are given up at once then costs less to turn away than to send.
    """
    option = getattr(socket, "TCP_INFO", None)
    if option is None:
        return False
    try:
        state: bytes = transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, option, 1)
    except OSError:  # not TCP
        return False
    return state[0] == _CLOSE_WAIT


def limited(limits: ConnectionLimits) -> type[LimitedProtocol]:
    """Return the protocol's class for some limits; its connections are counted together."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": limits, "waiting": {}})
