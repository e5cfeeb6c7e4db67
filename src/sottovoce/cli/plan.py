"""``sottovoce plan``: a schema becomes a plan."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import click

from sottovoce import Plan, PlanError, Schema
from sottovoce.cli.central import largest_epsilon
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, print_json, strong
from sottovoce.plan.audit import exact_words, round_up
from sottovoce.plan.registry import DEFAULT_MECHANISM
from sottovoce.views.charts import check_suffix

BY_WEIGHT = 5.0
"""How much more the attribute that makes the groups matters than others, where --by names it."""


@click.command("plan")
@click.argument("schema_file", metavar="SCHEMA", type=click.Path(path_type=Path))
@click.option("--epsilon", help="The privacy of each person, 0.01 to 20; smaller is more private.")
@click.option(
    "--central", type=float, help="Instead: the largest epsilon that keeps this central one for counts of --users."
)
@click.option("--delta", type=float, help="With --central: how much chance is exempt from it, such as 1e-9.")
@click.option("--waves", type=int, help="Ask the same people so often; give --lifetime in place of --epsilon.")
@click.option("--lifetime", help="The epsilon of each person over all waves.")
@click.option("--first-wave", metavar="DATE", help="The first day of the first wave, such as 2030-01-07.")
@click.option("--wave-days", type=int, help="How many days a wave lasts.")
@click.option("--users", required=True, type=int, help="How many people are expected to report.")
@click.option("--mechanism", default=DEFAULT_MECHANISM, show_default=True, help="How the questions are designed.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the mechanism; repeatable."
)
@click.option("--purpose", help="What the answers are for; people are shown this.")
@click.option("--contact", help="Whom to write to; people are shown this.")
@click.option("--expires", metavar="DATE", help="The last day of the collection, such as 2030-12-31.")
@click.option("--forecast", "wanted", is_flag=True, help="Say how far off answers will be, before anyone is asked.")
@click.option("--by", metavar="NAME", help="The attribute that makes the groups you will compare: ask more about it.")
@click.option(
    "--widths", metavar="W,W", help="The widths of ranges you will ask for, as parts of a scale, such as 0.1,0.5."
)
@click.option(
    "--pairs",
    multiple=True,
    metavar="NAME:NAME[=WEIGHT]",
    help="A pair of attributes you will ask about, and no others; NAME:* for one with every other; repeatable.",
)
@click.option("--like", type=click.Path(path_type=Path), help="Forecast for people like those in this table.")
@click.option(
    "--within",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Forecast how many people it takes to be this close, as 0.01 for 1 %.",
)
@click.option(
    "--dimensions",
    type=click.IntRange(1, 4),
    default=1,
    show_default=True,
    help="How many attributes --within is about.",
)
@click.option("--chart", type=click.Path(path_type=Path), help="Draw the forecast: .png, .svg or .html.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The plan file to write (JSON).")
@json_option
def command(schema_file: Path, options: tuple[str, ...], out: Path, as_json: bool, **settings: Any) -> None:
    """Design the public questions for a schema.

    SCHEMA is a TOML or JSON file that lists the attributes. The plan it becomes is public: it holds every question,
    how each answer is randomised, and who is asked what. Nothing about any person is in it.

    \b
      sottovoce plan schema.toml --epsilon 1 --users 1000000 --out plan.json
      sottovoce plan schema.toml --epsilon 1 --users 1000000 \\
          --mechanism hdg --option g1=16 --option g2=4 --out plan.json
      sottovoce plan schema.toml --epsilon 1 --users 100000 --forecast --within 0.02 --out plan.json
      sottovoce plan schema.toml --epsilon 2 --users 50000 --by district --forecast --out plan.json
      sottovoce plan schema.toml --epsilon 2 --users 50000 --pairs "district:*" --pairs age:income=3 --out plan.json
      sottovoce plan schema.toml --central 0.1 --delta 1e-9 --users 100000 --out plan.json
      sottovoce plan schema.toml --waves 12 --lifetime 1 --first-wave 2030-01-07 --wave-days 7 \\
          --users 200000 --out plan.json
    """
    central, delta = settings.pop("central"), settings.pop("delta")
    given = [settings["epsilon"], settings["lifetime"], central]
    if sum(one is not None for one in given) != 1 or (central is None) != (delta is None):
        raise click.UsageError("give --epsilon, or --central together with --delta, or --lifetime for --waves")
    ahead = {name: settings.pop(name) for name in ("wanted", "like", "within", "dimensions", "chart", "by")}
    asked = {name: settings.pop(name) for name in ("widths", "pairs")}
    about = {name: value for name, value in settings.items() if value is not None} | _options(options)
    schema = Schema.load(schema_file)
    workload = _workload(schema, by=ahead["by"], **asked)
    if workload:
        about.setdefault("workload", workload)
    if central is not None:
        about["epsilon"] = str(largest_epsilon(schema, about, central, delta))
    plan = Plan.create(schema, **about)
    if plan.expires is not None and plan.expires < _today().isoformat():
        raise PlanError(f"--expires {plan.expires} is over: nobody could answer; give a day from today on")
    if ahead["chart"] is not None:
        check_suffix(ahead["chart"])
    forecast = _forecast(schema, about, ahead)
    with replacing(out, inputs=[schema_file]) as part:
        plan.save(part)
    kept = None if central is None else plan.audit().shuffled(users=plan.users, delta=delta).epsilon
    if as_json:
        print_json(
            {
                **({} if kept is None else {"central": {"epsilon": kept, "delta": delta}}),
                **({} if forecast is None else {"forecast": forecast}),
                "plan": str(out),
                "fingerprint": plan.fingerprint,
                "collection": plan.collection,
                "mechanism": plan.mechanism,
                "parameters": plan.parameters,
                "questions": len(plan.questions),
                "epsilon": plan.audit().epsilon,
            }
        )
        return
    console = make_console()
    console.print(
        strong(out), f": {len(plan.questions):,} questions by {plan.mechanism} {_words(plan.parameters)}", sep=""
    )
    console.print(f"  exact epsilon {exact_words(plan.audit())} (asked for: at most {plan.epsilon})")
    if kept is not None:
        console.print(f"  central epsilon {round_up(kept)} for counts of {plan.users:,} reports, delta {delta:g}")
    console.print(f"  fingerprint {plan.fingerprint}")
    if forecast is not None:
        _show(forecast)
    console.print(f"Next: sottovoce audit {out}", style="dim")


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def _forecast(schema: Schema, about: dict[str, Any], ahead: dict[str, Any]) -> dict[str, Any] | None:
    """Return what was asked to be forecast; a table, a number of people or a chart is only needed for one."""
    if not (ahead["wanted"] or any(ahead[name] is not None for name in ("within", "chart", "like"))):
        return None
    from sottovoce.cli import forecasts

    design = {name: value for name, value in about.items() if name not in ("purpose", "contact", "expires")}
    if "waves" in design:  # what is forecast is one wave
        design["epsilon"], design["users"] = design.pop("lifetime"), max(1, design["users"] // design.pop("waves"))
        design = {name: value for name, value in design.items() if name not in ("first_wave", "wave_days")}
    if ahead["by"] is not None:
        design["by"] = ahead["by"]
    found, design = forecasts.make_forecast(schema, design, ahead["like"])
    document = forecasts.expected_document(found)
    if ahead["within"] is not None:
        people = forecasts.needed(schema, design, ahead["within"], ahead["dimensions"])
        document |= {"within": ahead["within"], "dimensions": ahead["dimensions"], "people_needed": people}
    if ahead["chart"] is not None:
        forecasts.draw_forecast(schema, design, ahead["chart"])
    return document


def _show(document: dict[str, Any]) -> None:
    from sottovoce.cli import forecasts

    forecasts.show_forecast(document)
    if "people_needed" in document:
        make_console().print(
            "About ",
            strong(f"{document['people_needed']:,}"),
            " people bring nine in ten answers on "
            f"{document['dimensions']} attribute{'s' * (document['dimensions'] > 1)} within {document['within']:.2%}.",
            sep="",
        )


def _workload(schema: Schema, *, by: str | None, widths: str | None, pairs: tuple[str, ...]) -> dict[str, Any]:
    """Return what will be asked of the model, as the option of that name has it; empty for everything alike."""
    if by is not None and pairs:
        raise click.BadParameter(
            "--by weighs all pairs and --pairs names some: give one of the two", param_hint="--pairs"
        )
    workload: dict[str, Any] = {} if by is None else {"attributes": {by: BY_WEIGHT}}
    if widths is not None:
        try:
            workload["widths"] = [float(width) for width in widths.split(",")]
        except ValueError as error:
            raise click.BadParameter(f"{widths!r} is not numbers such as 0.1,0.5", param_hint="--widths") from error
    if pairs:
        weights = dict(pair for text in pairs for pair in _pairs(schema, text))
        workload["pairs"] = [[*pair, weight] for pair, weight in weights.items()]
    return workload


def _pairs(schema: Schema, text: str) -> list[tuple[tuple[str, str], float]]:
    """Return the pairs that a text such as ``district:*`` or ``age:income=3`` names, in the schema's order."""
    named, equals, weight = text.partition("=")
    first, colon, second = named.partition(":")
    try:
        weighs = float(weight) if equals else 1.0
    except ValueError:
        weighs = -1.0
    if not colon or weighs < 0:
        raise click.BadParameter(f"{text!r} is not NAME:NAME, NAME:* or NAME:NAME=WEIGHT", param_hint="--pairs")
    unknown = [name for name in (first, second) if name not in (*schema.names, "*")]
    if unknown or first == "*":
        raise click.BadParameter(
            f"{text!r} names {', '.join(unknown) or '* first'}; the schema has {', '.join(schema.names)}",
            param_hint="--pairs",
        )
    others = [name for name in schema.names if name != first] if second == "*" else [second]
    order = {name: number for number, name in enumerate(schema.names)}
    return [((first, other) if order[first] < order[other] else (other, first), weighs) for other in others]


def _options(given: tuple[str, ...]) -> dict[str, Any]:
    """Return the mechanism's options; a value that reads as JSON (a number, true, null) is one, any other is text."""
    options: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE, such as g1=16", param_hint="--option")
        if name in options or name in ("schema", "epsilon", "users", "mechanism"):
            raise click.BadParameter(f"{name} is given twice, or has a place of its own", param_hint="--option")
        try:
            options[name] = json.loads(value)
        except json.JSONDecodeError:
            options[name] = value
    return options


def _words(parameters: dict[str, Any]) -> str:
    """Return what was chosen, in brackets; how many questions there are is said before."""
    flat = {
        f"{name} {part}".strip(): number
        for name, value in parameters.items()
        if name != "questions"
        for part, number in (value.items() if isinstance(value, dict) else (("", value),))
    }
    return "(" + ", ".join(f"{name} = {value}" for name, value in flat.items()) + ")" if flat else ""
