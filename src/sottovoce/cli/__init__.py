"""The command line: one file per command, each loaded only when it is called, so that ``--help`` is quick.

A new command is a module here whose ``command`` is a click command, and its line in `sottovoce.cli.group.COMMANDS`.
"""

from __future__ import annotations

from sottovoce.cli.group import main

__all__ = ["main"]
