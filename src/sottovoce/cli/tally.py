"""``sottovoce tally``: reports are counted, and tallies merged."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from sottovoce import Plan, Tally, TallyError, tally_parquet
from sottovoce._types import Paths, Progress
from sottovoce.cli.files import read_csv, replacing, suffix_of
from sottovoce.cli.output import json_option, make_console, make_table, print_json, progress_bar, strong
from sottovoce.client.report import PLAN_KEY
from sottovoce.engines import require
from sottovoce.engines.spark import tally_spark_files
from sottovoce.plan.rounds import is_last_round

_TALLY_KEY = b"sottovoce.tally"


@click.command("tally")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.argument("sources", metavar="REPORTS...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The tally to write (Parquet).")
@click.option(
    "--engine",
    type=click.Choice(["duckdb", "numpy", "spark"]),
    help="What counts Parquet files; all give the same tally. By default DuckDB if it is installed, else numpy.",
)
@click.option("--assume-plan", is_flag=True, help="Take Parquet files that name no plan to answer PLAN.")
@json_option
def command(
    plan_file: Path, sources: tuple[Path, ...], out: Path, engine: str | None, assume_plan: bool, as_json: bool
) -> None:
    """Count reports, and merge counts.

    REPORTS are files of reports (Parquet or CSV), directories and quoted patterns of Parquet files, tallies that were
    counted before, and collectors' databases (a SQLite file, or a postgresql:// URL), in any number and order; counts
    add. Reports that cannot be answers to PLAN are refused, and said to be, by reason. Of Parquet rows with the same id
    one is counted.

    \b
      sottovoce tally plan.json monday.parquet tuesday.parquet --out week.parquet
      sottovoce tally plan.json week.parquet wednesday.parquet --out week.parquet.new
      sottovoce tally plan.json "reports/**/*.parquet" --engine spark --out tally.parquet
      sottovoce tally plan.json collector.db --out tally.parquet
    """
    tally = Tally(Plan.load(plan_file))
    stores = [source for source in sources if _is_store(source)]
    for index in stores:
        tally.merge(Tally.from_store(tally.plan, _address(index)))
    sources = tuple(source for source in sources if source not in stores)
    files: list[str | os.PathLike[str]] = [source for source in sources if _holds_parquet_reports(source)]
    others = [source for source in sources if source not in files]
    with progress_bar("tally", len(others) + 1) as progress:
        for number, source in enumerate(others):
            _count(tally, source, lambda fraction, number=number: progress(number + fraction))  # type: ignore[misc]
        if files:
            tally.merge(_count_files(tally.plan, files, engine, assume_plan=assume_plan))
    refused = dict(tally.refused)
    if refused and not tally.total:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in refused.items())
        raise TallyError(f"no report was counted, all were refused: {reasons}; use the plan that they answer")
    with replacing(out, inputs=[plan_file]) as part:
        tally.save(part)
    if as_json:
        print_json({"tally": str(out), "total": tally.total, "refused": refused, "collection": tally.collection})
        return
    console = make_console()
    console.print(strong(out), f": {tally.total:,} reports counted, {sum(refused.values()):,} refused", sep="")
    if refused:
        table = make_table("refused because", ">reports")
        for reason, count in sorted(refused.items()):
            table.add_row(reason, f"{count:,}")
        console.print(table)
    following, result = ("fit", "model.json") if is_last_round(tally.plan) else ("next-round", "next.json")
    console.print(f"Next: sottovoce {following} {plan_file} {out} --out {result}", style="dim")


def _is_store(source: Path) -> bool:
    """Return whether a source is a collector's database: a server's address, or a file of SQLite."""
    if str(source).startswith(("postgresql:/", "postgres:/")):
        return True
    if not source.is_file():
        return False
    with source.open("rb") as file:
        return file.read(15) == b"SQLite format 3"


def _address(source: Path) -> str:
    """Return a database's address as it was typed; a path joins its slashes."""
    scheme, colon, rest = str(source).partition(":/")
    return f"{scheme}://{rest}" if colon and not rest.startswith("/") else str(source)


def _count(tally: Tally, source: Path, progress: Progress) -> None:
    if suffix_of(source) == ".csv":
        for table in _read_csv_reports(source, progress):
            tally.add(table)
    else:
        tally.merge(Tally.load(source))


def _count_files(plan: Plan, files: Paths, engine: str | None, *, assume_plan: bool) -> Tally:
    if engine == "spark":
        session = require("pyspark.sql").SparkSession.builder.appName("sottovoce tally").getOrCreate()
        try:
            return tally_spark_files(plan, session, files, assume_plan=assume_plan)
        finally:
            session.stop()
    if engine is None:
        engine = "duckdb" if importlib.util.find_spec("duckdb") else "numpy"
    return tally_parquet(plan, files, assume_plan=assume_plan, engine=engine)


def _holds_parquet_reports(source: Path) -> bool:
    """Return whether a source is to be counted by an engine: a directory or pattern, or a file that is no tally."""
    if not source.is_file():
        return True
    if suffix_of(source) == ".csv":
        return False
    try:
        schema = pq.read_schema(source)
    except pa.ArrowException as error:
        raise TallyError(f"{str(source)!r} holds neither reports nor a tally: {error}") from error
    if _TALLY_KEY in (schema.metadata or {}):
        return False
    missing = [name for name in ("question", "code") if name not in schema.names]
    if missing:
        raise TallyError(f"{str(source)!r}: no column {', '.join(missing)}; it has {', '.join(schema.names)}")
    return True


def _read_csv_reports(source: Path, progress: Progress) -> Iterator[pa.Table]:
    """Yield reports of one plan at a time; in a CSV file each row names its plan."""
    columns = {"question": pa.uint64(), "code": pa.uint64(), "plan": pa.string()}
    convert = pc.ConvertOptions(include_columns=list(columns), column_types=columns)
    for table in read_csv(source, convert, progress):
        for fingerprint in table.column("plan").unique().to_pylist():
            chosen = table.filter(pa.compute.equal(table.column("plan"), fingerprint))
            yield chosen.replace_schema_metadata({PLAN_KEY: fingerprint})
