"""Many records at once: exact in whom it asks, by the system's randomness, and careful with whole tables."""

from __future__ import annotations

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
        with pytest.raises(sv.RecordError, match=r"age: 1 of 10 values are outside .* the first in row 8"):
            sv.randomize(PLAN, crowd)


def test_a_path_is_not_taken_for_a_plan() -> None:
    with pytest.raises(sv.PlanError, match=r"a Plan is needed here, got str; Plan\.load reads one"):
        sv.randomize("plan.json", mixed_crowd(1, seed=1))
