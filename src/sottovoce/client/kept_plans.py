"""Plans that a device keeps with the address they came from: it can answer offline, and send what waits later.

A plan's address ends in its fingerprint, so what stands there never changes: a plan that is kept is as good as one that
is fetched, once its fingerprint is computed anew. The signature of a plan stands beside it, and is checked anew too.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from sottovoce._files import write_whole
from sottovoce.errors import DeliveryError, PlanError
from sottovoce.plan.plan import Plan
from sottovoce.plan.signature import signature_beside

MOST_BYTES = 32 * 2**20
"""A larger file is no plan, and not read."""

MOST_SIGNATURE_BYTES = 10_000
"""A larger file is no signature."""


class _Kept(msgspec.Struct, frozen=True):
    url: str
    plan: msgspec.Raw


class KeptPlans:
    """A directory with a file for every plan that this person was asked to answer."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def find(self, url: str) -> Plan | None:
        """Return the plan of an address, if a whole and unaltered one is kept; what is damaged is as good as absent."""
        found = self._read(self._path(fingerprint_in(url)))
        return found[1] if found is not None and found[0] == url else None

    def keep(self, url: str, plan: Plan) -> None:
        """Keep a plan; a device that cannot must fetch it again next time, and nothing else is lost."""
        kept = _Kept(url, msgspec.Raw(plan.to_json()))
        with contextlib.suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self._path(plan.fingerprint), msgspec.json.encode(kept), private=True)

    def find_signature(self, plan: Plan) -> bytes | None:
        """Return the text of a plan's signature, if one is kept; whether it is one is seen when it is checked."""
        try:
            path = self._signature_path(plan)
            return path.read_bytes() if path.stat().st_size <= MOST_SIGNATURE_BYTES else None
        except OSError:
            return None

    def keep_signature(self, plan: Plan, text: bytes) -> None:
        """Keep the signature of a plan; a device that cannot must fetch it again next time."""
        with contextlib.suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self._signature_path(plan), text, private=True)

    def _signature_path(self, plan: Plan) -> Path:
        return signature_beside(self._path(plan.fingerprint))

    def all(self) -> list[tuple[str, Plan]]:
        """Return the addresses and plans that are kept, by fingerprint."""
        found = [self._read(path) for path in sorted(self.directory.glob("*.json"))]
        return [one for one in found if one is not None]

    def _read(self, path: Path) -> tuple[str, Plan] | None:
        try:
            if path.stat().st_size > MOST_BYTES:
                return None
            kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
            plan = Plan.from_json(bytes(kept.plan))
        except (OSError, msgspec.MsgspecError, ValueError, PlanError):  # no file has such a name, or it is no plan
            return None
        return (kept.url, plan) if path.stem == plan.fingerprint == fingerprint_in(kept.url) else None

    def _path(self, fingerprint: str) -> Path:
        return self.directory / f"{Path(fingerprint).name or 'none'}.json"


def fingerprint_in(url: str) -> str:
    """Return the last part of an address, which names the plan.

    Example:
        >>> fingerprint_in("https://collector.example/v1/plans/3f1c/")
        '3f1c'
    """
    if not isinstance(url, str):
        raise DeliveryError(f"the address of a plan is a text, https://.../v1/plans/fingerprint, got {url!r}")
    return url.rstrip("/").rpartition("/")[2]
