"""The web application: pages beside the API, its description, and what it says when the database fails."""

from __future__ import annotations

from pathlib import Path

from sottovoce.plan.plan import Plan
from tests.collectors import Running, running


def test_pages_are_served_beside_the_api(plan: Plan, tmp_path: Path) -> None:
    for folder, name in (("first", "index.html"), ("second", "module.js")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(f"in {folder}")
    pages = (tmp_path / "first", tmp_path / "second")
    with running([plan], str(tmp_path / "c.db"), pages=pages) as collector:
        assert collector.http.get("/").text == "in first"
        assert collector.http.get("/module.js").text == "in second"
        assert collector.http.get("/../c.db").status_code == 404
        assert collector.http.get("/v1/plans").status_code == 200


def test_the_description_of_the_api_is_there_without_pages_from_elsewhere(collector: Running) -> None:
    described = collector.http.get("/v1/openapi.json").json()
    assert "/v1/plans/{fingerprint}/reports" in described["paths"]
    assert collector.http.get("/docs").status_code == 404
