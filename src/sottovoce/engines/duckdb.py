"""DuckDB: the counting statement over Parquet files, on all cores of this machine, spilling to disk where it must."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from typing import Any

from sottovoce.engines import require
from sottovoce.engines.report_files import ReportFile, is_bytes
from sottovoce.errors import TallyError
from sottovoce.plan.plan import Plan
from sottovoce.tally.tally import Tally


def count_with_duckdb(plan: Plan, files: list[ReportFile]) -> Tally:
    """Return the tally of files whose footers were found to fit."""
    duckdb = require("duckdb")
    tally = Tally(plan)
    with duckdb.connect() as connection:
        for chosen in ([file for file in files if file.has_ids], [file for file in files if not file.has_ids]):
            if chosen:
                try:
                    tally.merge(_count(connection, plan, chosen))
                except duckdb.Error as error:
                    raise TallyError(f"DuckDB could not count the reports: {error}") from error
    return tally


def _count(connection: Any, plan: Plan, files: list[ReportFile]) -> Tally:
    columns = ["question", "code"]
    if files[0].has_ids:
        columns.insert(0, "id")
    if any(not _answers(plan, file) for file in files):
        columns.insert(0, "plan")
    connection.execute("CREATE OR REPLACE TEMP VIEW reports AS " + " UNION ALL ".join(_selects(plan, files, columns)))
    statement = plan.sql("duckdb", columns=columns, assume_plan=True)
    return Tally.from_counts(plan, connection.sql(statement).to_arrow_table())


def _answers(plan: Plan, file: ReportFile) -> bool:
    return file.plan in (None, *plan.names)  # files without a plan come this far only if it is assumed


def _selects(plan: Plan, files: Iterable[ReportFile], columns: list[str]) -> Iterator[str]:
    """Yield one selection for all files that are alike: DuckDB takes the first file's types for a whole list."""
    groups: dict[tuple[Any, ...], list[ReportFile]] = {}
    for file in files:
        groups.setdefault((_answers(plan, file), file.types), []).append(file)
    mixed = len({is_bytes(dict(types)["id"]) for _, types in groups if "id" in dict(types)}) > 1
    for (answers, types), group in groups.items():
        chosen = {"plan": f"'{plan.fingerprint if answers else ''}' AS plan"}
        if mixed:
            chosen["id"] = "lower(hex(id)) AS id" if is_bytes(dict(types)["id"]) else "CAST(id AS VARCHAR) AS id"
        names = ", ".join(chosen.get(column, column) for column in columns)
        paths = ", ".join("'" + glob.escape(file.path).replace("'", "''") + "'" for file in group)
        yield f"SELECT {names} FROM read_parquet([{paths}], hive_partitioning = false)"
