"""``sottovoce serve``: the collector."""

from __future__ import annotations

from pathlib import Path

import click

from sottovoce import Plan, SottovoceError
from sottovoce.cli.output import json_option, make_console, print_json, strong

database_option = click.option(
    "--db", "database", default="sottovoce.db", show_default=True, help="A file for SQLite, or a postgresql:// URL."
)
"""The option by which commands find a collector's store."""


@click.command("serve")
@click.argument("plan_files", metavar="PLAN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@database_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", default=8470, show_default=True, type=click.IntRange(1, 65535), help="The port.")
@click.option("--require-token", is_flag=True, help="Take reports only with a reporter's token.")
@click.option("--minimum-reports", default=1000, show_default=True, help="Answer nothing below this many reports.")
@click.option("--rate", default="600/minute", show_default=True, help="How often one token may be used.")
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="[FINGERPRINT=]ORIGIN",
    help="A web origin whose pages may post, for one plan or for all; may be given again.",
)
@click.option(
    "--pages", multiple=True, type=click.Path(path_type=Path), help="A directory of pages to serve; may be given again."
)
@json_option
def command(  # noqa: PLR0913 - a command has as many parameters as options
    *,
    plan_files: tuple[Path, ...],
    database: str,
    host: str,
    port: int,
    require_token: bool,
    minimum_reports: int,
    rate: str,
    origins: tuple[str, ...],
    pages: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Collect reports over HTTP, counting each once.

    Keeps counts and nothing else: no address, no header, no time finer than a day. Stop it with Ctrl-C.

    \b
      sottovoce serve plan.json
      sottovoce serve plan.json --db postgresql://collector@localhost/sottovoce
    """
    try:
        from sottovoce.service.app import make_server
        from sottovoce.service.settings import Settings
    except ImportError as error:
        raise SottovoceError(
            f"the collector needs more packages: pip install 'sottovoce[service]' ({error})"
        ) from error
    plans = [Plan.load(path) for path in plan_files]
    settings = Settings(
        database=database,
        host=host,
        port=port,
        require_token=require_token,
        minimum_reports=minimum_reports,
        rate=rate,
        origins=_origins(origins),
        pages=pages,
    )
    server = make_server(settings, plans)
    base = f"http://{host}:{port}"
    if as_json:
        print_json({"url": base, "plans": [f"{base}/v1/plans/{plan.fingerprint}" for plan in plans]})
    else:
        console = make_console()
        console.print("Collecting at ", strong(base), f" into {database.rpartition('@')[2]}; Ctrl-C stops", sep="")
        for plan in plans:
            console.print(f"  {base}/v1/plans/{plan.fingerprint}")
    server.run()


def _origins(texts: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the origins of every plan; those that name no plan stand under "*"."""
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        fingerprint, equals, origin = text.rpartition("=")
        key = fingerprint if equals else "*"
        found[key] = (*found.get(key, ()), origin)
    return found
