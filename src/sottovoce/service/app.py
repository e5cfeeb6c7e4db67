"""The collector as a web application, and the server that runs it."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Iterable

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sottovoce import __version__
from sottovoce.plan.plan import Plan
from sottovoce.service.collector import Collector
from sottovoce.service.guard import OriginsPerPlan, SecurityHeaders
from sottovoce.service.metrics import Metrics
from sottovoce.service.routes import plain, router
from sottovoce.service.settings import Settings
from sottovoce.service.store import FAILURES, Store, open_store

log = logging.getLogger("sottovoce.collector")


def create_app(settings: Settings, plans: Iterable[Plan], store: Store | None = None) -> FastAPI:
    """Return the application that serves some plans; its store is opened here unless it is given."""
    collector = Collector(settings, store or open_store(settings.database, settings.keys), plans)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        collector.start()
        yield
        collector.close()

    app = FastAPI(
        title="Sottovoce collector",
        version=__version__,
        description="Counts randomised reports, exactly once each.",
        openapi_url="/v1/openapi.json",
        docs_url=None,  # the usual pages load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.collector = collector
    app.router.routes.extend([*plain.routes, *router.routes])
    for failure in FAILURES:
        app.add_exception_handler(failure, _unavailable)
    if settings.pages:
        files = StaticFiles(directory=settings.pages[0], html=True)
        files.all_directories = list(settings.pages)
        app.mount("/", files)
    app.add_middleware(CountRequests, metrics=collector.metrics)
    app.add_middleware(OriginsPerPlan, origins={key: settings.origins_of(key) for key in collector.served})
    app.add_middleware(SecurityHeaders)
    for served in collector.served.values():
        for warning in served.warnings:
            log.warning("plan %s: %s", served.plan.fingerprint[:12], warning)
    return app


async def _unavailable(request: Request, error: Exception) -> JSONResponse:
    """Answer for a database that failed."""
    log.error("the store failed: %s", type(error).__name__)
    return JSONResponse({"detail": "the store does not answer; try again later"}, 503, {"Retry-After": "5"})


class CountRequests:
    """Counts requests by route and status: by the route's pattern, never by what was asked."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", "other")
                self._metrics.requests.labels(route, message["status"]).inc()
            await send(message)

        await self._app(scope, receive, send_counted)


def make_server(settings: Settings, plans: Iterable[Plan]) -> uvicorn.Server:
    """Return the server, ready to run: no access log, no server header, no word about who asks."""
    config = uvicorn.Config(
        create_app(settings, plans),
        host=settings.host,
        port=settings.port,
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,  # whose address a proxy passes on is nothing the collector wants to know
        timeout_graceful_shutdown=10,
    )
    return uvicorn.Server(config)
