"""Releases: counts are shown in steps of at least so many new reports, for every plan and wave by itself.

Whoever sees two tallies sees what came between them. What a shuffled crowd is promised (`Audit.shuffled`) therefore
needs that between any two that are shown lie at least k reports. The last that was shown is kept in the store, so that
neither a restart nor a second collector shows another in between.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sottovoce.plan.plan import Plan
from sottovoce.service.store import Counts, Store


def released_counts(store: Store, collection: int, step: int) -> list[Counts]:
    """Return what is shown of a collection's counts: all of it, or the last release if there are steps.

    Args:
        store: Where the counts are, and the last release.
        collection: The collection's number.
        step: How many reports of a plan's wave must have come before they are shown; 1 shows everything.
    """
    counts = store.counts(collection)
    if step <= 1:
        return counts
    known = {(one.fingerprint, one.wave): one.document for one in store.releases(collection)}
    shown = []
    for one in counts:
        rows = [_shown(store, one, part, known, step) for part in _by_wave(one)]
        shown.append(replace(one, **dict(zip(("question", "code", "count"), _columns(rows), strict=True))))
    return shown


def _shown(
    store: Store,
    counts: Counts,
    part: tuple[int, NDArray[np.int64]],
    known: dict[tuple[str, int], bytes],
    step: int,
) -> NDArray[np.int64]:
    """Return the rows of a wave that are shown: those of now if enough came since the last release, else its own."""
    wave, rows = part
    last = np.frombuffer(known.get((counts.fingerprint, wave), b""), dtype="<i8").reshape(-1, 3)
    before, now = int(last[:, 2].sum()), int(rows[:, 2].sum())
    if now - before < step:
        return last
    if store.release(counts.fingerprint, wave, before, now, rows.astype("<i8").tobytes()):
        return rows
    return last  # another collector was quicker: what it shows is seen next time


def _by_wave(counts: Counts) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield every wave that has reports, the first being 1, and its rows (question, code, count)."""
    rows = np.stack([counts.question, counts.code, counts.count], axis=1).astype(np.int64)
    waves = rows[:, 0] // _per_wave(bytes(counts.document)) + 1
    yield from ((wave, rows[waves == wave]) for wave in np.unique(waves).tolist())


def _columns(rows: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros((0, 3), np.int64), *rows]).T


@functools.lru_cache(maxsize=64)
def _per_wave(document: bytes) -> int:
    return Plan.from_json(document).questions.per_wave
