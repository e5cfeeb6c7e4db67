"""``sottovoce log``: the log of plans of a collector, checked, and mirrored for others to compare with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import click

from sottovoce import SottovoceError
from sottovoce.cli.output import json_option, make_console, make_table, print_json, strong
from sottovoce.client.delivery import fetch
from sottovoce.plan.log import Log

MANY_PLANS = 50
"""A collection that was refreshed more often than this is worth a remark."""


@click.command("log")
@click.argument("url", metavar="URL")
@click.option(
    "--mirror",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A copy to keep: made, or brought up to date if the log still begins with all of it.",
)
@json_option
def command(url: str, mirror: Path | None, as_json: bool) -> None:
    """Check a collector's log of plans, and mirror it.

    A collector can show each person another log. It is worth something once somebody else keeps a copy and publishes
    it: run this every day on another machine, and give clients the address of the copy. A log that no longer begins
    with what is kept is an error, and the copy stays.

    \b
      sottovoce log https://collector.example --mirror log.json
    """
    address = url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/v1/log"
    log = Log.from_json(fetch(address, "the log"))
    older = Log.load(mirror) if mirror is not None and mirror.exists() else Log()
    if not log.extends(older):
        raise SottovoceError(
            f"the log at {address} does not begin with the {len(older.entries)} entries of {str(mirror)!r}: it was "
            "rewritten, or you are shown another one; the copy stays as it is, tell people"
        )
    if mirror is not None:
        log.save(mirror)
    plans = Counter(entry.collection for entry in log.entries)
    if as_json:
        new = len(log.entries) - len(older.entries)
        print_json({"url": address, "head": log.head, "entries": len(log.entries), "new": new, "collections": plans})
        return
    console = make_console()
    table = make_table(">number", "day", "plan", "collection", ">plans so far")
    so_far: Counter[str] = Counter()
    for entry in log.entries:
        so_far[entry.collection] += 1
        number = str(so_far[entry.collection])
        table.add_row(str(entry.number), entry.day, entry.fingerprint[:16], entry.collection[:16], number)
    console.print(table)
    console.print("Head: ", strong(log.head), sep="")
    if max(plans.values(), default=0) > MANY_PLANS:
        console.print("A collection with so many plans may give each person a plan of their own.", style="bold")
