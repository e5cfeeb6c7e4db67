"""``sottovoce serve``: options become the collector's settings, and no password is shown."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from sottovoce.cli.serve import _origins
from tests.cli.calls import fail, run, succeed

app = pytest.importorskip("sottovoce.service.app", reason="the extra service is not installed")


class Server:
    """A server that only notes what it was asked to serve."""

    started = True

    def __init__(self, settings: Any, plans: list[sv.Plan]) -> None:
        self.settings, self.plans, self.runs = settings, plans, 0

    def run(self) -> None:
        self.runs += 1


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Server]:
    """Every server that a command makes; none listens."""
    servers: list[Server] = []

    def make_server(settings: Any, plans: list[sv.Plan], reload: Any) -> Server:
        assert reload() == plans, "SIGHUP reads the same files again"
        servers.append(Server(settings, plans))
        return servers[-1]

    monkeypatch.setattr(app, "make_server", make_server)
    return servers


def test_every_option_reaches_the_collector_which_then_runs(folder: Path, made: list[Server]) -> None:
    other = sv.Plan.create(sv.Schema.load("schema.toml"), epsilon=2, users=3_000, mechanism="hdg")
    other.save("other.json")
    Path("site").mkdir()
    said = succeed(
        "serve", "plan.json", "other.json", "--db", "counts.db", "--host", "0.0.0.0", "--port", 9000, "--require-token",
        "--minimum-reports", 50, "--rate", "9/second", "--origin", "https://a.example", "--pages", "site",
    )  # fmt: skip
    (server,) = made
    plans = [sv.Plan.load("plan.json"), other]
    assert server.plans == plans
    assert server.runs == 1
    settings = server.settings
    assert (settings.database, settings.host, settings.port) == ("counts.db", "0.0.0.0", 9000)
    assert (settings.require_token, settings.minimum_reports, settings.rate) == (True, 50, "9/second")
    assert settings.origins == {"*": ("https://a.example",)}
    assert settings.pages == (Path("site"),)
    assert said["plans"] == [f"http://0.0.0.0:9000/v1/plans/{plan.fingerprint}" for plan in plans]


def test_people_are_shown_the_address_and_no_password(folder: Path, made: list[Server]) -> None:
    result = run("serve", "plan.json", "--db", "postgresql://collector:hunter2@localhost/counts")
    assert result.exit_code == 0, result.output
    assert "http://127.0.0.1:8470" in result.output
    assert "localhost/counts" in result.output
    assert "hunter2" not in result.output
    assert made[0].settings.database == "postgresql://collector:hunter2@localhost/counts"


def test_origins_are_of_one_plan_or_of_all() -> None:
    texts = ("https://a.example", "f00=https://b.example", "https://c.example", "f00=https://d.example")
    assert _origins(texts) == {
        "*": ("https://a.example", "https://c.example"),
        "f00": ("https://b.example", "https://d.example"),
    }


def test_without_the_extra_the_error_says_how_to_get_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sottovoce.service.app", None)
    assert "pip install 'sottovoce[service]'" in fail("serve", "plan.json")


def test_what_cannot_be_served_takes_one_line_and_nothing_runs(folder: Path, made: list[Server]) -> None:
    assert "missing.json" in fail("serve", "missing.json")
    assert "Missing argument 'PLAN...'" in fail("serve", code=2)
    assert "65535" in fail("serve", "plan.json", "--port", 70_000, code=2)
    assert made == []
