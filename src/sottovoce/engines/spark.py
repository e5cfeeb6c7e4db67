"""Spark: reports are counted, and records randomised, on a cluster; only counts come to the driver.

The DataFrame API alone is used, no function of ours runs to count, so Spark Connect will do. To randomise, workers need
this package installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from sottovoce._types import Paths
from sottovoce.client.bulk import randomize
from sottovoce.engines import require
from sottovoce.engines.report_files import ReportFile, admit_files, inspect_files, is_bytes, with_ids
from sottovoce.errors import RecordError, SottovoceError, TallyError
from sottovoce.plan.counting_sql import alphabet_runs, verdict
from sottovoce.plan.plan import Plan, require_plan
from sottovoce.plan.refusals import DUPLICATE
from sottovoce.tally.tally import Tally

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_IDS = ("binary", "string")


def tally_spark(plan: Plan, dataframe: DataFrame, *, assume_plan: bool = False) -> Tally:
    """Return the tally of a Spark DataFrame of reports; what is refused is counted by reason.

    Args:
        plan: The plan whose reports are counted.
        dataframe: Columns ``question`` and ``code``, ``plan`` with each report's fingerprint, and ``id`` if there is
            one: of rows with the same id, one is counted.
        assume_plan: Take rows that name no plan to answer this one.
    """
    _require_dataframe(plan, dataframe, TallyError)
    from pyspark.sql import functions as f

    types = dict(dataframe.dtypes)
    fingerprint = f.lit(plan.fingerprint if assume_plan else None).cast("string")
    named = f.coalesce(f.col("plan").cast("string"), fingerprint) if "plan" in types else fingerprint
    present = [name for name in ("id", "question", "code") if name in types]
    absent = [f.lit(None).cast("bigint").alias(name) for name in ("question", "code") if name not in types]
    reports = dataframe.select(named.alias("plan"), *present, *absent)
    alphabets = alphabet_runs(plan.questions.codes, reports.columns)
    judge = verdict(plan.names, alphabets, reports.columns, integers=_fits(types))
    counted = _count_unique(reports, judge) if "id" in types else _count_pairs(reports, judge)
    return Tally.from_counts(plan, counted)


def tally_spark_files(plan: Plan, session: SparkSession, paths: Paths, *, assume_plan: bool = False) -> Tally:
    """Return the tally of Parquet files that the driver and all workers see under the same paths.

    Args:
        plan: The plan that was answered.
        session: The Spark session that counts.
        paths: A Parquet file, a folder of them, or several.
        assume_plan: Take reports that name no plan to answer this one; otherwise they are refused.

    Returns:
        The tally; ``refused`` says how many rows were not counted and why.
    """
    files, refused = admit_files(inspect_files(paths), assume_plan=assume_plan)
    tally = Tally(plan)
    for chosen in ([file for file in files if file.has_ids], [file for file in files if not file.has_ids]):
        if chosen:
            tally.merge(tally_spark(plan, _read(session, chosen), assume_plan=assume_plan))
    tally.refused += refused
    return tally


def randomize_spark(plan: Plan, dataframe: DataFrame, *, ids: bool = False) -> DataFrame:
    """Return one randomised report per row, (plan, question, code) and an id if asked for, drawn on the workers.

    The reports are drawn once, by the operating system's randomness, before this returns, and kept with the workers:
    a DataFrame that is computed anew for every use would draw anew, and tell more about the same people each time.

    Args:
        plan: The plan to answer.
        dataframe: The schema's attributes as columns; others are left alone.
        ids: Give every report an id of 128 random bits.
    """
    _require_dataframe(plan, dataframe, RecordError)
    from pyspark.errors import PythonException

    records = dataframe.select(*plan.schema.names)
    columns = (
        f"plan string, question {_smallest(len(plan.questions))}, code {_smallest(int(plan.questions.codes.max()))}"
    )
    try:
        drawn = records.mapInArrow(_randomizer(plan, ids=ids), columns + (", id binary" if ids else ""))
        return drawn.localCheckpoint(eager=True)
    except PythonException as error:
        told = [line for line in str(error).splitlines() if line.startswith("sottovoce.")]
        raise RecordError(told[-1].partition(": ")[2] if told else str(error)) from error


def _require_dataframe(plan: Plan, dataframe: object, error: type[SottovoceError]) -> None:
    """Raise unless Spark is installed and these are a plan and a Spark DataFrame."""
    require_plan(plan)
    require("pyspark")
    from pyspark.sql import DataFrame

    if not isinstance(dataframe, DataFrame):
        raise error(f"a Spark DataFrame is needed here, got {type(dataframe).__name__}")


def _randomizer(plan: Plan, *, ids: bool) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    text, question, code = plan.to_json(), _smallest(len(plan.questions)), _smallest(int(plan.questions.codes.max()))
    kinds = {"smallint": pa.int16(), "int": pa.int32(), "bigint": pa.int64()}

    def draw(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        here = Plan.from_json(text)
        for batch in batches:
            reports = randomize(here, pa.Table.from_batches([batch]))
            columns = {
                "plan": pa.repeat(here.fingerprint, reports.num_rows),
                "question": reports.column("question").cast(kinds[question]),
                "code": reports.column("code").cast(kinds[code]),
            }
            if ids:
                columns["id"] = with_ids(reports).column("id").cast(pa.binary())
            yield from pa.table(columns).combine_chunks().to_batches()

    return draw


def _smallest(size: int) -> str:
    return "smallint" if size <= 2**15 else "int" if size <= 2**31 else "bigint"


def _fits(types: dict[str, str]) -> bool:
    whole = [types.get(name, "") for name in ("question", "code")]
    integers = all(kind in _INTEGERS or re.fullmatch(r"decimal\(\d+,0\)", kind) for kind in whole)
    return integers and types.get("id", "binary") in _IDS


def _count_pairs(reports: DataFrame, judge: str) -> pa.Table:
    from pyspark.sql import functions as f

    pairs = reports.groupBy(*reports.columns).agg(f.count(f.lit(1)).alias("reports"))
    judged = pairs.withColumn("reason", f.expr(judge))
    counted = judged.groupBy("reason", _where_counted("question"), _where_counted("code"))
    return counted.agg(f.sum("reports").alias("count")).toArrow()


def _count_unique(reports: DataFrame, judge: str) -> pa.Table:
    from pyspark.sql import functions as f

    judged = reports.withColumn("reason", f.expr(judge))
    counted = judged.select("reason", "id", _where_counted("question"), _where_counted("code"))
    by_id = counted.groupBy("reason", f.when(f.col("reason").isNull(), f.col("id")).alias("id"))
    kept = by_id.agg(f.min(f.struct("question", "code")).alias("first"), f.count(f.lit(1)).alias("rows"))
    table = (
        kept.groupBy("reason", "first.question", "first.code")
        .agg(f.count(f.lit(1)).alias("kept"), f.sum("rows").alias("rows"))
        .toArrow()
    )
    counts = pc.if_else(table.column("reason").is_valid(), table.column("rows"), table.column("kept"))
    duplicates = (pc.sum(table.column("rows")).as_py() or 0) - (pc.sum(counts).as_py() or 0)
    result = table.select(["reason", "question", "code"]).append_column("count", counts)
    more = {"reason": [DUPLICATE], "question": [-1], "code": [-1], "count": [duplicates]}
    return pa.concat_tables([result, pa.table(more)], promote_options="permissive")


def _where_counted(name: str) -> Any:
    from pyspark.sql import functions as f

    return f.when(f.col("reason").isNull(), f.col(name).cast("bigint")).otherwise(f.lit(-1)).alias(name)


def _read(session: SparkSession, files: list[ReportFile]) -> DataFrame:
    """Return the reports of files that fit, each with its plan; files that are alike are read together."""
    from pyspark.sql import functions as f

    groups: dict[tuple[Any, ...], list[str]] = {}
    for file in files:
        groups.setdefault((file.plan, file.types), []).append(file.path)
    mixed = len({is_bytes(dict(types)["id"]) for _, types in groups if "id" in dict(types)}) > 1
    parts = []
    for (plan, types), paths in groups.items():
        columns = [f.lit(plan).cast("string").alias("plan"), f.col("question"), f.col("code")]
        if "id" in dict(types):
            as_text = mixed and is_bytes(dict(types)["id"])
            columns.append((f.lower(f.hex("id")) if as_text else f.col("id")).alias("id"))
        parts.append(session.read.parquet(*paths).select(*columns))
    return reduce(lambda left, right: left.unionByName(right), parts)
