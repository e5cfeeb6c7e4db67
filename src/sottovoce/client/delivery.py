"""From a device to a collector: fetch the plan, keep what was drawn, and send the same bytes until they are counted.

Privacy is spent at the **draw**. So a report is written to a file before it is sent, the file is what marks the
collection as answered, and every retry and restart sends what the file holds: a lost acknowledgement never leads to a
second draw.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import msgspec

from sottovoce.errors import DeliveryError
from sottovoce.plan.plan import Plan

_SECONDS = 30.0
_LASTING = range(400, 500)
_LATER = 429


class Spent(msgspec.Struct, frozen=True):
    """What is kept of a collection that was answered: the report as it is sent, and whether it was acknowledged."""

    report: str
    acknowledged: bool = False


class Ledger:
    """The collections that one person answered: a small file for each, in a directory that only they can read."""

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = directory or _data_directory()

    def find(self, collection: str) -> Spent | None:
        """Return what was drawn for a collection, if anything was."""
        try:
            return msgspec.json.decode(self._path(collection).read_bytes(), type=Spent)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError) as error:
            raise DeliveryError(
                f"{str(self._path(collection))!r} says that this collection was answered, but cannot be read: {error}; "
                "nothing is drawn again"
            ) from error

    def draw_once(self, collection: str, draw: Callable[[], str]) -> Spent:
        """Return what was drawn for a collection; ``draw`` is called, and its report kept, only if nothing was."""
        found = self.find(collection)
        if found is not None:
            return found
        part = self._write(Spent(draw()))
        try:
            os.link(part, self._path(collection))  # of several that draw at the same time, one report is kept
        except FileExistsError:
            pass
        finally:
            part.unlink()
        self._sync_directory()
        kept = self.find(collection)
        assert kept is not None
        return kept

    def acknowledge(self, collection: str, spent: Spent) -> None:
        """Take note that the collector has the report."""
        os.replace(self._write(msgspec.structs.replace(spent, acknowledged=True)), self._path(collection))
        self._sync_directory()

    def _path(self, collection: str) -> Path:
        return self.directory / f"{collection}.json"

    def _write(self, spent: Spent) -> Path:
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = self.directory / f".{secrets.token_hex(8)}.part"
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(spent))
            file.flush()
            os.fsync(file.fileno())
        return part

    def _sync_directory(self) -> None:
        if os.name == "posix":
            descriptor = os.open(self.directory, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


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


def _data_directory() -> Path:
    try:
        from platformdirs import user_data_path
    except ImportError as error:
        raise DeliveryError("sending over HTTP needs platformdirs: pip install 'sottovoce[http]'") from error
    return user_data_path("sottovoce", appauthor=False) / "answered"
