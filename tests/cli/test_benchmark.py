"""``sottovoce benchmark``: one table, again the same."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from sottovoce.cli import main
from sottovoce.experiments.benchmark import BENCHMARKS


def benchmark(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["benchmark", *map(str, arguments)])


def test_a_small_benchmark_prints_and_keeps_a_table_of_the_mechanisms_named(tmp_path: Path) -> None:
    call = ("v1-small", "--mechanism", "hdg", "--mechanism", "uniform", "--jobs", 1, "--out", tmp_path)
    result = benchmark(*call)
    assert result.exit_code == 0, result.output
    assert result.stdout == (tmp_path / "v1-small.md").read_text()
    lines = [line for line in result.stdout.splitlines() if line.startswith("| ")]
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| hdg", "| uniform"], "the better one first"
    again = json.loads(benchmark(*call, "--json").stdout)
    assert {row["mechanism"] for row in again["rows"]} == {"hdg", "uniform"}
    assert len(again["rows"]) == 2 * 2 * 2
    assert all(row["low"] <= row["error"] <= row["high"] for row in again["rows"])


def test_what_is_unknown_is_one_line(tmp_path: Path) -> None:
    for arguments, said in ((("v9",), "known are v1"), (("v1-small", "--mechanism", "magic"), "unknown mechanism")):
        result = benchmark(*arguments, "--jobs", 1, "--out", tmp_path)
        assert result.exit_code == 1
        assert said in result.stderr
        assert result.stderr.count("\n") == 1


def test_the_help_names_every_benchmark() -> None:
    told = benchmark("--help").stdout
    assert all(name in told for name in BENCHMARKS)
