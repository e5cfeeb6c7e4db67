"""``sottovoce demo``: every stage on a made-up crowd, its answers beside the truth."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import sottovoce as sv
from sottovoce.cli.demo import QUERIES, true_fraction
from sottovoce.simulation.population import people
from tests.cli.calls import fail, run, succeed


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


def test_the_truth_is_counted_person_by_person() -> None:
    crowd = pa.table({"age": [20, 30, 50, 51], "region": ["north", "south", "south", "east"]})
    assert true_fraction(crowd, {"age": (30, 50)}) == 0.5
    assert true_fraction(crowd, {"age": (-math.inf, 50), "region": ["north", "south"]}) == 0.75
    assert true_fraction(crowd, {"region": ["south"], "age": (51, math.inf)}) == 0
    assert true_fraction(crowd, {}) == 1


def test_its_questions_are_about_some_of_the_crowd_and_not_about_everybody() -> None:
    crowd = people(5_000, seed=7)
    assert all(0.01 < true_fraction(crowd, query) < 0.99 for _, query in QUERIES)


def test_the_same_seed_gives_the_same_crowd_and_fresh_noise() -> None:
    one, two, other = (succeed("demo", "--people", 1_000, "--seed", seed)["queries"] for seed in (3, 3, 4))
    assert [query["true"] for query in one] == [query["true"] for query in two]
    assert [query["true"] for query in one] != [query["true"] for query in other]
    # The answers are functions of a thousand fresh reports: ten that agree by chance are seen in no number of runs.
    assert [query["private"] for query in one] != [query["private"] for query in two]


def test_the_attacker_is_told_of_the_first_report_as_it_was_sent(tmp_path: Path) -> None:
    said = succeed("demo", "--people", 1_000, "--out", tmp_path)
    first = pq.read_table(tmp_path / "reports.parquet").slice(0, 1).to_pylist()[0]
    looks = sv.Plan.load(tmp_path / "plan.json").question(first["question"]).attributes
    match = re.search(r"question (\d+), which looks at (.*) and at nothing else; code (\d+)\.", said["attacker"][0])
    assert match is not None
    assert (int(match[1]), int(match[3])) == (first["question"], first["code"])
    assert match[2].count(" and ") == len(looks) - 1


def test_a_crowd_too_small_or_too_large_is_refused() -> None:
    for count in (999, 10_000_001):
        assert "1000<=x<=10000000" in fail("demo", "--people", count, code=2)
