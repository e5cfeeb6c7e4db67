"""Every command: help, documentation, --json, one-line errors, whole files."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import sottovoce as sv
from sottovoce.cli import files, main, randomize
from sottovoce.cli.group import COMMANDS
from sottovoce.simulation.population import PEOPLE, people

ROOT = Path(__file__).parents[2]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def succeed(*arguments: object) -> dict[str, object]:
    """Return the JSON object that a command prints."""
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    document: dict[str, object] = json.loads(result.stdout)
    return document


def fail(*arguments: object, code: int = 1) -> str:
    """Return the one line that a command says when it fails."""
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with a schema, 3,000 people as CSV and Parquet, and a plan."""
    monkeypatch.chdir(tmp_path)
    crowd = people(3_000, seed=5)
    PEOPLE.save("schema.toml")
    pc.write_csv(crowd, "people.csv")
    pq.write_table(crowd, "people.parquet")
    sv.Plan.create(PEOPLE, epsilon=1, users=3_000, mechanism="hdg").save("plan.json")
    return tmp_path


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


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_and_a_commands_own_help_agree(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.help is not None
    assert command.help.split("\n")[0] == COMMANDS[name]


def test_the_list_of_commands_is_shown_without_loading_numpy_or_arrow() -> None:
    code = (
        "import sys, click.testing, sottovoce.cli; "
        "shown = click.testing.CliRunner().invoke(sottovoce.cli.main, ['--help']).output; "
        "assert 'randomize' in shown; print([name for name in ('numpy', 'pyarrow', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


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


def test_tallies_and_reports_add(folder: Path) -> None:
    for name in ("one", "two"):
        succeed("randomize", "plan.json", "people.csv", "--out", f"{name}.parquet")
    succeed("tally", "plan.json", "one.parquet", "--out", "first.parquet")
    assert succeed("tally", "plan.json", "first.parquet", "two.parquet", "--out", "both.parquet")["total"] == 6_000
    together = succeed("tally", "plan.json", "one.parquet", "two.parquet", "--out", "together.parquet")
    assert together["total"] == 6_000
    assert sv.Tally.load("both.parquet") == sv.Tally.load("together.parquet")


def test_a_tally_may_be_brought_up_to_date_in_place(folder: Path) -> None:
    succeed("randomize", "plan.json", "people.csv", "--out", "reports.parquet")
    succeed("tally", "plan.json", "reports.parquet", "--out", "tally.parquet")
    assert succeed("tally", "plan.json", "tally.parquet", "reports.parquet", "--out", "tally.parquet")["total"] == 6_000


def test_refusals_are_shown_by_reason(folder: Path) -> None:
    succeed("plan", "schema.toml", "--epsilon", "2", "--users", 3_000, "--out", "other.json")
    succeed("randomize", "plan.json", "people.csv", "--out", "reports.parquet")
    succeed("randomize", "other.json", "people.csv", "--out", "others.csv")
    shown = run("tally", "plan.json", "reports.parquet", "others.csv", "--out", "tally.parquet").output
    assert "3,000 reports counted, 3,000 refused" in shown
    assert re.search(r"wrong plan +3,000", shown)
    message = fail("tally", "plan.json", "others.csv", "--out", "none.parquet")
    assert "3,000 wrong plan" in message
    assert not Path("none.parquet").exists()


def test_large_tables_are_read_in_parts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "ROWS_AT_ONCE", 1_000)
    monkeypatch.setattr(files, "_BYTES_AT_ONCE", 2**14)
    for data in ("people.csv", "people.parquet"):
        sizes: list[int] = []

        def spy(plan: sv.Plan, table: pa.Table, sizes: list[int] = sizes) -> pa.Table:
            sizes.append(table.num_rows)
            return sv.randomize(plan, table)

        monkeypatch.setattr(randomize, "randomize", spy)
        assert succeed("randomize", "plan.json", data, "--out", "reports.parquet")["rows"] == 3_000
        assert len(sizes) >= 3
        assert max(sizes) <= 1_000
        assert succeed("tally", "plan.json", "reports.parquet", "--out", "tally.parquet")["total"] == 3_000


def test_an_empty_field_is_no_answer_and_a_category_called_na_is_itself(folder: Path) -> None:
    schema = sv.Schema(
        [sv.Ordinal("age", 0, 9, nullable=True), sv.Categorical("country", ["NA", "DE", "FR"], nullable=True)]
    )
    sv.Plan.create(schema, epsilon=20, users=1_000, mechanism="hdg", oracle="grr").save("plan.json")
    Path("data.csv").write_text("age,country\n" + "3,NA\n,\n" * 2_000, encoding="utf-8")
    succeed("randomize", "plan.json", "data.csv", "--out", "reports.parquet")
    succeed("tally", "plan.json", "reports.parquet", "--out", "tally.parquet")
    succeed("fit", "plan.json", "tally.parquet", "--out", "model.json")
    # The noise is fresh, but at epsilon 20 it is the sampling of questions only: over ten standard deviations to 0.15.
    marginal = sv.load_model("model.json").marginal("country")
    assert marginal == pytest.approx([0.5, 0, 0, 0.5], abs=0.15)


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
        (("plan", "schema.toml", "--epsilon", 1, "--users", 9, "--out", "no/such/x"), "No such file"),
        (("plan", "schema.toml", "--epsilon", 1, "--users", 9, "--out", "schema.toml"), "would be overwritten"),
        (("randomize", "plan.json", "missing.csv", "--out", "x.csv"), "missing.csv"),
        (("randomize", "plan.json", "people.xlsx", "--out", "x.csv"), ".csv or .parquet"),
        (("randomize", "plan.json", "people.csv", "--out", "x.json"), ".csv or .parquet"),
        (("randomize", "plan.json", "schema.csv", "--out", "x.csv"), "age"),
        (("randomize", "plan.json", "empty.csv", "--out", "x.csv"), "empty"),
        (("randomize", "plan.json", "header.csv", "--out", "x.csv"), "no rows"),
        (("randomize", "plan.json", "old.csv", "--out", "x.csv"), "within rows 1 to 1: age: 1 of 1 values"),
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nonsense",), "No such command 'nonsense'"),
        (("--nonsense",), "No such option"),
        (("audit",), "Missing argument 'PLAN' (see"),
        (("audit", "plan.json", "--nonsense"), "--help)"),
        (("plan", "s.toml", "--epsilon", 1, "--users", "many", "--out", "x"), "'many' is not a valid integer"),
        (("plan", "schema.toml", "--epsilon", 1, "--users", 9, "--option", "g1", "--out", "x"), "not NAME=VALUE"),
    ],
)
def test_a_wrong_call_takes_one_line_and_exit_code_two(folder: Path, arguments: tuple[object, ...], said: str) -> None:
    assert said in fail(*arguments, code=2)


