"""Names are data: no markup, escape sequence or trick of direction in one reaches a terminal or a page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import sottovoce as sv
from sottovoce.cli.group import main
from sottovoce.cli.output import make_console, make_table, strong

TRICKS = ["age[hiv-status]", "[black on black]hidden[/]", "[/]", ":smile:", "</script><script>window.pwned=1</script>"]


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    attributes = [sv.Ordinal(name, 0, 3) for name in TRICKS]
    path = tmp_path_factory.mktemp("names") / "plan.json"
    sv.Plan.create(sv.Schema(attributes), epsilon=1, users=5_000, mechanism="hdg").save(path)
    return path


@pytest.fixture(scope="module")
def model(plan: Path) -> Path:
    made = sv.Plan.load(plan)
    people = {name: np.arange(2_000) % 4 for name in TRICKS}
    path = plan.with_name("model.json")
    sv.fit(made, sv.simulate(made, people, seed=1), quality="fast").save(path)
    return path


def run(*arguments: object) -> str:
    result = CliRunner().invoke(main, [str(one) for one in arguments], env={"COLUMNS": "300"})
    assert result.exit_code == 0, result.output
    return result.stdout


def test_an_audit_shows_every_name_as_it_is(plan: Path) -> None:
    shown = run("audit", plan)
    assert all(name in shown for name in TRICKS)


def test_an_answer_shows_every_name_as_it_is(model: Path) -> None:
    shown = run("query", model, "--where", f'"{TRICKS[0]}" > 1')
    assert TRICKS[0] in shown
    assert TRICKS[1] in run("query", model, "--where", f'"{TRICKS[1]}" > 1', "--group-by", TRICKS[1])


def test_a_chart_is_a_page_in_which_no_name_runs(model: Path, tmp_path: Path) -> None:
    run("chart", model, TRICKS[4], "--out", tmp_path / "chart.html")
    page = (tmp_path / "chart.html").read_text(encoding="utf-8")
    assert "<script>window.pwned" not in page
    assert "\\u003c/script>\\u003cscript>window.pwned" in page
    assert "Content-Security-Policy" in page
    assert "script-src 'sha256-" in page
    assert "connect-src" not in page
    assert "default-src 'none'" in page


def test_a_file_name_with_an_escape_sequence_is_shown_not_obeyed(plan: Path, tmp_path: Path) -> None:
    odd = tmp_path / "plan\x1b[2J\x9b\u202e[bold].json"
    odd.write_bytes(plan.read_bytes())
    data = tmp_path / "none\x1b.csv"
    for arguments in (["audit", odd], ["randomize", odd, data, "--out", tmp_path / "o.parquet"]):
        result = CliRunner().invoke(main, [str(one) for one in arguments])
        assert not {"\x1b", "\x9b", "\u202e"} & set(result.output + result.stderr)
    assert "\\u001b" in result.stderr


def test_json_for_scripts_holds_no_raw_control_either(capsys: pytest.CaptureFixture[str]) -> None:
    from sottovoce.cli.output import print_json

    document = {"name": "a\x1b\x9b\u202e\U000e0041é"}
    print_json(document)
    printed = capsys.readouterr().out
    assert json.loads(printed) == document
    assert not {"\x1b", "\x9b", "\u202e", "\U000e0041"} & set(printed)


def test_only_the_house_gives_text_a_style(capsys: pytest.CaptureFixture[str]) -> None:
    console = make_console()
    table = make_table("[red]a[/]", title="[b]t[/]")
    table.add_row("[green]x[/]\x1b[2J")
    console.print(table)
    console.print("[bold]no[/] :smile:", strong("[i]yes[/]"), style="dim")
    printed = capsys.readouterr().out
    assert all(
        text in printed for text in ("[red]a[/]", "[b]t[/]", "[green]x[/]\\u001b[2J", "[bold]no[/] :smile:", "[i]yes")
    )


def test_the_report_lets_nothing_run_and_fetches_nothing(plan: Path, model: Path, tmp_path: Path) -> None:
    from sottovoce.views.report_page import POLICY

    assert "default-src 'none'" in POLICY
    assert "script-src" not in POLICY
