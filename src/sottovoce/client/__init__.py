"""What a person's device does: draw a report, keep it, and send it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sottovoce.client.client import Client
from sottovoce.client.ledger import Ledger
from sottovoce.client.report import Report

if TYPE_CHECKING:
    from sottovoce.client.bulk import randomize

__all__ = ["Client", "Ledger", "Report", "randomize"]


def __getattr__(name: str) -> Any:
    """Load `randomize`, which takes numpy and Arrow, when it is asked for: a device does without."""
    if name == "randomize":
        import importlib

        return importlib.import_module("sottovoce.client.bulk").randomize
    raise AttributeError(f"module 'sottovoce.client' has no attribute {name!r}")
