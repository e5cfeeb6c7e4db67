"""The house: rooms as CONTRIBUTING lists them, layers as the contract has them, and a test beside every module."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "sottovoce"
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if path.name != "__init__.py")

WITHOUT_MIRROR = {
    "_types.py": "names of types",
    "channels/channel.py": "a protocol: tests/conformance/test_channels.py asks it of every channel",
    "schema/numeric.py": "a kind of attribute: tests/schema/test_attributes.py asks the same of each",
    "plan/refusals.py": "names of reasons: every engine's tests count by them",
    **{
        f"simulation/crowds/{name}.py": "a made-up crowd: tests/simulation/crowds/test_crowds.py asks the same of each"
        for name in (
            *("commuting", "health", "telemetry", "staff", "households", "learning", "visitors", "farms"),
            *("donors", "players", "pets", "repairs", "anglers", "concerts", "brigades", "debtors"),
            *("allotments", "lodgers", "carers", "parcels", "mothers", "victims", "seekers", "senders"),
            *("crowd", "drawing"),
        )
    },
    "views/report_page/style.py": "how a page looks: tests/browser/test_report.py looks at it",
    **{
        f"testing/{name}.py": "part of the suite: tests/conformance and tests/testing/test_suites.py run it"
        for name in ("channel_cases", "channel_tests", "mechanism_cases", "plan_tests", "model_tests")
    },
    "service/messages.py": "shapes of requests and answers: tests/service/test_fuzz.py throws everything at them",
}
"""Modules without a test file of their own, and why."""


def rooms_in_tree() -> set[str]:
    return {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()} - {
        "__init__"
    }


def contract_layers() -> list[set[str]]:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    assert "ignore_imports" not in contract
    assert contract["exhaustive"]
    return [{name.strip() for name in layer.split("|")} for layer in contract["layers"]]


def test_contributing_lists_the_rooms_of_the_tree_in_the_layers_of_the_contract() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.MULTILINE)
    listed: dict[int, set[str]] = {}
    for layer, room in rows:
        listed.setdefault(int(layer), set()).add(room)
    assert [listed[layer] for layer in sorted(listed)] == contract_layers()
    assert set().union(*listed.values()) == rooms_in_tree()


def test_there_are_few_rooms_and_few_layers() -> None:
    assert len(rooms_in_tree()) <= 20
    assert len(contract_layers()) <= 14


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_is_short_and_has_its_test_beside_it(module: Path) -> None:
    assert len((SOURCE / module).read_text().splitlines()) <= 400
    mirrored = ROOT / "tests" / module.parent / f"test_{module.name.lstrip('_')}"
    assert mirrored.exists() != (str(module) in WITHOUT_MIRROR)


def test_arrays_of_floats_have_one_name() -> None:
    definitions = [
        module for module in MODULES if re.search(r"^Floats = ", (SOURCE / module).read_text(), re.MULTILINE)
    ]
    assert definitions == [Path("_types.py")]


Function = ast.FunctionDef | ast.AsyncFunctionDef


def public_functions(tree: ast.Module) -> Iterator[tuple[Function, ast.ClassDef | None]]:
    """Yield what can be called without an underscore, methods with their classes."""
    for node in tree.body:
        if isinstance(node, Function) and not node.name.startswith("_"):
            yield node, None
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for member in node.body:
                if isinstance(member, Function) and (member.name == "__init__" or not member.name.startswith("_")):
                    yield member, node


def parameters(function: Function) -> list[str]:
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return [one.arg for one in named if one is not None and one.arg not in ("self", "cls")]


def explains_itself_otherwise(function: Function) -> bool:
    """A command by --help, which is its docstring and its options' own; an overload beside the function; a test."""
    decorators = " ".join(ast.unparse(decorator) for decorator in function.decorator_list)
    command = ".command(" in decorators or "click.option(" in decorators
    return command or "overload" in decorators or function.name.startswith("test_")


def documented(function: Function, owner: ast.ClassDef | None) -> set[str]:
    """Return the names under Args; those of a constructor may stand under its class's Args or Attributes."""
    texts = [ast.get_docstring(function) or ""]
    if owner is not None and function.name == "__init__":
        texts.append(ast.get_docstring(owner) or "")
    section = re.compile(r"^(?:Args|Attributes):\n((?:[ ]+.*\n?|\n)*)", re.MULTILINE)
    listed = "\n".join(found for text in texts for found in section.findall(text))
    return set(re.findall(r"^    \*{0,2}(\w+):", listed, re.MULTILINE))


@pytest.mark.parametrize(
    "module",
    sorted(module for module in SOURCE.rglob("*.py") if not re.search(r"/_(?!_init__)", str(module))),
    ids=lambda module: str(module.relative_to(SOURCE)),
)
def test_a_public_function_of_three_or_more_parameters_says_what_each_is(module: Path) -> None:
    silent = [
        f"{module.name}:{function.lineno} {function.name}: {', '.join(missing)}"
        for function, owner in public_functions(ast.parse(module.read_text()))
        if len(parameters(function)) >= 3 and not explains_itself_otherwise(function)
        if (missing := [name for name in parameters(function) if name not in documented(function, owner)])
    ]
    assert not silent
