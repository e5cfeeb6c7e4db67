"""The log of plans in a store's own table: a plan is added once, after the last, in the transaction that keeps it."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from sottovoce.plan.log import LogEntry, following
from sottovoce.plan.plan import Plan

ENTRIES = "SELECT number, day, fingerprint, collection, previous FROM plan_log"

Run = Callable[[str, Sequence[Any]], Any]
"""Runs a statement, a ``?`` standing for each value, in the transaction that is open; gives a cursor."""


def append(run: Run, plan: Plan) -> None:
    """Add a plan to the log unless it is in it; no other may be adding one at the same time."""
    if run("SELECT 1 FROM plan_log WHERE fingerprint = ?", (plan.fingerprint,)).fetchone():
        return
    last = run(f"{ENTRIES} ORDER BY number DESC LIMIT 1", ()).fetchone()
    today = datetime.datetime.now(datetime.UTC).date()
    entry = following(LogEntry(*last) if last else None, plan, today)
    run(
        "INSERT INTO plan_log (number, day, fingerprint, collection, previous) VALUES (?, ?, ?, ?, ?)",
        msgspec.structs.astuple(entry),
    )
