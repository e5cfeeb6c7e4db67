"""The site: every page is in its navigation, the references are made of the program, and a broken link is found.

`make docs` builds it all, with warnings as errors; here is what can be told without building.
"""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import sottovoce as sv
from sottovoce.service.app import create_app
from sottovoce.service.settings import Settings

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
ROLES = ("organisation", "engineer", "analyst", "researcher", "privacy-officer")


def load(name: str) -> ModuleType:
    """Return a module of docs/site, which is no package."""
    spec = importlib.util.spec_from_file_location(f"site_{name}", DOCS / "site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


check, http_reference = load("check"), load("http_reference")


def in_navigation(page: Path) -> set[Path]:
    """Return the pages that a page's tables of contents name, and those that these name."""
    found: set[Path] = set()
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        entries = [line for line in block.splitlines() if line and not line.startswith(":")]
        for entry in entries:
            folder, pattern = (page.parent / entry).parent, Path(entry).name
            found |= {path.resolve() for path in folder.glob(f"{pattern}.*") if path.suffix in (".md", ".ipynb")}
    return found.union(*(in_navigation(path) for path in found if path.suffix == ".md"))


def test_every_page_is_in_the_navigation() -> None:
    reached = in_navigation(DOCS / "index.md") | {DOCS / "index.md"}
    pages = [*DOCS.rglob("*.md"), *ROOT.glob("examples/**/*.ipynb"), *ROOT.glob("clients/*/README.md")]
    assert [path.relative_to(ROOT).as_posix() for path in pages if path.resolve() not in reached] == []


def test_there_is_a_start_page_for_everybody_that_the_first_page_and_the_readme_link_to() -> None:
    for page in (DOCS / "index.md", ROOT / "README.md"):
        text = page.read_text(encoding="utf-8")
        assert [role for role in ROLES if f"start/{role}.md" not in text] == []


def test_the_python_reference_has_every_public_name_and_no_other() -> None:
    pages = (path.read_text(encoding="utf-8") for path in sorted((DOCS / "reference" / "python").glob("*.md")))
    named = re.findall(r"^\.\. auto(?:class|function|exception):: sottovoce\.(\w+)$", "".join(pages), re.MULTILINE)
    assert sorted(named) == sorted(sv.__all__)


def test_the_http_reference_has_every_call_and_every_shape(tmp_path: Path) -> None:
    app = create_app(Settings(database=str(tmp_path / "c.db")), [])
    app.state.collector.close()
    document = app.openapi()
    text = http_reference.http_reference(document)
    calls = [f"## {method.upper()} {path}\n" for path, methods in document["paths"].items() for method in methods]
    assert len(calls) >= 12
    shapes = [f"### {name}\n" for name in document["components"]["schemas"]]
    assert [heading for heading in (*calls, *shapes) if heading not in text] == []
    assert "| `code` | integer |" in text, "members of a body that may be one report or a list"
    links = set(re.findall(r"\]\(#([a-z]+)\)", text))
    assert links <= {name.lower() for name in document["components"]["schemas"]}


def test_the_examples_of_the_builder_run() -> None:
    assert doctest.testmod(check).failed == doctest.testmod(http_reference).failed == 0


PAGE = """<!doctype html><link rel="stylesheet" href="site.css"><h1 id="top">A</h1>
<a href="b.html#here">b</a> <a href="#top">top</a> <a href="https://example.org/x">away</a>
<img src="data:image/png;base64,">"""


def site(folder: Path, *, page: str = PAGE, sheet: str = "") -> Path:
    (folder / "a.html").write_text(page, encoding="utf-8")
    (folder / "b.html").write_text('<p id="here">', encoding="utf-8")
    (folder / "site.css").write_text(sheet, encoding="utf-8")
    return folder


def test_a_sound_site_has_no_faults(tmp_path: Path) -> None:
    assert check.faults(site(tmp_path)) == []


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ('<a href="c.html">', "a.html links to c.html, which is not there"),
        ('<a href="b.html#there">', "a.html links to b.html#there, a place that is not on that page"),
        ('<a href="#bottom">', "a.html links to #bottom, a place that is not on that page"),
        ('<a href="https://example/ a">', "a.html links to https://example/ a, which is no address"),
        ('<img src="c.png">', "a.html loads c.png, which is not there"),
        ('<script src="https://cdn.example.org/x.js">', "a.html loads https://cdn.example.org/x.js from elsewhere"),
        (
            '<link rel="stylesheet" href="//fonts.example.org/f.css">',
            "a.html loads //fonts.example.org/f.css from elsewhere",
        ),
    ],
)
def test_a_fault_of_a_page_is_found(broken: str, said: str, tmp_path: Path) -> None:
    assert check.faults(site(tmp_path, page=PAGE + broken)) == [said]


def test_a_style_sheet_that_loads_from_elsewhere_is_found(tmp_path: Path) -> None:
    sheet = (
        '@import "https://fonts.example.org/f.css"; b { background: url(//cdn.example.org/b.png) } i { src: url(i) }'
    )
    assert check.faults(site(tmp_path, sheet=sheet)) == [
        "site.css loads https://fonts.example.org/f.css from elsewhere",
        "site.css loads //cdn.example.org/b.png from elsewhere",
    ]


def test_continuous_integration_builds_the_site() -> None:
    assert "make docs" in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