@pytest.mark.parametrize(
    ("ranges", "said"),
    [
        (["age=50..30"], "reversed"),
        (["size=1..2"], "does not start with one of age="),
        (["age=old"], "write age=LOW..HIGH"),
        (["age=nan..3"], "got nan"),
        (["age=1..2", "age=3..4"], "two ranges"),
        (["region=atlantis"], "allowed are"),
    ],
)
def test_a_range_that_cannot_be_is_refused(folder: Path, ranges: list[str], said: str) -> None:
    plan = sv.Plan.load("plan.json")
    sv.fit(plan, sv.simulate(plan, people(3_000, seed=5), seed=1)).save("model.json")
    given = [argument for text in ranges for argument in ("--range", text)]
    assert said in fail("query", "model.json", *given)


def test_ranges_are_read_as_written(folder: Path) -> None:
    plan = sv.Plan.load("plan.json")
    model = sv.fit(plan, sv.simulate(plan, people(3_000, seed=5), seed=1))
    model.save("model.json")
    infinity = float("inf")
    for text, asked in {
        "age=30..50": {"age": (30, 50)},
        "age=30..": {"age": (30, infinity)},
        "age=..50": {"age": (-infinity, 50)},
        "age=40": {"age": (40, 40)},
        "income=1e4..2.5e4": {"income": (10_000, 25_000)},
        "region=north,south": {"region": ["north", "south"]},
    }.items():
        said = succeed("query", "model.json", "--range", text)
        assert said["fraction"] == pytest.approx(model.answer_ranges([asked])[0], abs=1e-12)
        assert said["expected_count"] == pytest.approx(said["fraction"] * 3_000)


