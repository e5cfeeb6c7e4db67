"""The one writer: takes every batch that waits, commits them together, and only then lets each be acknowledged.

While one commit is on its way to the disk, the next batches gather; so the busier the collector, the more batches share
a sync, and a report costs a fraction of one. A report that comes alone waits a moment for others, so that a commit is
rarely one person's.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from time import monotonic, perf_counter

import numpy as np

from sottovoce.service.metrics import Metrics
from sottovoce.service.served import today
from sottovoce.service.store import One, Reports, Store, columns_of, failure_name, first_of_each, join

log = logging.getLogger("sottovoce.collector")

COMMIT_LIMIT = 50_000
"""The most reports of one commit, give or take a batch."""

COMPLAIN_SECONDS = 60.0
"""The same failure of commits is logged once in this time."""

UPKEEP_SECONDS = 5.0
"""So often the store may do what may wait, when no reports come."""


class BusyError(Exception):
    """More reports wait than the collector holds: come back in a moment."""


class NotCountedError(Exception):
    """A commit that failed: nothing of it was acknowledged, and the same bytes may be sent again."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a batch, now on disk."""

    counted: int
    duplicate: int


@dataclass(frozen=True, slots=True)
class _Batch:
    collection: int
    reports: Reports | One
    size: int
    future: asyncio.Future[Outcome]


class Writer:
    """A thread that commits batches. `submit` is for the event loop that made it.

    Args:
        store: Where reports are counted.
        metrics: Told of commits and of what waits.
        waiting_limit: The most reports that wait; more are refused, to be sent again.
        reports: A commit waits until there are so many reports,
        seconds: but not longer than this.
    """

    def __init__(
        self, store: Store, metrics: Metrics, *, waiting_limit: int, reports: int = 1, seconds: float = 0.0
    ) -> None:
        self._store, self._metrics, self._limit = store, metrics, waiting_limit
        self._least, self._seconds, self._due = reports, seconds, 0.0
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[_Batch] = deque()
        self._number = 0
        self._refused: dict[int, Counter[str]] = {}
        self._changed = threading.Condition()
        self._closing = False
        self.failing = False
        self._failures, self._complained = 0, ("", 0.0)
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def submit(self, collection: int, reports: Reports | One) -> asyncio.Future[Outcome]:
        """Return what will become of a batch; reports that cannot be taken now are refused as a whole."""
        future: asyncio.Future[Outcome] = self._loop.create_future()
        with self._changed:
            size = 1 if isinstance(reports, One) else len(reports)
            if self._number + size > self._limit or self._closing:
                raise BusyError
            if not self._waiting:
                self._due = monotonic() + self._seconds
            self._waiting.append(_Batch(collection, reports, size, future))
            self._number += size
            if len(self._waiting) == 1 or self._number >= self._least:
                self._changed.notify()
        return future

    def refuse(self, collection: int, reasons: Counter[str]) -> None:
        """Count refusals; they are written with the next commit, so that junk alone costs no sync."""
        for reason, number in reasons.items():
            self._metrics.refused.labels(reason).inc(number)
        self._keep_refused(collection, reasons)

    def _keep_refused(self, collection: int, reasons: Counter[str]) -> None:
        with self._changed:
            self._refused.setdefault(collection, Counter()).update(reasons)

    @property
    def waiting(self) -> int:
        """How many reports wait to be written."""
        return self._number

    def close(self, seconds: float | None = None) -> bool:
        """Commit what waits, and stop; return whether that was done within ``seconds``, if they are given."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(seconds)
        if self._thread.is_alive():
            words = "the store did not take what waited; nothing of it was acknowledged"
            log.error(words, extra={"event": "stop", "reason": "the store hung"})
        return not self._thread.is_alive()

    def _complain(self, error: Exception) -> None:
        """Log why commits fail: by the database's own name for it, at once and then every minute with their number."""
        self._failures += 1
        name, now = failure_name(error), monotonic()
        self._metrics.commit_failures.labels(name).inc()
        if name != self._complained[0] or now - self._complained[1] >= COMPLAIN_SECONDS:
            about = {"event": "commit", "reason": name, "times": self._failures}
            log.error("a commit failed: %s (%d since the last line)", name, self._failures, extra=about)
            self._complained, self._failures = (name, now), 0

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing, timeout=UPKEEP_SECONDS)
                while self._waiting and not self._closing and self._number < self._least:
                    if not self._changed.wait(max(0.0, self._due - monotonic())) and monotonic() >= self._due:
                        break
                batches, closing = self._take(), self._closing
                refused, self._refused = self._refused, {}
            for collection in {batch.collection for batch in batches} | refused.keys():
                mine = [batch for batch in batches if batch.collection == collection]
                self._commit(collection, mine, refused.get(collection, Counter()))
            if closing and not batches:
                return
            self._look_after()

    def _look_after(self) -> None:
        """Give the store time for what may wait, a slice after a commit, or all of it while nobody waits."""
        try:
            while self._store.upkeep() and not self._waiting and not self._closing:
                pass
        except Exception as error:  # it is tried again; counting goes on
            reason = failure_name(error)
            log.error("upkeep of the store failed: %s", reason, extra={"event": "upkeep", "reason": reason})

    def _take(self) -> list[_Batch]:
        taken: list[_Batch] = []
        number = 0
        while self._waiting and number < COMMIT_LIMIT:
            taken.append(self._waiting.popleft())
            number += taken[-1].size
        self._number -= number
        self._due = monotonic()  # what is left over has waited
        return taken

    def _commit(self, collection: int, batches: list[_Batch], refused: Counter[str]) -> None:
        started = perf_counter()
        try:
            outcomes = commit(self._store, collection, [batch.reports for batch in batches], refused)
        except Exception as error:  # whatever the store raised, those who wait must hear of it
            self.failing = True
            self._complain(error)
            self._keep_refused(collection, refused)
            self._settle(batches, None)
            return
        self.failing = False
        self._metrics.commit_seconds.observe(perf_counter() - started)
        self._metrics.commit_reports.observe(sum(batch.size for batch in batches))
        self._settle(batches, outcomes)

    def _settle(self, batches: list[_Batch], outcomes: list[Outcome] | None) -> None:
        """Wake all who wait for this commit, in the event loop's own thread; None if it failed."""

        def wake() -> None:
            for number, batch in enumerate(batches):
                if batch.future.done():  # its client went away
                    continue
                if outcomes is None:
                    batch.future.set_exception(NotCountedError())
                else:
                    batch.future.set_result(outcomes[number])

        if batches and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(wake)


def commit(
    store: Store, collection: int, batches: Sequence[Reports | One], refused: Mapping[str, int]
) -> list[Outcome]:
    """Count several batches in one transaction; return what became of each. The first report of an id wins.

    Args:
        store: Where reports are counted.
        collection: The collection's number.
        batches: What came, in order.
        refused: How many others were refused, by reason.
    """
    if not batches:
        store.add(collection, today(), columns_of([]), refused)
        return []
    parts: list[Reports] = []
    for single, run in groupby(batches, key=lambda batch: isinstance(batch, One)):
        part = list(run)
        parts += [columns_of(part)] if single else part  # type: ignore[arg-type]
    sizes = [1 if isinstance(batch, One) else len(batch) for batch in batches]
    everything = join(parts)
    first = first_of_each(everything.ids)
    fresh = store.add(collection, today(), everything.take(first), refused)
    owner = np.repeat(np.arange(len(batches)), sizes)
    counted = np.bincount(owner[first[fresh]], minlength=len(batches)).tolist()
    return [Outcome(new, size - new) for new, size in zip(counted, sizes, strict=True)]
