"""The collector as a web application, and the server that runs it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterable
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sottovoce import __version__
from sottovoce.errors import SottovoceError
from sottovoce.plan.plan import Plan
from sottovoce.service import answer_routes, operator_routes
from sottovoce.service.collector import Collector
from sottovoce.service.guard import OriginsPerPlan, SecurityHeaders
from sottovoce.service.metrics import Metrics
from sottovoce.service.pages import Pages
from sottovoce.service.posting import ROUTE, Posting
from sottovoce.service.protocol import ConnectionLimits, limited
from sottovoce.service.requests import described
from sottovoce.service.routes import reports_body, router
from sottovoce.service.served import today
from sottovoce.service.settings import Settings
from sottovoce.service.store import FAILURES, Store, failure_name, open_store

log = logging.getLogger("sottovoce.collector")

STOP_SECONDS = 14.0
BACKLOG = 2048
"""So many connections may wait to be accepted: those of a flood, all given up, are a tenth of a second's work."""

SPARE_FILES = 128
"""Files for everything but connections: the database, threads, modules."""


def create_app(
    settings: Settings,
    plans: Iterable[Plan],
    store: Store | None = None,
    reload: Callable[[], Iterable[Plan]] | None = None,
) -> FastAPI:
    """Return the application that serves some plans.

    Args:
        settings: How it serves.
        plans: What it serves.
        store: Where counts are kept; opened by the settings unless it is given.
        reload: Gives the plans to serve after SIGHUP, beside those served already.
    """
    collector = Collector(settings, store or open_store(settings.database, settings.keys), plans)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        collector.start()
        if reload is not None and threading.current_thread() is threading.main_thread():
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, _look_again, collector, reload)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})  # one that came while plans were read
        store = "postgresql" if "://" in settings.database else "sqlite"
        about = {"version": __version__, "plans": len(collector.served), "store": store}
        log.info("version %s serves %d plans from %s", *about.values(), extra={"event": "start", **about})
        yield
        written = collector.close()
        log.info("stopped", extra={"event": "stop", "reason": "told to" if written else "the store hung"})

    app = Described(
        title="Sottovoce collector",
        version=__version__,
        description="Counts randomised reports, exactly once each.",
        openapi_url="/v1/openapi.json",
        docs_url=None,  # the usual pages load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.collector = collector
    app.include_router(router)
    app.include_router(answer_routes.router)
    app.include_router(operator_routes.router)
    for failure in FAILURES:
        app.add_exception_handler(failure, _unavailable)
    if settings.pages:
        files = Pages(directory=settings.pages[0], html=True)
        files.all_directories = list(settings.pages)
        app.mount("/", files)
    app.add_middleware(CountRequests, metrics=collector.metrics)
    app.add_middleware(OriginsPerPlan, origins=collector.origins)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(Posting, collector=collector, origins=collector.origins)
    day = today()
    if collector.served and all(served.expired(day) for served in collector.served.values()):
        log.warning("all plans have expired: no report will be counted", extra={"event": "expired"})
    for served in collector.served.values():
        for warning in served.warnings:
            name = served.plan.fingerprint[:12]
            log.warning("plan %s: %s", name, warning, extra={"event": "incomplete plan", "reason": warning})
    return app


def _look_again(collector: Collector, reload: Callable[[], Iterable[Plan]]) -> None:
    """Serve the plans as their files are now, beside those served already; one that cannot be read changes nothing."""
    try:
        collector.look(reload())
        number = len(collector.served)
        log.info("plans were read again: %d are served", number, extra={"event": "reload", "plans": number})
    except (SottovoceError, *FAILURES) as error:
        reason = type(error).__name__
        log.error("plans were not read again: %s", reason, extra={"event": "reload", "reason": reason})


async def _unavailable(request: Request, error: Exception) -> JSONResponse:
    """Answer for a database that failed."""
    reason = failure_name(error)
    log.error("the store failed: %s", reason, extra={"event": "store", "reason": reason})
    return JSONResponse({"detail": "the store does not answer; try again later"}, 503, {"Retry-After": "5"})


class Described(FastAPI):
    """The application, which describes itself with the limits that it was given."""

    def openapi(self) -> dict[str, Any]:
        """Return the description of all routes."""
        document = super().openapi()
        document["paths"][ROUTE]["post"] |= reports_body(self.state.collector.settings.batch_limit)
        return described(document)


class CountRequests:
    """Counts requests by route and status: by the route's pattern, never by what was asked."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", "other")
                self._metrics.request(route, message["status"])
            await send(message)

        await self._app(scope, receive, send_counted)


class Server(uvicorn.Server):
    """uvicorn's server, which ends when it is told to, whatever hangs."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop; after 14 seconds without another word: what was acknowledged is on disk."""
        if not self.should_exit:
            last = threading.Timer(STOP_SECONDS, os._exit, (1,))
            last.daemon = True
            last.start()
        super().handle_exit(sig, frame)


def make_server(
    settings: Settings, plans: Iterable[Plan], reload: Callable[[], Iterable[Plan]] | None = None
) -> Server:
    """Return the server, ready to run: no access log, no server header, no word about who asks.

    Args:
        settings: How to serve.
        plans: What to serve.
        reload: Gives the plans anew when the process is told to read them again; None serves the same for ever.
    """
    limits = ConnectionLimits(
        connections=allow_files(settings.connections),
        header_bytes=settings.header_bytes,
        header_seconds=settings.header_seconds,
        body_seconds=settings.body_seconds,
    )
    config = uvicorn.Config(
        create_app(settings, plans, reload=reload),
        host=settings.host,
        port=settings.port,
        http=limited(limits),
        ws="none",
        access_log=False,
        log_config=None,  # sottovoce.service.logs says how
        server_header=False,
        proxy_headers=False,  # whose address a proxy passes on is nothing the collector wants to know
        timeout_keep_alive=75,  # longer than a proxy keeps its side, so that none is closed while it is used
        timeout_graceful_shutdown=5,
        backlog=BACKLOG,
    )
    return Server(config)


def allow_files(connections: int) -> int:
    """Return how many connections there may be; the process may open that many files from now on, if it is let."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        if most < wanted:
            log.warning("only %d files may be open (LimitNOFILE=): at most %d connections", most, most - SPARE_FILES)
            return max(1, most - SPARE_FILES)
    return connections
