"""Commands called as a shell calls them: what they print, as JSON or for people, and the one line of an error."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result

from sottovoce.cli import main


def run(*arguments: object) -> Result:
    """Return what a command printed and how it ended."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def succeed(*arguments: object) -> dict[str, Any]:
    """Return the JSON object that a command prints."""
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def fail(*arguments: object, code: int = 1) -> str:
    """Return the one line that a command says when it fails."""
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def text_of(*arguments: object) -> str:
    """Return what a command says to people, with every stretch of white space as one space."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())
