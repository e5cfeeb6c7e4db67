"""``sottovoce fit``: a tally becomes a model."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click

from sottovoce import FewReportsWarning, Model, Plan, Tally, WaveModels, fit, fit_waves
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, print_json, print_paragraph, progress_bar, strong
from sottovoce.model.fitting import QUALITIES


@click.command("fit")
@click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
@click.argument("tally_file", metavar="TALLY", type=click.Path(path_type=Path))
@click.option("--seed", default=0, show_default=True, help="For mechanisms that draw at random while fitting.")
@click.option("--quality", default="default", show_default=True, type=click.Choice(QUALITIES), help="How hard to try.")
@click.option("--wave", type=int, help="Of a plan with waves, the one wave to fit; by default all of them.")
@click.option("--progress", "lines", is_flag=True, help="Say on stderr how far it is, also where that is no terminal.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The model to write (JSON).")
@json_option
def command(plan_file: Path, tally_file: Path, *, out: Path, as_json: bool, **how: Any) -> None:
    """Make a model of the crowd from a tally.

    Whatever is computed from reports is as private as they are: the model may be published. Of a plan with waves the
    file holds a model of every wave, for explore and report.

    \b
      sottovoce fit plan.json tally.parquet --out model.json
      sottovoce fit plan.json tally.parquet --wave 3 --out model.json
    """
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always", FewReportsWarning)
        with progress_bar("fit", 1.0, lines=how.pop("lines")) as progress:
            plan, tally = Plan.load(plan_file), Tally.load(tally_file)
            wave = how.pop("wave")
            model: Model | WaveModels
            if plan.waves is not None and wave is None:
                model = fit_waves(plan, tally, **how, progress=lambda done: progress(done / 2))
            else:
                if wave is not None:
                    plan, tally = plan.one_wave, tally.at(wave)
                model = fit(plan, tally, **how, progress=lambda done: progress(done / 2))
            for each in model.values() if isinstance(model, WaveModels) else [model]:
                each.prepare_intervals()
            progress(1.0)
    with replacing(out, inputs=[plan_file, tally_file]) as part:
        model.save(part)
    names, waves = list(plan.schema.names), list(model) if isinstance(model, WaveModels) else []
    if as_json:
        print_json(
            {
                "model": str(out),
                "mechanism": plan.mechanism,
                "epsilon": float(plan.epsilon),
                "reports": tally.total,
                "attributes": names,
                **({"waves": waves} if waves else {}),
                "warnings": [str(warning.message) for warning in raised],
            }
        )
        return
    console = make_console()
    several = f", {len(waves)} waves" if waves else ""
    console.print(strong(out), f": by {plan.mechanism} from {tally.total:,} reports{several}", sep="")
    console.print(f"  it knows {', '.join(names)}")
    for warning in raised:
        print_paragraph(console, f"Warning: {warning.message}.")
    following = f"explore {out} --out explorer.html" if waves else f"query {out} --range {names[0]}=.."
    console.print(f"Next: sottovoce {following}", style="dim")
