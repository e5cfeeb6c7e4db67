"""A running collector: its store, its writer, its analyst, and the checks that every route shares."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable

from fastapi import HTTPException, Request
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from sottovoce.plan.plan import Plan
from sottovoce.service.analysis import Analyst
from sottovoce.service.auth import check_token
from sottovoce.service.metrics import Metrics
from sottovoce.service.served import Served, register_plans, today
from sottovoce.service.settings import Settings
from sottovoce.service.store import Store
from sottovoce.service.wire import BadBodyError, BatchSizeError, Decoded, decode_binary, decode_json
from sottovoce.service.writer import BusyError, NotCountedError, Outcome, Writer

JSON, BINARY = "application/json", "application/octet-stream"


class Collector:
    """What the routes share. `start` and `close` belong to the event loop that serves."""

    def __init__(self, settings: Settings, store: Store, plans: Iterable[Plan]) -> None:
        self.settings, self.store = settings, store
        self.served = register_plans(store, plans)
        self._collections: dict[int, dict[str, Served]] = {}
        for fingerprint, served in self.served.items():
            self._collections.setdefault(served.key.collection, {})[fingerprint] = served
        self.metrics = Metrics()
        self.analyst = Analyst(store, minimum_reports=settings.minimum_reports)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._rate = settings.rate_limit
        self._writer: Writer | None = None

    def start(self) -> None:
        """Begin to take reports."""
        self._writer = Writer(
            self.store,
            self.metrics,
            waiting_limit=self.settings.waiting_limit,
            reports=self.settings.commit_reports,
            seconds=self.settings.commit_seconds,
        )

    def close(self) -> None:
        """Commit what waits, and let go of the store."""
        if self._writer is not None:
            self._writer.close()
        self.store.close()

    def find(self, fingerprint: str) -> Served:
        """Return a plan that is served."""
        if fingerprint not in self.served:
            raise HTTPException(404, "no such plan is served here; GET /v1/plans lists those that are")
        return self.served[fingerprint]

    async def authorize(self, request: Request, role: str) -> None:
        """Refuse a request that does not carry a good token of that role, or too many of them."""
        scheme, _, text = request.headers.get("authorization", "").partition(" ")
        token = None
        if scheme.lower() == "bearer":
            token = await asyncio.to_thread(check_token, self.store, text.strip())
        if token is None:
            detail = "this needs a token: Authorization: Bearer sv_... (sottovoce token create)"
            raise HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})
        if token.role != role:
            raise HTTPException(403, f"this needs a token of role {role}, this one is of role {token.role}")
        if not self._limiter.hit(self._rate, token.prefix):
            raise HTTPException(429, f"a token may be used {self.settings.rate}", {"Retry-After": "60"})

    async def read(self, request: Request) -> bytes:
        """Return a request's body, unless it is too long."""
        limit, parts, size = self.settings.body_limit, [], 0
        async for part in request.stream():
            size += len(part)
            if size > limit:
                raise HTTPException(413, f"a request holds at most {limit} bytes; send reports in parts")
            parts.append(part)
        return b"".join(parts)

    def decode(self, served: Served, kind: str, body: bytes) -> Decoded:
        """Return the reports of a body, JSON or binary."""
        day, limit = today(), self.settings.batch_limit
        if served.expired(day):
            raise HTTPException(410, f"this plan expired: its last day was {served.plan.expires}")
        try:
            if kind == BINARY:
                return decode_binary(body, served, day, limit=limit)
            if kind == JSON:
                return decode_json(body, self._collections[served.key.collection], day, limit=limit)
        except BadBodyError as error:
            raise HTTPException(400, str(error)) from error
        except BatchSizeError as error:
            raise HTTPException(413, str(error)) from error
        raise HTTPException(415, f"reports are {JSON} or {BINARY}, got {kind[:100]!r}")

    async def count(self, served: Served, decoded: Decoded) -> Outcome:
        """Return what became of the reports, once they are on disk."""
        assert self._writer is not None, "the collector was not started"
        collection = served.key.collection
        if decoded.refused:
            self._writer.refuse(collection, Counter(reason for _, reason in decoded.refused))
        outcome = Outcome(0, 0)
        if len(decoded.reports):
            try:
                outcome = await self._writer.submit(collection, decoded.reports)
            except BusyError as error:
                raise HTTPException(429, "too many reports wait; send this later", {"Retry-After": "1"}) from error
            except NotCountedError as error:
                raise HTTPException(503, "the store failed; send this again later", {"Retry-After": "5"}) from error
        self.metrics.reports.labels("counted").inc(outcome.counted)
        self.metrics.reports.labels("duplicate").inc(outcome.duplicate)
        self.metrics.reports.labels("refused").inc(len(decoded.refused))
        return outcome
