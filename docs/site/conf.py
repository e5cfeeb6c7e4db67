"""How Sphinx builds the site: `make docs`.

The source folder is the root of the project, so that a link between two files is the same in the repository and on the
site, and no page is copied.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from http_reference import http_reference

import sottovoce as sv
from sottovoce.service.app import create_app
from sottovoce.service.settings import Settings

if TYPE_CHECKING:
    from sphinx.application import Sphinx

GENERATED = Path(__file__).parents[2] / "build" / "generated"

project = "Sottovoce"
author = "the authors of Sottovoce"
project_copyright = "the authors of Sottovoce, Apache-2.0"
release = version = sv.__version__
language = "en"
smartquotes = False  # "--users" stays what one types

root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "examples/*/README.md",
    "examples/notebooks/*.ipynb",
    "clients/*/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]
exclude_patterns = ["**/node_modules", "build", "dist", "out", "src", "tests", ".*"]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "sphinx_click"]

myst_heading_anchors = 4
nb_execution_mode = "off"  # tests/test_notebooks.py runs them

default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
napoleon_numpy_docstring = False
python_maximum_signature_line_length = 100
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "Sottovoce"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["top"]
html_copy_source = False
html_theme_options = {"top_of_page_buttons": []}

MADE_BY_OTHERS = {"Plan", "Report", "Model", "Answer", "Estimate", "Audit", "Forecast", "WaveModels"}
"""Classes that users are given: how they are constructed is no promise, and is not shown."""


def write_http_reference() -> None:
    """Write what a collector says of itself in OpenAPI, as the Markdown that docs/reference/http.md includes."""
    with tempfile.TemporaryDirectory() as folder:
        document = create_app(Settings(database=str(Path(folder) / "collector.db")), []).openapi()
    GENERATED.mkdir(parents=True, exist_ok=True)
    (GENERATED / "openapi.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
    (GENERATED / "http.md").write_text(http_reference(document), encoding="utf-8")


def hide_constructors(app: Sphinx, what: str, name: str, *details: Any) -> tuple[str, str] | None:
    """Leave out the constructor of a class that users are given."""
    return ("", "") if what == "class" and name.rpartition(".")[2] in MADE_BY_OTHERS else None


def show_examples_as_typed(app: Sphinx, context: Any, lines: list[str]) -> None:
    """Make the calls in a command's help a block of code: sphinx-click has them as lines of prose."""
    shown: list[str] = []
    for line in lines:
        if line.startswith("|"):
            if not (shown and shown[-1].startswith("   ")):
                shown += [".. code-block:: sh", ""]
            shown.append("   " + line.removeprefix("|").strip())
        else:
            shown.append(line)
    lines[:] = shown


class SentencesOfAttributes:
    """Keep napoleon from taking "Words: more words" in the docstring of an attribute for "type: meaning"."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    def put_aside(self, app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
        """Before napoleon."""
        if what in ("attribute", "property"):
            self.kept, lines[:] = list(lines), []

    def put_back(self, app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
        """After napoleon."""
        if what in ("attribute", "property"):
            lines[:] = self.kept


def setup(app: Sphinx) -> None:
    """Connect what is above."""
    write_http_reference()
    sentences = SentencesOfAttributes()
    app.connect("autodoc-process-signature", hide_constructors)
    app.connect("autodoc-process-docstring", sentences.put_aside, priority=100)
    app.connect("autodoc-process-docstring", sentences.put_back, priority=900)
    app.connect("sphinx-click-process-description", show_examples_as_typed)
