"""Draw the import graph by room, before and after the rooms were made, into docs/design/rooms.svg and rooms.png.

    python docs/design/make_rooms.py

The tree before is read from git (commit fdd0271), the tree after from src/. An arrow goes from a unit to one that it
imports; imports for type checkers alone do not count.
"""

from __future__ import annotations

import ast
import subprocess
import tomllib
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch

ROOT = Path(__file__).parents[2]
BEFORE = "fdd0271"
INK, PALE = "#1f5f8b", "#9cc4de"

Graph = dict[str, set[str]]
Layers = list[list[str]]


def read_before() -> tuple[Graph, Layers]:
    """Return the graph and layers of the commit before the rooms."""
    files = _git("ls-tree", "-r", "--name-only", BEFORE, "src/sottovoce").splitlines()
    texts = {Path(name): _git("show", f"{BEFORE}:{name}") for name in files if name.endswith(".py")}
    return make_graph(texts), read_layers(_git("show", f"{BEFORE}:pyproject.toml"))


def read_after() -> tuple[Graph, Layers]:
    """Return the graph and layers of the working tree."""
    files = sorted((ROOT / "src/sottovoce").rglob("*.py"))
    texts = {file.relative_to(ROOT): file.read_text(encoding="utf-8") for file in files}
    return make_graph(texts), read_layers((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def make_graph(texts: dict[Path, str]) -> Graph:
    """Return which units, the entries of src/sottovoce, import which."""
    graph: Graph = {}
    for path, text in texts.items():
        unit = Path(path.parts[2]).stem
        if unit == "__init__":
            continue
        tree = ast.parse(text)
        typing_only = {
            id(node)
            for block in ast.walk(tree)
            if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
            for node in ast.walk(block)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and id(node) not in typing_only and node.module:
                parts = node.module.split(".")
                if parts[0] == "sottovoce" and len(parts) > 1 and parts[1] != unit:
                    graph.setdefault(unit, set()).add(parts[1])
        graph.setdefault(unit, set())
    return graph


def read_layers(pyproject: str) -> Layers:
    """Return the import-linter contract's layers, the highest first."""
    contract = tomllib.loads(pyproject)["tool"]["importlinter"]["contracts"][0]
    return [[name.strip().removeprefix("sottovoce.") for name in layer.split("|")] for layer in contract["layers"]]


def draw(axes: Axes, title: str, graph: Graph, layers: Layers) -> None:
    """Draw one graph: a row for every layer, arrows between rooms."""
    centres = {
        name: ((column + 1) / (len(layer) + 1), -row)
        for row, layer in enumerate(layers)
        for column, name in enumerate(layer)
    }
    count = 0
    for unit, imported in graph.items():
        for other in imported & centres.keys():
            (x, y), (u, v) = centres[unit], centres[other]
            bend = 0.35 if len(layers) > 20 else 0.22
            style = f"arc3,rad={bend if (count % 2) else -bend}"
            axes.add_patch(
                FancyArrowPatch((x, y), (u, v), connectionstyle=style, arrowstyle="->", mutation_scale=7,
                                color=PALE, linewidth=0.7, shrinkA=8, shrinkB=8, zorder=1)
            )  # fmt: skip
            count += 1
    for name, (x, y) in centres.items():
        axes.text(x, y, name, ha="center", va="center", fontsize=9, zorder=2, color="#1b1b1b",
                  bbox={"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": INK})  # fmt: skip
    axes.set_title(f"{title}: {len(centres)} units, {len(layers)} layers, {count} imports between units", fontsize=11)
    axes.set_xlim(0, 1)
    axes.set_ylim(-len(layers) + 0.3, 0.7)
    axes.axis("off")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Draw both and write the pictures."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(14, 13), width_ratios=(1, 1.3))
    draw(left, "Before", *read_before())
    draw(right, "Now", *read_after())
    figure.tight_layout()
    for suffix in ("svg", "png"):
        path = Path(__file__).with_name(f"rooms.{suffix}")
        figure.savefig(path, dpi=110, metadata={"Date": None} if suffix == "svg" else None)
        print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
