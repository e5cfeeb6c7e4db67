"""The browser client's own tests, which run under Node.js."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "clients" / "js"

if shutil.which("npm") is None:
    pytest.skip("npm is not installed: the browser client was not tested", allow_module_level=True)
if not (FOLDER / "node_modules").is_dir():
    pytest.skip("clients/js/node_modules is missing: run make test, or npm ci in clients/js", allow_module_level=True)


@pytest.mark.slow
def test_the_tests_of_the_browser_client_pass() -> None:
    done = subprocess.run(["npm", "test"], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_lock_file_names_no_registry() -> None:
    assert "resolved" not in (FOLDER / "package-lock.json").read_text(encoding="utf-8")
