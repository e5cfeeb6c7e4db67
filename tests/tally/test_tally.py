"""The tally: what is counted, what is refused and why, and what becomes of damaged files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.client.report import PLAN_KEY
from tests.crowds import mixed_crowd, mixed_schema
from tests.engines.report_cases import good_reports, small_plan, write_bad_files

PLAN = sv.Plan.create(mixed_schema(4), epsilon=1, users=10_000)
OTHER = sv.Plan.create(mixed_schema(4), epsilon=2, users=10_000)


def table(questions: object, codes: object, plan: str | None = PLAN.fingerprint) -> pa.Table:
    metadata = {} if plan is None else {PLAN_KEY: plan}
    return pa.table({"question": questions, "code": codes}).replace_schema_metadata(metadata)


class TestAdd:
    def test_reports_and_tables_are_counted_alike(self):
        reports = [sv.Report(PLAN.fingerprint, f"{number:032x}", number % 3, 0) for number in range(9)]
        from_reports, from_table, one_by_one = sv.Tally(PLAN), sv.Tally(PLAN), sv.Tally(PLAN)
        assert from_reports.add(reports) == 9
        assert from_table.add(table([0, 1, 2] * 3, [0] * 9)) == 9
        assert sum(one_by_one.add(report) for report in reports) == 9
        assert from_reports == from_table == one_by_one
        assert from_table.question_totals[:3].tolist() == [3, 3, 3]
        assert from_table.counts(0)[0] == 3
        assert repr(from_table).startswith("<Tally of 9 reports, collection ")

    @pytest.mark.parametrize(
        ("reports", "reason"),
        [
            (table([0, 99], [0, 0]), "impossible question"),
            (table([0, -1], [0, 0]), "impossible question"),
            (table([0, 0], [0, 10**6]), "impossible code"),
            (table([0, 0], [0, -7]), "impossible code"),
            (table([0, None], [0, 0]), "null"),
            (table([0, 1], [0, None]), "null"),
            (table([0, 0], [0, 0]).slice(0, 1), None),
        ],
    )
    def test_what_cannot_be_is_refused_by_reason_and_the_rest_counted(self, reports: pa.Table, reason: str | None):
        tally = sv.Tally(PLAN)
        assert tally.add(reports) == 1 == tally.total
        assert tally.refused == ({reason: 1} if reason else {})
        assert ("1 refused" in repr(tally)) == bool(reason)

    def test_reports_of_another_plan_are_refused_and_counted(self):
        tally = sv.Tally(PLAN)
        assert tally.add(sv.randomize(OTHER, mixed_crowd(20, seed=1))) == 0
        assert tally.add(sv.Client(OTHER).report({"age": 20, "income": 1, "region": "east"})) == 0
        assert tally.refused == {"wrong plan": 21}
        assert tally.add(table([0], [0], plan=None)) == 0
        assert tally.refused == {"wrong plan": 21, "no plan": 1}
        assert tally.total == 0

    def test_batches_and_chunks_are_counted(self):
        reports = sv.randomize(PLAN, mixed_crowd(100, seed=1))
        batch = reports.to_batches()[0]
        chunked = pa.concat_tables([reports.slice(0, 10), reports.slice(10)])
        whole = sv.Tally(PLAN)
        whole.add(reports)
        for other in (batch, chunked):
            tally = sv.Tally(PLAN)
            assert tally.add(other) == 100
            assert tally == whole

    @pytest.mark.parametrize(
        ("reports", "message"),
        [
            (pa.table({"question": [1]}), r"columns question and code, this one lacks \['code'\]"),
            (table([0.5], [1]), "question and code are integers, got a column of double"),
            (table(["0"], [1]), "question and code are integers, got a column of string"),
            (pd.DataFrame({"question": [1]}), "counts an Arrow table or reports, got"),
            ([1, 2], "counts an Arrow table or reports, got int"),
            (5, "counts an Arrow table or reports, got int"),
            (None, "counts an Arrow table or reports, got NoneType"),
        ],
    )
    def test_what_are_no_reports_is_an_error(self, reports: object, message: str):
        with pytest.raises(sv.TallyError, match=message):
            sv.Tally(PLAN).add(reports)

    def test_counts_of_impossible_pairs_are_an_error(self):
        with pytest.raises(sv.TallyError, match="cannot occur under this plan"):
            sv.Tally(PLAN).add_counts(np.array([0]), np.array([10**6]), np.array([1]))

    def test_counts_with_one_impossible_pair_are_not_added_in_part(self):
        tally = sv.Tally(PLAN)
        with pytest.raises(sv.TallyError, match="cannot occur under this plan"):
            tally.add_counts(np.array([0, 0]), np.array([0, 10**6]), np.array([5, 1]))
        assert tally == sv.Tally(PLAN)
        assert tally.total == 0
        assert tally.counts(0).sum() == 0


class TestMerge:
    def test_tallies_of_different_collections_do_not_add(self):
        with pytest.raises(sv.TallyError, match="tallies of different collections do not add"):
            sv.Tally(PLAN).merge(sv.Tally(OTHER))
        with pytest.raises(sv.TallyError, match="merge takes another Tally, got NoneType"):
            sv.Tally(PLAN).merge(None)

    def test_a_tally_is_made_for_a_plan(self):
        with pytest.raises(sv.PlanError, match="a Plan is needed here, got dict"):
            sv.Tally({})

    def test_refusals_are_merged_and_compared(self):
        one, other = sv.Tally(PLAN), sv.Tally(PLAN)
        one.add(table([99], [0]))
        assert one != other
        other.merge(one)
        assert one == other
        assert one != "a tally"


class TestFiles:
    @pytest.fixture
    def saved(self, tmp_path) -> Path:
        sv.simulate(PLAN, mixed_crowd(500, seed=1), seed=1).save(tmp_path / "tally.parquet")
        return tmp_path / "tally.parquet"

    def rewrite(self, path: Path, change_head=lambda head: None, change_table=lambda table: table) -> None:
        read = pq.read_table(path)
        head = json.loads(read.schema.metadata[b"sottovoce.tally"])
        change_head(head)
        pq.write_table(change_table(read).replace_schema_metadata({b"sottovoce.tally": json.dumps(head)}), path)

    def test_an_untouched_copy_loads(self, saved: Path):
        self.rewrite(saved)
        assert sv.Tally.load(saved).total == 500

    def test_an_empty_tally_is_saved_too(self, tmp_path):
        sv.Tally(PLAN).save(tmp_path / "empty")
        assert sv.Tally.load(tmp_path / "empty") == sv.Tally(PLAN)

    def test_a_cut_file_another_file_and_no_file_are_refused(self, saved: Path, tmp_path):
        whole = saved.read_bytes()
        pq.write_table(pa.table({"question": [1]}), tmp_path / "other")
        for path, content in ((saved, whole[: len(whole) // 2]), (saved, b""), (tmp_path / "other", None)):
            if content is not None:
                path.write_bytes(content)
            with pytest.raises(sv.TallyError, match="is not a tally, or damaged"):
                sv.Tally.load(path)
        with pytest.raises(sv.TallyError, match="nowhere"):
            sv.Tally.load(tmp_path / "nowhere")

    @pytest.mark.parametrize(
        "change",
        [
            lambda head: head["totals"].clear(),
            lambda head: head["totals"].update({PLAN.fingerprint: [1, 2]}),
            lambda head: head["totals"].update({PLAN.fingerprint: "many"}),
            lambda head: head["totals"].update({OTHER.fingerprint: head["totals"][PLAN.fingerprint]}),
            lambda head: head["plans"].update({PLAN.fingerprint: OTHER.to_json().decode()}),
            lambda head: head["plans"].update({OTHER.fingerprint: OTHER.to_json().decode()}),
            lambda head: head["plans"].clear(),
            lambda head: head.pop("plan"),
            lambda head: head.update(refused=5),
            lambda head: head.update(totals=[]),
        ],
    )
    def test_an_altered_head_is_refused(self, saved: Path, change):
        self.rewrite(saved, change_head=change)
        with pytest.raises(sv.TallyError, match=r"damaged|altered"):
            sv.Tally.load(saved)

    @pytest.mark.parametrize(
        "change",
        [
            lambda table: table.slice(1),
            lambda table: table.drop_columns(["count"]),
            lambda table: table.set_column(2, "count", pa.array([1] * table.num_rows)),
            lambda table: table.set_column(2, "count", pa.array([-1] * table.num_rows)),
            lambda table: table.set_column(0, "question", pa.array([77] * table.num_rows)),
            lambda table: table.set_column(0, "question", pa.array(["x"] * table.num_rows)),
            lambda table: table.set_column(1, "code", pa.array([None] * table.num_rows, pa.int64())),
        ],
    )
    def test_altered_counts_are_refused(self, saved: Path, change):
        self.rewrite(saved, change_table=change)
        with pytest.raises(sv.TallyError, match=r"damaged|altered"):
            sv.Tally.load(saved)


def test_a_plain_group_by_is_screened_like_reports() -> None:
    plan = small_plan()
    table = {"question": [0, 0, 99, None], "code": [0, 10**6, 0, 1], "count": [7, 2, 3, 4]}
    tally = sv.Tally.from_counts(plan, table)
    assert (tally.total, tally.counts(0)[0]) == (7, 7)
    assert tally.refused == {"impossible code": 2, "impossible question": 3, "null": 4}


class TestEngines:
    @pytest.mark.parametrize("engine", ["duckdb", "numpy"])
    def test_parquet_files_are_counted_as_by_the_engine_itself(self, engine: str, tmp_path):
        plan = small_plan()
        expected, refused = write_bad_files(plan, tmp_path)
        expected.refused = refused
        tally = sv.Tally.from_parquet(plan, tmp_path, engine=engine)
        assert tally == sv.tally_parquet(plan, tmp_path, engine=engine) == expected
        assumed = sv.Tally.from_parquet(plan, tmp_path, assume_plan=True, engine=engine)
        assert assumed == sv.tally_parquet(plan, tmp_path, assume_plan=True, engine=engine) != tally

    def test_an_unknown_engine_and_an_absent_file_are_refused(self, tmp_path):
        pq.write_table(good_reports(small_plan(), 5, seed=1), tmp_path / "a.parquet")
        with pytest.raises(sv.TallyError, match="engine is duckdb or numpy, got 'fortran'"):
            sv.Tally.from_parquet(small_plan(), tmp_path, engine="fortran")
        with pytest.raises(sv.TallyError, match=r"no file of reports at .*absent"):
            sv.Tally.from_parquet(small_plan(), tmp_path / "absent.parquet")


def test_a_wave_is_a_tally_of_the_plan_without_waves(tmp_path: Path):
    plan = sv.Plan.create(mixed_schema(), users=3_000, waves=3, lifetime=1, mechanism="hdg")
    people = mixed_crowd(900, seed=1)
    whole = sv.Tally(plan)
    for wave in (1, 3):
        assert whole.add(sv.randomize(plan, people, wave=wave)) == 900
    assert whole.wave_totals == [900, 0, 900]
    for wave in (1, 2, 3):
        part = whole.at(wave)
        assert part.plan == plan.one_wave
        assert part.total == whole.wave_totals[wave - 1]
    questions, codes, counts = whole.columns()
    later = questions >= 2 * plan.questions.per_wave
    assert np.array_equal(whole.at(3).columns()[0], questions[later] - 2 * plan.questions.per_wave)
    assert np.array_equal(whole.at(3).columns()[1:], (codes[later], counts[later]))
    whole.save(tmp_path / "tally.parquet")
    assert sv.Tally.load(tmp_path / "tally.parquet").at(3) == whole.at(3)
    assert whole.question_weights.sum() == pytest.approx(1800, rel=0.01)
    for wrong in (0, 4, "1", None):
        with pytest.raises(sv.PlanError, match="wave is an integer from 1 to 3"):
            whole.at(wrong)
        with pytest.raises(sv.PlanError, match="wave is an integer from 1 to 3"):
            sv.randomize(plan, people, wave=wrong)
    with pytest.raises(sv.TallyError, match="no waves"):
        whole.at(1).at(1)
    with pytest.raises(sv.PlanError, match="no waves, got wave 2"):
        sv.randomize(plan.one_wave, people, wave=2)


def test_waves_are_counted_alike_in_memory_and_in_files_and_refresh_together(tmp_path: Path):
    plan = sv.Plan.create(mixed_schema(), users=9_000, waves=3, lifetime=1)
    whole, people = sv.Tally(plan), mixed_crowd(3_000, seed=1)
    for wave in (1, 2, 3):
        reports = sv.randomize(plan, people, wave=wave)
        whole.add(reports)
        pq.write_table(reports, tmp_path / f"{wave}.parquet")
    assert sv.Tally.from_parquet(plan, tmp_path) == whole
    assert whole.together().total == whole.total == 9_000
    assert whole.together().plan == plan.one_wave
    next_plan = plan.refresh(whole)
    assert next_plan.collection == plan.collection
    assert next_plan.waves == plan.waves
    assert next_plan.families == plan.one_wave.refresh(whole.together()).families
    both = sv.Tally(next_plan)
    both.add(sv.randomize(next_plan, people, wave=2))
    both.merge(whole)
    assert both.at(2).total == 6_000
    assert sv.fit_waves(next_plan, both)[2].origin.reports == 6_000
