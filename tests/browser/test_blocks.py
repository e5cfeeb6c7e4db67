"""The web pages that the documentation shows run in a real browser, against a real collector."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import sottovoce as sv
from tests.browser.conftest import QuietHandler
from tests.collectors import running
from tests.test_blocks import PAGES, ROOT, fenced, name

ELSEWHERE = {"importmap": "tests/browser/test_integrity.py"}
"""Blocks that another test runs, by a word in them."""

SHOWN = [
    pytest.param(text, id=f"{name(page)} {number}")
    for page in PAGES
    for number, (language, text) in enumerate(fenced(page))
    if language in ("html", "js") and not any(word in text for word in ELSEWHERE)
]
COLLECTOR = "https://collector.example/v1/plans/3f1c…"
"""The address that pages show."""

SCHEMA = sv.Schema(
    [sv.Ordinal("age", 0, 119), sv.Numeric("income", 0, 200_000), sv.Categorical("region", ["north", "south"])]
)


@contextmanager
def web_site(folder: Path) -> Iterator[str]:
    """Serve a folder, as whoever runs a survey would, and yield its origin."""
    handler = functools.partial(QuietHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield f"http://localhost:{server.server_port}"
        finally:
            server.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("shown", SHOWN)
def test_a_web_page_that_is_shown_sends_one_report(shown: str, browser: Browser, tmp_path: Path) -> None:
    about = {"purpose": "a test", "contact": "tests@example.org", "expires": "2999-12-31"}
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=10_000, **about)
    shutil.copy(ROOT / "clients" / "js" / "sottovoce.js", tmp_path)
    library = '<script type="module">import { Sottovoce } from "./sottovoce.js";'
    page_text = shown if "<script" in shown else f"{library}{shown}</script>"
    assert COLLECTOR in page_text
    database = str(tmp_path / "counts.db")
    with web_site(tmp_path) as origin, running([plan], database, origins={"*": (origin,)}) as collector:
        page_text = page_text.replace(COLLECTOR, collector.url(plan))
        (tmp_path / "index.html").write_text(f"<!doctype html><meta charset=utf-8>{page_text}", encoding="utf-8")
        context = browser.new_context()
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        with page.expect_response(lambda response: response.url.endswith("/reports"), timeout=120_000) as sent:
            page.goto(origin)
        assert sent.value.status == 200, problems
        context.close()
        assert problems == []
        assert collector.total(plan) == 1
