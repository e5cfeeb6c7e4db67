"""The log of plans: a chain that shows when anything in it was changed, and who was given a plan of their own."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from sottovoce.plan.log import FIRST, Log
from tests.collectors import make_plan

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "logs.json").read_text(encoding="utf-8"))
DAY = datetime.date(2030, 1, 1)
PLANS = [make_plan(purpose=name) for name in ("one", "two", "three")]


def make_log(plans: list[sv.Plan] = PLANS) -> Log:
    log = Log()
    for plan in plans:
        log = log.add(plan, DAY)
    return log


@pytest.mark.parametrize("vector", VECTORS)
def test_a_log_has_the_same_head_in_both_languages_or_is_refused(vector: dict[str, Any]) -> None:
    if vector["head"] is None:
        with pytest.raises(sv.PlanError):
            Log.from_json(vector["log"])
    else:
        log = Log.from_json(vector["log"])
        assert log.head == vector["head"]
        assert log.to_json().decode() == vector["log"]


def test_a_log_is_saved_and_read(tmp_path: Path) -> None:
    make_log().save(tmp_path / "log.json")
    assert Log.load(tmp_path / "log.json") == make_log()
    with pytest.raises(sv.PlanError, match="cannot read the log"):
        Log.load(tmp_path / "none.json")


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("member", ["number", "day", "fingerprint", "collection", "previous"])
def test_no_member_of_an_entry_that_something_follows_can_be_changed(place: int, member: str) -> None:
    document = json.loads(make_log([*PLANS, make_plan(purpose="last")]).to_json())
    entry = document["entries"][place]
    entry[member] = 7 if member == "number" else "2029-12-31" if member == "day" else "f" * 64
    with pytest.raises(sv.PlanError, match="altered"):
        Log.from_json(json.dumps(document))


def test_a_changed_last_entry_changes_the_head() -> None:
    other = [*PLANS[:2], make_plan(purpose="another")]
    assert make_log(other).head != make_log().head
    assert Log().head == FIRST


def test_a_log_extends_what_it_begins_with_and_nothing_else() -> None:
    whole = make_log()
    for number in range(4):
        assert whole.extends(make_log(PLANS[:number]))
    assert not make_log(PLANS[:2]).extends(whole)
    assert not whole.extends(make_log(PLANS[1:]))


def test_a_log_tells_which_plans_it_lists_and_how_many_a_collection_has() -> None:
    own = [make_plan(expires=f"2998-01-{day:02}") for day in range(1, 21)]  # one collection, a plan for each person
    log = make_log(own)
    assert log.lists(own[7])
    assert not log.lists(make_plan())
    assert log.plans_of(make_plan().collection) == 20
    assert log.plans_of(PLANS[0].collection) == 0


def test_days_do_not_go_back() -> None:
    log = make_log().add(make_plan(), datetime.date(2020, 1, 1))
    assert log.entries[-1].day == "2030-01-01"
    assert Log.from_json(log.to_json()) == log
