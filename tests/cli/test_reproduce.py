"""``sottovoce reproduce``: lists, runs, refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sottovoce.cli import main
from sottovoce.experiments.catalogue import CATALOGUE


def reproduce(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["reproduce", *map(str, arguments)])


def test_the_list_has_one_name_per_line_in_a_pipe() -> None:
    result = reproduce("--list")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == list(CATALOGUE)


def test_the_list_explains_itself_as_json() -> None:
    listed = json.loads(reproduce("--list", "--json").stdout)["experiments"]
    assert [entry["name"] for entry in listed] == list(CATALOGUE)
    assert all(entry["summary"] and entry["paper"] for entry in listed)


def test_a_quick_run_writes_every_form_and_prints_the_table(tmp_path: Path) -> None:
    result = reproduce("granularity-table", "--quick", "--jobs", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert {path.suffix for path in tmp_path.iterdir()} == {".parquet", ".csv", ".md", ".txt", ".png", ".svg", ".pdf"}
    assert "| n = 1,000,000, d = 6 | 8, 2 | 16, 2 | 16, 2 | 16, 4 | 16, 4 | 32, 4 |" in result.stdout.replace(
        "d = 6, n = 1,000,000", "n = 1,000,000, d = 6"
    )


def test_json_names_the_files_and_what_was_left_out(tmp_path: Path) -> None:
    arguments = ("estimators", "--quick", "--jobs", 1, "--no-figures", "--out", tmp_path, "--json")
    document = json.loads(reproduce(*arguments).stdout)
    assert all(Path(file).exists() for file in document["experiments"]["estimators"])
    assert any(note.startswith("ipums is left out") for note in document["notes"])


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nothing",), 1, "unknown experiment"),
        ((), 2, "--list"),
        (("sigma", "--data", "=x"), 2, "NAME=PATH"),
        (("sigma", "--data", "normal=x.csv"), 2, "drawn, not read"),
        (("sigma", "--data", "mine=nowhere.csv"), 1, "nowhere.csv"),
        (("new-real-varying-volume",), 1, "census.gov"),
        (("varying-volume", "--method", "magic"), 1, "magic"),
        (("sigma", "--repeats", "0"), 2, "repeats"),
    ],
)
def test_what_cannot_be_run_is_one_line(arguments: tuple[str, ...], code: int, said: str, tmp_path: Path) -> None:
    result = reproduce(*arguments, "--out", tmp_path, "--jobs", 1)
    assert result.exit_code == code, result.output
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert said in result.stderr
