"""``sottovoce token``: who may read a collector's status and ask it for answers."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sottovoce import Plan, SottovoceError
from sottovoce.cli.output import json_option, make_console, make_table, print_json
from sottovoce.cli.serve import database_option

if TYPE_CHECKING:
    from sottovoce.service.store import Store


@click.group("token")
def command() -> None:
    """Create, rotate, revoke and list the tokens of a collector.

    A token is shown once, when it is created; the collector keeps only its digest.

    \b
      sottovoce token create alice
    """


@command.command("create")
@click.argument("name")
@database_option
@click.option(
    "--role",
    default="analyst",
    show_default=True,
    type=click.Choice(["analyst", "reporter", "operator"]),
    help="What it is for: statuses and answers, posting reports, or the operator's page (/operate).",
)
@click.option("--expires", type=click.DateTime(["%Y-%m-%d"]), help="Its last day.")
@click.option("--plan", "plan_file", type=click.Path(path_type=Path), help="The one collection it is for, by a plan.")
@click.option("--reports", type=click.IntRange(1), help="How many reports it may post: 1 is a ticket for one person.")
@json_option
def create(  # noqa: PLR0913 - a command has as many parameters as options
    *,
    name: str,
    database: str,
    role: str,
    expires: datetime.datetime | None,
    plan_file: Path | None,
    reports: int | None,
    as_json: bool,
) -> None:
    """Create a token and show it, this once."""
    from sottovoce.service.auth import Limits, create_token

    collection = None if plan_file is None else Plan.load(plan_file).collection
    limits = Limits(None if expires is None else expires.date(), collection, reports)
    with open_database(database) as store:
        text = create_token(store, name, role, _today(), limits)
    _show_token(name, role, text, as_json=as_json)


@command.command("rotate")
@click.argument("name")
@database_option
@json_option
def rotate(name: str, database: str, as_json: bool) -> None:
    """End a token's text and show a new one with the same name, role and limits."""
    from sottovoce.service.auth import rotate_token

    with open_database(database) as store:
        text = rotate_token(store, name, _today())
        role = next(token.role for token in store.tokens() if token.name == name)
    _show_token(name, role, text, as_json=as_json)


@command.command("asked")
@database_option
@json_option
def asked(database: str, as_json: bool) -> None:
    """Show what analysts asked and operators did, by day and token."""
    with open_database(database) as store:
        rows = store.asked()
    if as_json:
        names = ("day", "token", "collection", "what", "count")
        print_json({"asked": [dict(zip(names, (str(row[0]), *row[1:]), strict=True)) for row in rows]})
        return
    table = make_table("day", "token", "collection", "asked", ">times")
    for day, token, collection, what, count in rows:
        table.add_row(str(day), token, collection[:12], what, f"{count:,}")
    make_console().print(table)


def _show_token(name: str, role: str, text: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"name": name, "role": role, "token": text})
    else:
        click.echo(text)


@command.command("revoke")
@click.argument("name")
@database_option
@json_option
def revoke(name: str, database: str, as_json: bool) -> None:
    """End a token, from the next request on."""
    with open_database(database) as store:
        from sottovoce.service.operation import revoke_token

        day = revoke_token(store, name)
    if as_json:
        print_json({"name": name, "revoked": day.isoformat()})
    else:
        make_console().print(f"{name} is revoked")


@command.command("list")
@database_option
@json_option
def show(database: str, as_json: bool) -> None:
    """Show all tokens, but not their secrets."""
    with open_database(database) as store:
        from sottovoce.service.operation import list_tokens

        rows = list_tokens(store)
    if as_json:
        print_json({"tokens": rows})
        return
    table = make_table("name", "role", "created", "revoked", "expires", "collection", ">reports left")
    for row in rows:
        left = "" if row["reports"] is None else f"{row['reports']:,}"
        days = [row["created"], row["revoked"], row["expires"], (row["collection"] or "")[:12]]
        table.add_row(row["name"], row["role"], *(day or "" for day in days), left)
    make_console().print(table)


@contextlib.contextmanager
def open_database(database: str) -> Iterator[Store]:
    """Yield a collector's store."""
    try:
        from sottovoce.service.store import open_store

        store = open_store(database)
    except ImportError as error:
        raise SottovoceError(
            f"the collector needs more packages: pip install 'sottovoce[service]' ({error})"
        ) from error
    try:
        yield store
    finally:
        store.close()


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()
