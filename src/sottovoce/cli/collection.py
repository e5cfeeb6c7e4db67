"""``sottovoce collection``: close, extend and end what a collector collects, while it runs."""

from __future__ import annotations

import datetime
from pathlib import Path

import click

from sottovoce import Plan, SottovoceError
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, make_table, print_json, strong
from sottovoce.cli.serve import database_option
from sottovoce.cli.token import open_database

plan_argument = click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))


@click.group("collection")
def command() -> None:
    """Add plans to a collector, and close, extend, purge and delete its collections.

    A running collector sees the change within seconds (serve --look-every).

    \b
      sottovoce collection close plan.json
    """


@command.command("list")
@database_option
@json_option
def show(database: str, as_json: bool) -> None:
    """Show all collections of a database."""
    with open_database(database) as store:
        from sottovoce.service.operation import list_collections

        rows = list_collections(store)
    if as_json:
        print_json({"collections": rows})
        return
    table = make_table("collection", ">plans", ">reports", "closed", "ids forgotten")
    for row in rows:
        ends = (str(row["closed"] or ""), str(row["purged"] or ""))
        table.add_row(str(row["collection"])[:12], str(row["plans"]), f"{row['reports']:,}", *ends)
    make_console().print(table)


@command.command("add")
@plan_argument
@database_option
@json_option
def add(plan_file: Path, database: str, as_json: bool) -> None:
    """Serve one more plan of a collection that is served, such as a refreshed one."""
    plan = Plan.load(plan_file)
    with open_database(database) as store:
        from sottovoce.service.operation import add_plan

        add_plan(store, plan)
    _say({"added": plan.fingerprint}, "is taken from now on", as_json=as_json)


@command.command("extend")
@plan_argument
@database_option
@click.option("--expires", required=True, type=click.DateTime(["%Y-%m-%d"]), help="The new last day.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where to write the new plan.")
@json_option
def extend(plan_file: Path, database: str, expires: datetime.datetime, out: Path, as_json: bool) -> None:
    """Make and serve a plan of the same collection with another last day."""
    old = Plan.load(plan_file)
    with open_database(database) as store:
        from sottovoce.service.operation import extend_plan

        plan = extend_plan(store, old, expires.date().isoformat())
    with replacing(out, inputs=[plan_file]) as part:
        plan.save(part)
    _say({"extended": plan.fingerprint}, f"is taken until {plan.expires}", as_json=as_json)


@command.command("close")
@plan_argument
@database_option
@json_option
def close(plan_file: Path, database: str, as_json: bool) -> None:
    """Take no more reports; counts and answers stay."""
    plan = Plan.load(plan_file)
    with open_database(database) as store:
        from sottovoce.service.operation import close_collection

        close_collection(store, plan.collection)
    _say({"closed": plan.collection}, "is closed", as_json=as_json)


@command.command("reopen")
@plan_argument
@database_option
@json_option
def reopen(plan_file: Path, database: str, as_json: bool) -> None:
    """Take reports again, unless the ids were forgotten."""
    plan = Plan.load(plan_file)
    with open_database(database) as store:
        from sottovoce.service.operation import reopen_collection

        reopen_collection(store, plan.collection)
    _say({"opened": plan.collection}, "takes reports again", as_json=as_json)


@command.command("purge")
@plan_argument
@database_option
@json_option
def purge(plan_file: Path, database: str, as_json: bool) -> None:
    """Forget the ids of a closed collection, and destroy their key, for good."""
    plan = Plan.load(plan_file)
    with open_database(database) as store:
        from sottovoce.service.operation import purge_collection

        forgotten = purge_collection(store, plan.collection)
    _say(
        {"purged": plan.collection, "ids": forgotten}, f"has no ids any more ({forgotten:,} forgotten)", as_json=as_json
    )


@command.command("delete")
@plan_argument
@database_option
@click.option("--yes", is_flag=True, help="Do it: counts, models and plans are gone afterwards.")
@json_option
def delete(plan_file: Path, database: str, yes: bool, as_json: bool) -> None:
    """Remove a collection with all that was counted."""
    plan = Plan.load(plan_file)
    if not yes:
        raise SottovoceError("this removes all counts of the collection; say --yes, and export a tally before")
    with open_database(database) as store:
        from sottovoce.service.operation import find_collection

        store.delete_collection(find_collection(store, plan.collection).number)
    _say({"deleted": plan.collection}, "is deleted", as_json=as_json)


def _say(document: dict[str, object], words: str, *, as_json: bool) -> None:
    if as_json:
        print_json(document)
    else:
        make_console().print(strong(str(next(iter(document.values())))[:12]), f" {words}", sep="")
