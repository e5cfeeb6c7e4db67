"""A running collector: its store, its writer, its analyst, and the checks that every route shares."""

from __future__ import annotations

import asyncio
import datetime
import logging
import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from time import monotonic
from typing import TypeVar

from fastapi import HTTPException
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from sottovoce.errors import SottovoceError
from sottovoce.plan.plan import Plan
from sottovoce.service.analysis import Analyst, TooFewReportsError
from sottovoce.service.auth import check_token
from sottovoce.service.bodies import Bodies
from sottovoce.service.memory import give_back
from sottovoce.service.metrics import Metrics
from sottovoce.service.overview import Overview
from sottovoce.service.served import Served, by_collection, other_plans, register_plans, today
from sottovoce.service.settings import Settings
from sottovoce.service.store import One, Reports, Store, Token, columns_of, failure_name
from sottovoce.service.wire import BadBodyError, BatchSizeError, Decoded, decode_binary, decode_json, decode_one
from sottovoce.service.work import CrowdedError, Pool
from sottovoce.service.writer import BusyError, NotCountedError, Outcome, Writer

log = logging.getLogger("sottovoce.collector")

JSON, BINARY = "application/json", "application/octet-stream"
HEALTH_SECONDS = 2.0
"""How long a store may take to say that it is there."""

Result = TypeVar("Result")


