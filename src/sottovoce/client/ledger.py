"""The ledger: which collections a person answered, and with which report.

Privacy is spent at the **draw**. So a report is written to a file before it is sent, the file is what marks the
collection as answered, and every retry and restart sends what the file holds: a lost acknowledgement never leads to a
second draw.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from sottovoce._files import create_whole, write_whole
from sottovoce.errors import DeliveryError


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
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        create_whole(self._path(collection), msgspec.json.encode(Spent(draw())), private=True)
        kept = self.find(collection)  # of several that draw at the same time, one report is kept
        assert kept is not None
        return kept

    def acknowledge(self, collection: str, spent: Spent) -> None:
        """Take note that the collector has the report."""
        acknowledged = msgspec.structs.replace(spent, acknowledged=True)
        write_whole(self._path(collection), msgspec.json.encode(acknowledged), private=True)

    def _path(self, collection: str) -> Path:
        return self.directory / f"{collection}.json"


def _data_directory() -> Path:
    try:
        from platformdirs import user_data_path
    except ImportError as error:
        raise DeliveryError("sending over HTTP needs platformdirs: pip install 'sottovoce[http]'") from error
    return user_data_path("sottovoce", appauthor=False) / "answered"
