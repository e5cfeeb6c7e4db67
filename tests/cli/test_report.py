"""``sottovoce report``: one page of a finished collection, and whether its counts are as they should be."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.model.findings import find
from sottovoce.views.report_page import make_report
from tests.cli.calls import fail, run, succeed


def test_one_page_holds_it_all_and_fetches_nothing(collection: Path) -> None:
    said = succeed("report", "plan.json", "tally.parquet", "model.json", "--out", "report.html")
    assert said["reports"] == 4_000
    assert said["suspicious_plans"] == []
    page = Path("report.html").read_text(encoding="utf-8")
    assert "<h1>Rooms &amp; &lt;rents&gt;</h1>" in page
    assert "<rents>" not in page
    for part in ("What was found", "The whole crowd", "Privacy in plain words", "How to check this", "wrong plan"):
        assert part in page
    assert "3.99999999999999" in page, "the exact epsilon"
    assert date.today().isoformat() in page
    assert "as the plan&#x27;s shares would give them" in page
    assert not re.search(r"""(?:src|href)=["']|@import|<script|url\((?!["']?#)""", page)


def test_files_of_different_collections_are_refused(collection: Path) -> None:
    sv.Plan.create(sv.Schema.load("schema.toml"), epsilon=3, users=4_000).save("other.json")
    assert "of another collection" in fail("report", "other.json", "tally.parquet", "model.json", "-o", "x.html")


def test_totals_that_do_not_fit_the_shares_are_said_to_be(collection: Path) -> None:
    plan, tally = sv.Plan.load("plan.json"), sv.Tally.load("tally.parquet")
    tally.add_counts(np.array([0]), np.array([0]), np.array([500]))
    tally.save("odd.parquet")
    sv.fit(plan, tally).save("odd.json")
    assert (
        "do not fit the plan's shares" in run("report", "plan.json", "odd.parquet", "odd.json", "-o", "odd.html").output
    )
    assert 'class="bad">NOT as the plan' in Path("odd.html").read_text(encoding="utf-8")
    run("report", "plan.json", "odd.parquet", "model.json", "-o", "stale.html")
    assert "fit again" in Path("stale.html").read_text(encoding="utf-8")


def test_the_command_writes_the_page_that_the_function_gives(collection: Path) -> None:
    said = succeed(
        "report", "plan.json", "tally.parquet", "model.json", "--level", 0.5, "--date", "", "--out", "report.html"
    )
    plan, tally, model = sv.Plan.load("plan.json"), sv.Tally.load("tally.parquet"), sv.load_model("model.json")
    written, made = Path("report.html").read_text(encoding="utf-8"), make_report(plan, tally, model, level=0.5)
    assert written == made
    assert said["findings"] == find(model).rows()
    assert said["refused"] == {"wrong plan": 12}
    assert [(*pair["attributes"], pair["strength"]) for pair in said["pairs"]] == [
        (pair.first, pair.second, float(pair.strength)) for pair in model.association()
    ]
    shown = run("report", "plan.json", "tally.parquet", "model.json", "--out", "report.html").output
    assert re.fullmatch(r"report\.html: 4,000 reports, 12 refused, \d findings?\n", shown)


@pytest.mark.parametrize("name", ["plan.json", "tally.parquet", "model.json"])
def test_the_page_overwrites_none_of_its_sources(collection: Path, name: str) -> None:
    before = Path(name).read_bytes()
    assert "would be overwritten" in fail("report", "plan.json", "tally.parquet", "model.json", "--out", name)
    assert Path(name).read_bytes() == before


def test_models_of_waves_are_fitted_explored_and_reported_by_their_own_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    schema = sv.Schema([sv.Ordinal("age", 0, 7), sv.Ordinal("hours", 0, 7)])
    plan = sv.Plan.create(schema, users=20_000, waves=2, lifetime=2)
    tally, generator = sv.Tally(plan), np.random.default_rng(1)
    for wave, most in ((1, 4), (2, 8)):
        people = {"age": generator.integers(0, 8, 10_000), "hours": generator.integers(0, most, 10_000)}
        tally.merge(sv.simulate(plan, people, seed=wave, wave=wave))
    plan.save("plan.json")
    tally.save("tally.parquet")
    said = succeed("fit", "plan.json", "tally.parquet", "--quality", "fast", "--out", "waves.json")
    assert (said["reports"], said["waves"]) == (20_000, [1, 2])
    assert list(sv.WaveModels.load("waves.json")) == [1, 2]
    assert succeed("explore", "waves.json", "--out", "explorer.html")["waves"] == [1, 2]
    said = succeed("report", "plan.json", "tally.parquet", "waves.json", "--out", "report.html")
    assert said["between"] == [1, 2]
    told = [change["name"] for change in said["changes"] if change["told"]]
    assert told
    assert all(name.startswith("hours") for name in told)
    assert "Over time" in Path("report.html").read_text(encoding="utf-8")
    assert "2 waves" in run("fit", "plan.json", "tally.parquet", "--quality", "fast", "--out", "again.json").output
