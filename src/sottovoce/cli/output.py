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

from sottovoce._checks import visible

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object, for scripts, and nothing else."
)
"""The option that every command has."""


class DataConsole(Console):
    """A console to which text is data: no markup, no emoji names, and nothing that acts instead of being seen."""

    def print(self, *objects: Any, **named: Any) -> None:
        """Print objects as rich does, texts as they are."""
        super().print(*[Text(visible(one)) if isinstance(one, str) else one for one in objects], **named)


class DataTable(Table):
    """A table whose cells, titles and columns are data as well."""

    def add_column(self, header: Any = "", *rest: Any, **named: Any) -> None:
        """Add a column; its header is shown as it is, without markup.

        Args:
            header: What stands above it.
            *rest: What else `rich.table.Table.add_column` takes,
            **named: by position or by name.
        """
        super().add_column(_data(header), *rest, **named)

    def add_row(self, *cells: Any, **named: Any) -> None:
        """Add a row."""
        super().add_row(*map(_data, cells), **named)


def _data(value: Any) -> Any:
    return Text(visible(value)) if isinstance(value, str) else value


def strong(value: object, style: str = "bold") -> Text:
    """Return a value, shown in a style; the only way to give text one."""
    return Text(visible(str(value)), style=style)


def make_console() -> Console:
    """Return where tables and sentences go: stdout, with colours only on a terminal."""
    console = DataConsole(highlight=False, markup=False, emoji=False)
    console.soft_wrap = not console.is_terminal  # a pipe gets whole lines
    return console


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON object."""
    click.echo(visible(json.dumps(document, ensure_ascii=False)))


def make_table(*columns: str, title: str | None = None) -> Table:
    """Return an empty table in the house style; a column whose name starts with ``>`` is aligned to the right."""
    table = DataTable(title=_data(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column.removeprefix(">"), justify="right" if column.startswith(">") else "left")
    return table


def print_paragraph(console: Console, text: str) -> None:
    """Print sentences as an indented paragraph, wrapped between words."""
    console.print(Padding(Text(visible(text)), (0, 0, 0, 2)), soft_wrap=False)


@contextmanager
def progress_bar(what: str, total: float, *, lines: bool = False) -> Iterator[Callable[[float], None]]:
    """Yield a function that is told how much is done; a bar on a terminal, else nothing or lines.

    Args:
        what: What stands beside the bar.
        total: What the function is told when all is done.
        lines: Write a line now and then where there is no terminal, such as in a log.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _progress_lines(what, total) if lines else lambda done: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task(what, total=total)
        yield lambda done: bars.update(task, completed=done)


def _progress_lines(what: str, total: float) -> Callable[[float], None]:
    """Return what writes a line to stderr at every tenth that is done."""
    told = -1

    def tell(done: float) -> None:
        nonlocal told
        tenth = int(10 * min(1.0, done / total) + 1e-9)
        if tenth > told:
            told = tenth
            click.echo(f"{what}: {10 * tenth} %", err=True)

    return tell
