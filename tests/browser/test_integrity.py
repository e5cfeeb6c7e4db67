"""A page that names the hash of sottovoce.js, as its README shows, runs that file and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route

CLIENT = Path(__file__).parents[2] / "clients" / "js"
SHOWN = re.findall(r"```html\n(.*?)```", (CLIENT / "README.md").read_text(), flags=re.DOTALL)
CALL = """async () => {
    try { return typeof (await import("sottovoce")).Sottovoce.load; } catch (error) { return error.name; }
}"""


@pytest.mark.parametrize(("added", "found"), [("", "function"), ("\n", "TypeError")], ids=["as it is", "altered"])
def test_a_page_runs_the_file_whose_hash_it_names(page: Page, added: str, found: str) -> None:
    (shown,) = [block for block in SHOWN if "integrity" in block]
    script = (CLIENT / "sottovoce.js").read_text() + added

    def serve(route: Route) -> None:
        if route.request.url == "https://cdn.example/sottovoce.js":
            headers = {"access-control-allow-origin": "*"}
            route.fulfill(body=script, content_type="text/javascript", headers=headers)
        else:
            route.fulfill(body=f"<!doctype html>{shown}", content_type="text/html")

    page.route("**/*", serve)
    page.goto("https://page.example/")
    assert page.evaluate(CALL) == found
