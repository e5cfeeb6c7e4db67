"""From a device to a collector over HTTP: fetch the plan, and post a report until it is counted."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

import msgspec

from sottovoce.errors import DeliveryError
from sottovoce.plan.plan import Plan

_SECONDS = 30.0
_LASTING = range(400, 500)
_LATER = 429


def fetch_plan(url: str) -> Plan:
    """Return the plan at ``.../v1/plans/{fingerprint}``, checked against the fingerprint in its address."""
    httpx = _httpx()
    try:
        response = httpx.get(url, timeout=_SECONDS, follow_redirects=True)
    except httpx.HTTPError as error:
        raise DeliveryError(f"cannot fetch the plan {url}: {error}") from error
    if response.status_code != 200:
        raise DeliveryError(f"cannot fetch the plan {url}: the collector says {_reason(response)}")
    plan = Plan.from_json(response.content)
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
            timeout=_SECONDS,
        )
    except httpx.HTTPError as error:
        raise DeliveryError(f"cannot reach the collector at {url}: {error}; {again}") from error
    if response.status_code != 200:
        lasting = response.status_code in _LASTING and response.status_code != _LATER
        raise DeliveryError(f"the collector says {_reason(response)}{'' if lasting else '; ' + again}")
    receipt = response.json()
    if receipt["counted"] + receipt["duplicate"] != 1:
        raise DeliveryError(f"the collector refused the report: {receipt['refused']}")


def _reason(response: object) -> str:
    status, text = response.status_code, response.text  # type: ignore[attr-defined]
    try:
        return f"{status}: {msgspec.json.decode(text)['detail']}"
    except (msgspec.MsgspecError, KeyError, TypeError):
        return f"{status}"


def _httpx() -> ModuleType:
    try:
        import httpx
    except ImportError as error:
        raise DeliveryError("sending over HTTP needs httpx: pip install 'sottovoce[http]'") from error
    return httpx
