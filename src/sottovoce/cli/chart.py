"""``sottovoce chart``: a picture of one attribute or of two together."""

from __future__ import annotations

from pathlib import Path

import click

from sottovoce import load_model
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, print_json, strong
from sottovoce.views.charts import check_suffix, marginal_chart, pair_chart, save_chart


@click.command("chart")
@click.argument("model_file", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("first", metavar="NAME")
@click.argument("second", metavar="[NAME]", required=False)
@click.option("--level", default=0.9, show_default=True, help="How likely an interval should hold the truth.")
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path), help="The picture: .png, .svg or .html.")
@json_option
def command(model_file: Path, first: str, second: str | None, level: float, out: Path, as_json: bool) -> None:
    """Draw an attribute, or two together.

    One name gives the attribute's distribution with intervals, two names a heat map. An .html file is a page of its own
    that needs no network.

    \b
      sottovoce chart model.json age --out age.png
      sottovoce chart model.json age income --out pair.svg
    """
    model = load_model(model_file)
    chart = marginal_chart(model, first, level=level) if second is None else pair_chart(model, first, second)
    with replacing(out, inputs=[model_file]) as part:
        check_suffix(out)  # by its own name: the part's is another
        save_chart(chart, part, kind=out.suffix)
    if as_json:
        print_json({"chart": str(out), "attributes": [name for name in (first, second) if name is not None]})
        return
    make_console().print(strong(out), f": {first if second is None else f'{first} and {second}'}", sep="")
