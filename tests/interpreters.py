"""Interpreters that have loaded nothing yet: what a fresh process imports, and whether it works by itself."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("numpy", "pyarrow", "pandas", "polars", "sqlglot", "narwhals", "httpx", "sottovoce.mechanisms")
"""What a person's device must do without."""


def run_fresh(script: str, *arguments: object) -> str:
    """Return what a script prints in a new interpreter; fail with what it says if it fails."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded_by(script: str, *arguments: object) -> list[str]:
    """Return which of the heavy modules a script has loaded at its end, in a new interpreter."""
    tell = f"\nimport sys; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    return run_fresh(script + tell, *arguments).splitlines()[-1].split()
