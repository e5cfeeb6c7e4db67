"""The results of an experiment: one Parquet file that grows while it runs, and their summary over repeats."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sottovoce._files import whole_file
from sottovoce.errors import ExperimentError
from sottovoce.experiments.measure import Row

SETTINGS = pa.schema(
    [
        ("dataset", pa.string()),
        ("users", pa.int64()),
        ("attributes", pa.int64()),
        ("levels", pa.int64()),
        ("covariance", pa.float64()),
        ("cut", pa.float64()),
        ("epsilon", pa.float64()),
        ("sigma", pa.float64()),
        ("kind", pa.string()),
        ("aligned", pa.bool_()),
        ("dimension", pa.int64()),
        ("volume", pa.float64()),
        ("queries", pa.int64()),
        ("method", pa.string()),
        ("index", pa.int64()),
    ]
)
"""What a number belongs to; ``index`` counts queries or sweeps where there is a number for each."""

COLUMNS = pa.schema([*SETTINGS, ("repeat", pa.int64()), ("value", pa.float64()), ("task", pa.string())])


class Results:
    """Finished work of one experiment. What is saved survives any interruption; the file is never half written."""

    def __init__(self, path: Path, columns: pa.Schema = COLUMNS) -> None:
        self.path, self.columns = path, columns
        self._rows: dict[str, list[Row]] = {}
        for row in _read(path, columns).to_pylist() if path.exists() else []:
            self._rows.setdefault(row["task"], []).append(row)

    def __contains__(self, task: str) -> bool:
        return task in self._rows

    def add(self, rows: list[Row]) -> None:
        """Add what one task measured."""
        self._rows[rows[0]["task"]] = rows

    def save(self) -> None:
        """Write everything, in an order that does not depend on what finished first."""
        table = self.table(sorted(self._rows))
        with whole_file(self.path) as part:
            pq.write_table(table, part)

    def table(self, tasks: Iterable[str]) -> pa.Table:
        """Return the rows of these tasks, in their order."""
        return pa.Table.from_pylist([row for task in tasks for row in self._rows[task]], schema=self.columns)


def summarize(table: pa.Table) -> pa.Table:
    """Return the mean, standard deviation and number of repeats of every measurement, in the table's order."""
    numbered = table.append_column("row", pa.array(range(table.num_rows)))
    summary = numbered.group_by(SETTINGS.names, use_threads=False).aggregate(
        [("value", "mean"), ("value", "stddev", pc.VarianceOptions(ddof=1)), ("repeat", "count"), ("row", "min")]
    )
    summary = summary.sort_by("row_min").drop_columns("row_min")
    return summary.rename_columns([*SETTINGS.names, "mean", "deviation", "repeats"])


def varying(summary: pa.Table, among: Collection[str] = SETTINGS.names) -> list[str]:
    """Return the settings that take more than one value; where a data set has none, that is not another."""
    return [name for name in SETTINGS.names if name in among and len(summary[name].drop_null().unique()) > 1]


def _read(path: Path, columns: pa.Schema) -> pa.Table:
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise ExperimentError(
            f"{str(path)!r} cannot be read as results: {error}; move it away to start anew"
        ) from error
    if table.schema.names != columns.names:
        raise ExperimentError(f"{str(path)!r} holds other columns than results have; move it away to start anew")
    return table
