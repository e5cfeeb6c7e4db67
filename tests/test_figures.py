"""Every picture in docs/ says how it is made, and every table of measurements names its command."""

from __future__ import annotations

import re
import runpy
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PICTURES = sorted(path for path in DOCS.rglob("*") if path.suffix in (".svg", ".png", ".jpg"))
SCRIPTS = sorted(DOCS.rglob("make_*.py"))
COMMAND = re.compile(
    r"(benchmarks|docs|examples|tests)/[\w/]+\.py|`make \w+|`sottovoce (reproduce|benchmark|demo|compare|plan|audit)\b"
)

NOT_MEASURED = {
    "docs/design/prior.md": "constants; docs/design/constants.md has their evidence",
    "docs/explorer.md: How much was measured": "from which evidence on which words are used",
    "docs/notation.md": "symbols and names",
    "docs/privacy.md: One report": "e to the power of epsilon",
    "docs/privacy.md: All collections": "e to the power of epsilon",
    "docs/reproduction.md: What is the paper's text and what is inference": "what the paper says",
}
"""Sections with a table of numbers that nobody measured, and what these are."""


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_a_picture_is_named_by_the_script_or_command_that_makes_it(picture: Path) -> None:
    listed = (DOCS / "figures.md").read_text(encoding="utf-8")
    scripts = "".join(script.read_text(encoding="utf-8") for script in SCRIPTS)
    assert f"`{picture.relative_to(DOCS).as_posix()}`" in listed or picture.stem in scripts


def test_every_script_and_command_that_is_listed_is_there() -> None:
    listed = (DOCS / "figures.md").read_text(encoding="utf-8")
    named = re.findall(r"\b((?:docs|benchmarks)/[\w/]+\.py)", listed)
    assert len(named) >= 15
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_make_figures_runs_every_script_of_the_documentation() -> None:
    found = runpy.run_path(str(DOCS / "make_figures.py"))["scripts"]()
    assert {"make_expected_errors.py", "make_notebooks.py", "make_rooms.py"} <= {path.name for path in found}
    assert set(found) == set(SCRIPTS) - {DOCS / "make_figures.py"}


def sections() -> list[tuple[str, str, str]]:
    """Return the name and the text of every section, and the top of its page."""
    found: list[tuple[str, str, str]] = []
    for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]:
        top, *rest = re.split(r"(?m)^(?=## )", page.read_text(encoding="utf-8"))
        name = page.relative_to(ROOT).as_posix()
        found += [(name, top, top), *((f"{name}: {text.splitlines()[0][3:]}", text, top) for text in rest)]
    return found


def measures(text: str) -> bool:
    """Return whether a section has a table with numbers of which some are not whole."""
    rows = [line for line in text.splitlines() if line.startswith("|") and re.search(r"\d\.\d", line)]
    return len(rows) >= 2


def test_a_table_of_measurements_names_the_command_that_made_it() -> None:
    measured = [(name, text + top) for name, text, top in sections() if measures(text) and name not in NOT_MEASURED]
    assert len(measured) > 15
    assert [name for name, text in measured if not COMMAND.search(text)] == []


def test_the_table_of_expected_errors_is_what_the_forecast_says() -> None:
    """One row, the cheapest; the numbers of another release of numpy may differ a little."""
    script = runpy.run_path(str(DOCS / "make_expected_errors.py"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        row = script["forecast"]((3, 10_000, 2))
    written = (DOCS / "expected-errors.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^\| 10,000 \| 2 \| 3 \| (.*) \|$", written, re.MULTILINE)
    numbers = line.replace("± ", "").split(" | ")
    forecast = (row.one, row.two, row.difference, row.visible)
    assert [float(number) for number in numbers] == pytest.approx(forecast, rel=0.25)
