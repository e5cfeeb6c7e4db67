"""``sottovoce explore``: the page that the function gives, in one file."""

from __future__ import annotations

from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.views.explorer import explorer_page
from tests.cli.calls import fail, run, succeed
from tests.crowds_explored import explored_model, explored_plan


@pytest.fixture(scope="module")
def plan() -> sv.Plan:
    return explored_plan()


@pytest.fixture(scope="module")
def model(plan: sv.Plan) -> sv.Model:
    return explored_model(plan)


@pytest.fixture
def explored(plan: sv.Plan, model: sv.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a plan and a model that can be explored."""
    monkeypatch.chdir(tmp_path)
    model.save("model.json")
    plan.save("plan.json")
    return tmp_path


def test_the_command_writes_the_page_that_the_function_gives(explored: Path, model: sv.Model, plan: sv.Plan) -> None:
    out = Path("page.html")
    said = succeed("explore", "model.json", "--plan", "plan.json", "--population", 5, "-o", out)
    assert out.read_text(encoding="utf-8") == explorer_page(model, plan=plan, population=5)
    assert said["bytes"] == out.stat().st_size
    assert said["attributes"] == list(model.schema.names)


def test_without_a_plan_the_page_has_the_level_asked_for(explored: Path, model: sv.Model) -> None:
    result = run("explore", "model.json", "--level", 0.5, "--out", "page.html")
    assert Path("page.html").read_text(encoding="utf-8") == explorer_page(model, level=0.5)
    assert result.output == f"page.html: 5 attributes, {Path('page.html').stat().st_size / 1000:,.0f} kB\n"


def test_what_cannot_be_explored_takes_one_line_and_writes_nothing(explored: Path, collected: Path) -> None:
    before = {path.name: path.read_bytes() for path in explored.iterdir()}
    assert "by hdg is not" in fail("explore", collected / "model.json", "--out", "page.html")
    assert "another collection" in fail(
        "explore", "model.json", "--plan", collected / "plan.json", "--out", "page.html"
    )
    assert "would be overwritten" in fail("explore", "model.json", "--plan", "plan.json", "--out", "plan.json")
    assert {path.name: path.read_bytes() for path in explored.iterdir()} == before
