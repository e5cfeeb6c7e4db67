"""The log of plans: an append-only hash chain of every plan that a collector has served.

Each entry names the one before by its hash, so that whoever keeps the last hash notices when anything before it
changes. A collector shows its log at ``/v1/log``. **Its own word proves nothing**: it can show each person another
chain. What counts is a copy that somebody else keeps, a mirror, which all people compare with: a plan that is in it was
made for everybody to see.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable
from pathlib import Path

import msgspec
import rfc8785

from sottovoce._files import write_whole
from sottovoce.errors import PlanError
from sottovoce.plan.plan import Plan

FORMAT = "sottovoce-log-1"
FIRST = "0" * 64
"""What the first entry names as the hash before it."""


class LogEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A plan that was served from a day on.

    Attributes:
        number: Its place in the log, from 1 on.
        day: The day on which it was added, ISO 8601.
        fingerprint: The plan's fingerprint.
        collection: The plan's collection.
        previous: The hash of the entry before, or 64 zeros.
    """

    number: int
    day: str
    fingerprint: str
    collection: str
    previous: str

    @property
    def hash(self) -> str:
        """The SHA-256 of the entry's canonical JSON (RFC 8785), 64 hexadecimal digits."""
        return hashlib.sha256(rfc8785.dumps(msgspec.to_builtins(self))).hexdigest()


class Log(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A log of plans, or somebody's copy of it; one whose chain is broken is refused when it is read."""

    entries: tuple[LogEntry, ...] = ()
    format: str = FORMAT

    @property
    def head(self) -> str:
        """The hash of the last entry: whoever knows it knows all of the log."""
        return self.entries[-1].hash if self.entries else FIRST

    def lists(self, plan: Plan) -> bool:
        """Return whether a plan is in the log."""
        return any(entry.fingerprint == plan.fingerprint for entry in self.entries)

    def plans_of(self, collection: str) -> int:
        """Return how many plans of a collection are listed: one for each person would show here."""
        return sum(entry.collection == collection for entry in self.entries)

    def add(self, plan: Plan, day: datetime.date) -> Log:
        """Return the log with one more plan at its end."""
        return Log((*self.entries, following(self.entries[-1] if self.entries else None, plan, day)))

    def extends(self, older: Log) -> bool:
        """Return whether this is an older log with nothing changed, and perhaps more at its end."""
        return self.entries[: len(older.entries)] == older.entries

    def to_json(self) -> bytes:
        """Return the canonical JSON."""
        return rfc8785.dumps(msgspec.to_builtins(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Log:
        """Return the log that a JSON text holds, its chain checked."""
        try:
            log = msgspec.json.decode(text, type=cls)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise PlanError(f"not a log of plans: {error}") from error
        if log.format != FORMAT:
            raise PlanError(f"the log's format {log.format!r} is not {FORMAT!r}: it needs another version of sottovoce")
        check_chain(log.entries)
        return log

    def save(self, path: str | Path) -> None:
        """Write the log as one JSON document."""
        write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> Log:
        """Read a copy of a log; one whose chain is broken is refused."""
        try:
            return cls.from_json(Path(path).read_bytes())
        except OSError as error:
            raise PlanError(f"cannot read the log {str(path)!r}: {error}") from error


def following(last: LogEntry | None, plan: Plan, day: datetime.date) -> LogEntry:
    """Return the entry of a plan that follows another, or is the first; a log's days do not go back.

    Args:
        last: The entry before it; None for the first of a log.
        plan: The plan that is listed.
        day: The day on which it is.
    """
    if last is None:
        return LogEntry(1, day.isoformat(), plan.fingerprint, plan.collection, FIRST)
    return LogEntry(last.number + 1, max(day.isoformat(), last.day), plan.fingerprint, plan.collection, last.hash)


def check_chain(entries: Iterable[LogEntry]) -> None:
    """Raise PlanError unless every entry has its number, names the one before by its hash, and is no earlier."""
    before, day = FIRST, ""
    for number, entry in enumerate(entries, start=1):
        if entry.number != number or entry.previous != before or entry.day < day:
            raise PlanError(f"the log of plans was altered: entry {number} does not follow the one before it")
        before, day = entry.hash, entry.day
