"""Small tables of results, made up by hand."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from sottovoce.experiments.results import COLUMNS, summarize

ROW: dict[str, Any] = {
    "dataset": "normal",
    "users": 1000,
    "attributes": 3,
    "levels": 16,
    "covariance": 0.8,
    "cut": 6.0,
    "epsilon": 1.0,
    "sigma": None,
    "kind": "random",
    "aligned": False,
    "dimension": 2,
    "volume": 0.5,
    "queries": 20,
    "method": "HDG",
    "index": 1,
    "repeat": 0,
    "value": 0.1,
    "task": "a",
}


def table_of(*rows: dict[str, Any]) -> pa.Table:
    """Return results, each row given by what differs from `ROW`."""
    return pa.Table.from_pylist([ROW | row for row in rows], schema=COLUMNS)


def summary_of(*rows: dict[str, Any]) -> pa.Table:
    """Return the summary of such results."""
    return summarize(table_of(*rows))
