"""A collection that a collector keeps, as an analyst reaches it: its plan, its counts, and who asks for its model."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from sottovoce._checks import check_integer
from sottovoce.client.delivery import fetch_plan
from sottovoce.errors import DeliveryError, QueryError
from sottovoce.model.answer import Elsewhere, Estimate
from sottovoce.model.answer_lines import EstimateLine, Told, ToldMany
from sottovoce.model.model import EVERYBODY
from sottovoce.model.remote_calls import Calls
from sottovoce.plan.plan import Plan
from sottovoce.schema.schema import Schema
from sottovoce.tally.tally import Tally

Line = TypeVar("Line")


class _PlanLine(msgspec.Struct):
    """A plan that a collector serves."""

    fingerprint: str
    collection: str
    purpose: str


class _Plans(msgspec.Struct):
    """All plans that a collector serves."""

    plans: list[_PlanLine]


class _Fit(msgspec.Struct):
    """What a fit gave."""

    reports: int


class RemoteCollection:
    """What a collector tells an analyst of a collection, beside answers; `RemoteModel` asks for those."""

    def __init__(self, url: str, plan: Plan | str | None = None, *, token: str, wave: int | None = None) -> None:
        """Take note of whom to ask; nothing is sent yet.

        Args:
            url: The collector's address, such as ``https://collect.example.org``.
            plan: A plan of the collection, or its fingerprint; may be left out if the collector serves one collection.
            token: An analyst's token.
            wave: Of a plan with waves, whose model answers; the last that was fitted, by default.

        Raises:
            DeliveryError: If one of them cannot be.
        """
        self._calls = Calls.to(url, token)
        if not (plan is None or isinstance(plan, Plan | str)):
            raise DeliveryError(f"a plan is a Plan or a fingerprint of 64 hexadecimal digits, got {plan!r}")
        if isinstance(plan, str) and not (len(plan) == 64 and set(plan) <= set("0123456789abcdef")):
            raise DeliveryError(f"a fingerprint has 64 hexadecimal digits, got {plan[:80]!r}")
        self._named = plan.fingerprint if isinstance(plan, Plan) else plan
        self._wave = None if wave is None else check_integer("wave", wave, error=QueryError, least=1)

    @cached_property
    def fingerprint(self) -> str:
        """The plan that is asked about: the one that was named, or one of the only collection there is."""
        if self._named is not None:
            return self._named
        found = self._calls.read("/v1/plans", _Plans).plans
        if len({line.collection for line in found}) != 1:
            known = "; ".join(f"{line.fingerprint} ({line.purpose[:60]})" for line in found) or "none"
            raise DeliveryError(f"this collector serves several collections, or none: name a plan of {known}")
        return found[-1].fingerprint

    @cached_property
    def plan(self) -> Plan:
        """The plan, checked against its fingerprint."""
        return fetch_plan(f"{self._calls.url}/v1/plans/{self.fingerprint}")

    @property
    def schema(self) -> Schema:
        """What was asked of people."""
        return self.plan.schema

    @property
    def reports(self) -> int:
        """How many reports the model that answers now was fitted to."""
        return self._everybody.reports

    @property
    def caveats(self) -> tuple[str, ...]:
        """What to keep in mind of the model that answers now."""
        return tuple(self._everybody.caveats)

    @property
    def interval_note(self) -> str:
        """What the intervals include, and what not."""
        return self._everybody.interval_note

    def status(self) -> dict[str, Any]:
        """Return what was counted and refused by day, the last fit, what liars can do, whether the crowd is honest."""
        return self._calls.read(f"/v1/plans/{self.fingerprint}/status", dict)

    def tally(self) -> Tally:
        """Return all that was counted, to fit, report on or refresh a plan with here."""
        content = self._calls.get(f"/v1/plans/{self.fingerprint}/tally")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tally.parquet"
            path.write_bytes(content)
            return Tally.load(path)

    def fit(self, *, seed: int = 0, quality: str = "default") -> int:
        """Have the collector fit what was counted so far, and answer from that from now on.

        Args:
            seed: As `sottovoce.fit` takes it.
            quality: As `sottovoce.fit` takes it.

        Returns:
            How many reports it was fitted to.

        Raises:
            ModelError: If there are too few reports, or a fit is running.
        """
        body = {"seed": seed, "quality": quality, "wave": self._wave}
        return self._calls.post(f"/v1/plans/{self.fingerprint}/fit", body, _Fit).reports

    def __repr__(self) -> str:
        name = "the only collection" if self._named is None else f"plan {self._named[:12]}"
        wave = "" if self._wave is None else f", wave {self._wave},"
        return f"<{type(self).__name__} of {name}{wave} at {self._calls.url}>"

    def _of_wave(self, wave: int | None) -> Self:
        return type(self)(self._calls.url, self.fingerprint, token=self._calls.token, wave=wave)

    @property
    def _everybody(self) -> ToldMany:
        return self._calls.post(self._path(""), {"where": [EVERYBODY], "wave": self._wave}, ToldMany)

    def _path(self, verb: str) -> str:
        return f"/v1/plans/{self.fingerprint}/answers{verb and '/' + verb}"

    def _ask(self, verb: str, body: Mapping[str, object], kind: type[Told[Line]]) -> Told[Line]:
        wave = {} if self._wave is None else {"wave": self._wave}
        return self._calls.post(self._path(verb), {**body, **wave}, kind)

    def _source(self, question: Mapping[str, object] | None) -> Elsewhere:
        return Elsewhere((self._calls.url, self.fingerprint, self._wave), question, self._subtract)

    def _subtract(self, first: Mapping[str, object], second: Mapping[str, object], level: float) -> Estimate:
        told = self._ask("difference", {"first": first, "second": second, "level": level}, Told[EstimateLine])
        return told.answer.estimate(told.interval_note)
