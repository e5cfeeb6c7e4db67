"""The ``sottovoce`` command itself: finds its sub-commands by name, and turns every error into one line."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from sottovoce import __version__
from sottovoce._checks import visible
from sottovoce.errors import SottovoceError

COMMANDS = {
    "demo": "Run every stage on a made-up crowd and compare the answers with the truth.",
    "schema": "Propose a schema from a table or a list of questions.",
    "plan": "Design the public questions for a schema.",
    "audit": "Say exactly what a plan promises.",
    "sign": "Sign a plan, so that people can tell who stands for it.",
    "survey": "Make the page on which people answer a plan.",
    "randomize": "Turn a table of records into randomised reports.",
    "serve": "Collect reports over HTTP, counting each once.",
    "log": "Check a collector's log of plans, and mirror it.",
    "token": "Create, rotate, revoke and list the tokens of a collector.",
    "collection": "Add plans to a collector, and close, extend, purge and delete its collections.",
    "tally": "Count reports, and merge counts.",
    "next-round": "Design the next round of a collection from the tally of the rounds before it.",
    "fit": "Make a model of the crowd from a tally.",
    "calibrate": "Bring a model to what is publicly known of the population.",
    "query": "Ask a model about the crowd, with intervals.",
    "trend": "Follow a fraction of the crowd over the waves.",
    "compare-groups": "Compare groups of the crowd, and say which differences could be chance.",
    "chart": "Draw an attribute, or two together.",
    "explore": "Write a page on which any attribute can be brushed.",
    "report": "Make one page of a finished collection, to decide by.",
    "compare": "Try mechanisms and epsilons on a table of your own.",
    "benchmark": "Measure mechanisms on frozen data and queries, in one table that can be cited.",
    "reproduce": 'Measure again what the paper shows: NAME is a figure or table, or "all".',
}
"""Every command and what it does, in the order of the flow; a command's own help starts with the same sentence."""


class LazyGroup(click.Group):
    """A group that imports a command only when it is called, and whose errors take one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the flow."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, loaded now."""
        if cmd_name not in COMMANDS:
            return None
        module = cmd_name.replace("-", "_")
        command: click.Command = importlib.import_module(f"sottovoce.cli.{module}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the group's own options."""
        with _one_line_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for."""
        with _one_line_errors():
            return super().invoke(ctx)


class OneLineError(click.ClickException):
    """An error as the user sees it: one line on stderr, exit code 1."""

    def __init__(self, message: str) -> None:
        super().__init__(visible(" ".join(message.split())))


class OneLineUsageError(OneLineError):
    """A command that was not called as its help says."""

    exit_code = 2


@contextmanager
def _one_line_errors() -> Iterator[None]:
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        raise OneLineUsageError(error.format_message().rstrip(".") + hint) from error
    except SottovoceError as error:
        raise OneLineError(str(error)) from error
    except BrokenPipeError:
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise OneLineError(f"{where}{error.strerror or error}") from error


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, package_name="sottovoce")
def main() -> None:
    """Sottovoce: ask a crowd anything; hear no one.

    Collect answers that are randomised before they leave each person, and learn what fraction of the crowd is within
    any ranges of any attributes. The commands follow the flow from a schema to an answer; start with the demo:

    \b
      sottovoce demo
    """
