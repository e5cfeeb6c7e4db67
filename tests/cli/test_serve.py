"""``sottovoce serve``: options become the collector's settings, and no password is shown."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import click
import pytest

import sottovoce as sv
from sottovoce.cli.serve import _origins, command
from sottovoce.service.settings import Settings
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
    monkeypatch.setattr("sottovoce.service.logs.configure_logs", lambda form, level: None)
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


def test_every_setting_is_an_option_in_a_file_the_environment_and_on_the_command_line(
    folder: Path, made: list[Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signatures are no option: they stand beside the files of the plans."""
    options = {option.name for option in command.params if isinstance(option, click.Option)}
    assert {field.name for field in dataclasses.fields(Settings)} - {"signatures"} <= options
    succeed("serve", "plan.json")
    assert made.pop().settings == Settings()
    Path("serve.toml").write_text(
        'plans = ["plan.json"]\ndb = "postgresql://a@b/c"\nworkers = 1\nlog-format = "json"\n'
        'log-level = "warning"\nport = 9001\ngrace = 3\norigin = ["https://a.example"]\n'
    )
    monkeypatch.setenv("SOTTOVOCE_PORT", "9002")
    monkeypatch.setenv("SOTTOVOCE_GRACE", "4")
    succeed("serve", "--config", "serve.toml", "--grace", 5)
    (server,) = made
    settings = server.settings
    assert (settings.log_format, settings.log_level, settings.port, settings.grace) == ("json", "warning", 9002, 5)
    assert settings.origins == {"*": ("https://a.example",)}
    assert "no option is named" in fail("serve", "--config", unknown_option())


def unknown_option() -> str:
    Path("wrong.toml").write_text("prot = 1\n")
    return "wrong.toml"


def test_several_workers_on_sqlite_are_refused(folder: Path, made: list[Server]) -> None:
    assert "2 workers need PostgreSQL" in fail("serve", "plan.json", "--workers", 2)
    assert made == []


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
