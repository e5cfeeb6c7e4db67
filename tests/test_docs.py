"""The documentation is true: its Python runs, its commands exist, its walk-through works, its links lead somewhere."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner

import sottovoce
import sottovoce.mechanisms
from sottovoce.channels import KINDS
from sottovoce.cli.group import COMMANDS, main
from sottovoce.plan.bin_maps import BinMap
from sottovoce.plan.refusals import REASONS
from sottovoce.plan.registry import MECHANISMS, every_mechanism
from sottovoce.schema.kinds import KINDS as TYPES
from sottovoce.schema.question_list import read_questions

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = ["sottovoce", *(module.name for module in pkgutil.walk_packages(sottovoce.__path__, "sottovoce."))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def commands(text: str) -> list[list[str]]:
    """Return the arguments of every line that calls sottovoce, lines that end in a backslash joined."""
    lines = (line.strip() for line in text.replace("\\\n", " ").splitlines())
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("sottovoce ")]


def parse(arguments: list[str]) -> None:
    """Fail unless the arguments are a call that the command line understands; nothing is run."""
    with click.Context(main) as context:
        command = main.get_command(context, arguments[0])
        assert command is not None, f"there is no command {arguments[0]!r}"
        command.make_context(arguments[0], arguments[1:], parent=context)


@pytest.fixture
def registry() -> Iterator[None]:
    """Forget the mechanisms that a page registers."""
    known = dict(MECHANISMS)
    yield
    MECHANISMS.clear()
    MECHANISMS.update(known)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.relative_to(ROOT).as_posix()
)
@pytest.mark.usefixtures("registry")
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": page.stem}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), namespace)


def test_pages_with_python_were_found() -> None:
    assert {page.name for page in PAGES if blocks(page, "python")} >= {
        "README.md",
        "answers.md",
        "extending.md",
        "files.md",
        "privacy.md",
        "tutorial.md",
    }


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_commands_of_a_page_exist(page: Path) -> None:
    for block in blocks(page, "sh"):
        for arguments in commands(block):
            parse(arguments)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_shows_calls_that_exist(name: str) -> None:
    shown = CliRunner().invoke(main, [name, "--help"]).output
    examples = [arguments for arguments in commands(shown) if arguments]
    assert any(arguments[0] == name for arguments in examples), "help teaches with an example"
    for arguments in examples:
        parse(arguments)


def test_the_walk_through_of_the_command_line_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    walk = [arguments for block in blocks(ROOT / "docs/cli.md", "sh") for arguments in commands(block)]
    unending = {"serve", "log"}  # one runs until it is stopped, the other asks one that runs
    assert {arguments[0] for arguments in walk} == set(COMMANDS) - unending, "the walk-through uses every command"
    for arguments in walk:
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, f"sottovoce {shlex.join(arguments)}: {result.output}"


@pytest.mark.slow
def test_the_tutorial_works_from_its_first_line_to_its_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs/tutorial.md"
    steps = re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert [language for language, _ in steps[:4]] == ["sh", "python", "sh", "toml"]
    for language, text in steps:
        if language == "python":
            exec(compile(text, str(page), "exec"), {"__name__": "tutorial"})
        elif language == "toml":
            Path("schema.toml").write_text(text, encoding="utf-8")
        for arguments in commands(text) if language == "sh" else []:
            if arguments[0] == "serve":  # it runs until it is stopped: tests/browser/test_tutorial.py asks it
                continue
            result = CliRunner().invoke(main, arguments)
            assert result.exit_code == 0, f"sottovoce {shlex.join(arguments)}: {result.output}"
    for name in ("forecast.svg", "compare.png", "sleep.png", "pair.html", "report.html"):
        assert Path(name).stat().st_size > 1000
    assert "Sleep and night shifts" in Path("report.html").read_text(encoding="utf-8")


def test_the_schema_in_the_command_line_page_is_one() -> None:
    text, *_ = blocks(ROOT / "docs/cli.md", "toml")
    assert sottovoce.Schema.from_toml(text).names == ("age", "income", "region")


def test_the_schema_page_shows_every_type_and_every_form_of_question() -> None:
    (text,) = blocks(ROOT / "docs/schema.md", "toml")
    assert {one["type"] for one in tomllib.loads(text)["attributes"]} == set(TYPES)
    assert sottovoce.Schema.from_toml(text).languages == ("en", "de")
    (listed,) = blocks(ROOT / "docs/schema.md", "text")
    kinds = {one.document["type"] for one in read_questions(listed.splitlines()) if one.document}
    assert kinds == set(TYPES) - {"integers"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_page_on_files_names_every_table_kind_channel_model_kind_and_reason_to_refuse() -> None:
    text = (ROOT / "docs/files.md").read_text(encoding="utf-8")
    tables = [f'{{"{field.name}": ' for field in msgspec.structs.fields(BinMap)]
    kinds = [f"`{mechanism.model.kind}`" for mechanism in every_mechanism()]
    reasons = [f"`{reason}`" for reason in REASONS]
    names = [*tables, *kinds, *reasons, *(f"**`{kind}`**" for kind in KINDS)]
    assert [name for name in names if name not in text] == []


NAMED = re.compile(r"`((?:tests|clients|benchmarks|deploy)/[\w./-]+\.\w+)`")
TESTS = {
    ".py": re.compile(r"^ *(?:(?:async )?def test_|Test\w+ = )", re.MULTILINE),
    ".js": re.compile(r"^ *test\(", re.MULTILINE),
}


def test_every_test_that_the_documentation_names_is_there() -> None:
    """A promise that names the test which keeps it is kept only while that test exists, and tests something."""
    named = {name for page in PAGES for name in NAMED.findall(page.read_text())}
    assert len(named) > 40
    assert sorted(name for name in named if not (ROOT / name).exists()) == []
    tests = [ROOT / name for name in named if "/test" in f"/{name}" and Path(name).suffix in TESTS]
    assert len(tests) > 40
    assert sorted(str(path) for path in tests if not TESTS[path.suffix].search(path.read_text())) == []


@pytest.mark.parametrize(("name", "least"), [("collector", 35), ("deployment", 14), ("privacy", 28)])
def test_every_promise_names_the_test_that_keeps_it(name: str, least: int) -> None:
    """Every row of the tables whose last column is for tests names one, or says that it is the one before."""
    promises, inside = list[str](), False
    for line in (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").splitlines():
        last = line.rstrip("| ").rpartition("|")[2].strip()
        if not line.startswith("|"):
            inside = False
        elif last in ("test", "kept by the test"):
            inside, promises = True, [*promises, ""]
        elif inside and not last.startswith("---"):
            kept = NAMED.search(last) or (last.startswith("the same") and promises[-1])
            assert kept, f"{name}.md: no test keeps {line!r}"
            promises.append(line)
    assert len([one for one in promises if one]) >= least
