"""The explorer's page as a file: whole, closed to the network, safe against what a schema says."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

import sottovoce as sv
from sottovoce.cli import main
from sottovoce.plan.audit import exact_words, promise
from sottovoce.views.explorer import exploration, explorer_page
from sottovoce.views.explorer.page import live_page
from tests.crowds_explored import SCHEMA, explored_model, explored_plan


@pytest.fixture(scope="module")
def plan() -> sv.Plan:
    return explored_plan()


@pytest.fixture(scope="module")
def model(plan: sv.Plan) -> sv.Model:
    return explored_model(plan)


@pytest.fixture(scope="module")
def page(model: sv.Model, plan: sv.Plan) -> str:
    return explorer_page(model, plan=plan)


def document_of(page: str) -> dict[str, Any]:
    (text,) = re.findall(r'<script type="application/json" id="exploration">(.*?)</script>', page, flags=re.DOTALL)
    document: dict[str, Any] = json.loads(text)
    return document


def test_the_page_holds_its_document_whatever_the_schema_says(page: str, model: sv.Model, plan: sv.Plan) -> None:
    assert document_of(page) == json.loads(msgspec.json.encode(exploration(model, plan=plan)))
    assert page.count("<script") == page.count("</script>") == 2
    assert "<title>Work &amp; &lt;life&gt;</title>" in page


@pytest.mark.parametrize("live", [False, True])
def test_the_policy_allows_the_pages_own_program_and_style_and_no_others(page: str, live: bool) -> None:
    text = live_page() if live else page
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    rules = dict(rule.strip().split(" ", 1) for rule in html.unescape(policy).split(";"))
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == ("'self'" if live else "'none'")


def test_the_page_names_no_address_of_the_network(page: str) -> None:
    addresses = set(re.findall(r"(?:https?|wss?):\/\/[^\"'` )]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "http://www.w3.org/1999/xlink",
                         "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"}  # fmt: skip


def test_the_numbers_of_the_document_are_the_models_own(model: sv.Model) -> None:
    document = exploration(model)
    data = zlib.decompress(base64.b64decode(document["numbers"]))
    states = [model.state(), *(replicate.state() for replicate in model.replicates)]
    assert len(document["fits"]) == 1 + len(model.replicates)
    for described, state in zip(document["fits"], states, strict=True):
        arrays = [state["weights"], *state["factors"]]
        for about, array in zip([described["weights"], *described["factors"]], arrays, strict=True):
            kind, size = np.dtype(about["array"]), array.size * array.itemsize
            planes = np.frombuffer(data[:size], np.uint8).reshape(kind.itemsize, -1)
            assert np.array_equal(planes.T.copy().view(kind).reshape(about["shape"]), array)
            data = data[size:]
    assert data == b""


def test_the_certificate_is_exact_with_the_plan_and_says_so_without(model: sv.Model, plan: sv.Plan) -> None:
    audit = plan.audit()
    exact = exploration(model, plan=plan)["certificate"]
    assert promise(audit) in exact
    assert any(exact_words(audit) in text for text in exact)
    stated = exploration(model)["certificate"]
    assert "factor of at most 7.38906" in stated[0]
    assert "was not given" in stated[1]


def test_a_plan_of_another_collection_is_refused(model: sv.Model) -> None:
    other = sv.Plan.create(SCHEMA, epsilon=1, users=1_000)
    with pytest.raises(sv.ModelError, match="another collection"):
        explorer_page(model, plan=other)


@pytest.mark.parametrize("wrong", [{"level": 1.5}, {"population": 0}])
def test_a_wrong_level_or_population_is_refused(model: sv.Model, wrong: dict[str, Any]) -> None:
    with pytest.raises(sv.QueryError):
        explorer_page(model, **wrong)


def test_a_model_that_is_no_mixture_is_refused_with_the_mechanisms_that_can_be_explored() -> None:
    plan = sv.Plan.create(
        sv.Schema([sv.Ordinal("a", 0, 7), sv.Ordinal("b", 0, 7)]), epsilon=1, users=100, mechanism="hdg"
    )
    model = sv.fit(plan, sv.simulate(plan, {"a": [1, 2], "b": [3, 4]}, seed=1))
    with pytest.raises(sv.ModelError, match="by hdg is not; models by spectral can be explored"):
        explorer_page(model)


def test_the_command_writes_the_page_that_the_function_gives(model: sv.Model, plan: sv.Plan, tmp_path: Path) -> None:
    model.save(tmp_path / "model.json")
    plan.save(tmp_path / "plan.json")
    out = tmp_path / "page.html"
    arguments = ["explore", tmp_path / "model.json", "--plan", tmp_path / "plan.json", "--population", 5, "-o", out]
    result = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    assert out.read_text(encoding="utf-8") == explorer_page(model, plan=plan, population=5)
    assert json.loads(result.stdout)["bytes"] == out.stat().st_size


def test_a_page_of_ten_attributes_with_64_levels_and_64_components_is_under_500_kilobytes() -> None:
    schema = sv.Schema([sv.Ordinal(f"attribute {number}", 0, 63) for number in range(10)])
    plan = sv.Plan.create(schema, epsilon=1, users=100_000)
    generator = np.random.default_rng(1)
    levels = np.clip(generator.normal(32, 12, (5_000, 1)) + generator.normal(0, 6, (5_000, 10)), 0, 63).astype(int)
    table = dict(zip(schema.names, levels.T, strict=True))
    model = sv.fit(plan, sv.simulate(plan, table, seed=1, users=100_000))
    assert len(model.state()["weights"]) == 64
    assert len(explorer_page(model, plan=plan).encode()) < 500_000
