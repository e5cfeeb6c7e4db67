"""The tests of what is written for browsers, which run under Node.js: the client, and the explorer's bundle."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

FOLDERS = [Path(__file__).parents[2] / "clients" / name for name in ("js", "explorer")]

if shutil.which("npm") is None:
    pytest.skip("npm is not installed: what is written for browsers was not tested", allow_module_level=True)


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_tests_of_a_folder_pass(folder: Path) -> None:
    if not (folder / "node_modules").is_dir():
        pytest.skip(f"clients/{folder.name}/node_modules is missing: run make test, or npm ci there")
    done = subprocess.run(["npm", "test"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_lock_file_names_no_registry(folder: Path) -> None:
    assert "resolved" not in (folder / "package-lock.json").read_text(encoding="utf-8")
