"""Pages beside the API: their own scripts run, by their digests, and nothing else does."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from sottovoce.plan.plan import Plan
from sottovoce.service.guard import HEADERS
from sottovoce.service.pages import page_policy
from tests.collectors import running


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def parts(policy: str) -> dict[str, str]:
    return dict(part.split(" ", 1) for part in policy.split("; "))


def test_what_stands_within_a_page_is_named_by_its_digest() -> None:
    page = """<!doctype html><style>p{}</style><script type="module">let a = "<b>" && 1;</script>
        <script src="app.js"></script><script type="application/json">{"no": "program"}</script><p onclick="no()">
        <!-- <script>commented()</script> --><SCRIPT>second()</SCRIPT>"""
    policy = parts(page_policy(page))
    programs = ['let a = "<b>" && 1;', "second()"]
    assert policy["script-src"] == " ".join(["'self'", *map(digest, programs)])
    assert policy["style-src"] == f"'self' {digest('p{}')}"
    assert "unsafe" not in page_policy(page)


def test_a_page_without_scripts_may_load_them_from_its_collector() -> None:
    policy = parts(page_policy("<p>text</p>"))
    assert (policy["default-src"], policy["script-src"], policy["style-src"]) == ("'self'",) * 3
    general = parts(HEADERS["content-security-policy"])
    assert {name: policy[name] for name in general} == general


def test_a_collector_sends_a_page_with_its_policy_and_other_files_with_that_of_all(plan: Plan, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_bytes(b"<script>one();\r\ntwo()</script>")
    (site / "notes.txt").write_text("<script>no()</script>")
    program = digest("one();\ntwo()")
    with running([plan], str(tmp_path / "c.db"), pages=(site,)) as collector:
        for path in ("/", "/index.html"):
            headers = collector.http.get(path).headers
            assert parts(headers["content-security-policy"])["script-src"] == f"'self' {program}"
            assert headers["x-frame-options"] == "DENY"
        assert collector.http.get("/notes.txt").headers["content-security-policy"] == HEADERS["content-security-policy"]
        (site / "index.html").write_text("<script>another()</script>")
        changed = collector.http.get("/").headers["content-security-policy"]
        assert digest("another()") in changed
        assert program not in changed
