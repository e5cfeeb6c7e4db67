"""``sottovoce query``: a model answers ranges."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import click

from sottovoce import QueryError, Schema, load_model
from sottovoce.attributes import Categorical
from sottovoce.cli.output import json_option, make_console, make_table, print_json


@click.command("query")
@click.argument("model_file", metavar="MODEL", type=click.Path(path_type=Path))
@click.option("--range", "ranges", multiple=True, metavar="NAME=RANGE", help="One attribute's range; repeatable.")
@json_option
def command(model_file: Path, ranges: tuple[str, ...], as_json: bool) -> None:
    """Ask a model what fraction of the crowd is within some ranges.

    All ranges together are one query: people within every one of them. Both ends count; leave one out for a half-open
    range, or list the values of a categorical attribute.

    \b
      sottovoce query model.json --range age=30..50
      sottovoce query model.json --range age=30..50 --range income=60000.. --range region=north,south
    """
    model = load_model(model_file)
    query = parse_ranges(model.schema, ranges)
    fraction = float(model.answer_ranges([query])[0])
    reports = model.origin.reports
    if as_json:
        asked = {name: _plain(value) for name, value in query.items()}
        print_json({"query": asked, "fraction": fraction, "expected_count": fraction * reports, "reports": reports})
        return
    table = make_table("who", ">fraction", f">of {reports:,} people")
    table.add_row(" and ".join(ranges) or "everybody", f"{fraction:.2%}", f"{fraction * reports:,.0f}")
    make_console().print(table)


def parse_ranges(schema: Schema, given: tuple[str, ...]) -> dict[str, Any]:
    """Return the query that texts such as ``age=30..50`` and ``region=north,south`` ask for."""
    query: dict[str, Any] = {}
    for text in given:
        named = [name for name in schema.names if text.startswith(f"{name}=")]
        if not named:
            raise QueryError(
                f"{text!r} does not start with one of {', '.join(f'{name}=' for name in schema.names)}; "
                f"write {schema.names[0]}=..."
            )
        name = max(named, key=len)
        if name in query:
            raise QueryError(f"{name} has two ranges; a query takes one of each attribute")
        asked = text.removeprefix(f"{name}=")
        attribute = schema.attributes[schema.position(name)]
        query[name] = next(csv.reader([asked]), []) if isinstance(attribute, Categorical) else _bounds(name, asked)
    return query


def _bounds(name: str, text: str) -> tuple[float, float]:
    low, dots, high = text.partition("..")
    try:
        if not dots:
            return float(low), float(low)
        return (float(low) if low.strip() else -math.inf), (float(high) if high.strip() else math.inf)
    except ValueError as error:
        raise QueryError(
            f"{name}={text} is not a range; write {name}=LOW..HIGH, {name}=LOW.. or {name}=..HIGH"
        ) from error


def _plain(asked: Any) -> Any:
    """Return bounds that JSON can hold: an open end is null."""
    return [None if isinstance(bound, float) and math.isinf(bound) else bound for bound in asked]
