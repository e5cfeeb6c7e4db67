"""The ledgers of older versions: a JSON file for each collection in a directory, taken over by `Ledger` and removed.

They say nothing of costs: until the plan of a collection is seen again, it counts as the largest epsilon that a device
answers by itself, on the day its file was written.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

_NAME = re.compile("[0-9a-f]{64}")
_FOLDER = "answered"


class _File(msgspec.Struct):
    report: str
    acknowledged: bool = False


class Older(msgspec.Struct, frozen=True):
    """An answer as an older version kept it; without a report if its file is damaged: then it is spent."""

    path: Path
    collection: str
    report: str | None
    acknowledged: bool
    day: str


def read(directory: Path) -> list[Older]:
    """Return what an older version kept in a directory, or in its folder for answers."""
    paths = [*directory.glob("*.json"), *(directory / _FOLDER).glob("*.json")]
    found = (_read(path) for path in sorted(paths) if _NAME.fullmatch(path.stem))
    return [older for older in found if older is not None]


def remove(taken_over: Iterable[Older]) -> None:
    """Remove the files of answers that stand elsewhere now: they say what was answered."""
    for older in taken_over:
        older.path.unlink(missing_ok=True)


def _read(path: Path) -> Older | None:
    """Return what a file says; None if another program took it over just now."""
    try:
        day = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.UTC).date().isoformat()
        found = msgspec.json.decode(path.read_bytes(), type=_File)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return Older(path, path.stem, None, acknowledged=False, day=day)
    return Older(path, path.stem, found.report, found.acknowledged, day)
