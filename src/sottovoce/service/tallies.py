"""The tally of a collection out of a store, for whatever is done with it next: a file, a report, a refreshed plan."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

from sottovoce.errors import TallyError
from sottovoce.plan.plan import Plan, require_plan
from sottovoce.service.releases import released_counts
from sottovoce.service.store import Store, open_store
from sottovoce.tally.tally import Tally


def tally_of(store: Store, plan: Plan, collection: int, *, step: int = 1) -> Tally:
    """Return what a store counted of a collection, question totals kept plan by plan; refusals by reason.

    Args:
        store: The store.
        plan: A plan of the collection.
        collection: Its number.
        step: In steps of how many reports counts are shown.
    """
    tally = Tally(plan)
    for counts in released_counts(store, collection, step):
        own = plan if counts.fingerprint == plan.fingerprint else Plan.from_json(bytes(counts.document))
        part = Tally(own)
        part.add_counts(counts.question, counts.code, np.asarray(counts.count))
        tally.merge(part)
    for _, reason, count in store.refusals(collection):
        tally.refused[reason] += count
    return tally


def tally_store(plan: Plan, address: str) -> Tally:
    """Return the tally of a plan's collection in a collector's database, which may be in use.

    Args:
        plan: A plan of the collection.
        address: A SQLite file, or a ``postgresql://`` URL.

    Raises:
        TallyError: If there is no such file, or nothing of that collection in it.
    """
    require_plan(plan)
    if "://" not in address and not os.path.isfile(address):  # False for what can be no name, too
        raise TallyError(f"{address!r}: there is no such database")
    store = open_store(address)
    try:
        found = next((one for one in store.collections() if one.collection == plan.collection), None)
        if found is None:
            raise TallyError(f"this database has no reports of collection {plan.collection[:12]}; use its own plan")
        return tally_of(store, plan, found.number)
    finally:
        store.close()


def tally_bytes(tally: Tally) -> bytes:
    """Return a tally as the bytes of its file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tally.parquet"
        tally.save(path)
        return path.read_bytes()
