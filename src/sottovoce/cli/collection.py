"""``sottovoce collection``: close, extend and end what a collector collects, while it runs."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sottovoce import Plan, SottovoceError
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, make_table, print_json, strong
from sottovoce.cli.serve import database_option
from sottovoce.cli.token import open_database

if TYPE_CHECKING:
    from sottovoce.service.store import Store

Done = tuple[dict[str, object], str]
"""What was done: the document of --json, whose first value is what it was done to, and the words that follow it."""


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


def _on_collection(name: str) -> Callable[[Callable[..., Done]], click.Command]:
    """Make a command of what is done to the collection of a plan in an open database."""

    def make(act: Callable[..., Done]) -> click.Command:
        @command.command(name)
        @click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
        @database_option
        @json_option
        @functools.wraps(act)
        def run(plan_file: Path, database: str, as_json: bool, **options: object) -> None:
            plan = Plan.load(plan_file)
            with open_database(database) as store:
                document, words = act(store, plan, **options)
            if as_json:
                print_json(document)
            else:
                make_console().print(strong(str(next(iter(document.values())))[:12]), f" {words}", sep="")

        return run

    return make


@_on_collection("add")
def _add(store: Store, plan: Plan) -> Done:
    """Serve one more plan of a collection that is served: a refreshed one, or that of the next round."""
    from sottovoce.service.operation import add_plan

    add_plan(store, plan)
    return {"added": plan.fingerprint}, "is taken from now on"


@_on_collection("extend")
@click.option("--expires", required=True, type=click.DateTime(["%Y-%m-%d"]), help="The new last day.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where to write the new plan.")
def _extend(store: Store, plan: Plan, expires: datetime.datetime, out: Path) -> Done:
    """Make and serve a plan of the same collection with another last day."""
    from sottovoce.service.operation import extend_plan

    longer = extend_plan(store, plan, expires.date().isoformat())
    with replacing(out, inputs=[click.get_current_context().params["plan_file"]]) as part:
        longer.save(part)
    return {"extended": longer.fingerprint}, f"is taken until {longer.expires}"


@_on_collection("close")
def _close(store: Store, plan: Plan) -> Done:
    """Take no more reports; counts and answers stay."""
    from sottovoce.service.operation import close_collection

    close_collection(store, plan.collection)
    return {"closed": plan.collection}, "is closed"


@_on_collection("reopen")
def _reopen(store: Store, plan: Plan) -> Done:
    """Take reports again, unless the ids were forgotten."""
    from sottovoce.service.operation import reopen_collection

    reopen_collection(store, plan.collection)
    return {"opened": plan.collection}, "takes reports again"


@_on_collection("purge")
def _purge(store: Store, plan: Plan) -> Done:
    """Forget the ids of a closed collection, and destroy their key, for good."""
    from sottovoce.service.operation import purge_collection

    forgotten = purge_collection(store, plan.collection)
    return {"purged": plan.collection, "ids": forgotten}, f"has no ids any more ({forgotten:,} forgotten)"


@_on_collection("delete")
@click.option("--yes", is_flag=True, help="Do it: counts, models and plans are gone afterwards.")
def _delete(store: Store, plan: Plan, yes: bool) -> Done:
    """Remove a collection with all that was counted."""
    from sottovoce.service.operation import find_collection

    if not yes:
        raise SottovoceError("this removes all counts of the collection; say --yes, and export a tally before")
    store.delete_collection(find_collection(store, plan.collection).number)
    return {"deleted": plan.collection}, "is deleted"
