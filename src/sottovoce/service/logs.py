"""What a collector says about itself: one line for an event, for people or as JSON for programs; never about a request.

No line has a time finer than a day: whoever gathers the lines knows when they came. An error is its kind, never its
text or its trace, which may hold what was sent.
"""

from __future__ import annotations

import logging
import os
import sys

import msgspec

from sottovoce.service.served import today

FORMATS = ("text", "json")
LEVELS = ("info", "warning", "error")
FIELDS = ("event", "reason", "times", "seconds", "reports", "plans", "collection", "version", "store", "workers")
"""What an event may be described by, beside its words; loggers give them as ``extra``."""


class Lines(logging.Formatter):
    """Writes events, one line each."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self._json = form == "json"

    def format(self, record: logging.LogRecord) -> str:
        """Return one line.

        Example:
            >>> Lines("text").format(logging.makeLogRecord({"levelname": "ERROR", "msg": "a commit failed"}))
            'error: a commit failed'
        """
        words = record.getMessage()
        if record.exc_info and record.exc_info[0] is not None:
            words = f"{words}: {record.exc_info[0].__name__}"
        words = " ".join(words.split())
        level = record.levelname.lower()
        if not self._json:
            return f"{level}: {words}"
        line = {"day": today().isoformat(), "level": level, "process": os.getpid(), "message": words}
        line |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        return msgspec.json.encode(line).decode()


def configure_logs(form: str, level: str) -> None:
    """Write what the collector and its server say to the standard error, in one form, from a level on.

    Args:
        form: One of `FORMATS`.
        level: One of `LEVELS`.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines(form))
    for name, least in (("sottovoce", level), ("uvicorn", "warning" if level == "info" else level)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(least.upper())
