"""A collector is configured by file, environment and option alike; what stands nearest to the command wins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sottovoce.cli.group import main
from sottovoce.service import app
from sottovoce.service.settings import Settings
from tests.collectors import make_plan


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """The settings of the collectors that would have been started."""
    found: list[Settings] = []

    class Server:
        started = True

        def run(self) -> None:
            """Serve nobody."""

    def make(settings: Settings, plans: Any, reload: Any) -> Server:
        found.append(settings)
        return Server()

    monkeypatch.setattr(app, "make_server", make)
    return found


def test_file_environment_and_option_in_this_order(started: list[Settings], tmp_path: Path) -> None:
    make_plan().save(tmp_path / "plan.json")
    config = tmp_path / "collector.toml"
    lines = [f'plans = ["{tmp_path}/plan.json"]', "port = 8001", "grace = 3", "fit-every = 60", 'db = "here.db"']
    config.write_text("\n".join([*lines, "require-token = true"]))
    result = CliRunner().invoke(
        main,
        ["serve", "--config", str(config), "--grace", "5"],
        env={"SOTTOVOCE_FIT_EVERY": "90", "SOTTOVOCE_GRACE": "4"},
    )
    assert result.exit_code == 0, result.output
    (settings,) = started
    assert (settings.port, settings.grace, settings.fit_every) == (8001, 5, 90)
    assert (settings.database, settings.require_token) == ("here.db", True)


def test_every_limit_of_the_settings_is_an_option_with_the_same_default(
    started: list[Settings], tmp_path: Path
) -> None:
    make_plan().save(tmp_path / "plan.json")
    assert CliRunner().invoke(main, ["serve", str(tmp_path / "plan.json")]).exit_code == 0
    assert started == [Settings()]


def test_a_mistake_in_the_file_or_in_an_origin_is_one_line(started: list[Settings], tmp_path: Path) -> None:
    make_plan().save(tmp_path / "plan.json")
    config = tmp_path / "collector.toml"
    for text, words in (("prot = 1", "no option is named prot"), ("port = [", "is not TOML")):
        config.write_text(text)
        result = CliRunner().invoke(main, ["serve", str(tmp_path / "plan.json"), "--config", str(config)])
        assert result.exit_code == 1
        assert words in result.stderr
    origin = f"{'0' * 64}=https://survey.example.org"
    result = CliRunner().invoke(main, ["serve", str(tmp_path / "plan.json"), "--origin", origin])
    assert "which is not served" in result.stderr
    assert started == []
