"""What commands say: tables and sentences on stdout, or one JSON object; progress on stderr, on a terminal only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object, for scripts, and nothing else."
)
"""The option that every command has."""


def make_console() -> Console:
    """Return where tables and sentences go: stdout, with colours only on a terminal."""
    console = Console(highlight=False)
    console.soft_wrap = not console.is_terminal  # a pipe gets whole lines
    return console


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON object."""
    click.echo(json.dumps(document, ensure_ascii=False))


def make_table(*columns: str, title: str | None = None) -> Table:
    """Return an empty table in the house style; a column whose name starts with ``>`` is aligned to the right."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column.removeprefix(">"), justify="right" if column.startswith(">") else "left")
    return table


def print_paragraph(console: Console, text: str) -> None:
    """Print sentences as an indented paragraph, wrapped between words."""
    console.print(Padding(Text(text), (0, 0, 0, 2)), soft_wrap=False)


@contextmanager
def progress(what: str, total: float) -> Iterator[Callable[[float], None]]:
    """Yield a function that takes how much of ``total`` is done; a bar on a terminal, nothing in a pipe."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bars:
        task = bars.add_task(what, total=total)
        yield lambda done: bars.update(task, completed=done)
