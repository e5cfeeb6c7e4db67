"""The notebooks run from their first cell to their last, and what is kept of them is small."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="the dependency group docs is not installed")
pytest.importorskip("nbclient", reason="the dependency group docs is not installed")

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
RUNNER = runpy.run_path(str(ROOT / "docs" / "make_notebooks.py"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # what the kernel's own libraries are about to change
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_ends_with_a_decision(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    ran = RUNNER["run"](path)
    code = [cell for cell in ran.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code), "every cell ran"
    assert any("The decision" in cell.source for cell in ran.cells[-5:])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_keeps_only_words_and_says_what_it_is_about(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert path.stat().st_size < 40_000
    assert notebook.cells[0].source.startswith("# ")
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert outputs, "shown with what it prints: python docs/make_notebooks.py"
    assert {output.output_type for output in outputs} == {"stream"}


def test_there_is_one_for_an_organisation_a_researcher_and_telemetry() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["comparison", "survey", "waves"]
