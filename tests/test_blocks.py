"""Every shell, Python and web block of the pages runs in a test, or stands in one list that says why not.

`tests/test_docs.py` runs the Python of the pages, and walks docs/cli.md and docs/tutorial.md;
`tests/browser/test_blocks.py` runs web pages. Here the other shell blocks are walked.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import sottovoce as sv
from sottovoce.cli.group import main
from tests.test_docs import PAGES as RUN_BY_TEST_DOCS
from tests.test_docs import ROOT, blocks, parse

PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(ROOT.glob("clients/*/README.md")),
    *sorted(ROOT.glob("examples/*/README.md")),
]
DATA = ("json", "toml", "text", "ini", "nginx", "dockerfile", "yaml")
"""Languages of what is shown and not run: files and what programs print; other tests read most of them."""

WALKED_ELSEWHERE = {"docs/cli.md": "tests/test_docs.py", "docs/tutorial.md": "tests/test_docs.py"}

NOT_WALKED = {
    "docs/deployment.md": "needs root, PostgreSQL or Docker: tests/service/test_deploy.py runs what it configures",
    "examples/plugin/README.md": "needs the plug-in to be installed: tests/test_plugin_example.py does that",
    "examples/survey/README.md": "paths from the project's root: tests/browser/test_survey.py serves the page",
}
"""Pages whose calls of sottovoce are not run as they stand, and why."""

OTHER_PROGRAMS = {
    "pip install": "fetches packages: tests/test_device.py installs what it may, from this tree",
    "make ": "what continuous integration calls itself (.ci/run), or too long",
    "python benchmarks/": "minutes or hours of CPU",
    "pytest ": "runs tests of a package that is not there; tests/test_plugin_example.py runs those of the example",
    "cat ": "shows a file",
    "docker ": "needs Docker",
    "npm ": "fetches packages: tests/browser/test_javascript.py runs the tests of the clients",
    "python3 -m venv /opt": "changes the machine",
    "/opt/": "changes the machine",
    "useradd": "changes the machine",
    "install -": "changes the machine",
    "sudo ": "changes the machine",
    "createuser": "needs a PostgreSQL of one's own: tests/postgres.py makes one otherwise",
    "createdb": "needs a PostgreSQL of one's own: tests/postgres.py makes one otherwise",
    "sqlite3 /var": "the paths of a server: tests/service/test_deploy.py has the units",
}
"""Calls of other programs are not run; why, by how they begin."""

OTHER_BLOCKS = {
    "docs/scale.md": "tests/engines/test_spark.py: a cluster of one machine does the same",
    "examples/survey/README.md": "calls of sottovoce, see NOT_WALKED",
}
"""Blocks without a language that hold code, by page, and what stands for them."""


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def fenced(page: Path) -> list[tuple[str, str]]:
    """Return the language and the text of every block of a page."""
    return re.findall(r"^```([^\n]*)\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def lines(text: str) -> list[str]:
    """Return the calls of a shell block, those that end in a backslash joined, without comments."""
    joined = (line.strip() for line in text.replace("\\\n", " ").splitlines())
    return [line for line in joined if line and not line.startswith("#")]


def shell(page: Path) -> list[str]:
    return [line for language, text in fenced(page) if language == "sh" for line in lines(text)]


def console(page: Path) -> list[str]:
    """Return what is typed in blocks that also show what is printed."""
    typed = [line for language, text in fenced(page) if language == "console" for line in lines(text)]
    return [line.removeprefix("$ ") for line in typed if line.startswith("$ ")]


WALKED = [
    page
    for page in PAGES
    if any(line.startswith("sottovoce ") for line in shell(page))
    and name(page) not in {**WALKED_ELSEWHERE, **NOT_WALKED}
]


def test_every_block_has_a_language_that_says_whether_it_runs() -> None:
    known = {*DATA, "sh", "console", "python", "js", "html"}
    others = {
        name(page)
        for page in PAGES
        for language, _ in fenced(page)
        if language not in known and not language.startswith("{")  # what Sphinx fills in
    }
    assert others <= OTHER_BLOCKS.keys()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_call_of_another_program_is_in_the_list_of_those_that_are_not_run(page: Path) -> None:
    calls = [line for line in shell(page) + console(page) if not line.startswith("sottovoce ")]
    assert [line for line in calls if not line.startswith(tuple(OTHER_PROGRAMS))] == []


@pytest.mark.parametrize("page", [page for page in PAGES if console(page)], ids=name)
def test_calls_that_take_too_long_to_run_exist(page: Path) -> None:
    for line in console(page):
        if line.startswith("sottovoce "):
            with contextlib.suppress(click.exceptions.Exit):  # an option that prints and ends, as --print-messages
                parse(shlex.split(line.split(" > ")[0], comments=True)[1:])


def test_the_pages_that_are_not_walked_are_there_and_have_calls() -> None:
    pages = {name(page): page for page in PAGES}
    assert NOT_WALKED.keys() | OTHER_BLOCKS.keys() | WALKED_ELSEWHERE.keys() <= pages.keys()


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "python") and page not in RUN_BY_TEST_DOCS], ids=name
)
def test_the_python_of_other_pages_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder with a plan that asks for what the pages' records hold."""
    monkeypatch.chdir(tmp_path)
    attributes = [
        sv.Ordinal("age", 0, 119),
        sv.Numeric("income", 0, 200_000),
        sv.Categorical("region", ["north", "south"]),
    ]
    sv.Plan.create(sv.Schema(attributes), epsilon=1, users=20_000).save("plan.json")
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), {"__name__": page.stem})


@pytest.mark.slow
@pytest.mark.parametrize("page", WALKED, ids=name)
def test_the_shell_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder with a plan, as the pages have one at hand."""
    monkeypatch.chdir(tmp_path)
    schema = sv.Schema.load(ROOT / "examples" / "survey" / "schema.toml")
    about = {"purpose": "To plan bus lines", "contact": "transport@example.org", "expires": "9999-12-31"}
    sv.Plan.create(schema, epsilon=1, users=20_000, **about).save("plan.json")
    for line in shell(page):
        arguments = shlex.split(line, comments=True)
        if arguments[:2] == ["sottovoce", "serve"]:
            serve(arguments[2:], tmp_path / "log")
        elif arguments[0] == "sottovoce":
            result = CliRunner().invoke(main, arguments[1:])
            assert result.exit_code == 0, f"{line}: {result.output}"


def serve(arguments: list[str], log: Path) -> None:
    """Run a collector at a free port until it answers, and stop it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    call = [str(Path(sys.executable).with_name("sottovoce")), "serve", *arguments, "--port", str(port)]
    with log.open("w") as file, subprocess.Popen(call, stdout=file, stderr=file) as process:
        try:
            until = time.monotonic() + 120
            while not answers(f"http://127.0.0.1:{port}/livez"):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.1)
        finally:
            process.terminate()
            process.wait(timeout=60)


def answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address, timeout=30).close()
    except urllib.error.URLError:
        return False
    return True
