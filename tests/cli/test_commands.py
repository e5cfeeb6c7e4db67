"""Every command: help, documentation, --json, one-line errors, whole files, and the walk through all of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

import sottovoce as sv
from sottovoce.cli import main
from sottovoce.cli.group import COMMANDS
from sottovoce.simulation.population import people
from tests.cli.calls import fail, run, succeed

ROOT = Path(__file__).parents[2]


def calls(name: str) -> dict[tuple[str, ...], click.Command]:
    """Return a command under its name, or all commands of a group under theirs."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    if isinstance(command, click.Group):
        return {(name, part): inner for part, inner in command.commands.items()}
    return {(name,): command}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_json_and_is_documented(name: str) -> None:
    for path in calls(name):
        result = run(*path, "--help")
        assert result.exit_code == 0
        assert "--json" in result.output
    assert f"## sottovoce {name}\n" in (ROOT / "docs/cli.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help_and_is_documented(name: str) -> None:
    section = (ROOT / "docs/cli.md").read_text(encoding="utf-8").split(f"## sottovoce {name}\n")[1].split("\n## ")[0]
    for parameter in (parameter for command in calls(name).values() for parameter in command.params):
        if isinstance(parameter, click.Option) and parameter.name not in ("help", "as_json"):
            assert parameter.help, f"{parameter.opts} has no help"
            assert parameter.opts[0] in section, f"{parameter.opts} is not in docs/cli.md"


def documented_members(name: str) -> set[str]:
    """Return everything in code marks that the table of JSON says of a command."""
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8").split("## The JSON of every command\n")[1]
    (row,) = re.findall(rf"^\| `{name}` \| (.*) \|$", page, flags=re.MULTILINE)
    return set(re.findall(r"`(\w+)`", row))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_json_of_every_command_is_documented(name: str) -> None:
    assert documented_members(name)


def test_commands_print_the_members_that_are_documented(folder: Path) -> None:
    design = ("--epsilon", "8", "--users", 3_000)
    regions = "region=north:0.25,south:0.25,east:0.25,west:0.25"
    for call in (
        ("schema", "people.csv", "--out", "s.toml"),
        ("plan", "schema.toml", *design, "--out", "p.json"),
        ("plan", "schema.toml", "--epsilon", "2", "--users", 3_000, "--out", "p2.json"),
        ("audit", "p.json"),
        ("survey", "p2.json", "--out", "site"),
        ("randomize", "p.json", "people.csv", "--check"),
        ("randomize", "p.json", "people.csv", "--out", "r.parquet"),
        ("tally", "p.json", "r.parquet", "--out", "t.parquet"),
        ("fit", "p.json", "t.parquet", "--quality", "fast", "--out", "m.json"),
        ("calibrate", "m.json", "--known", regions, "--out", "c.json"),
        ("query", "c.json", "--range", "region=north"),
        ("query", "c.json", "--mean", "age", "--group-by", "region"),
        ("compare-groups", "m.json", "--by", "region", "--attribute", "household"),
        ("token", "create", "alice", "--db", "c.db"),
        ("token", "list", "--db", "c.db"),
        ("collection", "list", "--db", "c.db"),
    ):
        assert succeed(*call).keys() <= documented_members(call[0]), call


@pytest.mark.parametrize("data", ["people.csv", "people.parquet"])
@pytest.mark.parametrize("reports", ["reports.csv", "reports.parquet"])
def test_a_walk_from_a_table_to_an_answer(folder: Path, data: str, reports: str) -> None:
    design = ("--mechanism", "hdg", "--option", "g2=2")
    planned = succeed("plan", "schema.toml", "--epsilon", "8", "--users", 3_000, *design, "--out", "p.json")
    audited = succeed("audit", "p.json")
    assert audited["fingerprint"] == planned["fingerprint"] == sv.Plan.load("p.json").fingerprint
    assert audited["epsilon"] <= 8.0
    assert sum(row["share"] for row in audited["questions"]) == pytest.approx(1)
    assert succeed("randomize", "p.json", data, "--out", reports)["rows"] == 3_000
    counted = succeed("tally", "p.json", reports, "--out", "tally.parquet")
    assert (counted["total"], counted["refused"]) == (3_000, {})
    assert succeed("fit", "p.json", "tally.parquet", "--out", "model.json")["reports"] == 3_000
    answer = succeed("query", "model.json", "--range", "region=north,east")
    truth = people(3_000, seed=5).column("region").to_pylist()
    expected = sum(region in ("north", "east") for region in truth) / 3_000
    # The noise is fresh. Its standard deviation is below 0.02 here: a false alarm in under 1e-12 of runs.
    assert answer["fraction"] == pytest.approx(expected, abs=0.15)
    assert succeed("query", "model.json")["fraction"] == 1.0


def test_what_commands_say_to_people_names_the_file_and_the_next_step(folder: Path) -> None:
    steps = [
        ("plan", "schema.toml", "--epsilon", "1", "--users", "3000", "--out", "p.json"),
        ("randomize", "p.json", "people.csv", "--out", "r.parquet"),
        ("tally", "p.json", "r.parquet", "--out", "t.parquet"),
        ("fit", "p.json", "t.parquet", "--out", "m.json"),
    ]
    for step in steps:
        shown = run(*step).output
        assert shown.startswith(f"{step[-1]}: ")
        assert "Next: sottovoce " in shown
        assert "\x1b" not in shown, "no colours in a pipe"
    assert "Exact epsilon: 0.9999999999" in run("audit", "p.json").output
    assert "age=30..50" in run("query", "m.json", "--range", "age=30..50").output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("audit", "missing.json"), "missing.json"),
        (("audit", "schema.toml"), "not a plan"),
        (("plan", "missing.toml", "--epsilon", 1, "--users", 9, "--out", "x"), "missing.toml"),
        (("plan", "schema.toml", "--epsilon", 0, "--users", 9, "--out", "x"), "from 0.01 to 20"),
        (("plan", "schema.toml", "--epsilon", "nan", "--users", 9, "--out", "x"), "from 0.01 to 20"),
        (("plan", "schema.toml", "--epsilon", 1, "--users", -1, "--out", "x"), "users is an integer"),
        (("plan", "schema.toml", "--epsilon", 1, "--users", 9, "--mechanism", "magic", "--out", "x"), "known are"),
        (
            ("plan", "schema.toml", "--epsilon", 1, "--users", 9, "--option", "g9=1", "--out", "x"),
            "options are:",
        ),
        (("plan", "schema.toml", "--epsilon", 1, "--users", 9, "--expires", "soon", "--out", "x"), "2030-12-31"),
        (("plan", "schema.toml", "--epsilon", 1, "--users", 9, "--expires", "2020-01-01", "--out", "x"), "is over"),
        (("plan", "schema.toml", "--epsilon", 1, "--users", 9, "--out", "no/such/x"), "No such file"),
        (("plan", "schema.toml", "--epsilon", 1, "--users", 9, "--out", "schema.toml"), "would be overwritten"),
        (("randomize", "plan.json", "missing.csv", "--out", "x.csv"), "missing.csv"),
        (("randomize", "plan.json", "people.xlsx", "--out", "x.csv"), "or .parquet"),
        (("randomize", "plan.json", "people.csv", "--out", "x.json"), ".csv or .parquet"),
        (("randomize", "plan.json", "schema.csv", "--out", "x.csv"), "age"),
        (("randomize", "plan.json", "empty.csv", "--out", "x.csv"), "empty"),
        (("randomize", "plan.json", "header.csv", "--out", "x.csv"), "no rows"),
        (("randomize", "plan.json", "old.csv", "--out", "x.csv"), "row 1, column age: got"),
        (("randomize", "plan.json", "text.csv", "--out", "x.csv"), "forty"),
        (("tally", "plan.json", "people.parquet", "--out", "x"), "no column question"),
        (("tally", "plan.json", "broken.parquet", "--out", "x"), "broken.parquet"),
        (("fit", "plan.json", "people.parquet", "--out", "x"), "not a tally"),
        (("query", "plan.json"), "not a model"),
    ],
)
def test_what_is_wrong_takes_one_line_and_writes_nothing(
    folder: Path, arguments: tuple[object, ...], said: str
) -> None:
    head = "age,income,commute,hours,household,region\n"
    for name, text in {
        "schema.csv": "a,b\n1,2\n",
        "empty.csv": "",
        "header.csv": head,
        "old.csv": head + "200,1,1,1,1,south\n",
        "text.csv": head + "forty,1,1,1,1,south\n",
        "broken.parquet": "PAR1 and no more",
    }.items():
        Path(name).write_text(text, encoding="utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert said in fail(*arguments)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_the_installed_command_runs_and_shows_no_progress_bar_in_a_pipe(folder: Path) -> None:
    program = Path(sys.executable).with_name("sottovoce")
    done = subprocess.run(
        [program, "randomize", "plan.json", "people.csv", "--out", "reports.parquet", "--json"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TERM": "xterm"},
    )
    assert json.loads(done.stdout)["rows"] == 3_000
    assert done.stderr == ""


@pytest.mark.usefixtures("folder")
def test_a_directory_of_reports_is_written_and_counted_by_every_engine_alike() -> None:
    written = succeed("randomize", "plan.json", "people.csv", "--out", "reports", "--ids")
    assert written["rows"] == 3_000
    shutil.copytree("reports", "reports/again")
    for source in ("reports", "reports/**/*.parquet"):
        for engine in ("duckdb", "numpy"):
            counted = succeed("tally", "plan.json", source, "--engine", engine, "--out", f"{engine}.parquet")
            assert counted["total"] == 3_000
            assert counted["refused"] == {"duplicate": 3_000}
    assert sv.Tally.load("duckdb.parquet") == sv.Tally.load("numpy.parquet")
    assert "holds reports already" in fail("randomize", "plan.json", "people.csv", "--out", "reports")
    assert "--ids is for a directory" in fail("randomize", "plan.json", "people.csv", "--out", "r.parquet", "--ids")
    assert "no file of reports" in fail("tally", "plan.json", "absent/*.parquet", "--out", "x")
