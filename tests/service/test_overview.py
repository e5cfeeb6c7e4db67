"""What an operator sees: days that are over, one rounded number of today, and what to expect."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from sottovoce.plan.plan import Plan
from sottovoce.service.analysis import Analyst, TooFewReportsError
from sottovoce.service.operation import close_collection, find_collection
from sottovoce.service.overview import CollectionLine, Overview, reports_at_end, rounded
from sottovoce.service.served import today
from sottovoce.service.store import Store, open_store
from tests.collectors import make_plan, make_reports, random_ids

DAY = datetime.timedelta(days=1)


def count(store: Store, plan: Plan, back: int, number: int, **refused: int) -> None:
    key = store.register(plan)
    store.add(key.collection, today() - back * DAY, make_reports(key, random_ids(number)), refused)


def overview(store: Store, minimum: int = 100) -> Overview:
    return Overview(store, Analyst(store, minimum_reports=minimum), grace=7)


def only(found: Overview) -> CollectionLine:
    (line,) = found.show().collections
    return line


def test_days_that_are_over_are_exact_and_today_is_rounded_down(database: str) -> None:
    store, plan = open_store(database), make_plan()
    for back, number in ((3, 41), (1, 17), (0, 128)):
        count(store, plan, back, number, malformed=13)
    line = only(overview(store))
    assert [(each.day, each.reports) for each in line.days] == [
        ((today() - 3 * DAY).isoformat(), 41),
        ((today() - DAY).isoformat(), 17),
    ]
    assert (line.today, line.total, line.planned, line.state) == (120, 178, 10_000, "open")
    assert [(each.reason, each.reports) for each in line.refused] == [("malformed", 36)]
    assert (line.fit, line.forecast, line.minimum_reports) == (None, None, 100)
    assert line.last_day == "3000-01-07"
    assert line.attributes == ["age", "hours", "region"]
    store.close()


def test_one_more_report_of_today_shows_only_with_ten(tmp_path: Path) -> None:
    store, plan = open_store(str(tmp_path / "c.db")), make_plan()
    count(store, plan, 0, 30)
    seen, shown = overview(store), set()
    for _ in range(9):
        count(store, plan, 0, 1)
        line = only(seen)
        shown.add((line.today, line.total))
    assert shown == {(30, 30)}
    store.close()


@pytest.mark.parametrize(("count_", "shown"), [(0, 0), (9, 0), (99, 90), (101, 100), (12_345, 12_000)])
def test_a_number_is_rounded_down_to_two_digits(count_: int, shown: int) -> None:
    assert rounded(count_) == shown


def test_plans_of_one_collection_are_together_and_a_closed_one_says_since_when(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "c.db"))
    count(store, make_plan(), 1, 5)
    count(store, make_plan(expires="2998-01-01"), 1, 6)
    line = only(overview(store))
    assert ([each.expires for each in line.plans], line.total) == (["2999-12-31", "2998-01-01"], 11)
    close_collection(store, line.collection)
    line = only(overview(store))
    assert (line.state, line.since) == ("closed", today().isoformat())
    store.close()


def test_a_plan_whose_last_day_is_past_is_over(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "c.db"))
    count(store, make_plan(expires=(today() - 9 * DAY).isoformat()), 10, 3)
    assert only(overview(store)).state == "over"
    store.close()


def test_a_crowd_that_does_not_fit_the_plan_is_flagged(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "c.db"))
    count(store, make_plan(), 1, 3_000)  # all say the same
    assert len(only(overview(store)).flags) == 2
    store.close()


def test_the_end_is_reckoned_by_the_pace_of_the_last_days(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "c.db"))
    plan = make_plan(expires=(today() + 3 * DAY).isoformat())
    for back in range(1, 31):
        count(store, plan, back, 10 if back > 7 else 40)
    line = only(overview(store))
    assert reports_at_end(line, today()) == (510 + 40 * 10, "at the pace of the last 7 days")  # with the days of grace

    store.close()


def test_before_a_day_is_over_the_end_is_as_planned_and_after_closing_it_is_now(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "c.db"))
    count(store, make_plan(), 0, 40)
    line = only(overview(store))
    assert reports_at_end(line, today()) == (10_000, "as many as were planned")
    close_collection(store, line.collection)
    assert reports_at_end(only(overview(store)), today()) == (40, "the collection takes no more reports")
    store.close()


def test_more_reports_are_expected_to_be_off_by_less(tmp_path: Path) -> None:
    store, plan = open_store(str(tmp_path / "c.db")), make_plan(mechanism="hdg")
    count(store, plan, 0, 90)
    seen, state = overview(store), find_collection(store, plan.collection)
    with pytest.raises(TooFewReportsError, match=r"about 90 reports were counted; nothing is .* below 100"):
        seen.forecast(state)
    count(store, plan, 0, 500)
    found = seen.forecast(state)
    assert (found.now.reports, found.end.reports, found.basis) == (590, 10_000, "as many as were planned")
    assert [one.attributes for one in found.now.errors] == [1, 2, 3]
    for now, end in zip(found.now.errors, found.end.errors, strict=True):
        assert 0 < end.error < now.error < now.within < 1
    assert only(seen).forecast == found
    store.close()
