"""Files of reports, counted on this machine by DuckDB, or by numpy where DuckDB is not installed."""

from __future__ import annotations

from sottovoce._types import Paths
from sottovoce.engines.duckdb import count_with_duckdb
from sottovoce.engines.local import count_with_numpy
from sottovoce.engines.report_files import admit_files, inspect_files
from sottovoce.errors import TallyError
from sottovoce.plan.plan import Plan, require_plan
from sottovoce.tally.tally import Tally

ENGINES = {"duckdb": count_with_duckdb, "numpy": count_with_numpy}
"""The engines on one machine."""


def tally_parquet(plan: Plan, paths: Paths, *, assume_plan: bool = False, engine: str = "duckdb") -> Tally:
    """Return the tally of all reports in Parquet files; what is refused is counted by reason.

    The plan that a file answers stands in its schema's metadata; a file without it is refused as ``no plan``. Of rows
    with the same id, in whatever files of this call, one is counted.

    Args:
        plan: The plan whose reports are counted.
        paths: A file, a directory, a pattern such as ``reports/**/*.parquet``, or several of them.
        assume_plan: Take files that name no plan to answer this one.
        engine: "duckdb", or "numpy" which needs no extra and holds all ids in memory, if there are ids.

    Example:
        >>> import tempfile, numpy as np, sottovoce as sv
        >>> schema = sv.Schema([sv.Ordinal("a", 0, 7), sv.Ordinal("b", 0, 7)])
        >>> plan = sv.Plan.create(schema, epsilon=1, users=1000)
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     _ = sv.write_reports(plan, [{"a": np.arange(8), "b": np.arange(8)}], directory)
        ...     sv.tally_parquet(plan, directory).total
        8
    """
    require_plan(plan)
    if not isinstance(engine, str) or engine not in ENGINES:
        raise TallyError(f"engine is {' or '.join(ENGINES)}, got {engine!r}; for Spark, see tally_spark")
    files, refused = admit_files(inspect_files(paths), assume_plan=assume_plan)
    tally = ENGINES[engine](plan, files)
    tally.refused += refused
    return tally
