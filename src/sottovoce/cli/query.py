"""``sottovoce query``: a model answers predicates, ranges, means, quantiles and groups, each with its interval."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from sottovoce import Answer, Estimate, Model, QueryError, Schema, load_model
from sottovoce.cli.output import json_option, make_console, make_table, print_json, print_paragraph
from sottovoce.model.answer import percent, plain_number
from sottovoce.model.groups import group_words
from sottovoce.query.expression import And, Between, Constant, Expression, In
from sottovoce.schema.attributes import Categorical


@click.command("query")
@click.argument("model_file", metavar="MODEL", type=click.Path(path_type=Path))
@click.option("--where", "wheres", multiple=True, metavar="SQL", help="A predicate, as behind WHERE; repeatable.")
@click.option("--range", "ranges", multiple=True, metavar="NAME=RANGE", help="One attribute's range; repeatable.")
@click.option(
    "--given", default="TRUE", metavar="SQL", help="Fractions of those for whom this holds, not of everybody."
)
@click.option("--mean", "means", multiple=True, metavar="NAME", help="The mean of an attribute; repeatable.")
@click.option("--quantile", "quantiles", multiple=True, metavar="NAME=P", help="A quantile, as income=0.5; repeatable.")
@click.option(
    "--group-by",
    "groups",
    multiple=True,
    metavar="NAME",
    help="Everything for every value of an attribute; repeatable.",
)
@click.option("--level", default=0.9, show_default=True, help="How likely an interval should hold the truth.")
@click.option("--population", type=int, help="How many people the crowd stands for, to give counts as well.")
@json_option
def command(model_file: Path, as_json: bool, **asked: Any) -> None:
    """Ask a model about the crowd, with intervals.

    Every --where is a question of its own: comparisons, BETWEEN, IN, IS NULL, AND, OR and NOT over attributes. All
    --range together are one question: both ends count; leave one out for a half-open range, or list the values of a
    categorical attribute. Means and quantiles are of those for whom the --where holds. With --group-by a mean, a
    quantile or, without either, a fraction is given for every value of an attribute; of many ordered values, means and
    quantiles are given for five bands. --given turns fractions of everybody into fractions of those for whom it holds.

    Every answer says how much of it was measured rather than assumed.

    \b
      sottovoce query model.json --where "age BETWEEN 30 AND 50 AND income >= 60000"
      sottovoce query model.json --range age=30..50 --range region=north,south
      sottovoce query model.json --mean income --group-by region
      sottovoce query model.json --where "commute >= 30" --given "region = 'south'"
      sottovoce query model.json --mean income --quantile income=0.5 --where "age < 30"
    """
    model = load_model(model_file)
    if {name for name, value in asked.items() if value} <= {"ranges", "level", "population", "given"}:
        _answer_ranges(model, asked, as_json)
        return
    if asked["ranges"]:
        asked["wheres"] = (*asked["wheres"], str(range_expression(parse_ranges(model.schema, asked["ranges"]))))
    answered = _ask(model, asked)
    if as_json:
        print_json({name: [_document(row) for row in rows] for name, rows in answered.items()} | _about(model))
        return
    for name, rows in answered.items():
        if rows:
            _show(name, rows, asked["level"])
    print_paragraph(make_console(), f"{model.interval_note} {model.reports:,} reports.")
    for caveat in model.caveats:
        print_paragraph(make_console(), f"Caution: {caveat}.")


Row = tuple[dict[str, Any], Answer | Estimate]
"""What was asked, and what came back."""


def _ask(model: Model, asked: dict[str, Any]) -> dict[str, list[Row]]:
    """Return everything that was asked for, by kind."""
    level, population, wheres = asked["level"], asked["population"], asked["wheres"] or ("TRUE",)
    rows: dict[str, list[Row]] = {"answers": [], "means": [], "quantiles": [], "groups": []}
    others = asked["means"] or asked["quantiles"] or asked["groups"]
    if asked["wheres"] or not others:
        found = model.answers(wheres, given=asked["given"], level=level, population=population)
        rows["answers"] = [({"where": answer.where}, answer) for answer in found]
    for where in wheres:
        among = where if asked["given"] == "TRUE" else f"({where}) AND ({asked['given']})"
        for name in asked["means"]:
            whole = partial(model.mean, name, where=among, level=level)
            by_group = partial(model.mean_by, name, where=among, level=level)
            rows["means"] += _grouped({"mean": name, "where": among}, asked["groups"], whole, by_group)
        for text in asked["quantiles"]:
            name, probability = _quantile(text)
            about = {"quantile": name, "probability": probability, "where": among}
            whole = partial(model.quantile, name, probability, where=among, level=level)
            by_group = partial(model.quantile_by, name, probability=probability, where=among, level=level)
            rows["quantiles"] += _grouped(about, asked["groups"], whole, by_group)
        for name in [] if asked["means"] or asked["quantiles"] else asked["groups"]:
            groups = model.group_by(name, where=where, given=asked["given"], level=level, population=population)
            rows["groups"] += [
                ({"group": name, "value": label, "where": among}, answer) for label, answer in groups.items()
            ]
    return rows


def _grouped(
    about: dict[str, Any],
    groups: Sequence[str],
    whole: Callable[[], Estimate],
    by_group: Callable[[str], dict[Any, Estimate]],
) -> list[Row]:
    """Return one row for everybody, or one for every group of every attribute that makes groups."""
    if not groups:
        return [(about, whole())]
    return [({**about, "group": by, "value": label}, found) for by in groups for label, found in by_group(by).items()]


def _quantile(text: str) -> tuple[str, float]:
    name, equals, probability = text.rpartition("=")
    try:
        if not equals:
            raise ValueError
        return name, float(probability)
    except ValueError as error:
        raise QueryError(f"{text!r} is not NAME=P, such as income=0.5 for the median") from error


def _document(row: Row) -> dict[str, Any]:
    asked, found = row
    shown = "fraction" if isinstance(found, Answer) else "estimate" if "value" in asked else "value"
    document = {**asked, shown: float(found), "interval": list(found.interval), "level": found.level}
    document |= {"evidence": found.evidence, "direct": _direct(found)}
    if isinstance(found, Estimate):
        return document
    if found.count is not None and found.count_interval is not None:
        document |= {"count": found.count, "count_interval": list(found.count_interval)}
    return document


def _direct(found: Answer | Estimate) -> dict[str, Any] | None:
    return None if found.direct is None else {"value": float(found.direct), "interval": list(found.direct.interval)}


def _about(model: Model) -> dict[str, Any]:
    return {"reports": model.reports, "includes": model.interval_note, "caveats": list(model.caveats)}


def _show(kind: str, rows: list[Row], level: float) -> None:
    """Print one table: what was asked, the number, its interval, and how many people that is."""
    counted = any(isinstance(found, Answer) and found.population is not None for _, found in rows)
    number = "fraction" if kind in ("answers", "groups") else "value"
    basis = any(found.basis for _, found in rows)
    table = make_table(
        "who" if number == "fraction" else "what",
        f">{number}",
        f">{level:.0%} interval",
        *[">people"] * counted,
        *["evidence"] * basis,
    )
    for asked, found in rows:
        low, high = found.interval
        last = [found.basis] if basis else []
        if isinstance(found, Answer):
            people = [f"{found.count:,.0f}"] if counted else []
            table.add_row(found.where, percent(found.fraction), f"{percent(low)} to {percent(high)}", *people, *last)
        else:
            table.add_row(
                _what(kind, asked), plain_number(found), f"{plain_number(low)} to {plain_number(high)}", *last
            )
    make_console().print(table)


def _what(kind: str, asked: dict[str, Any]) -> str:
    """Return what a mean or a quantile is of, in words."""
    what = f"mean {asked['mean']}" if kind == "means" else f"{asked['quantile']} at {asked['probability']:g}"
    group = f", {asked['group']} {group_words(asked['value'])}" if "group" in asked else ""
    return what + group + ("" if asked["where"] == "TRUE" else f", {asked['where']}")


def _answer_ranges(model: Model, asked: dict[str, Any], as_json: bool) -> None:
    """Answer all ranges together as one query."""
    query = parse_ranges(model.schema, asked["ranges"])
    answer = model.answer(
        range_expression(query),
        given=asked["given"],
        level=asked["level"],
        population=model.reports if asked["population"] is None else asked["population"],
    )
    if as_json:
        print_json(
            {
                "query": {name: _plain(value) for name, value in query.items()},
                "fraction": answer.fraction,
                "interval": list(answer.interval),
                "level": answer.level,
                "expected_count": answer.count,
                "evidence": answer.evidence,
                "direct": _direct(answer),
                **_about(model),
            }
        )
        return
    basis = [answer.basis] if answer.basis else []
    table = make_table(
        "who",
        ">fraction",
        f">{answer.level:.0%} interval",
        f">of {answer.population:,} people",
        *["evidence"] * len(basis),
    )
    low, high = answer.interval
    shown = " and ".join(asked["ranges"]) or "everybody"
    table.add_row(shown, percent(answer.fraction), f"{percent(low)} to {percent(high)}", f"{answer.count:,.0f}", *basis)
    make_console().print(table)
    print_paragraph(make_console(), answer.interval_note)


def range_expression(query: dict[str, Any]) -> Expression:
    """Return the predicate that ranges ask for."""
    expression: Expression | None = None
    for name, asked in query.items():
        own = In(name, tuple(asked)) if isinstance(asked, list) else Between(name, *asked)
        expression = own if expression is None else And(expression, own)
    return Constant(True) if expression is None else expression


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
        attribute = schema.attributes[schema.index(name)]
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
