"""What commands say about expected errors: the table, the people needed, and the curve."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from sottovoce import Forecast, Schema, forecast, people_needed
from sottovoce.cli.files import read_all, replacing
from sottovoce.cli.output import make_console, make_table, print_paragraph, progress_bar
from sottovoce.simulation.forecasting import WORDS, forecast_curve
from sottovoce.views.charts import forecast_chart, save_chart

_PAIRS = 10
"""At most so many pairs of attributes are shown."""


def make_forecast(schema: Schema, design: dict[str, Any], like: Path | None) -> tuple[Forecast, dict[str, Any]]:
    """Return the forecast of a design, and the design with the table that it was made from.

    Args:
        schema: What will be asked.
        design: Keywords of `forecast`: users, epsilon, mechanism, its options.
        like: A table that resembles the crowd; None forecasts for made-up crowds.

    Returns:
        The forecast, and the keywords with the table under "like".
    """
    if like is not None:
        design = {**design, "like": read_all(like, schema)}
    with progress_bar("forecast", 1.0) as progress:
        return forecast(schema, **design, progress=progress), design


def needed(schema: Schema, design: dict[str, Any], within: float, dimensions: int) -> int:
    """Return how many people it takes to be that close.

    Args:
        schema: What will be asked.
        design: Keywords of `forecast`; those that `people_needed` finds itself are left out.
        within: The largest mean error of a fraction that will do, such as 0.01.
        dimensions: How many attributes a query names.
    """
    about = {name: value for name, value in design.items() if name not in ("users", "by")}
    with progress_bar("people needed", 1.0):
        return people_needed(schema, within=within, dimensions=dimensions, **about)


def draw_forecast(schema: Schema, design: dict[str, Any], out: Path) -> None:
    """Draw the expected error over the number of people, from a tenth of those planned to ten times as many.

    Args:
        schema: What will be asked.
        design: Keywords of `forecast`, ``users`` among them.
        out: The file of the chart: .html, .png or .svg.
    """
    crowds = sorted({max(1000, round(design["users"] * factor)) for factor in (0.1, 0.5, 2, 10)})
    about = {name: value for name, value in design.items() if name not in ("users", "by")}
    with progress_bar("chart", 1.0) as progress, replacing(out) as part:
        save_chart(
            forecast_chart(forecast_curve(schema, users=crowds, progress=progress, **about)), part, kind=out.suffix
        )


def expected_document(found: Forecast) -> dict[str, Any]:
    """Return a forecast as JSON shows it."""
    return {
        "mechanism": found.mechanism,
        "epsilon": float(found.epsilon),
        "users": found.users,
        "expected": [
            {name: getattr(row, name) for name in ("dimensions", "error", "within", "easiest", "hardest")}
            for row in found.expected
        ],
        "comparisons": [asdict(row) for row in found.compared],
        "visible": [asdict(pair) for pair in found.visible],
        "advice": found.advice,
    }


def show_forecast(document: dict[str, Any]) -> None:
    """Print a forecast as a table."""
    table = make_table(">attributes", ">mean error", ">9 in 10 within", ">on easy to hard crowds")
    for row in document["expected"]:
        span = f"{row['easiest']:.2%} to {row['hardest']:.2%}"
        table.add_row(str(row["dimensions"]), f"{row['error']:.2%}", f"{row['within']:.2%}", span)
    console = make_console()
    asked = f"{document['users']:,} people, by {document['mechanism']} at epsilon {document['epsilon']:g}"
    console.print(f"Expected error with {asked}:")
    console.print(table)
    compared = make_table("comparison", ">mean error", ">9 in 10 within")
    for row in document["comparisons"]:
        compared.add_row(row["kind"], f"{row['error']:.2%}", f"{row['within']:.2%}")
    console.print(compared)
    seen = sorted(document["visible"], key=lambda pair: pair["difference"])
    table = make_table("compared", "between groups by", ">smallest visible difference")
    for pair in seen if len(seen) <= _PAIRS else [*seen[: _PAIRS // 2], *seen[-_PAIRS // 2 :]]:
        visible = f"{pair['difference']:.1%}" if pair["difference"] < 1 else "none"
        table.add_row(pair["name"], pair["by"], visible)
    console.print(table)
    if len(seen) > _PAIRS:
        console.print(f"  the easiest and the hardest of {len(seen)} pairs; --json lists all", style="dim")
    if document["advice"]:
        print_paragraph(console, document["advice"])
    print_paragraph(console, WORDS)
