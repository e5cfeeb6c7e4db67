"""``sottovoce calibrate``: a model is brought to publicly known shares."""

from __future__ import annotations

import csv
import json
import tomllib
from pathlib import Path
from typing import Any

import click

from sottovoce import QueryError, Schema, load_model
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, make_table, print_json, strong
from sottovoce.model.answer import percent
from sottovoce.query.labels import level_labels
from sottovoce.schema.attributes import Categorical


@click.command("calibrate")
@click.argument("model_file", metavar="MODEL", type=click.Path(path_type=Path))
@click.option(
    "--known",
    "texts",
    multiple=True,
    metavar="NAME=VALUE:SHARE,...",
    help="The true shares of one attribute's values or bands; repeatable.",
)
@click.option(
    "--file", type=click.Path(path_type=Path), help="The same as a file: .toml or .json, a table per attribute."
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The model to write (JSON).")
@json_option
def command(model_file: Path, texts: tuple[str, ...], file: Path | None, out: Path, as_json: bool) -> None:
    """Bring a model to what is publicly known of the population.

    Where some kinds of people took part more than others, known shares, of a census for example, tell by how much. The
    model is reweighted so that it agrees with all of them. It helps as far as those who took part are like those of the
    same kind who did not. Shares cover all values, and add up to 1; numbers may be in bands, LOW..HIGH.

    \b
      sottovoce calibrate model.json --known region=north:0.4,south:0.6 --known age=18..39:0.35,40..90:0.65 \\
          --out weighted.json
      sottovoce calibrate model.json --file census.toml --out weighted.json
    """
    if not texts and file is None:
        raise click.UsageError("give known shares: --known NAME=VALUE:SHARE,... or --file")
    model = load_model(model_file)
    known = _from_file(file) if file is not None else {}
    for text in texts:
        name, shares = _from_text(model.schema, text)
        if name in known:
            raise QueryError(f"{name} is given twice; give the shares of an attribute once")
        known[name] = shares
    read = {name: _values(model.schema, name, shares) for name, shares in known.items()}
    calibrated = model.calibrate(read)
    with replacing(out, inputs=[model_file, *([] if file is None else [file])]) as part:
        calibrated.save(part)
    changed = {
        name: [
            {"value": label, "before": before, "after": after}
            for label, before, after in zip(
                level_labels(model.schema.attributes[model.schema.index(name)]),
                model.marginal(name).tolist(),
                calibrated.marginal(name).tolist(),
                strict=True,
            )
        ]
        for name in read
    }
    if as_json:
        print_json({"model": str(out), "calibrated": changed})
        return
    console = make_console()
    console.print(strong(out), f": calibrated to the known shares of {', '.join(read)}", sep="")
    for name, rows in changed.items():
        if len(rows) <= 12:
            table = make_table(name, ">before", ">after")
            for row in rows:
                said = "no answer" if row["value"] is None else str(row["value"])
                table.add_row(said, percent(row["before"]), percent(row["after"]))
            console.print(table)
    console.print(f"Next: sottovoce query {out} --range {model.schema.names[0]}=..", style="dim")


def _from_file(file: Path) -> dict[str, Any]:
    try:
        text = file.read_text(encoding="utf-8")
        document = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    except ValueError as error:
        raise QueryError(f"{str(file)!r} is not {file.suffix or 'JSON'}: {error}") from error
    if not isinstance(document, dict) or not all(isinstance(shares, dict) for shares in document.values()):
        raise QueryError(f"{str(file)!r} holds a table of values and shares for each attribute, such as [region]")
    return document


def _from_text(schema: Schema, text: str) -> tuple[str, dict[str, float]]:
    named = [name for name in schema.names if text.startswith(f"{name}=")]
    if not named:
        raise QueryError(f"{text!r} is not NAME=VALUE:SHARE,...; the attributes are {', '.join(schema.names)}")
    name = max(named, key=len)
    shares: dict[str, float] = {}
    for part in next(csv.reader([text.removeprefix(f"{name}=")]), []):
        value, colon, share = part.rpartition(":")
        try:
            shares[value] = float(share) if colon else float("nan")
        except ValueError:
            shares[value] = float("nan")
        if shares[value] != shares[value]:
            raise QueryError(f"{name}: {part!r} is not VALUE:SHARE, such as north:0.4 or 18..39:0.35")
    return name, shares


def _values(schema: Schema, name: str, shares: dict[str, float]) -> dict[Any, float]:
    """Return shares by the attribute's own values: numbers, bands of numbers, or texts."""
    if name not in schema.names:
        raise QueryError(f"unknown attribute {name!r}; this collection has {', '.join(schema.names)}")
    attribute = schema.attributes[schema.index(name)]
    if isinstance(attribute, Categorical):
        return dict(shares)
    return {
        value if value in (attribute.labels or ()) else _band(name, value): share for value, share in shares.items()
    }


def _band(name: str, text: str) -> tuple[float, float]:
    low, _, high = text.partition("..")
    try:
        return float(low), float(high or low)
    except ValueError as error:
        raise QueryError(f"{name}: {text!r} is neither a number nor a band LOW..HIGH") from error
