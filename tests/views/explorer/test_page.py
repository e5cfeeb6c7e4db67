"""The explorer's page as a file: whole, closed to the network, safe against what a schema says."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from typing import Any

import msgspec
import numpy as np
import pytest

import sottovoce as sv
from sottovoce.views.explorer import exploration, explorer_page
from sottovoce.views.explorer.page import live_page


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


@pytest.mark.filterwarnings("ignore::sottovoce.FewReportsWarning")
def test_a_page_of_ten_attributes_with_64_levels_and_64_components_is_under_500_kilobytes() -> None:
    schema = sv.Schema([sv.Ordinal(f"attribute {number}", 0, 63) for number in range(10)])
    plan = sv.Plan.create(schema, epsilon=1, users=100_000)
    generator = np.random.default_rng(1)
    levels = np.clip(generator.normal(32, 12, (5_000, 1)) + generator.normal(0, 6, (5_000, 10)), 0, 63).astype(int)
    table = dict(zip(schema.names, levels.T, strict=True))
    model = sv.fit(plan, sv.simulate(plan, table, seed=1, users=100_000))
    assert len(model.state()["weights"]) == 64
    assert len(explorer_page(model, plan=plan).encode()) < 500_000
