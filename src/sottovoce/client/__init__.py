"""What a person's device does: draw a report, keep it, and send it."""

from __future__ import annotations

from sottovoce.client.client import Client, Report, randomize

__all__ = ["Client", "Report", "randomize"]
