"""Reports grouped and laid out for counting, and numbers of questions continued over rounds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.client.report import Report
from sottovoce.errors import TallyError


def padded(numbers: NDArray[Any], length: int) -> NDArray[Any]:
    """Return the numbers of a round's questions, and zeros for those of later rounds."""
    return np.concatenate([numbers, np.zeros(length - len(numbers), dtype=numbers.dtype)])


def group_by_plan(reports: Iterable[Report]) -> dict[str, list[Report]]:
    """Return reports by the plan that they name."""
    groups: dict[str, list[Report]] = {}
    if not isinstance(reports, Iterable):
        raise TallyError(f"a tally counts an Arrow table or reports, got {type(reports).__name__}")
    for report in reports:
        if not isinstance(report, Report):
            raise TallyError(f"a tally counts an Arrow table or reports, got {type(report).__name__}")
        groups.setdefault(report.plan, []).append(report)
    return groups


def report_columns(reports: list[Report]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the questions and codes of reports."""
    columns = np.array([(report.question, report.code) for report in reports], dtype=np.int64)
    return columns[:, 0], columns[:, 1]
