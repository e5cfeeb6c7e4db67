"""From a device to a collector over HTTP: fetch the plan, and post a report until it is counted."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from types import ModuleType
from typing import Any

import msgspec

from sottovoce.errors import DeliveryError, PlanError
from sottovoce.plan.plan import Plan

TIMEOUT_SECONDS = 30.0
_PERMANENT = range(400, 500)  # except 429, too many requests: that passes

PLAN_BYTES = 16 * 2**20
"""The most bytes of a plan, unpacked, that a device takes."""


class _Receipt(msgspec.Struct):
    """What a collector says that became of a report."""

    counted: int
    duplicate: int
    refused: list[dict[str, Any]] = []


def fetch_plan(url: str) -> Plan:
    """Return the plan at ``.../v1/plans/{fingerprint}``, checked against the fingerprint in its address."""
    httpx = _httpx()
    try:
        with httpx.stream("GET", url, timeout=TIMEOUT_SECONDS, follow_redirects=True) as response:
            content = _read(response, url)
    except httpx.HTTPError as error:
        raise DeliveryError(f"cannot fetch the plan {url}: {error}") from error
    if response.status_code != 200:
        raise DeliveryError(f"cannot fetch the plan {url}: the collector says {_reason(response.status_code, content)}")
    try:
        plan = Plan.from_json(content)
    except PlanError as error:
        raise DeliveryError(f"what stands at {url} is no plan: {error}") from error
    named = url.rstrip("/").rpartition("/")[2]
    if named != plan.fingerprint:
        raise DeliveryError(
            f"the plan at {url} has the fingerprint {plan.fingerprint}, not the one in its address: it was altered"
        )
    return plan


def post_report(url: str, report: str, headers: Mapping[str, str]) -> None:
    """Send one report; return when the collector has counted it, now or before."""
    httpx = _httpx()
    again = "the report is kept: send again, and the same bytes are sent"
    try:
        response = httpx.post(
            f"{url.rstrip('/')}/reports",
            content=report,
            headers={"content-type": "application/json", **headers},
            timeout=TIMEOUT_SECONDS,
        )
    except httpx.HTTPError as error:
        raise DeliveryError(f"cannot reach the collector at {url}: {error}; {again}") from error
    if response.status_code != 200:
        permanent = response.status_code in _PERMANENT and response.status_code != HTTPStatus.TOO_MANY_REQUESTS
        reason = _reason(response.status_code, response.content)
        raise DeliveryError(f"the collector says {reason}{'' if permanent else '; ' + again}")
    try:
        receipt = msgspec.json.decode(response.content, type=_Receipt)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DeliveryError(f"what answers at {url} is no collector: {error}; {again}") from error
    if receipt.counted + receipt.duplicate != 1:
        raise DeliveryError(f"the collector refused the report: {receipt.refused}")


def _read(response: Any, url: str) -> bytes:
    """Return a body as it comes, unpacked, up to the size that no plan exceeds."""
    parts, size = [], 0
    for part in response.iter_bytes():
        size += len(part)
        if size > PLAN_BYTES:
            raise DeliveryError(f"what stands at {url} is longer than {PLAN_BYTES} bytes: no plan is")
        parts.append(part)
    return b"".join(parts)


def _reason(status: int, content: bytes) -> str:
    try:
        return f"{status}: {msgspec.json.decode(content)['detail']}"
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError):
        return f"{status}"


def _httpx() -> ModuleType:
    try:
        import httpx
    except ImportError as error:
        raise DeliveryError("sending over HTTP needs httpx: pip install 'sottovoce[http]'") from error
    return httpx
