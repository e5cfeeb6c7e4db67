"""``sottovoce compare-groups``: every attribute by the groups that one makes, and which differences could be chance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sottovoce import load_model
from sottovoce.cli.output import json_option, make_console, make_table, print_json, print_paragraph
from sottovoce.model.groups import gap_words, group_words, value_words


@click.command("compare-groups")
@click.argument("model_file", metavar="MODEL", type=click.Path(path_type=Path))
@click.option("--by", required=True, metavar="NAME", help="The attribute that makes the groups.")
@click.option(
    "--attribute", "names", multiple=True, metavar="NAME", help="What to compare; repeatable, all by default."
)
@click.option("--bands", type=int, help="Cut an ordered attribute into so many bands; five if it has many values.")
@click.option("--level", default=0.9, show_default=True, help="Of the intervals, and of all differences together.")
@click.option("--told", is_flag=True, help="Show only the differences that can be told from chance.")
@json_option
def command(model_file: Path, by: str, told: bool, as_json: bool, **how: Any) -> None:
    """Compare groups of the crowd, and say which differences could be chance.

    For every group, the mean of each ordered attribute and the share of each value of the others, and how far that is
    from everybody else's, with an interval. A difference counts as told from chance when it would be although all
    differences of the table were looked at (Holm's method).

    \b
      sottovoce compare-groups model.json --by region
      sottovoce compare-groups model.json --by age --bands 3 --attribute income --told
    """
    how["names"] = how["names"] or None
    model = load_model(model_file)
    comparison = model.compare_groups(by, **how)
    level = comparison.level
    lines = comparison.told if told else comparison.lines
    if as_json:
        rows = [row for row in comparison.rows() if row["told"] or not told]
        print_json({"by": by, "level": level, "compared": len(comparison.lines), "differences": rows})
        return
    basis = any(line.basis for line in lines)
    table = make_table(
        "what", by, ">in the group", f">less all others ({level:.0%} interval)", "", *["evidence"] * basis
    )
    for line in lines:
        verdict = "told from chance" if line.told else "could be chance"
        last = [line.basis] if basis else []
        table.add_row(line.what, group_words(line.group), value_words(line.value), gap_words(line), verdict, *last)
    console = make_console()
    console.print(table)
    print_paragraph(console, comparison.summary())
    for caveat in model.caveats:
        print_paragraph(console, f"Caution: {caveat}.")
