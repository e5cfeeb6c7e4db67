"""Make the pictures and tables of docs/ again that take under ten minutes, one script after the other.

    make figures

docs/figures.md says what each of them makes, and how the others are made.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def scripts() -> list[Path]:
    """Return every script of docs/ that makes something, but for this one."""
    return sorted(path for path in HERE.rglob("make_*.py") if path != Path(__file__))


if __name__ == "__main__":
    for script in scripts():
        print(f"python {script.relative_to(HERE.parent)}", flush=True)
        subprocess.run([sys.executable, script], check=True)
