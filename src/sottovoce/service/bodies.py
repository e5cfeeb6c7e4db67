"""Bodies of requests, read within limits: so many bytes each, and so many of all that are not complete yet.

When too much is held, the upload that has taken longest is given up, so that slow ones cannot keep quick ones out.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope

SMALL = 16_384
"""A body up to this size is not counted with the others: as many as there may be connections fit in memory."""

MUCH = 2**23
"""From so many bytes held at a time on it is worth giving their memory back."""


class GoneError(Exception):
    """The client went away in the middle of its request: nobody is left to answer."""


@dataclass(eq=False, slots=True)
class _Upload:
    task: asyncio.Task[object]
    size: int = 0
    given_up: bool = False


class Bodies:
    """Reads bodies for one event loop.

    Args:
        limit: The most bytes of one body.
        held: The most bytes of all bodies that are being read, small ones apart.
    """

    def __init__(self, *, limit: int, held: int) -> None:
        self.limit, self._allowed = limit, held
        self._uploads: dict[_Upload, None] = {}
        self._held, self._most = 0, 0

    def announced(self, scope: Scope, limit: int | None = None) -> None:
        """Refuse a body that says itself that it is too long, before any of it is read."""
        most = self.limit if limit is None else limit
        for name, value in scope["headers"]:
            if name == b"content-length" and (not value.isdigit() or len(value) > 12 or int(value) > most):
                raise too_long(most)

    async def read(self, receive: Receive, limit: int | None = None) -> bytes:
        """Return a request's body.

        Raises:
            HTTPException: 413 if it is too long, 408 if it was given up to make room for others.
            GoneError: If the client went away.
        """
        message = await receive()
        if message["type"] == "http.request" and not message.get("more_body"):  # most come in one piece
            body: bytes = message["body"]
            if len(body) > (self.limit if limit is None else limit):
                raise too_long(self.limit if limit is None else limit)
            return body
        return await self._read_parts(message, receive, self.limit if limit is None else limit)

    def let_go(self) -> bool:
        """Return whether much was held since this was last asked, and most of it is gone: its memory can be freed."""
        gone = self._most >= MUCH and self._held <= self._most // 4
        if gone:
            self._most = self._held
        return gone

    async def _read_parts(self, message: object, receive: Receive, limit: int) -> bytes:
        task = asyncio.current_task()
        assert task is not None
        upload, parts, size = _Upload(task), list[bytes](), 0
        try:
            while True:
                assert isinstance(message, dict)
                if message["type"] != "http.request":
                    raise GoneError
                part: bytes = message.get("body", b"")
                size += len(part)
                if size > limit:
                    raise too_long(limit)
                parts.append(part)
                if not message.get("more_body"):
                    return b"".join(parts)
                if size > SMALL:
                    self._hold(upload, size)
                message = await receive()
        except asyncio.CancelledError:
            if not upload.given_up:
                raise
            with contextlib.suppress(AttributeError):
                task.uncancel()
            raise HTTPException(408, "this took too long while others waited; send it again") from None
        finally:
            if self._uploads.pop(upload, upload) is None:
                self._held -= upload.size

    def _hold(self, upload: _Upload, size: int) -> None:
        self._held += size - upload.size
        self._most = max(self._most, self._held)
        upload.size = size
        self._uploads[upload] = None
        while self._held > self._allowed:
            oldest = next(iter(self._uploads))
            del self._uploads[oldest]
            self._held -= oldest.size
            oldest.given_up = True
            oldest.task.cancel()


def too_long(limit: int) -> HTTPException:
    """Return the refusal of a body that is too long; the connection ends, for the rest is not read."""
    return HTTPException(
        413, f"a request holds at most {limit} bytes; send reports in parts", headers={"connection": "close"}
    )
