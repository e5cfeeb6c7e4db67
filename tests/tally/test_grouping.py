"""Reports laid out for counting."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.tally.grouping import group_by_plan, padded, report_columns
from tests.crowds import mixed_schema


def test_reports_are_grouped_by_plan_and_become_columns() -> None:
    plans = [sv.Plan.create(mixed_schema(2), epsilon=1, users=users) for users in (1000, 2000)]
    drawn = [sv.Client(plan).draw({"age": 20, "income": 5}) for plan in plans for _ in range(3)]
    groups = group_by_plan(drawn)
    assert {key: len(group) for key, group in groups.items()} == {plan.fingerprint: 3 for plan in plans}
    questions, codes = report_columns(drawn)
    assert questions.tolist() == [report.question for report in drawn]
    assert codes.tolist() == [report.code for report in drawn]
    for wrong in (5, ["report"]):
        with pytest.raises(sv.TallyError, match="counts an Arrow table or reports"):
            group_by_plan(wrong)


def test_numbers_of_a_round_are_continued_by_zeros() -> None:
    np.testing.assert_array_equal(padded(np.array([1, 2]), 4), [1, 2, 0, 0])
