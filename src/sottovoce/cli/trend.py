"""``sottovoce trend``: a fraction of the crowd, wave by wave, and what changed."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click

from sottovoce import FewReportsWarning, Plan, Tally, fit_waves
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, make_table, print_json, progress_bar, strong
from sottovoce.model.answer import percent
from sottovoce.model.fitting import QUALITIES
from sottovoce.views.charts import check_suffix, save_chart, trend_chart


@click.command("trend")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.argument("tally_file", metavar="TALLY", type=click.Path(path_type=Path))
@click.argument("where", metavar="WHERE")
@click.option(
    "--between", nargs=2, type=int, metavar="WAVE WAVE", help="Say also how much it changed between two waves."
)
@click.option("--level", default=0.9, show_default=True, help="How likely an interval should hold the truth.")
@click.option("--quality", default="default", show_default=True, type=click.Choice(QUALITIES), help="How hard to try.")
@click.option("--out", "-o", type=click.Path(path_type=Path), help="Draw it too: .png, .svg or .html.")
@json_option
def command(plan_file: Path, tally_file: Path, where: str, *, out: Path | None, as_json: bool, **how: Any) -> None:
    """Follow a fraction of the crowd over the waves.

    PLAN is one with waves. Everybody reports in one of them, so that the errors of two waves are independent: the
    interval of a change is that of both put together.

    \b
      sottovoce trend plan.json tally.parquet "income >= 60000"
      sottovoce trend plan.json tally.parquet "income >= 60000" --between 3 7 --out trend.svg
    """
    between, level = how["between"], how["level"]
    if out is not None:
        check_suffix(out)
    with warnings.catch_warnings():  # every line shows its interval
        warnings.simplefilter("ignore", FewReportsWarning)
        with progress_bar("fit", 1.0) as step:
            tally = Tally.load(tally_file)
            models = fit_waves(Plan.load(plan_file), tally, quality=how["quality"], progress=step)
    trend = models.trend(where, level=level)
    change = None if between is None else models.change(where, between=between, level=level)
    changed = {} if change is None else {"change": float(change), "interval": change.interval, "between": between}
    if out is not None:
        with replacing(out, inputs=[plan_file, tally_file]) as part:
            save_chart(trend_chart(models, where, level=level), part, kind=out.suffix)
    if as_json:
        print_json(
            {
                "where": where,
                "level": level,
                "waves": [
                    {"wave": wave, "reports": one.reports, "fraction": one.fraction, "interval": one.interval}
                    for wave, one in trend.items()
                ],
                **changed,
            }
        )
        return
    console = make_console()
    table = make_table(">wave", ">reports", ">fraction", f">{level:.0%} interval")
    for wave, one in trend.items():
        low, high = one.interval
        table.add_row(f"{wave}", f"{one.reports:,}", percent(one.fraction), f"{percent(low)} to {percent(high)}")
    console.print(table)
    if change is not None:
        low, high = change.interval
        console.print(
            f"From wave {between[0]} to wave {between[1]}: ",
            strong(f"{float(change):+.2%}"),
            f" ({level:.0%} interval {low:+.2%} to {high:+.2%})"
            + ("; it could be chance" if low <= 0 <= high else "; more than chance"),
            sep="",
        )
    if out is not None:
        console.print(strong(out), ": the same as a picture", sep="")
