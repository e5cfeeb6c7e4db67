from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.client.report import PLAN_KEY
from sottovoce.plan.counting_sql import alphabet_runs
from tests.engines.report_cases import good_reports, huge_plan, small_plan, write_bad_files, write_duplicates

ENGINES = ["numpy", "duckdb"]
PLANS = pytest.mark.parametrize("make_plan", [small_plan, huge_plan])


@PLANS
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("write", [write_bad_files, write_duplicates])
def test_bad_rows_are_counted_by_reason_and_of_one_id_the_smallest_row_counts(
    write, make_plan, engine: str, tmp_path: Path
) -> None:
    plan = make_plan()
    expected, refused = write(plan, tmp_path)
    tally = sv.tally_parquet(plan, tmp_path, engine=engine)
    assert tally.refused == refused
    expected.refused = refused
    assert tally == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_the_order_of_files_and_rows_does_not_matter(engine: str, tmp_path: Path) -> None:
    plan = small_plan()
    write_duplicates(plan, tmp_path)
    before = sv.tally_parquet(plan, tmp_path, engine=engine)
    for number, path in enumerate(sorted(tmp_path.glob("*.parquet"), reverse=True)):
        table = pq.read_table(path)
        pq.write_table(table.take(list(reversed(range(table.num_rows)))), tmp_path / f"{number}.moved")
        path.unlink()
    assert sv.tally_parquet(plan, str(tmp_path / "*.moved"), engine=engine) == before


@pytest.mark.parametrize("engine", ENGINES)
def test_files_without_a_plan_count_only_when_it_is_assumed(engine: str, tmp_path: Path) -> None:
    plan = small_plan()
    reports = good_reports(plan, 100, seed=3)
    pq.write_table(reports.replace_schema_metadata(None), tmp_path / "a.parquet")
    pq.write_table(reports.replace_schema_metadata({"sottovoce.plan": "f" * 64}), tmp_path / "b.parquet")
    strict = sv.tally_parquet(plan, tmp_path, engine=engine)
    assert (strict.total, strict.refused) == (0, {"no plan": 100, "wrong plan": 100})
    assumed = sv.tally_parquet(plan, tmp_path, assume_plan=True, engine=engine)
    assert (assumed.total, assumed.refused) == (100, {"wrong plan": 100})


def test_partial_tallies_of_several_machines_add_up_to_the_whole(tmp_path: Path) -> None:
    plan = small_plan()
    for number in range(6):
        pq.write_table(good_reports(plan, 1000, seed=number), tmp_path / f"{number}.parquet")
    whole = sv.tally_parquet(plan, tmp_path)
    parts = [sv.tally_parquet(plan, str(tmp_path / f"[{first}{first + 1}].parquet")) for first in (4, 0, 2)]
    for number, part in enumerate(parts):
        part.save(tmp_path / f"part-{number}.tally")
    merged = sv.Tally(plan)
    for number in range(3):
        merged.merge(sv.Tally.load(tmp_path / f"part-{number}.tally"))
    assert merged == whole
    assert whole.total == 6000


def test_a_file_named_twice_is_counted_once(tmp_path: Path) -> None:
    plan = small_plan()
    path = tmp_path / "a.parquet"
    pq.write_table(good_reports(plan, 50, seed=3), path)
    assert sv.tally_parquet(plan, [path, tmp_path, str(tmp_path / "*.parquet")]).total == 50


def test_what_is_not_parquet_or_not_there_is_named(tmp_path: Path) -> None:
    plan = small_plan()
    with pytest.raises(sv.TallyError, match=r"no file of reports at .*absent"):
        sv.tally_parquet(plan, tmp_path / "absent.parquet")
    pq.write_table(good_reports(plan, 5000, seed=3), tmp_path / "whole.parquet")
    cut = tmp_path / "cut.parquet"
    shutil.copy(tmp_path / "whole.parquet", cut)
    cut.write_bytes(cut.read_bytes()[:-100])
    with pytest.raises(sv.TallyError, match=r"cut\.parquet.*damaged"):
        sv.tally_parquet(plan, tmp_path)
    with pytest.raises(sv.TallyError, match="engine is duckdb or numpy"):
        sv.tally_parquet(plan, tmp_path, engine="fortran")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_damaged_inside_is_an_error_of_this_package(engine: str, tmp_path: Path) -> None:
    plan = small_plan()
    path = tmp_path / "a.parquet"
    pq.write_table(good_reports(plan, 50_000, seed=3), path, compression="zstd")
    damaged = bytearray(path.read_bytes())
    damaged[4:20_000] = b"\xff" * 19_996
    path.write_bytes(damaged)
    with pytest.raises(sv.TallyError):
        sv.tally_parquet(plan, path, engine=engine)


def test_more_alphabets_than_a_statement_holds_are_joined_and_still_counted_exactly(
    tmp_path: Path, monkeypatch
) -> None:
    plan = small_plan()
    assert len(alphabet_runs(plan.questions.codes, ["id"])) == 3
    monkeypatch.setattr("sottovoce.plan.counting_sql.MAX_RUNS", 2)
    monkeypatch.setattr("sottovoce.plan.counting_sql.FEW_RUNS", 1)
    assert len(alphabet_runs(plan.questions.codes, ["id"])) == 2
    assert len(alphabet_runs(plan.questions.codes, [])) == 1
    expected, refused = write_bad_files(plan, tmp_path)
    expected.refused = refused
    assert sv.tally_parquet(plan, tmp_path) == expected
    ids = good_reports(plan, 300, seed=9).append_column("id", pa.array([f"{i % 200}" for i in range(300)]))
    (tmp_path / "ids").mkdir()
    pq.write_table(ids, tmp_path / "ids" / "a.parquet")
    tallies = [sv.tally_parquet(plan, tmp_path / "ids", engine=engine) for engine in ENGINES]
    assert tallies[0] == tallies[1]
    assert tallies[0].refused == {"duplicate": 100}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_that_names_the_collection_alone_is_counted(engine: str, tmp_path: Path) -> None:
    plan = small_plan()
    reports = good_reports(plan, 50, seed=3).replace_schema_metadata({PLAN_KEY: plan.collection})
    pq.write_table(reports, tmp_path / "reports.parquet")
    assert sv.tally_parquet(plan, tmp_path, engine=engine).total == 50
