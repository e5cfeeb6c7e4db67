"""Finished work is known by the code behind it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sottovoce.experiments import code
from sottovoce.experiments.code import MEASURING, ROOMS, code_digest
from sottovoce.experiments.methods import HDG
from sottovoce.experiments.specs import Dataset, QuerySpec, Task
from sottovoce.mechanisms.msw import MSW
from sottovoce.plan.registry import MECHANISMS, REGISTERED, register

TASK = Task(
    data=Dataset(name="normal", users=2000, attributes=3, levels=16, covariance=0.8, cut=6.0),
    epsilon=1.0,
    method=HDG,
    queries=(QuerySpec(count=10),),
    asked=(None,),
)


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a copy of the sources to change, which digests are then made of."""
    for path in code._HOME.rglob("*.py"):
        copy = tmp_path / "sottovoce" / path.relative_to(code._HOME)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(code, "_HOME", tmp_path / "sottovoce")
    code._digest_of.cache_clear()
    yield tmp_path / "sottovoce"
    code._digest_of.cache_clear()


@pytest.mark.parametrize(
    ("module", "changes"),
    [
        ("estimation/norm_sub.py", True),
        ("mechanisms/hdg.py", True),
        ("experiments/measure.py", True),
        ("experiments/plots.py", False),
        ("cli/reproduce.py", False),
        ("mechanisms/spectral/walsh.py", False),
    ],
)
def test_a_changed_source_changes_the_key_of_the_work_that_depends_on_it(
    module: str, changes: bool, copied: Path
) -> None:
    before = TASK.key
    assert TASK.key == before
    with (copied / module).open("a") as file:
        file.write("# another\n")
    code._digest_of.cache_clear()
    assert (TASK.key != before) == changes


def test_the_rooms_and_modules_listed_are_there() -> None:
    assert all((code._HOME / room).is_dir() for room in ROOMS)
    assert all((code._HOME / "experiments" / f"{name}.py").is_file() for name in MEASURING)


def test_a_mechanism_from_outside_counts_with_its_own_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "outside.py").write_text("from sottovoce.mechanisms.msw import *\ndef design(*args): ...\n")
    register(replace(MSW, name="outside", design=importlib.import_module("outside").design))
    try:
        before = code_digest("outside")
        assert before not in (code_digest("msw"), code_digest("hdg"))
        (tmp_path / "outside.py").write_text("# another")
        code._digest_of.cache_clear()
        assert code_digest("outside") != before
        monkeypatch.delattr(sys.modules["outside"], "__file__")
        code._digest_of.cache_clear()
        unsaved = code_digest("outside")
        code._digest_of.cache_clear()
        assert code_digest("outside") != unsaved, "what no file holds is not known again"
    finally:
        del MECHANISMS["outside"], REGISTERED["outside"]
