"""The ``sottovoce`` command itself: finds its sub-commands by name, and turns every error into one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

import sottovoce as sv
from sottovoce.cli import main
from sottovoce.cli.group import COMMANDS, LazyGroup
from tests.cli.calls import fail, run


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_and_a_commands_own_help_agree(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.help is not None
    assert command.help.split("\n")[0] == COMMANDS[name]


def test_the_list_of_commands_is_shown_without_loading_numpy_or_arrow() -> None:
    code = (
        "import sys, click.testing, sottovoce.cli; "
        "shown = click.testing.CliRunner().invoke(sottovoce.cli.main, ['--help']).output; "
        "assert 'randomize' in shown; print([name for name in ('numpy', 'pyarrow', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nonsense",), "No such command 'nonsense'"),
        (("--nonsense",), "No such option"),
        (("audit",), "Missing argument 'PLAN' (see"),
        (("audit", "plan.json", "--nonsense"), "--help)"),
        (("plan", "s.toml", "--epsilon", 1, "--users", "many", "--out", "x"), "'many' is not a valid integer"),
        (("plan", "schema.toml", "--epsilon", 1, "--users", 9, "--option", "g1", "--out", "x"), "not NAME=VALUE"),
    ],
)
def test_a_wrong_call_takes_one_line_and_exit_code_two(folder: Path, arguments: tuple[object, ...], said: str) -> None:
    assert said in fail(*arguments, code=2)


def raising(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every command raise an error."""

    def callback() -> None:
        raise error

    monkeypatch.setattr(LazyGroup, "get_command", lambda self, ctx, name: click.Command(name, callback=callback))


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (sv.PlanError("a message\n  of two lines"), "Error: a message of two lines\n"),
        (FileNotFoundError(2, "No such file or directory", "a.json"), "Error: a.json: No such file or directory\n"),
        (OSError("the disk is full"), "Error: the disk is full\n"),
    ],
)
def test_an_error_on_purpose_or_of_the_system_is_one_line(
    error: Exception, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    raising(error, monkeypatch)
    result = run("anything")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", line)


def test_a_mistake_of_the_program_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(ZeroDivisionError("a mistake"), monkeypatch)
    assert isinstance(run("anything").exception, ZeroDivisionError)


def test_a_reader_that_leaves_early_is_no_error_to_speak_of(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(BrokenPipeError(32, "Broken pipe"), monkeypatch)
    assert "Error" not in run("anything").stderr


def test_a_call_without_a_command_shows_the_commands_in_the_order_of_the_flow() -> None:
    shown = run().output
    indices = [shown.index(f"\n  {name} ") for name in COMMANDS]
    assert indices == sorted(indices)


def test_a_command_is_loaded_only_when_it_is_asked_for() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from sottovoce.cli import main; "
        "CliRunner().invoke(main, ['plan', '--help']); "
        "print([name for name in sorted(sys.modules) if name in ('sottovoce.cli.plan', 'sottovoce.cli.demo')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['sottovoce.cli.plan']"


def test_the_version_is_the_packages() -> None:
    assert run("--version").output.endswith(f", version {sv.__version__}\n")
