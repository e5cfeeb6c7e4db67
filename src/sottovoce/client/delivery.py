"""From a device to a collector over HTTP: fetch the plan, and post a report until it is counted.

Devices that fail together must not come back together: every wait is drawn by chance, and a collector that says when to
come back (``Retry-After``) is not asked before.
"""

from __future__ import annotations

import datetime
import email.utils
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from types import ModuleType
from typing import Any

import msgspec

from sottovoce.client.kept_plans import fingerprint_in
from sottovoce.errors import DeliveryError, PlanError
from sottovoce.plan.plan import Plan

TIMEOUT_SECONDS = 30.0
_LATER = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
"""Refusals that another try may turn round; all others from 400 to 499 last."""

LONGEST_WAIT = 120.0
"""A collector that asks for a longer wait is left alone for now: the report is kept."""

PLAN_BYTES = 16 * 2**20
"""The most bytes of a plan, unpacked, that a device takes."""

AGAIN = "the report is kept: send again, and the same bytes are sent"


class _Receipt(msgspec.Struct):
    """What a collector says that became of a report."""

    counted: int
    duplicate: int
    refused: list[dict[str, Any]] = []


@dataclass(frozen=True, slots=True)
class Tries:
    """How often a report is posted before it is left for later, and how long is waited between.

    Attributes:
        attempts: How often it is tried.
        first: The longest first wait in seconds; each following one may be twice as long.
        wait: What waits.
    """

    attempts: int = 4
    first: float = 1.0
    wait: Callable[[float], object] = time.sleep

    def pause(self, attempt: int, retry_after: float | None) -> float:
        """Return how long to wait after an attempt, from 1 on: by chance, and never before the collector said.

        Example:
            >>> 30 <= Tries().pause(1, 30) <= 45
            True
            >>> 0 <= Tries().pause(3, None) <= 4
            True
        """
        chance = secrets.randbelow(2**32) / 2**32
        if retry_after is not None:
            return retry_after * (1 + chance / 2)
        return chance * float(self.first * 2 ** (attempt - 1))


def fetch_plan(url: str) -> Plan:
    """Return the plan at ``.../v1/plans/{fingerprint}``, checked against the fingerprint in its address."""
    try:
        plan = Plan.from_json(fetch(url, "the plan"))
    except PlanError as error:
        raise DeliveryError(f"what stands at {url} is no plan: {error}") from error
    if fingerprint_in(url) != plan.fingerprint:
        raise DeliveryError(
            f"the plan at {url} has the fingerprint {plan.fingerprint}, not the one in its address: it was altered"
        )
    return plan


def fetch(url: str, what: str) -> bytes:
    """Return what stands at an address, of bounded length; ``what`` it is goes into errors."""
    httpx = require_httpx()
    try:
        with httpx.stream("GET", url, timeout=TIMEOUT_SECONDS, follow_redirects=True) as response:
            content = _read(response, url)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise DeliveryError(f"cannot fetch {what} {url}: {error}") from error
    if response.status_code != 200:
        raise DeliveryError(f"cannot fetch {what} {url}: the collector says {reason_of(response.status_code, content)}")
    return content


def post_report(url: str, report: str, headers: Mapping[str, str], tries: Tries | None = None) -> None:
    """Send one report; return when the collector has counted it, now or before.

    Args:
        url: The address of the report's plan.
        report: The bytes to send, each time the same.
        headers: What to send with it, such as a token.
        tries: How often, and how long to wait between.

    Raises:
        DeliveryError: If it was refused for good, or not counted yet.
    """
    tries = tries or Tries()
    for attempt in range(1, tries.attempts + 1):
        try:
            _post_once(url, report, headers)
            return
        except DeliveryError as error:
            if error.lasting or attempt == tries.attempts or (error.retry_after or 0) > LONGEST_WAIT:
                raise
            tries.wait(tries.pause(attempt, error.retry_after))


def _post_once(url: str, report: str, headers: Mapping[str, str]) -> None:
    httpx = require_httpx()
    try:
        response = httpx.post(
            f"{url.rstrip('/')}/reports",
            content=report,
            headers={"content-type": "application/json", **headers},
            timeout=TIMEOUT_SECONDS,
        )
    except httpx.HTTPError as error:
        raise DeliveryError(f"cannot reach the collector at {url}: {error}; {AGAIN}") from error
    if response.status_code != 200:
        lasting = 400 <= response.status_code < 500 and response.status_code not in _LATER
        reason = reason_of(response.status_code, response.content)
        after = None if lasting else seconds_until(response.headers.get("retry-after", ""))
        soon = "" if after is None else f", come back in {after:.0f} s"
        raise DeliveryError(
            f"the collector says {reason}{soon}{'' if lasting else '; ' + AGAIN}", lasting=lasting, retry_after=after
        )
    try:
        receipt = msgspec.json.decode(response.content, type=_Receipt)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DeliveryError(f"what answers at {url} is no collector: {error}; {AGAIN}") from error
    if receipt.counted + receipt.duplicate != 1:
        raise DeliveryError(f"the collector refused the report: {receipt.refused}", lasting=True)


def seconds_until(text: str) -> float | None:
    """Return how long a ``Retry-After`` asks to wait, a number of seconds or a date; None if it says neither.

    Example:
        >>> seconds_until("30"), seconds_until("soon"), seconds_until("Fri, 31 Dec 1999 23:59:59 GMT")
        (30.0, None, 0.0)
    """
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        then = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=datetime.UTC)
    return max(0.0, (then - datetime.datetime.now(datetime.UTC)).total_seconds())


def _read(response: Any, url: str) -> bytes:
    """Return a body as it comes, unpacked, up to the size that no plan exceeds."""
    parts, size = [], 0
    for part in response.iter_bytes():
        size += len(part)
        if size > PLAN_BYTES:
            raise DeliveryError(f"what stands at {url} is longer than {PLAN_BYTES} bytes: no plan is")
        parts.append(part)
    return b"".join(parts)


def reason_of(status: int, content: bytes) -> str:
    """Return in words why a collector refused."""
    try:
        return f"{status}: {msgspec.json.decode(content)['detail']}"
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError):
        return f"{status}"


def require_httpx() -> ModuleType:
    """Return httpx, or say how to install it."""
    try:
        import httpx
    except ImportError as error:
        raise DeliveryError("HTTP needs httpx: pip install 'sottovoce[http]'") from error
    return httpx
