"""``sottovoce report``: one page for a finished collection, to decide by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click

from sottovoce import Plan, Tally, WaveModels
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, print_json, strong
from sottovoce.model.findings import find
from sottovoce.model.waves import load_fitted
from sottovoce.tally.quality import check_tally
from sottovoce.views.report_page import About, load_questions, make_report, read_logo
from sottovoce.views.report_page.asked import Question, asked_pairs
from sottovoce.views.report_page.over_time import followed


@click.command("report")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.argument("tally_file", metavar="TALLY", type=click.Path(path_type=Path))
@click.argument("model_file", metavar="MODEL", type=click.Path(path_type=Path))
@click.option(
    "--questions", "questions_file", type=click.Path(path_type=Path), help="The questions to answer (TOML), see below."
)
@click.option("--title", default="", help="The heading; by default the plan's purpose.")
@click.option("--organisation", default="", help="Whose report it is.")
@click.option("--logo", type=click.Path(path_type=Path), help="A PNG or JPEG, of at most 500 kB.")
@click.option("--date", "dated", default=None, help="The date on the page; by default today's.")
@click.option("--level", default=0.9, show_default=True, help="How likely an interval should hold the truth.")
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path), help="The page to write (HTML).")
@json_option
def command(  # noqa: PLR0913, PLR0917 - one for each option
    plan_file: Path,
    tally_file: Path,
    model_file: Path,
    questions_file: Path | None,
    title: str,
    organisation: str,
    logo: Path | None,
    dated: str | None,
    level: float,
    out: Path,
    as_json: bool,
) -> None:
    """Make one page of a finished collection, to decide by.

    Up to five findings in sentences, chosen so that on average one in ten of them at most is chance; every attribute
    with its intervals; groups side by side; a page of method and one of privacy in plain words. One HTML file with
    everything in it, to be read on a phone or printed, without a network. Of a plan with waves, whose model sottovoce
    fit makes of all of them, it shows also what changed over time, and what of that is more than chance.

    \b
      sottovoce report plan.json tally.parquet model.json --out report.html
      sottovoce report plan.json tally.parquet model.json --questions questions.toml --logo city.png -o report.html

    A file of questions lists each under [[question]], with one of where (a predicate), mean or share (an attribute),
    and optionally title, by (the attribute that makes groups) and given (who is counted).
    """
    tally, fitted = Tally.load(tally_file), load_fitted(model_file)
    questions = load_questions(questions_file) if questions_file else ()
    day = date.today().isoformat() if dated is None else dated
    about = About(title, organisation, day, read_logo(logo) if logo else "")
    page = make_report(Plan.load(plan_file), tally, fitted, level=level, questions=questions, about=about)
    inputs = [plan_file, tally_file, model_file, *(path for path in (questions_file, logo) if path)]
    with replacing(out, inputs=inputs) as part:
        part.write_text(page, encoding="utf-8")
    suspicious = [check.plan for check in check_tally(tally) if check.flagged and check.plan is not None]
    model = fitted[max(fitted)] if isinstance(fitted, WaveModels) else fitted
    changed = _changes(fitted, questions, level) if isinstance(fitted, WaveModels) else {}
    found = find(model, pairs=asked_pairs(questions)) if questions else find(model)
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
        print_json({**document, "suspicious_plans": suspicious, "findings": found.rows(), "pairs": pairs, **changed})
        return
    console = make_console()
    told = f"{len(found.chosen)} finding{'s' * (len(found.chosen) != 1)}"
    console.print(strong(out), f": {tally.total:,} reports, {sum(tally.refused.values()):,} refused, {told}", sep="")
    if suspicious:
        console.print(strong("  the questions' totals do not fit the plan's shares; see How to check this", "bold red"))


def _changes(models: WaveModels, questions: Sequence[Question], level: float) -> dict[str, Any]:
    """Return what changed from the first wave to the last, as JSON holds it; nothing of one wave alone."""
    if len(models) < 2:
        return {}
    lines = followed(models, questions)
    rows = [
        {
            "name": lines[change.number][0],
            "before": change.before.fraction,
            "after": change.after.fraction,
            "change": float(change.gap),
            "interval": list(change.gap.interval),
            "told": change.told,
        }
        for change in models.changes([where for _, where in lines], level=level)
    ]
    return {"between": [min(models), max(models)], "changes": rows}