class Collector:
    """What the routes share. `start` and `close` belong to the event loop that serves.

    Args:
        settings: How to serve.
        store: Where reports are counted; other collectors may use it as well.
        plans: What to serve; others of their collections that the store has are served too.
    """

    def __init__(self, settings: Settings, store: Store, plans: Iterable[Plan]) -> None:
        self.settings, self.store = settings, store
        self.served: dict[str, Served] = {}
        self._collections: dict[int, dict[str, Served]] = {}
        self._taken: dict[str, Served] = {}
        self.log_document = b""
        self._closed: frozenset[int] = frozenset()
        self.metrics = Metrics()
        self._serve(register_plans(store, plans, settings.grace))
        self.analyst = Analyst(store, minimum_reports=settings.minimum_reports, release_step=settings.release_step)
        self.overview = Overview(store, self.analyst, settings.grace)
        self.bodies = Bodies(limit=settings.body_limit, held=settings.upload_limit)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._rate, self._report_rate = settings.rate_limit, settings.report_rate_limit
        self._count_again = 0.0
        self._holder = secrets.token_hex(8)
        self._tending: asyncio.Task[None] | None = None
        self._next_fit: dict[int, tuple[float, int]] = {}
        self._writer: Writer | None = None
        self._tokens = Pool("tokens", threads=2, waiting=1_000)
        self._analysts = Pool("analysts", threads=2, waiting=settings.analysts_waiting)
        self._fits = Pool("fits", threads=1, waiting=0)
        self._health = Pool("health", threads=1, waiting=0)

    def start(self) -> None:
        """Begin to take reports."""
        self._writer = Writer(
            self.store,
            self.metrics,
            waiting_limit=self.settings.waiting_limit,
            reports=self.settings.commit_reports,
            seconds=self.settings.commit_seconds,
        )
        self._tending = asyncio.get_running_loop().create_task(self._tend())

    def close(self) -> bool:
        """Commit what waits, and let go of the store; return whether it was written; a store that hangs is left."""
        if self._tending is not None:
            self._tending.cancel()
        for pool in (self._tokens, self._analysts, self._fits, self._health):
            pool.close()
        written = self._writer is None or self._writer.close(self.settings.stop_seconds)
        self.store.close()
        return written

    def figures(self) -> bytes:
        """Return what Prometheus is told."""
        self._note_waiting()
        return self.metrics.text()

    def _note_waiting(self) -> None:
        self.metrics.waiting.set(0 if self._writer is None else self._writer.waiting)

    def _serve(self, found: dict[str, Served]) -> None:
        """Serve these plans from now on, and leave out the collections that were closed."""
        collections: dict[int, dict[str, Served]] = {}
        for fingerprint, served in found.items():
            collections.setdefault(served.key.collection, {})[fingerprint] = served
        whole = {plans: by_collection(served.values()) for plans, served in collections.items()}
        for number, served in whole.items():
            collections[number][served.name] = served
        self._taken = {**found, **{served.name: served for served in whole.values()}}
        self.log_document = self.store.log().to_json()
        states = self.store.collections()
        self._closed = frozenset(one.number for one in states if one.closed is not None or one.purged is not None)
        self._collections, self.served = collections, found
        day = today()
        for plans in collections.values():
            last = max(served.last_day for served in plans.values())
            name = next(iter(plans.values())).plan.collection[:12]
            self.metrics.days_left.labels(name).set((datetime.date.fromisoformat(last) - day).days)

    def look(self, plans: Iterable[Plan] = ()) -> None:
        """Serve some more plans, and what was added, closed or opened in the database by another process."""
        found = {**self.served, **register_plans(self.store, plans, self.settings.grace)}
        for collection in {served.key.collection for served in found.values()}:
            found |= other_plans(self.store, collection, found, self.settings.grace)
        self._serve(found)

    def _count_today(self) -> None:
        """Set how many reports each collection got today; at most once a minute, for it reads the counts."""
        if monotonic() < self._count_again:
            return
        started, day = monotonic(), today()
        for collection, plans in self._collections.items():
            number = sum(count for _, one, count in self.store.by_day(collection) if one == day)
            self.metrics.collected.labels(next(iter(plans.values())).plan.collection[:12]).set(number)
        self._count_again = monotonic() + max(60.0, 20 * (monotonic() - started))

    async def _tend(self) -> None:
        """Look for what changed in the database, and fit when it is time, until the collector ends."""
        while True:
            await asyncio.sleep(self.settings.look_every)
            self._note_waiting()
            if self.bodies.let_go():
                give_back()
            try:
                await self._analysts.run(self.look)
                await self._analysts.run(self._count_today)
                for collection, plans in self._collections.items() if self.settings.fit_every else ():
                    await self._fit_when_due(collection, next(iter(plans.values())))
            except (CrowdedError, HTTPException):
                continue
            except Exception as error:  # a store that fails is seen by those who post; this is tried again
                self.note_failure("looking at the store failed", error)

    async def _fit_when_due(self, collection: int, served: Served) -> None:
        """Fit a collection if its time has come, reports came, and no other collector of this database is at it."""
        every, now = self.settings.fit_every, monotonic()
        due, last = self._next_fit.get(collection, (0.0, -1))
        if now < due:
            return
        self._next_fit[collection] = now + every, last
        revision = await self._analysts.run(lambda: self.store.revision(collection))
        if revision == last:
            return
        if not await self._analysts.run(lambda: self.store.lease(f"fit {collection}", self._holder, every)):
            return
        try:
            await self.fit(lambda: self.analyst.fit(served, seed=0, quality="default"))
            self._next_fit[collection] = now + every, revision
        except (TooFewReportsError, SottovoceError):
            self._next_fit[collection] = 0.0, revision  # as soon as more came

    def find(self, fingerprint: str) -> Served:
        """Return a plan that is served."""
        found = self.served.get(fingerprint)
        if found is None:
            raise HTTPException(404, "no such plan is served here; GET /v1/plans lists those that are")
        return found

    def find_taking(self, name: str) -> Served:
        """Return what takes the reports that name a plan, or a collection."""
        return self._taken.get(name) or self.find(name)

    def origins(self, name: str) -> tuple[str, ...]:
        """Return the web origins whose pages may use a plan, or post to a collection."""
        served = self._taken.get(name)
        plans = [] if served is None else served.together or [served]
        return tuple(dict.fromkeys(origin for one in plans for origin in self.settings.origins_of(one.name)))

    async def authorize(self, header: str, role: str, served: Served | None = None) -> Token:
        """Return the token in an ``Authorization`` header, if it is good for that role and plan, and not used up.

        Args:
            header: What was sent, ``Bearer sv_...``.
            role: What the token must be for, one of `ROLES`.
            served: The plan that is asked about; None for what is no plan's.

        Raises:
            HTTPException: 401 for no token, 403 for one of another role or collection, 429 for one used too often.
        """
        scheme, _, text = header.partition(" ")
        token = None
        if scheme.lower() == "bearer" and len(text) <= 200:
            token = await self._tokens.run(lambda: check_token(self.store, text.strip(), today()))
        if token is None:
            detail = "this needs a token: Authorization: Bearer sv_... (sottovoce token create)"
            raise HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})
        if token.role != role:
            raise HTTPException(403, f"this needs a token of role {role}, this one is of role {token.role}")
        if token.collection is not None and (served is None or served.plan.collection != token.collection):
            raise HTTPException(403, "this token is for another collection")
        if not self._limiter.hit(self._rate, token.prefix):
            raise HTTPException(429, f"a token may be used {self.settings.rate}", {"Retry-After": "60"})
        return token

    async def analyse(self, work: Callable[[], Result]) -> Result:
        """Return what an analyst asked for, computed beside the event loop; too much at a time is refused."""
        try:
            return await self._analysts.run(work)
        except CrowdedError as error:
            raise HTTPException(429, "too many questions wait; ask again later", {"Retry-After": "5"}) from error

    async def fit(self, work: Callable[[], Result]) -> Result:
        """Return what a fit gives; one runs at a time."""
        started = monotonic()
        try:
            found = await self._fits.run(work)
        except CrowdedError as error:
            raise HTTPException(409, "a fit is running; ask again when it is done", {"Retry-After": "10"}) from error
        except Exception as error:
            reason = failure_name(error)
            log.warning("a fit failed: %s", reason, extra={"event": "fit", "reason": reason})
            raise
        seconds = monotonic() - started
        self.metrics.fit_seconds.observe(seconds)
        log.info("a fit took %.1f s", seconds, extra={"event": "fit", "seconds": round(seconds, 1)})
        return found

    async def ready(self) -> str | None:
        """Return why no report could be counted now, or None: an answer in two seconds, whatever hangs."""
        failing = self._writer is not None and self._writer.failing
        try:
            await self._health.run(lambda: self.store.check(write=failing), seconds=HEALTH_SECONDS)
        except (CrowdedError, TimeoutError):
            return "the store does not answer"
        except Exception as error:
            self.note_failure("the store failed", error)
            return "the store does not answer"
        if failing and self._writer is not None:
            self._writer.failing = False
        return None

    def note_failure(self, what: str, error: Exception) -> None:
        """Log that the store failed, by its own name for why: never what was to be written."""
        reason = failure_name(error)
        log.error("%s: %s", what, reason, extra={"event": "store", "reason": reason})

    async def take(
        self, served: Served, kind: str, body: bytes, token: Token | None = None
    ) -> tuple[Outcome, list[tuple[int, str]]]:
        """Return what became of the reports of a body, once they are on disk, and which were refused and why.

        Args:
            served: What the reports were posted to.
            kind: The body's media type, `JSON` or `BINARY`.
            body: The bytes.
            token: Who sent them, if the collection asks for tokens.

        Raises:
            HTTPException: 410 for a closed collection or expired plan, 400, 413 or 415 for a body that is no reports.
        """
        if served.key.collection in self._closed:
            raise HTTPException(410, "this collection is closed")
        if kind == JSON and body[:1] == b"{":
            day = today()
            found = decode_one(body, self._collections[served.key.collection], day)
            if found is not None and not served.expired(day):
                outcome = await self._spend(token, served.key.collection, found)
                self.metrics.counted(outcome.counted, outcome.duplicate, 0)
                return outcome, []
        decoded = self.decode(served, kind, body)
        return await self.count(served, decoded, token), decoded.refused

    async def count(self, served: Served, decoded: Decoded, token: Token | None = None) -> Outcome:
        """Return what became of the reports, once they are on disk.

        Args:
            served: What the reports were posted to.
            decoded: The reports, and those refused already.
            token: Who sent them; they count against how many it is for.
        """
        assert self._writer is not None, "the collector was not started"
        collection = served.key.collection
        if decoded.refused:
            self._writer.refuse(collection, Counter(reason for _, reason in decoded.refused))
        outcome = await self._spend(token, collection, decoded.reports) if len(decoded.reports) else Outcome(0, 0)
        self.metrics.counted(outcome.counted, outcome.duplicate, len(decoded.refused))
        return outcome

    async def _spend(self, token: Token | None, collection: int, reports: One | Reports) -> Outcome:
        """Return what became of reports that a token may still post; what was counted before is not taken from it."""
        if token is None:
            return await self._submit(collection, reports)
        columns = columns_of([reports]) if isinstance(reports, One) else reports
        number = len(columns)
        if not self._limiter.hit(self._report_rate, f"reports {token.prefix}", cost=number):
            detail = f"a token may post {self.settings.report_rate} reports"
            raise HTTPException(429, detail, {"Retry-After": "60"})
        if token.reports is None:
            return await self._submit(collection, reports)
        prefix = token.prefix
        if not await self._tokens.run(lambda: self.store.spend_token(prefix, number)):
            known = await self._tokens.run(lambda: self.store.known(collection, columns.ids))
            if known.all():  # an acknowledgement that was lost: say again that all is well
                return Outcome(0, number)
            raise HTTPException(403, "this token is used up: it was for so many reports, and they were posted")
        unused = number
        try:
            outcome = await self._submit(collection, reports)
            unused = outcome.duplicate
        finally:
            if unused:
                await self._tokens.run(lambda: self.store.spend_token(prefix, -unused))
        return outcome

    async def _submit(self, collection: int, reports: One | Reports) -> Outcome:
        assert self._writer is not None
        try:
            return await self._writer.submit(collection, reports)
        except BusyError as error:
            raise HTTPException(429, "too many reports wait; send this later", {"Retry-After": "1"}) from error
        except NotCountedError as error:
            raise HTTPException(503, "the store failed; send this again later", {"Retry-After": "5"}) from error

    def decode(self, served: Served, kind: str, body: bytes) -> Decoded:
        """Return the reports of a body, JSON or binary.

        Args:
            served: What the reports were posted to.
            kind: The body's media type, `JSON` or `BINARY`.
            body: The bytes.

        Raises:
            HTTPException: 410 for an expired plan, 400 for a body that is no reports, 413 for too many, 415 for another
                type.
        """
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
