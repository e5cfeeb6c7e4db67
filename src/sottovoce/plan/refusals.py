"""Why a report is refused: the names under which every engine counts what it does not count as an answer.

A row is refused for the first of these that holds, in this order, whoever counts it.
"""

from __future__ import annotations

NO_PLAN = "no plan"
"""Nothing says which plan the row answers."""

WRONG_TYPE = "wrong type"
"""Question or code is not a column of integers, or is not there; found out for files and tables as a whole."""

NULL = "null"
"""Question or code is null, or the id where there is a column of ids."""

WRONG_PLAN = "wrong plan"
"""The row answers another plan."""

NO_QUESTION = "impossible question"
"""The plan has no such question."""

NO_CODE = "impossible code"
"""The question's channel cannot give such a code."""

DUPLICATE = "duplicate"
"""Another row with this id was counted: of all rows with one id that nothing else is wrong with, the one with the
smallest question, and among those the smallest code, is counted."""

REASONS = (NO_PLAN, WRONG_TYPE, NULL, WRONG_PLAN, NO_QUESTION, NO_CODE, DUPLICATE)
"""All reasons, in the order in which they are looked for."""

MALFORMED = "malformed"
"""What was sent is no report; only a collector, which reads requests, sees such a thing."""

EXPIRED = "expired plan"
"""The plan's last day is over; only a collector knows the day."""
