"""``sottovoce report``: one page for a finished collection."""

from __future__ import annotations

from pathlib import Path

import click

from sottovoce import Plan, Tally, load_model
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, print_json, strong
from sottovoce.tally.quality import check_tally
from sottovoce.views.report_page import make_report


@click.command("report")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.argument("tally_file", metavar="TALLY", type=click.Path(path_type=Path))
@click.argument("model_file", metavar="MODEL", type=click.Path(path_type=Path))
@click.option("--level", default=0.9, show_default=True, help="How likely an interval should hold the truth.")
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path), help="The page to write (HTML).")
@json_option
def command(plan_file: Path, tally_file: Path, model_file: Path, level: float, out: Path, as_json: bool) -> None:
    """Make one page of a finished collection.

    What was asked, the privacy certificate in plain words, the data's quality, every attribute and the strongest pairs:
    one HTML file with everything in it, to be read without a network.

    \b
      sottovoce report plan.json tally.parquet model.json --out report.html
    """
    tally, model = Tally.load(tally_file), load_model(model_file)
    page = make_report(Plan.load(plan_file), tally, model, level=level)
    with replacing(out, inputs=[plan_file, tally_file, model_file]) as part:
        part.write_text(page, encoding="utf-8")
    suspicious = [check.plan for check in check_tally(tally) if check.flagged and check.plan is not None]
    if as_json:
        pairs = [
            {
                "attributes": [pair.first, pair.second],
                "strength": float(pair.strength),
                "interval": list(pair.strength.interval),
                "told": pair.told,
            }
            for pair in model.association()
        ]
        document = {"report": str(out), "reports": tally.total, "refused": dict(tally.refused)}
        print_json({**document, "suspicious_plans": suspicious, "pairs": pairs})
        return
    console = make_console()
    console.print(strong(out), f": {tally.total:,} reports, {sum(tally.refused.values()):,} refused", sep="")
    if suspicious:
        console.print(strong("  the questions' totals do not fit the plan's shares; see Data quality", "bold red"))
