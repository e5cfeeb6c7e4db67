"""``sottovoce compare``: which mechanism and epsilon would do, tried on the user's own sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from sottovoce import Forecast, PlanError, Schema, forecast
from sottovoce.cli.files import read_all, replacing
from sottovoce.cli.forecasts import expected_document
from sottovoce.cli.output import (
    json_option,
    make_console,
    make_table,
    print_json,
    print_paragraph,
    progress_bar,
    strong,
)
from sottovoce.plan.registry import DEFAULT_MECHANISM, mechanism_names
from sottovoce.simulation.forecasting import COLLECTIONS
from sottovoce.simulation.queries import LEAST, MOST
from sottovoce.views.charts import check_suffix, compare_chart, save_chart

_USUAL = (DEFAULT_MECHANISM, "hdg", "ahdg", "tdg", "calm", "msw")
"""What is compared unless mechanisms are named: those that answer queries of four attributes in a moment."""

_WORDS = (
    "Each figure is the mean distance of answers from the truth, over typical queries (random ranges that hold "
    f"{LEAST:.0%} to {MOST:.0%} of your table) and {COLLECTIONS} simulated collections. Nothing here protects the "
    "table: it is yours, and stays here."
)


@click.command("compare")
@click.argument("schema_file", metavar="SCHEMA", type=click.Path(path_type=Path))
@click.option("--data", required=True, type=click.Path(path_type=Path), help="A table of your own (.csv or .parquet).")
@click.option("--users", type=int, help="How many people would report; by default as many as the table has rows.")
@click.option("--epsilon", "epsilons", multiple=True, default=("0.5", "1", "2"), show_default=True, help="Repeatable.")
@click.option("--mechanism", "mechanisms", multiple=True, help="A mechanism to try; repeatable.")
@click.option("--chart", type=click.Path(path_type=Path), help="Also draw the errors: .png, .svg or .html.")
@json_option
def command(schema_file: Path, data: Path, chart: Path | None, as_json: bool, **asked: Any) -> None:
    """Try mechanisms and epsilons on a table of your own.

    DATA is a sample of people like those who will be asked. Collections are simulated from it for every mechanism and
    epsilon, and the answers compared with the truth.

    \b
      sottovoce compare schema.toml --data people.csv --users 100000
      sottovoce compare schema.toml --data people.csv --epsilon 1 --epsilon 4 --mechanism hdg --mechanism calm
    """
    schema = Schema.load(schema_file)
    if chart is not None:
        check_suffix(chart)
    table = read_all(data, schema)
    found, refused = _try_all(schema, table, asked)
    if not found:
        raise PlanError("; ".join(refused.values()))
    if chart is not None:
        with replacing(chart, inputs=[schema_file, data]) as part:
            save_chart(compare_chart(found), part, kind=chart.suffix)
    if as_json:
        print_json({"compared": [expected_document(one) for one in found], "refused": refused, "users": found[0].users})
        return
    _show(found, refused)


def _try_all(schema: Schema, table: pa.Table, asked: dict[str, Any]) -> tuple[list[Forecast], dict[str, str]]:
    """Return what was measured, and why a mechanism cannot take this schema."""
    named = asked["mechanisms"]
    mechanisms = list(dict.fromkeys(named or [name for name in _USUAL if name in mechanism_names()]))
    users, found, refused = (
        table.num_rows if asked["users"] is None else asked["users"],
        list[Forecast](),
        dict[str, str](),
    )
    tries = [(mechanism, epsilon) for mechanism in mechanisms for epsilon in asked["epsilons"]]
    with progress_bar("compare", len(tries)) as progress:
        for number, (mechanism, epsilon) in enumerate(tries):
            try:
                found.append(forecast(schema, epsilon=epsilon, users=users, mechanism=mechanism, like=table))
            except PlanError as error:
                if named:
                    raise
                refused[mechanism] = str(error)
            progress(number + 1)
    return found, refused


def _show(found: list[Forecast], refused: dict[str, str]) -> None:
    dimensions = sorted({row.dimensions for one in found for row in one.expected})
    kinds = [row.kind for row in found[0].compared]
    table = make_table(
        ">epsilon", "mechanism", *(f">{number} attr." for number in dimensions), *(f">{kind}" for kind in kinds)
    )
    for epsilon in sorted({one.epsilon for one in found}):
        same = [one for one in found if one.epsilon == epsilon]
        best = {number: min(one[number].error for one in same) for number in dimensions}
        for one in same:
            cells = [
                strong(f"{one[number].error:.2%}", "bold green")
                if one[number].error == best[number]
                else f"{one[number].error:.2%}"
                for number in dimensions
            ]
            cells += [f"{row.error:.2%}" for row in one.compared]
            table.add_row(f"{epsilon:g}", one.mechanism, *cells)
    console = make_console()
    console.print(f"{found[0].users:,} people report; the closest is ", strong("green", "bold green"), sep="")
    console.print(table)
    for mechanism, why in refused.items():
        console.print(f"{mechanism} left out: {why}", style="dim")
    print_paragraph(console, _WORDS)
