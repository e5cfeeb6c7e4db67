"""What stands around the API: headers that keep browsers safe, and which web pages may call it."""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Origins = Callable[[str], tuple[str, ...]]
"""A plan's fingerprint -> the origins whose pages may use it."""

HEADERS = {
    "content-security-policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Sent with every answer: pages load and talk to nothing but the collector, and no other site frames them."""


class SecurityHeaders:
    """Adds `HEADERS` to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_safely)


class OriginsPerPlan:
    """Lets the web pages of a plan's origins fetch that plan and its signature and post to it, and no others."""

    def __init__(self, app: ASGIApp, origins: Origins) -> None:
        self._app, self._origins = app, origins
        self._made: dict[tuple[str, ...], CORSMiddleware] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        parts = scope["path"].split("/") if scope["type"] == "http" else []
        open_to_pages = len(parts) == 4 or parts[4:] in (["reports"], ["signature"])
        allowed = self._origins(parts[3]) if len(parts) > 3 and open_to_pages else ()
        await (self._for(allowed) if allowed else self._app)(scope, receive, send)

    def _for(self, allowed: tuple[str, ...]) -> CORSMiddleware:
        if allowed not in self._made:
            self._made[allowed] = CORSMiddleware(
                self._app,
                allow_origins=allowed,
                allow_methods=["GET", "POST"],
                allow_headers=["authorization", "content-type"],
            )
        return self._made[allowed]
