"""``sottovoce explore``: a page on which any attribute can be brushed."""

from __future__ import annotations

from pathlib import Path

import click

from sottovoce import Plan
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, print_json, strong
from sottovoce.model.waves import WaveModels, load_fitted
from sottovoce.views.explorer import explorer_page


@click.command("explore")
@click.argument("model_file", metavar="MODEL", type=click.Path(path_type=Path))
@click.option("--plan", "plan_file", type=click.Path(path_type=Path), help="The plan, for its exact certificate.")
@click.option("--level", default=0.9, show_default=True, help="How likely an interval should hold the truth.")
@click.option("--population", type=int, help="How many people the crowd stands for; by default those who reported.")
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path), help="The page to write (HTML).")
@json_option
def command(
    *,
    model_file: Path,
    plan_file: Path | None,
    level: float,
    population: int | None,
    out: Path,
    as_json: bool,
) -> None:
    """Write a page on which any attribute can be brushed.

    One HTML file that holds the model and computes every answer itself: it opens from a disk, and sends nothing. Of
    models of waves (sottovoce fit of a plan with waves) it shows every wave, and what changed.

    \b
      sottovoce explore model.json --out explorer.html
      sottovoce explore model.json --plan plan.json --population 1000000 --out explorer.html
    """
    model = load_fitted(model_file)
    plan = Plan.load(plan_file) if plan_file else None
    page = explorer_page(model, plan=plan, level=level, population=population)
    inputs = [model_file, *([plan_file] if plan_file else [])]
    with replacing(out, inputs=inputs) as part:
        part.write_text(page, encoding="utf-8")
    names = list(model.plan.schema.names if isinstance(model, WaveModels) else model.schema.names)
    waves = list(model) if isinstance(model, WaveModels) else []
    if as_json:
        print_json(
            {"page": str(out), "bytes": len(page.encode()), "attributes": names, **({"waves": waves} if waves else {})}
        )
        return
    several = f", {len(waves)} waves" if waves else ""
    make_console().print(
        strong(out), f": {len(names)} attributes{several}, {len(page.encode()) / 1000:,.0f} kB", sep=""
    )
