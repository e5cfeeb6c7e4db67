"""The client: light, careful with whole records, and exact in what it sends."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.client.bulk import draw_questions, draw_reports, rows_by_question
from sottovoce.schema.frames import encode
from sottovoce.simulation.simulate import seeded_words
from tests.crowds import mixed_crowd, mixed_schema

PLAN = sv.Plan.create(mixed_schema(4), epsilon=1, users=10_000)
GOOD = {"age": 20, "income": 30.5, "region": "south", "children": 2}

hexadecimal = st.integers(0, 2**256 - 1)
reports = st.builds(
    lambda plan, identity, question, code: sv.Report(f"{plan:064x}", f"{identity:032x}", question, code),
    hexadecimal,
    st.integers(0, 2**128 - 1),
    st.integers(0, 2**63 - 1),
    st.integers(0, 2**63 - 1),
)


def wire(**changes: object) -> str:
    """Return the JSON of a report with something changed."""
    return json.dumps({"plan": "0" * 64, "id": "0" * 32, "question": 0, "code": 0, **changes})


class TestLightness:
    def test_a_saved_plan_is_answered_without_numpy(self, tmp_path):
        PLAN.save(tmp_path / "plan.json")
        script = """
import sys
import sottovoce.client
from sottovoce.plan import Plan
plan = Plan.load(sys.argv[1])
report = sottovoce.client.Client(plan).report({"age": 20, "income": 30.5, "region": "south", "children": 2})
print(report.to_json())
heavy = {"numpy", "pyarrow", "pandas", "narwhals", "sottovoce.mechanisms"} & set(sys.modules)
sys.exit(f"loaded {sorted(heavy)}" if heavy else 0)
"""
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "plan.json")], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        report = sv.Report.from_json(done.stdout)
        assert sv.Tally(PLAN).add(report) == 1

    def test_the_public_names_of_a_client_load_no_numpy(self):
        script = "import sys, sottovoce as sv; sv.Client, sv.Report, sv.Schema; sys.exit('numpy' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


class TestReport:
    @pytest.mark.parametrize(
        ("name", "wrong"),
        [
            ("age", 17),
            ("age", "20"),
            ("age", None),
            ("income", float("nan")),
            ("income", 90.1),
            ("region", "west"),
            ("region", None),
            ("children", 5),
            ("children", True),
            ("shoe", 44),
        ],
    )
    def test_one_wrong_answer_is_an_error_whatever_is_asked(self, name: str, wrong: object):
        """Only one question in ten looks at one attribute alone: 200 tries meet all of them."""
        client = sv.Client(PLAN)
        for _ in range(200):
            with pytest.raises(sv.RecordError, match=name):
                client.report({**GOOD, name: wrong})

    def test_a_missing_answer_is_a_level_and_every_question_is_still_asked(self):
        """System randomness: ten questions, 1,000 reports; one stays unasked once in 10^45 runs."""
        client = sv.Client(PLAN)
        asked = {client.draw({**GOOD, "children": None}).question for _ in range(1000)}
        assert asked == set(range(len(PLAN.questions)))

    def test_a_client_takes_a_plan_and_nothing_else(self):
        with pytest.raises(sv.PlanError, match=r"a Plan is needed here, got str; Plan\.load reads one"):
            sv.Client("plan.json")

    @given(reports)
    def test_both_forms_give_the_report_back(self, report: sv.Report):
        assert sv.Report.from_json(report.to_json()) == report
        assert sv.Report.from_bytes(report.to_bytes()) == report
        assert list(json.loads(report.to_json())) == ["plan", "id", "question", "code"]
        assert 51 <= len(report.to_bytes()) <= 49 + 18

    @given(reports, st.data())
    def test_a_cut_or_longer_binary_form_is_refused(self, report: sv.Report, data: st.DataObject):
        whole = report.to_bytes()
        cut = data.draw(st.integers(0, len(whole) - 1))
        for wrong in (whole[:cut], whole + b"\x00", b"\x02" + whole[1:], whole[:49] + b"\xff" * 20):
            with pytest.raises(sv.TallyError, match=r"not a report|from 0 to 2\^63 - 1"):
                sv.Report.from_bytes(wrong)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{}",
            "[1]",
            '{"plan": "00", "id": "00", "question": 0, "code": 0}',
            wire(question=-1),
            wire(code=0.5),
            wire(code=2**63),
            wire(name="me"),
            wire(plan="G" * 64),
            b"\xff",
        ],
    )
    def test_a_text_that_is_no_report_is_refused(self, text: str | bytes):
        with pytest.raises(sv.TallyError, match=r"not a report|hexadecimal|from 0 to"):
            sv.Report.from_json(text)

    @pytest.mark.parametrize("change", [{"question": 1.5}, {"code": True}, {"code": "1"}, {"plan": 5}, {"id": None}])
    def test_a_report_holds_texts_and_integers(self, change: dict):
        fields = {"plan": "0" * 64, "id": "0" * 32, "question": 0, "code": 0}
        with pytest.raises(sv.TallyError, match=r"got "):
            sv.Report(**{**fields, **change})


class TestRandomize:
    def test_reports_come_in_the_smallest_types_with_the_plan_beside_them(self):
        reports = sv.randomize(PLAN, mixed_crowd(100, seed=1))
        assert reports.num_rows == 100
        assert reports.column_names == ["question", "code"]
        assert [str(field.type) for field in reports.schema] == [
            "uint8",
            "uint16" if PLAN.questions.codes.max() > 256 else "uint8",
        ]
        assert reports.schema.metadata == {
            b"sottovoce.plan": PLAN.fingerprint.encode(),
            b"sottovoce.collection": PLAN.collection.encode(),
        }

    def test_no_rows_give_no_reports(self):
        empty = {name: column[:0] for name, column in mixed_crowd(1, seed=1).items()}
        assert sv.randomize(PLAN, empty).num_rows == 0
        assert sv.Tally(PLAN).add(sv.randomize(PLAN, empty)) == 0

    def test_the_systems_randomness_differs_from_call_to_call(self):
        """System randomness: 100 equal reports come once in far more than 10^100 runs."""
        first, second = (sv.randomize(PLAN, mixed_crowd(100, seed=1)) for _ in range(2))
        assert not first.equals(second)

    def test_given_words_determine_every_report(self):
        levels = encode(PLAN.schema, mixed_crowd(500, seed=1))
        first, second = (draw_reports(PLAN, levels, seeded_words(np.random.default_rng(3))) for _ in range(2))
        for one, other in zip(first, second, strict=True):
            np.testing.assert_array_equal(one, other)

    def test_questions_are_drawn_exactly_by_share(self):
        """Each half of a word is one person's position among the shares, 0 to 2^32 - 1."""
        ends = np.cumsum(PLAN.questions.shares)
        positions = np.array([0, ends[0] - 1, ends[0], ends[1] - 1, 2**32 - 1], dtype=np.uint32)
        words = np.append(positions, np.uint32(0)).view(np.uint64)
        drawn = draw_questions(PLAN, 5, lambda count: words[:count])
        assert drawn.tolist() == [0, 0, 1, 1, len(PLAN.questions) - 1]

    @given(st.lists(st.integers(0, 5), max_size=30))
    def test_rows_are_grouped_by_their_question(self, questions: list[int]):
        grouped = rows_by_question(np.array(questions, dtype=np.uint8))
        assert [index for index, _ in grouped] == sorted(set(questions))
        assert {row: index for index, rows in grouped for row in rows.tolist()} == dict(enumerate(questions))

    def test_one_wrong_row_loses_nothing_and_is_named(self):
        crowd = mixed_crowd(10, seed=1)
        crowd["age"][7] = 99
        with pytest.raises(sv.RecordError, match=r"age: 1 of 10 values are outside .* the first is 99"):
            sv.randomize(PLAN, crowd)