@pytest.mark.parametrize("reports", ["reports.csv", "reports.parquet"])
def test_ctrl_c_leaves_no_part_of_a_file_and_keeps_the_old_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, reports: str
) -> None:
    monkeypatch.setattr(files, "ROWS_AT_ONCE", 1_000)
    Path(reports).write_text("what was there before", encoding="utf-8")
    before = sorted(path.name for path in folder.iterdir())
    calls = 0

    def interrupted(plan: sv.Plan, table: pa.Table) -> pa.Table:
        nonlocal calls
        calls += 1
        if calls == 3:
            assert any(path.name.endswith(".part") for path in folder.iterdir()), "the writing has begun"
            signal.raise_signal(signal.SIGINT)
        return sv.randomize(plan, table)

    monkeypatch.setattr(randomize, "randomize", interrupted)
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        result = run("randomize", "plan.json", "people.parquet", "--out", reports)
    finally:
        signal.signal(signal.SIGINT, usual)
    assert calls == 3
    assert result.exit_code == 1
    assert "Aborted!" in result.stderr
    assert sorted(path.name for path in folder.iterdir()) == before
    assert Path(reports).read_text(encoding="utf-8") == "what was there before"


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


def test_the_demo_runs_every_stage_and_keeps_its_files(folder: Path) -> None:
    said = succeed("demo", "--people", 20_000, "--epsilon", "4", "--out", "kept")
    assert len(said["queries"]) == 10
    assert {query["attributes"] for query in said["queries"]} == {1, 2, 3, 4}
    errors = [abs(query["true"] - query["private"]) for query in said["queries"]]
    # The noise is fresh. The mean error is 0.029 with standard deviation 0.0055 over eight runs.
    assert sum(errors) / 10 < 0.08
    assert succeed("audit", "kept/plan.json")["epsilon"] == said["epsilon"] <= 4
    assert succeed("tally", "kept/plan.json", "kept/reports.parquet", "--out", "again.parquet")["total"] == 20_000
    assert sv.Tally.load("again.parquet") == sv.Tally.load("kept/tally.parquet")
    shown = run("demo", "--people", 5_000).output
    for stage in ("1 crowd", "2 plan", "3 audit", "4 randomize", "5 tally", "6 fit", "7 query", "attacker"):
        assert stage in shown
    assert "26.9% and 73.1%" in " ".join(shown.split())


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


@pytest.mark.usefixtures("folder")
def test_reports_that_name_no_plan_count_when_it_is_assumed() -> None:
    succeed("randomize", "plan.json", "people.csv", "--out", "reports.parquet")
    pq.write_table(pq.read_table("reports.parquet").replace_schema_metadata(None), "bare.parquet")
    assert "3,000 no plan" in fail("tally", "plan.json", "bare.parquet", "--out", "x")
    assert succeed("tally", "plan.json", "bare.parquet", "--assume-plan", "--out", "x")["total"] == 3_000


@pytest.mark.usefixtures("folder")
def test_a_bad_record_leaves_an_empty_directory_and_says_where_it_was() -> None:
    crowd = people(3_000, seed=5).to_pydict()
    crowd["age"][2_000] = 10_000
    pq.write_table(pa.table(crowd), "odd.parquet")
    assert "'odd.parquet', within rows 1 to 3000: " in fail("randomize", "plan.json", "odd.parquet", "--out", "reports")
    assert list(Path("reports").iterdir()) == []
