"""`POST .../reports`, answered before the framework: most requests of a collector are one report of 200 bytes.

The framework's own layers took more time than counting did. This one finds the plan, checks who posts, reads within
limits, decodes, waits for the commit and answers; everything else goes on to the routes.
"""

from __future__ import annotations

import logging

import msgspec
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from sottovoce.service.auth import REPORTER
from sottovoce.service.bodies import GoneError
from sottovoce.service.collector import JSON, Collector
from sottovoce.service.guard import HEADERS, Origins
from sottovoce.service.store import FAILURES

log = logging.getLogger("sottovoce.collector")

ROUTE = "/v1/plans/{fingerprint}/reports"
_BEFORE, _AFTER = "/v1/plans/", "/reports"
_HEAD = [
    (b"content-type", JSON.encode()),
    *((name.encode(), value.encode()) for name, value in HEADERS.items()),
]
_ONE_COUNTED = b'{"counted":1,"duplicate":0,"refused":[]}'
_ONE_DUPLICATE = b'{"counted":0,"duplicate":1,"refused":[]}'


class Posting:
    """The outermost layer: answers posts of reports itself, and lets no error or aborted request say anything.

    Args:
        app: What answers all other requests.
        collector: What counts the reports.
        origins: Which web pages may post from a browser.
    """

    def __init__(self, app: ASGIApp, collector: Collector, origins: Origins) -> None:
        self._app, self._collector = app, collector
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        if scope["method"] == "POST" and path.endswith(_AFTER) and path.startswith(_BEFORE):
            await self._answer(scope, receive, send, path[len(_BEFORE) : -len(_AFTER)])
            return
        try:
            await self._app(scope, receive, send)
        except GoneError:
            return
        except Exception as error:
            report_failure(error)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, fingerprint: str) -> None:
        status, body, more = 200, b"", list[tuple[bytes, bytes]]()
        try:
            body = await self._count(scope, receive, fingerprint)
        except GoneError:
            return
        except HTTPException as refused:
            status, body = refused.status_code, msgspec.json.encode({"detail": refused.detail})
            more = [(name.lower().encode(), value.encode()) for name, value in (refused.headers or {}).items()]
        except FAILURES as error:
            self._collector.note_failure("the store failed", error)
            status, more = 503, [(b"retry-after", b"5")]
            body = b'{"detail":"the store does not answer; try again later"}'
        except Exception as error:
            report_failure(error)
            status, body = 500, b'{"detail":"this failed here; try again later"}'
        self._collector.metrics.request(ROUTE, status)
        head = [*_HEAD, (b"content-length", str(len(body)).encode()), *more, *self._page(scope, fingerprint)]
        await send({"type": "http.response.start", "status": status, "headers": head})
        await send({"type": "http.response.body", "body": body})

    async def _count(self, scope: Scope, receive: Receive, fingerprint: str) -> bytes:
        collector = self._collector
        served = collector.find_taking(fingerprint)
        kind, authorization = b"", b""
        for name, value in scope["headers"]:
            if name == b"content-type":
                kind = value
            elif name == b"authorization":
                authorization = value
        collector.bodies.announced(scope)
        token = None
        if collector.settings.require_token:
            token = await collector.authorize(authorization.decode("latin-1"), REPORTER, served)
        body = await collector.bodies.read(receive)
        media = kind.partition(b";")[0].strip().lower().decode("latin-1")
        outcome, refused = await collector.take(served, media, body, token)
        if not refused:
            if (outcome.counted, outcome.duplicate) == (1, 0):
                return _ONE_COUNTED
            if (outcome.counted, outcome.duplicate) == (0, 1):
                return _ONE_DUPLICATE
        receipt = {
            "counted": outcome.counted,
            "duplicate": outcome.duplicate,
            "refused": [{"index": index, "reason": reason} for index, reason in refused],
        }
        return msgspec.json.encode(receipt)

    def _page(self, scope: Scope, fingerprint: str) -> list[tuple[bytes, bytes]]:
        """Return what lets a page of the plan's own origins read the answer."""
        allowed = self._origins(fingerprint)
        if not allowed:
            return []
        origin = next((value for name, value in scope["headers"] if name == b"origin"), b"")
        if origin.decode("latin-1") not in allowed:
            return [(b"vary", b"Origin")]
        told = [(b"access-control-expose-headers", b"Retry-After")]
        return [(b"access-control-allow-origin", origin), (b"vary", b"Origin"), *told]


def report_failure(error: Exception) -> None:
    """Log an error of the collector's own: its kind and its line of the program, never what was asked."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f"{frame.tb_frame.f_code.co_filename.rpartition('/')[2]}:{frame.tb_lineno}" if frame else "nowhere"
    reason = f"{type(error).__name__} at {where}"
    log.error("an answer failed: %s", reason, extra={"event": "answer", "reason": reason})
