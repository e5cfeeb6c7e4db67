"""Counts as databases give them: any kind of table, in exact integers, or refused."""

from __future__ import annotations

import decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sottovoce as sv
from sottovoce.tally.database import read_counts
from tests.engines.report_cases import small_plan


def test_counts_come_in_any_kind_of_table() -> None:
    plan = small_plan()
    columns = {"reason": [None, "null"], "question": [0, -1], "code": [1, -1], "count": [5, 2]}
    expected = sv.Tally.from_counts(plan, columns)
    assert (expected.total, expected.refused) == (5, {"null": 2})
    upper = {name.upper(): values for name, values in columns.items()}
    decimals = {**columns, "count": [decimal.Decimal(5), decimal.Decimal(2)]}
    floats = pd.DataFrame({**columns, "question": [0.0, float("nan")]})
    for table in (pa.table(columns), pd.DataFrame(columns), pl.DataFrame(columns), pa.table(upper), decimals, floats):
        assert sv.Tally.from_counts(plan, table) == expected
    assert sv.Tally.from_counts(plan, list(zip(*columns.values(), strict=True))) == expected


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"question": [0], "code": [0]}, "lacks count"),
        ({"question": [0], "code": [0], "count": [-1]}, "at least 0"),
        ({"question": [0], "code": [0], "count": [None]}, "at least 0"),
        ({"question": [0], "code": [0.5], "count": [1]}, "code is a column of integers"),
        ({"question": [0], "code": [2.0**60], "count": [1]}, "lost digits"),
        ({"question": ["0"], "code": [0], "count": [1]}, "got string"),
        ({"reason": ["mood"], "question": [0], "code": [0], "count": [1]}, "unknown reasons"),
        ([(1, 2, 3)], "in this order"),
        (7, "got int"),
    ],
)
def test_a_table_that_is_no_table_of_counts_is_refused(table: object, told: str) -> None:
    with pytest.raises(sv.TallyError, match=told):
        sv.Tally.from_counts(small_plan(), table)


def test_counts_beyond_what_a_float_holds_stay_exact_as_integers_and_decimals() -> None:
    huge = 2**53 + 1
    for counts in ([huge], [decimal.Decimal(huge)], pa.array([huge], pa.uint64())):
        read = read_counts({"question": [0], "code": [huge], "count": counts})
        assert read.column("count").to_pylist() == read.column("code").to_pylist() == [huge]
    with pytest.raises(sv.TallyError, match="count is a float column and may have lost digits"):
        read_counts({"question": [0], "code": [0], "count": [float(huge)]})


def test_without_reasons_all_rows_are_counted_and_columns_come_in_one_order() -> None:
    read = read_counts({"COUNT": [1, 2], "Code": [0.0, float("nan")], "question": [0, None], "note": ["a", "b"]})
    assert read.column_names == ["reason", "question", "code", "count"]
    assert read.to_pydict() == {"reason": [None] * 2, "question": [0, None], "code": [0, None], "count": [1, 2]}


def test_no_rows_are_no_counts() -> None:
    assert read_counts([]).num_rows == 0
