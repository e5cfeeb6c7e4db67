"""Dates as they come, one by one and in columns."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.schema.dates import date_number, date_numbers, is_day

RANGES = ("1900-01-01", "1999-12-31", "2000-01-01", "2024-02-29", "2050-06-15")
PARTS = st.sampled_from(["weekday", "month", "hour", "year", RANGES])


@given(PARTS, st.lists(st.datetimes(datetime.datetime(1800, 1, 1), datetime.datetime(2200, 1, 1)), min_size=1))
def test_columns_agree_with_single_dates(part: object, moments: list[datetime.datetime]) -> None:
    one_by_one = [date_number(part, moment) for moment in moments]
    assert date_numbers(part, np.array(moments, dtype="datetime64[us]")).tolist() == one_by_one
    assert [date_number(part, moment.isoformat(sep=" ")) for moment in moments] == one_by_one


@given(st.dates())
def test_parts_are_those_of_the_calendar(day: datetime.date) -> None:
    assert date_number("weekday", day) == day.isoweekday()
    assert (date_number("month", day), date_number("year", day)) == (day.month, day.year)
    assert date_number("hour", day) is None
    assert is_day(day.isoformat())


def test_ranges_count_from_one_and_the_last_holds_its_last_day() -> None:
    days = ["1899-12-31", "1900-01-01", "1999-12-30", "1999-12-31", "2000-01-01", "2050-06-15", "2050-06-16"]
    assert [date_number(RANGES, day) for day in days] == [0, 1, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "text", ["2023-02-29", "16.11.2026", "2026-1-1", "2026-11-16T25:00", "20261116", "", "today", 5]
)
def test_what_is_no_date_is_none(text: object) -> None:
    assert date_number("weekday", text) is None


def test_a_column_of_dates_may_have_gaps_where_no_answer_is_allowed() -> None:
    column = np.array(["2026-11-16", "NaT"], dtype="datetime64[D]")
    weekday = sv.Schema([sv.Date("joined", by="weekday", nullable=True)]).attributes[0]
    assert weekday.levels(column).tolist() == [0, 7]
    with pytest.raises(sv.RecordError, match="1 of 2 answers are missing or NaN, the first in row 2"):
        sv.Schema([sv.Date("joined", by="weekday")]).attributes[0].levels(column)
