"""Run the notebooks of examples/notebooks and keep what they print: under a minute of CPU.

    python docs/make_notebooks.py

`tests/test_notebooks.py` runs them too, and keeps nothing.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples" / "notebooks").glob("*.ipynb"))
SECONDS = 300
"""How long one cell may take."""


def run(path: Path) -> nbformat.NotebookNode:
    """Return a notebook as it is after all its cells have run, in a folder of their own; an error in one is raised."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": folder}})
        kernel = client.create_kernel_manager()
        kernel.transport, kernel.ip = "ipc", str(Path(folder) / "kernel")  # a kernel takes no port of the machine
        client.execute()
    return notebook


def keep(path: Path, notebook: nbformat.NotebookNode) -> None:
    """Write a notebook without what tells one run from another."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for each in NOTEBOOKS:
        keep(each, run(each))
        print(f"ran {each.name}")
