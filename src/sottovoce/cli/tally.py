"""``sottovoce tally``: reports are counted, and tallies merged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from sottovoce import Plan, Tally, TallyError
from sottovoce.cli.files import Step, read_csv, read_parquet, replacing, suffix_of
from sottovoce.cli.output import json_option, make_console, make_table, print_json, progress
from sottovoce.client import PLAN_KEY

_TALLY_KEY = b"sottovoce.tally"


@click.command("tally")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.argument("sources", metavar="REPORTS...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The tally to write (Parquet).")
@json_option
def command(plan_file: Path, sources: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Count reports, and merge counts.

    REPORTS are files of reports (Parquet or CSV) and tallies that were counted before, in any number and order; counts
    add. Reports that cannot be answers to PLAN are refused, and said to be, by reason.

    \b
      sottovoce tally plan.json monday.parquet tuesday.parquet --out week.parquet
      sottovoce tally plan.json week.parquet wednesday.parquet --out week.parquet.new
    """
    tally = Tally(Plan.load(plan_file))
    with progress("tally", len(sources)) as step:
        for number, source in enumerate(sources):
            _count(tally, source, lambda fraction, number=number: step(number + fraction))  # type: ignore[misc]
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
    console.print(f"[bold]{out}[/]: {tally.total:,} reports counted, {sum(refused.values()):,} refused")
    if refused:
        table = make_table("refused because", ">reports")
        for reason, count in sorted(refused.items()):
            table.add_row(reason, f"{count:,}")
        console.print(table)
    console.print(f"Next: sottovoce fit {plan_file} {out} --out model.json", style="dim")


def _count(tally: Tally, source: Path, step: Step) -> None:
    if suffix_of(source) == ".csv":
        for table in _read_csv_reports(source, step):
            tally.add(table)
    elif _is_tally(source):
        tally.merge(Tally.load(source))
        step(1.0)
    else:
        for table in read_parquet(source, ("question", "code"), step):
            tally.add(table)


def _is_tally(source: Path) -> bool:
    try:
        return _TALLY_KEY in (pq.read_schema(source).metadata or {})
    except pa.ArrowException as error:
        raise TallyError(f"{str(source)!r} holds neither reports nor a tally: {error}") from error


def _read_csv_reports(source: Path, step: Step) -> Iterator[pa.Table]:
    """Yield reports of one plan at a time; in a CSV file each row names its plan."""
    columns = {"question": pa.uint64(), "code": pa.uint64(), "plan": pa.string()}
    convert = pc.ConvertOptions(include_columns=list(columns), column_types=columns)
    for table in read_csv(source, convert, step):
        for fingerprint in table.column("plan").unique().to_pylist():
            chosen = table.filter(pa.compute.equal(table.column("plan"), fingerprint))
            yield chosen.replace_schema_metadata({PLAN_KEY: fingerprint})
