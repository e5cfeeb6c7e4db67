"""``sottovoce randomize``: a table of records becomes a table of reports, a part at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from sottovoce import Plan, RecordError, SottovoceError, randomize, write_reports
from sottovoce._types import Progress
from sottovoce.cli.faults import Fault, fault_words, find_faults
from sottovoce.cli.files import read_records, replacing, suffix_of
from sottovoce.cli.output import json_option, make_console, make_table, print_json, progress_bar, strong


@click.command("randomize")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.argument("data", metavar="DATA", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The reports to write: .parquet, .csv, or a directory.",
)
@click.option("--ids", is_flag=True, help="Give every report an id, so that it is counted once (directory only).")
@click.option("--wave", type=int, help="Of a plan with waves, the wave whose turn all these people have (file only).")
@click.option(
    "--check", is_flag=True, help="Only list every value of DATA that the plan does not allow; write nothing."
)
@json_option
def command(plan_file: Path, data: Path, *, out: Path | None, check: bool, as_json: bool, **how: Any) -> None:
    """Turn a table of records into randomised reports.

    DATA has one row per person and the schema's attributes as columns; other columns are left alone. It is Parquet, or
    text separated by commas, semicolons, tabs or bars, compressed (.gz) or not; - reads text from standard input. Each
    row becomes one report by the operating system's randomness: the same table gives other reports each time, and every
    run tells a little more about the same people, so run it once.

    This protects people from whoever gets the reports, not from whoever already holds DATA.

    \b
      sottovoce randomize plan.json people.csv --out reports.parquet
      sottovoce randomize plan.json people.parquet --out reports/
      sottovoce randomize plan.json people.csv.gz --check

    A directory gets many Parquet files of some ten million reports each, however large DATA is.
    """
    plan = Plan.load(plan_file)
    if check:
        _check(plan, data, as_json)
        return
    if out is None:
        raise click.UsageError("give --out, the reports to write, or --check to write none")
    with progress_bar(f"randomize {data.name}", 1.0) as progress:
        if not out.suffix or out.is_dir():
            rows = _write_directory(plan, data, out, how["ids"], progress)
        elif how["ids"]:
            raise SottovoceError(
                f"--ids is for a directory of reports, got the file {str(out)!r}; give --out a directory"
            )
        else:
            with replacing(out, inputs=[plan_file, data]) as part:
                rows = _write_reports(plan, data, part, suffix_of(out), progress, wave=how["wave"])
    if as_json:
        print_json({"reports": str(out), "rows": rows, "plan": plan.fingerprint})
        return
    console = make_console()
    console.print(strong(out), f": {rows:,} reports, one per row of {data}", sep="")
    console.print(f"Next: sottovoce tally {plan_file} {out} --out tally.parquet", style="dim")


def _check(plan: Plan, data: Path, as_json: bool) -> None:
    """Tell every fault of a table, and fail if there is one."""
    faults: list[Fault] = []
    rows = 0
    with progress_bar(f"check {data.name}", 1.0) as progress:
        for table in read_records(data, plan.schema, progress, tell=_tell):
            faults += find_faults(plan.schema, table, rows + 1)
            rows += table.num_rows
    if as_json:
        print_json({"rows": rows, "faults": [asdict(fault) for fault in faults]})
    elif faults:
        table = make_table(">row", "column", "value", "what is wrong")
        for fault in faults:
            table.add_row(f"{fault.row:,}", fault.column, str(fault.value), fault.why)
        make_console().print(table)
        make_console().print("Rows count from 1, the header not counted.", style="dim")
    else:
        make_console().print(strong(data), f": all {rows:,} rows fit the plan", sep="")
    if faults:
        wrong = len({fault.row for fault in faults})
        raise RecordError(f"{str(data)!r}: {len(faults):,} values in {wrong:,} of {rows:,} rows are not allowed")


def _tell(note: str) -> None:
    click.echo(f"Note: {note}", err=True)


@contextmanager
def _told_by_row(plan: Plan, data: Path, last: list[tuple[int, pa.Table]]) -> Iterator[None]:
    """Tell what is wrong with the last part read by row and column; ``last`` holds its first row and its table."""
    try:
        yield
    except RecordError as error:
        faults = find_faults(plan.schema, last[-1][1], last[-1][0]) if last else []
        if not faults:
            raise
        raise RecordError(f"{str(data)!r}: {fault_words(faults)}; --check lists all") from error


def _write_directory(plan: Plan, data: Path, out: Path, ids: bool, progress: Progress) -> int:
    rows = 0
    last: list[tuple[int, pa.Table]] = []

    def parts() -> Iterator[pa.Table]:
        nonlocal rows
        for table in read_records(data, plan.schema, progress, tell=_tell):
            last[:] = [(rows + 1, table)]
            rows += table.num_rows
            yield table

    with _told_by_row(plan, data, last):
        write_reports(plan, parts(), out, ids=ids)
    return rows


def _write_reports(plan: Plan, data: Path, part: Path, suffix: str, progress: Progress, *, wave: int | None) -> int:
    rows = 0
    writer: pq.ParquetWriter | pc.CSVWriter | None = None
    try:
        for table in read_records(data, plan.schema, progress, tell=_tell):
            with _told_by_row(plan, data, [(rows + 1, table)]):
                reports = randomize(plan, table, wave=wave)
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
