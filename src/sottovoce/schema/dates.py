"""Dates as they come: the weekday, month, hour or year of one, or the range of days it falls into.

A date is a `datetime.date`, a `datetime.datetime`, or text as ISO 8601 writes it, with a time of day or without. The
day and the hour are the ones that are written: no zone of time is applied.

    >>> date_number("weekday", "2026-11-16"), date_number(("2020-01-01", "2024-01-01", "2028-01-01"), "2026-11-16")
    (1, 2)
"""

from __future__ import annotations

import bisect
import datetime
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PARTS = {"weekday": (1, 7), "month": (1, 12), "hour": (0, 23), "year": (1, 9999)}
"""What of a date may be asked for, and the smallest and largest number of each; Monday is 1."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

_ISO = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)?((?(day)[T ])(?P<hour>[01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?"
    r"(?(day)(Z|[+-]\d\d:?\d\d)?))?",
    re.ASCII,
)

Part = str | tuple[str, ...]
"""A part of `PARTS`, or the days at which ranges begin, and the last day of the last range."""


def is_day(text: object) -> bool:
    """Return whether a text is a day of the calendar, such as 2030-12-31."""
    try:
        return isinstance(text, str) and datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def date_number(part: Part, value: object) -> int | None:
    """Return a part of a date as its number, ranges counting from 1; None for what is no date or lacks that part.

    A day before the first range is 0, one after the last is one more than there are ranges. A time alone, such as
    14:30, has an hour and nothing else.
    """
    text = value.isoformat() if isinstance(value, datetime.date | datetime.time) else value
    found = _ISO.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    if part == "hour":
        return (
            None if found["hour"] is None or not (found["day"] is None or is_day(found["day"])) else int(found["hour"])
        )
    if not is_day(found["day"]):
        return None
    day = datetime.date.fromisoformat(found["day"])
    if isinstance(part, str):
        return day.isoweekday() if part == "weekday" else int(getattr(day, part))
    ranges = len(part) - 1
    number = bisect.bisect_right(part, found["day"])
    return ranges if found["day"] == part[-1] else number


def date_numbers(part: Part, column: NDArray[np.datetime64]) -> NDArray[np.int64]:
    """Return `date_number` of a whole column of dates, none of which is missing."""
    import numpy as np

    days = column.astype("datetime64[D]")
    if part == "weekday":
        return np.asarray((days.astype(np.int64) + 3) % 7 + 1)
    if part == "month":
        return np.asarray(column.astype("datetime64[M]").astype(np.int64) % 12 + 1)
    if part == "hour":
        return np.asarray((column.astype("datetime64[h]") - days).astype(np.int64))
    if part == "year":
        return np.asarray(column.astype("datetime64[Y]").astype(np.int64) + 1970)
    edges: Any = np.array(part, dtype="datetime64[D]")
    return np.where(days == edges[-1], len(edges) - 1, np.searchsorted(edges, days, side="right"))
