"""Counts of reports: the tally, what a database counted, and whether a crowd could have given it."""

from __future__ import annotations

from sottovoce.tally.tally import Tally

__all__ = ["Tally"]
