"""``sottovoce randomize``: a table of records becomes a table of reports, a part at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from sottovoce import Plan, RecordError, SottovoceError, randomize, write_reports
from sottovoce._types import Progress
from sottovoce.cli.files import read_records, replacing, suffix_of
from sottovoce.cli.output import json_option, make_console, print_json, progress_bar, strong


@click.command("randomize")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.argument("data", metavar="DATA", type=click.Path(path_type=Path))
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="The reports to write: .parquet, .csv, or a directory.",
)
@click.option("--ids", is_flag=True, help="Give every report an id, so that it is counted once (directory only).")
@click.option("--wave", type=int, help="Of a plan with waves, the wave whose turn all these people have (file only).")
@json_option
def command(plan_file: Path, data: Path, *, out: Path, ids: bool, wave: int | None, as_json: bool) -> None:
    """Turn a table of records into randomised reports.

    DATA is a CSV or Parquet file with one row per person and the schema's attributes as columns; other columns are
    left alone. Each row becomes one report by the operating system's randomness: the same table gives other reports
    each time, and every run tells a little more about the same people, so run it once.

    This protects people from whoever gets the reports, not from whoever already holds DATA.

    \b
      sottovoce randomize plan.json people.csv --out reports.parquet
      sottovoce randomize plan.json people.parquet --out reports/

    A directory gets many Parquet files of some ten million reports each, however large DATA is.
    """
    plan = Plan.load(plan_file)
    with progress_bar(f"randomize {data.name}", 1.0) as progress:
        if not out.suffix or out.is_dir():
            rows = _write_directory(plan, data, out, ids, progress)
        elif ids:
            raise SottovoceError(
                f"--ids is for a directory of reports, got the file {str(out)!r}; give --out a directory"
            )
        else:
            with replacing(out, inputs=[plan_file, data]) as part:
                rows = _write_reports(plan, data, part, suffix_of(out), progress, wave=wave)
    if as_json:
        print_json({"reports": str(out), "rows": rows, "plan": plan.fingerprint})
        return
    console = make_console()
    console.print(strong(out), f": {rows:,} reports, one per row of {data}", sep="")
    console.print(f"Next: sottovoce tally {plan_file} {out} --out tally.parquet", style="dim")


def _write_directory(plan: Plan, data: Path, out: Path, ids: bool, progress: Progress) -> int:
    rows = before = 0

    def parts() -> Iterator[pa.Table]:
        nonlocal rows, before
        for table in read_records(data, plan.schema, progress):
            before, rows = rows, rows + table.num_rows
            yield table

    try:
        write_reports(plan, parts(), out, ids=ids)
    except RecordError as error:
        raise RecordError(
            f"{str(data)!r}, within rows {before + 1} to {rows}: {error}" if rows else str(error)
        ) from error
    return rows


def _write_reports(plan: Plan, data: Path, part: Path, suffix: str, progress: Progress, *, wave: int | None) -> int:
    rows = 0
    writer: pq.ParquetWriter | pc.CSVWriter | None = None
    try:
        for table in read_records(data, plan.schema, progress):
            try:
                reports = randomize(plan, table, wave=wave)
            except RecordError as error:
                raise RecordError(
                    f"{str(data)!r}, within rows {rows + 1} to {rows + table.num_rows}: {error}"
                ) from error
            rows += table.num_rows
            if suffix == ".csv":
                reports = reports.append_column("plan", pa.repeat(plan.fingerprint, reports.num_rows))
            if writer is None:
                writer = (pc.CSVWriter if suffix == ".csv" else pq.ParquetWriter)(part, reports.schema)
            writer.write_table(reports)
    finally:
        if writer is not None:
            writer.close()
    if not rows:
        raise RecordError(f"{str(data)!r} has no rows: there is nobody to report")
    return rows
