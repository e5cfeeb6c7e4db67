"""``sottovoce token``: who may read a collector's status and ask it for answers."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from sottovoce import SottovoceError
from sottovoce.cli.output import json_option, make_console, make_table, print_json
from sottovoce.cli.serve import database_option

if TYPE_CHECKING:
    from sottovoce.service.store import Store


@click.group("token")
def command() -> None:
    """Create, revoke and list the tokens of a collector.

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
    type=click.Choice(["analyst", "reporter"]),
    help="What it is for: statuses and answers, or posting reports.",
)
@json_option
def create(name: str, database: str, role: str, as_json: bool) -> None:
    """Create a token and show it, this once."""
    from sottovoce.service.auth import create_token

    with _open(database) as store:
        text = create_token(store, name, role, _today())
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
    with _open(database) as store:
        if not store.revoke_token(name, _today()):
            raise SottovoceError(f"there is no token named {name!r} to revoke; sottovoce token list shows all")
    if as_json:
        print_json({"name": name, "revoked": _today().isoformat()})
    else:
        make_console().print(f"{name} is revoked")


@command.command("list")
@database_option
@json_option
def show(database: str, as_json: bool) -> None:
    """Show all tokens, but not their secrets."""
    with _open(database) as store:
        tokens = store.tokens()
    rows = [
        {
            "name": token.name,
            "role": token.role,
            "created": token.created.isoformat(),
            "revoked": token.revoked.isoformat() if token.revoked else None,
        }
        for token in tokens
    ]
    if as_json:
        print_json({"tokens": rows})
        return
    table = make_table("name", "role", "created", "revoked")
    for row in rows:
        table.add_row(row["name"], row["role"], row["created"], row["revoked"] or "")
    make_console().print(table)


@contextlib.contextmanager
def _open(database: str) -> Iterator[Store]:
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
