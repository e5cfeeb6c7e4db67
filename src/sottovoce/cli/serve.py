"""``sottovoce serve``: the collector."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sottovoce import Plan, SottovoceError
from sottovoce.cli.output import json_option, make_console, print_json, strong
from sottovoce.plan.signature import Signature, signature_beside

database_option = click.option(
    "--db", "database", default="sottovoce.db", show_default=True, help="A file for SQLite, or a postgresql:// URL."
)
"""The option by which commands find a collector's store."""


_LIMITS: tuple[tuple[str, int | float | str, str], ...] = (
    ("minimum-reports", 1000, "Answer nothing below this many reports."),
    ("release-step", 1, "Show counts and answers in steps of so many reports (sottovoce audit --users)."),
    ("rate", "600/minute", "How often one token may be used."),
    ("report-rate", "60000/minute", "How many reports one reporter's token may post."),
    ("grace", 7, "For how many days after a plan's last day its reports are still counted."),
    ("fit-every", 0, "Fit again after so many seconds, if reports came; 0 leaves it to analysts."),
    ("look-every", 5.0, "Look every so many seconds for plans added and collections closed by commands."),
    ("commit-reports", 20, "A commit waits for so many reports,"),
    ("commit-seconds", 0.2, "or until the first of them has waited so long."),
    ("body-limit", 4 * 2**20, "The most bytes of a request."),
    ("batch-limit", 10_000, "The most reports of a request."),
    ("waiting-limit", 200_000, "The most reports that wait to be written."),
    ("upload-limit", 64 * 2**20, "The most bytes of all requests that are being read."),
    ("connections", 4_096, "The most connections at a time."),
    ("header-bytes", 32_768, "The most bytes of a request's headers."),
    ("header-seconds", 10.0, "How long headers may take to come."),
    ("body-seconds", 30.0, "How long a body may take to come."),
    ("analysts-waiting", 16, "The most questions of analysts that wait."),
    ("stop-seconds", 8.0, "How long to wait for the store when told to stop."),
    ("workers", 1, "How many processes serve, on PostgreSQL; limits are for each, rates for all."),
)
"""Every limit of a collector, its default and what it does."""


def _with_limits(function: Callable[..., None]) -> Callable[..., None]:
    for name, default, about in reversed(_LIMITS):
        function = click.option(f"--{name}", default=default, show_default=True, help=about)(function)
    return function


def _read_config(context: click.Context, parameter: click.Parameter, value: Path | None) -> None:
    """Take options from a TOML file; what stands in the environment or on the command line wins."""
    if value is None:
        return
    try:
        given = tomllib.loads(value.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SottovoceError(f"{str(value)!r} is not TOML: {error}") from error
    names = {"db": "database", "origin": "origins", "plans": "plan_files"}
    known = {one.name for one in context.command.params}
    settled = {names.get(name, name).replace("-", "_"): one for name, one in given.items()}
    unknown = sorted(set(settled) - known)
    if unknown:
        raise SottovoceError(f"{str(value)!r}: no option is named {', '.join(unknown)}; sottovoce serve --help has all")
    context.default_map = {**(context.default_map or {}), **settled}


@click.command("serve", context_settings={"auto_envvar_prefix": "SOTTOVOCE"})
@click.argument("plan_files", metavar="PLAN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    is_eager=True,
    expose_value=False,
    callback=_read_config,
    help="A TOML file of these options, and of plans.",
)
@database_option
@click.option("--keys", type=click.Path(path_type=Path), help="The directory of the keys under which ids are kept.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", default=8470, show_default=True, type=click.IntRange(1, 65535), help="The port.")
@click.option("--require-token", is_flag=True, help="Take reports only with a reporter's token.")
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
@_with_limits
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Logs for people, or for programs: events and reasons, never data.",
)
@click.option(
    "--log-level",
    type=click.Choice(["info", "warning", "error"]),
    default="info",
    show_default=True,
    help="What is worth a line.",
)
@json_option
def command(
    *,
    plan_files: tuple[Path, ...],
    origins: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Collect reports over HTTP, counting each once.

    Keeps counts, digests of ids and nothing else: no address, no header, no time finer than a day. Stop it with Ctrl-C;
    SIGHUP reads the plans again. Every option may stand in the environment too, as SOTTOVOCE_PORT does.

    \b
      sottovoce serve plan.json
      sottovoce serve plan.json --db postgresql://collector@localhost/sottovoce --workers 4
    """
    try:
        from sottovoce.service.app import make_server
        from sottovoce.service.logs import configure_logs
        from sottovoce.service.settings import Settings
        from sottovoce.service.workers import Workers
    except ImportError as error:
        raise SottovoceError(
            f"the collector needs more packages: pip install 'sottovoce[service]' ({error})"
        ) from error

    load = functools.partial(_load_plans, plan_files)
    plans = load()
    found = _origins(origins)
    strangers = sorted(found.keys() - {"*", *(plan.fingerprint for plan in plans)})
    if strangers:
        raise SottovoceError(f"--origin names the plan {strangers[0]!r}, which is not served")
    settings = Settings(origins=found, signatures=_signatures(plan_files, plans), **options)
    configure_logs(settings.log_format, settings.log_level)
    server = Workers(settings, plans, load) if settings.workers > 1 else make_server(settings, plans, load)
    base = f"http://{settings.host}:{settings.port}"
    if as_json:
        print_json({"url": base, "plans": [f"{base}/v1/plans/{plan.fingerprint}" for plan in plans]})
    else:
        console = make_console()
        into = settings.database.rpartition("@")[2]
        console.print("Collecting at ", strong(base), f" into {into}; Ctrl-C stops", sep="")
        for plan in plans:
            console.print(f"  {base}/v1/plans/{plan.fingerprint}")
    server.run()
    if not server.started:
        raise SottovoceError(f"cannot listen at {base}: somebody else does, or it is not this machine's")


def _load_plans(paths: tuple[Path, ...]) -> list[Plan]:
    return [Plan.load(path) for path in paths]


def _signatures(files: tuple[Path, ...], plans: list[Plan]) -> dict[str, bytes]:
    """Return the signatures that stand beside the files of plans, by fingerprint; one that is none is an error."""
    found = {}
    for path, plan in zip(files, plans, strict=True):
        beside = signature_beside(path)
        if beside.exists():
            found[plan.fingerprint] = Signature.from_json(beside.read_bytes()).to_json()
    return found


def _origins(texts: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the origins of every plan; those that name no plan stand under "*"."""
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        fingerprint, equals, origin = text.rpartition("=")
        key = fingerprint if equals else "*"
        found[key] = (*found.get(key, ()), origin)
    return found
