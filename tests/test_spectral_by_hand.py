"""A script that follows the steps of docs/spectral.md, without the package, makes the same plans as the package."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import sottovoce as sv

SCRIPT = Path(__file__).parents[1] / "examples" / "spectral_by_hand.py"


@pytest.fixture(scope="module")
def by_hand() -> ModuleType:
    spec = importlib.util.spec_from_file_location("spectral_by_hand", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def planned(sizes: list[int], epsilon: str, users: int) -> list[tuple]:
    schema = sv.Schema([sv.Ordinal(f"attribute {index}", 0, size - 1) for index, size in enumerate(sizes)])
    plan = sv.Plan.create(schema, epsilon=epsilon, users=users, mechanism="spectral")
    lines = []
    for family, first in zip(plan.families, plan.questions.offsets, strict=False):
        functions = [[plan.tables[table].walsh[1:] for table in tables] for tables in family.tables]
        row = plan.questions[first].channel.row(0)
        integers = max(row), min(row)
        lines.append((list(family.attributes), functions, family.channel, family.total_share, *integers))
    return lines


@pytest.mark.parametrize("users", [3_000, 200_000])
@pytest.mark.parametrize("epsilon", ["0.5", "1", "2.5", "4"])
@pytest.mark.parametrize("sizes", [[2], [8], [16], [2, 2], [8, 4], [8, 8], [16, 16]], ids=str)
def test_the_script_makes_the_same_plan(by_hand: ModuleType, sizes: list[int], epsilon: str, users: int) -> None:
    assert by_hand.plan(sizes, epsilon, users) == planned(sizes, epsilon, users)


def test_the_comparison_covers_all_kinds_of_blocks(by_hand: ModuleType) -> None:
    kinds = {
        (len(line[0]), line[2]) for epsilon in ("0.5", "1", "2.5") for line in by_hand.plan([8, 8], epsilon, 200_000)
    }
    assert kinds == {(1, "grr"), (2, "grr"), (2, "parity"), (2, "xor")}


def test_the_script_is_independent() -> None:
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(SCRIPT.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    }
    assert imported - set(sys.stdlib_module_names) == {"numpy"}


def test_the_script_prints_a_line_for_every_block(by_hand: ModuleType) -> None:
    command = [sys.executable, str(SCRIPT), "1", "100000", "8", "8"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert len(printed.splitlines()) == len(by_hand.plan([8, 8], "1", 100_000))
