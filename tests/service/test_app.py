"""The web application: pages beside the API, its description, and what it says when the database fails."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from sottovoce.plan.plan import Plan
from sottovoce.service.app import create_app
from sottovoce.service.settings import Settings
from sottovoce.service.store import open_store
from sottovoce.service.store.sqlite import SQLiteStore
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


def test_files_whose_name_starts_with_a_dot_are_not_served(plan: Plan, tmp_path: Path) -> None:
    for name in (".env", ".git/config", "page.html", ".well-known/security.txt"):
        (tmp_path / "pages" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pages" / name).write_text("text")
    with running([plan], str(tmp_path / "c.db"), pages=(tmp_path / "pages",)) as collector:
        found = {
            name: collector.http.get(name).status_code
            for name in ("/page.html", "/.well-known/security.txt", "/.env", "/.git/config", "/%2eenv")
        }
    assert list(found.values()) == [200, 200, 404, 404, 404], found


def test_the_description_of_the_api_is_there_without_pages_from_elsewhere(collector: Running) -> None:
    described = collector.http.get("/v1/openapi.json").json()
    assert "/v1/plans/{fingerprint}/reports" in described["paths"]
    assert collector.http.get("/docs").status_code == 404


def test_the_description_states_the_limit_that_was_set(plan: Plan, tmp_path: Path) -> None:
    app = create_app(Settings(batch_limit=77), [plan], open_store(str(tmp_path / "c.db")))
    body = app.openapi()["paths"]["/v1/plans/{fingerprint}/reports"]["post"]["requestBody"]
    one, many = body["content"]["application/json"]["schema"]["oneOf"]
    assert (many["maxItems"], many["items"]) == (77, one)


def ask(app: FastAPI, *paths: str) -> list[httpx.Response]:
    """Return the application's answers to some GETs, without a server between."""

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://c") as http,
        ):
            return [await http.get(path) for path in paths]

    return asyncio.run(run())


class Broken(SQLiteStore):
    """A store whose database does not answer."""

    def check(self, *, write: bool = False) -> None:
        raise sqlite3.OperationalError("disk I/O error at /secret/place")


def test_a_database_that_fails_is_said_without_its_details_and_with_when_to_come_back(
    plan: Plan, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app(Settings(), [plan], Broken(tmp_path / "c.db"))
    (answer,) = ask(app, "/healthz")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "secret" not in answer.text + caplog.text
    assert "the store failed: OperationalError" in caplog.text


def test_requests_are_counted_by_the_routes_pattern_and_never_by_what_was_asked(plan: Plan, tmp_path: Path) -> None:
    app = create_app(Settings(), [plan], SQLiteStore(tmp_path / "c.db"))
    *_, metrics = ask(app, f"/v1/plans/{plan.fingerprint}", "/telltale", "/telltale", "/metrics")
    assert 'sottovoce_requests_total{route="/v1/plans/{fingerprint}",status="200"} 1.0' in metrics.text
    assert 'sottovoce_requests_total{route="other",status="404"} 2.0' in metrics.text
    assert "telltale" not in metrics.text
    assert plan.fingerprint not in metrics.text


def test_an_application_that_ends_has_closed_its_store(plan: Plan, tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "c.db")
    ask(create_app(Settings(), [plan], store), "/healthz")
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        store.register(plan)
