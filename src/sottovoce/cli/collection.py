"""``sottovoce collection``: close, extend and end what a collector collects, while it runs."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from sottovoce import Plan, SottovoceError
from sottovoce.cli.files import replacing
from sottovoce.cli.output import json_option, make_console, make_table, print_json, strong
from sottovoce.cli.serve import database_option
from sottovoce.cli.token import open_database

if TYPE_CHECKING:
    from sottovoce.service.store import Store
    from sottovoce.service.store.store import CollectionState

Done = tuple[dict[str, object], str]
"""What was done: the document of --json, whose first value is what it was done to, and the words that follow it."""


@dataclass(frozen=True)
class _Kept:
    """A plan and its file, the collection that a database has of it, and the database."""

    plan_file: Path
    plan: Plan
    state: CollectionState
    store: Store


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
        rows = [
            {
                "collection": one.collection,
                "plans": len(store.fingerprints(one.number)),
                "reports": sum(count for _, _, count in store.by_day(one.number)),
                "closed": None if one.closed is None else str(one.closed),
                "purged": None if one.purged is None else str(one.purged),
            }
            for one in store.collections()
        ]
    if as_json:
        print_json({"collections": rows})
        return
    table = make_table("collection", ">plans", ">reports", "closed", "ids forgotten")
    for row in rows:
        ends = (str(row["closed"] or ""), str(row["purged"] or ""))
        table.add_row(str(row["collection"])[:12], str(row["plans"]), f"{row['reports']:,}", *ends)
    make_console().print(table)


def _on_collection(name: str) -> Callable[[Callable[..., Done]], click.Command]:
    """Make a command of what is done to the collection of a plan, in an open database that has it."""

    def make(act: Callable[..., Done]) -> click.Command:
        @command.command(name)
        @click.argument("plan_file", metavar="PLAN", type=click.Path(path_type=Path))
        @database_option
        @json_option
        @functools.wraps(act)
        def run(plan_file: Path, database: str, as_json: bool, **options: object) -> None:
            plan = Plan.load(plan_file)
            with open_database(database) as store:
                state = next((one for one in store.collections() if one.collection == plan.collection), None)
                if state is None:
                    raise SottovoceError(
                        f"this database has no collection {plan.collection[:12]}; sottovoce collection list has all, "
                        "and sottovoce serve begins one"
                    )
                document, words = act(_Kept(plan_file, plan, state, store), **options)
            if as_json:
                print_json(document)
            else:
                make_console().print(strong(str(next(iter(document.values())))[:12]), f" {words}", sep="")

        return run

    return make


@_on_collection("add")
def add(kept: _Kept) -> Done:
    """Serve one more plan of a collection that is served, such as a refreshed one."""
    kept.store.register(kept.plan)
    return {"added": kept.plan.fingerprint}, "is taken from now on"


@_on_collection("extend")
@click.option("--expires", required=True, type=click.DateTime(["%Y-%m-%d"]), help="The new last day.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where to write the new plan.")
def extend(kept: _Kept, expires: datetime.datetime, out: Path) -> Done:
    """Make and serve a plan of the same collection with another last day."""
    version = kept.plan.version + 1
    plan = msgspec.structs.replace(kept.plan, expires=expires.date().isoformat(), version=version)
    plan.check()
    kept.store.register(plan)
    with replacing(out, inputs=[kept.plan_file]) as part:
        plan.save(part)
    return {"extended": plan.fingerprint}, f"is taken until {plan.expires}"


@_on_collection("close")
def close(kept: _Kept) -> Done:
    """Take no more reports; counts and answers stay."""
    kept.store.close_collection(kept.state.number, _today())
    return {"closed": kept.plan.collection}, "is closed"


@_on_collection("reopen")
def reopen(kept: _Kept) -> Done:
    """Take reports again, unless the ids were forgotten."""
    if kept.state.purged:
        raise SottovoceError("the ids of this collection were forgotten: nobody could tell what was counted before")
    kept.store.close_collection(kept.state.number, None)
    return {"opened": kept.plan.collection}, "takes reports again"


@_on_collection("purge")
def purge(kept: _Kept) -> Done:
    """Forget the ids of a closed collection, and destroy their key, for good."""
    if kept.state.closed is None:
        raise SottovoceError("close the collection first: reports that still come would count twice")
    forgotten = kept.store.purge_ids(kept.state.number, _today())
    return {"purged": kept.plan.collection, "ids": forgotten}, f"has no ids any more ({forgotten:,} forgotten)"


@_on_collection("delete")
@click.option("--yes", is_flag=True, help="Do it: counts, models and plans are gone afterwards.")
def delete(kept: _Kept, yes: bool) -> Done:
    """Remove a collection with all that was counted."""
    if not yes:
        raise SottovoceError("this removes all counts of the collection; say --yes, and export a tally before")
    kept.store.delete_collection(kept.state.number)
    return {"deleted": kept.plan.collection}, "is deleted"


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()
