"""A plan that is served: what it takes, what it lacks, and until when."""

from __future__ import annotations

import datetime
import hashlib
import json
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest

from sottovoce.client.report import Report
from sottovoce.plan.plan import Plan
from sottovoce.service.served import Served, by_collection, register_plans, today
from sottovoce.service.store import PlanKey, open_store
from sottovoce.tally.quality import check_tally
from sottovoce.tally.tally import Tally
from sottovoce.testing.mechanism_cases import reshared
from tests.collectors import as_array, draw, make_plan, running


def test_a_plan_that_does_not_say_what_it_is_for_is_served_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    silent = make_plan(purpose="", contact="", expires=None)
    with running([silent], str(tmp_path / "c.db")) as collector:
        assert "purpose" in collector.http.get(collector.path(silent)).headers["x-sottovoce-warning"]
        status = collector.http.get(collector.path(silent, "/status"), headers=collector.token()).json()
    assert len(status["warnings"]) == 3
    assert "does not state its contact" in caplog.text


def narrowed(plan: Plan) -> Plan:
    """Return the plan with nobody asked its first family's questions: those people are asked the second's."""
    families = list(plan.families)
    first, second = families[0], families[1]
    assert isinstance(first.shares, int)
    assert isinstance(second.shares, int)
    families[0] = type(first)(first.attributes, first.tables, first.channel, 0)
    families[1] = type(second)(second.attributes, second.tables, second.channel, first.shares + second.shares)
    document = json.loads(plan.to_json())
    document["families"] = [msgspec.to_builtins(family) for family in families]
    changed = Plan.from_json(json.dumps(document))
    assert changed.collection == plan.collection
    return changed


def test_a_question_that_nobody_is_asked_is_refused(tmp_path: Path) -> None:
    plan = narrowed(make_plan())
    with running([plan], str(tmp_path / "c.db")) as collector:
        report = json.loads(draw(plan, 1)[0].to_json()) | {"question": 0, "code": 0}
        assert collector.post(plan, json.dumps(report)).json()["refused"][0]["reason"] == "impossible question"


def test_an_expired_plan_takes_no_reports(tmp_path: Path) -> None:
    old, new = make_plan(expires="2020-01-01"), make_plan()
    assert old.collection == new.collection
    with running([old, new], str(tmp_path / "c.db")) as collector:
        assert collector.post(old, draw(old, 1)[0].to_json()).status_code == 410
        mixed = collector.post(new, as_array([*draw(old, 1), *draw(new, 1)])).json()
        assert mixed == {"counted": 1, "duplicate": 0, "refused": [{"index": 0, "reason": "expired plan"}]}


def test_a_plan_is_served_through_its_last_day_and_not_after(plan: Plan) -> None:
    served = Served(make_plan(expires="2026-03-01"), PlanKey(1, 1))
    assert not served.expired(datetime.date(2026, 3, 1))
    assert served.expired(datetime.date(2026, 3, 2))
    assert not Served(make_plan(expires=None), PlanKey(1, 1)).expired(datetime.date.max)


def test_the_warnings_name_what_the_plan_does_not_state(plan: Plan) -> None:
    assert Served(plan, PlanKey(1, 1)).warnings == []
    (warning,) = Served(make_plan(contact=""), PlanKey(1, 1)).warnings
    assert "does not state its contact" in warning


def test_a_question_that_nobody_is_asked_has_no_codes(plan: Plan) -> None:
    whole, part = Served(plan, PlanKey(1, 1)).codes, Served(narrowed(plan), PlanKey(1, 1)).codes
    unasked = plan.families[0].count
    assert whole.min() > 0
    assert not part[:unasked].any()
    np.testing.assert_array_equal(part[unasked:], plan.questions.codes[unasked:])


def test_plans_are_registered_by_fingerprint_and_keep_their_numbers(plan: Plan, tmp_path: Path) -> None:
    other, address = make_plan(purpose="another"), str(tmp_path / "c.db")
    store = open_store(address)
    first = register_plans(store, [plan, other])
    assert list(first) == [plan.fingerprint, other.fingerprint]
    assert hashlib.sha256(first[plan.fingerprint].document).hexdigest() == plan.fingerprint
    store.close()
    store = open_store(address)
    again = register_plans(store, [other, plan])
    assert {name: one.key for name, one in again.items()} == {name: one.key for name, one in first.items()}
    store.close()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the time zone cannot be changed here")
def test_the_day_is_that_of_universal_time_wherever_the_collector_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    for zone in ("EAST-14", "WEST+12"):  # whatever the hour, the day of one of them is not universal time's
        with monkeypatch.context() as moved:
            moved.setenv("TZ", zone)
            time.tzset()
            before = datetime.datetime.now(datetime.UTC).date()
            assert before <= today() <= datetime.datetime.now(datetime.UTC).date()
        time.tzset()


def named(report: Report, name: str) -> Report:
    return msgspec.structs.replace(report, plan=name)


def test_reports_that_name_their_collection_alone_are_counted_under_its_newest_plan(tmp_path: Path) -> None:
    old = make_plan()
    new = msgspec.structs.replace(narrowed(old), version=2)
    with running([old, new], str(tmp_path / "c.db")) as collector:
        address = f"/v1/plans/{old.collection}/reports"
        json_type, bytes_type = {"content-type": "application/json"}, {"content-type": "application/octet-stream"}
        one, *more = (named(report, old.collection) for report in draw(old, 20))  # some ask what the newest does not
        assert collector.http.post(address, content=one.to_json(), headers=json_type).json()["counted"] == 1
        assert collector.http.post(address, content=as_array(more[:9]), headers=json_type).json()["counted"] == 9
        binary = b"".join(report.to_bytes() for report in more[9:])
        assert collector.http.post(address, content=binary, headers=bytes_type).json()["counted"] == 10
        assert collector.post(old, one.to_json()).json() == {"counted": 0, "duplicate": 1, "refused": []}
        status = collector.http.get(collector.path(old, "/status"), headers=collector.token()).json()
        assert {line["plan"] for line in status["days"]} == {new.fingerprint}
        assert collector.http.get(f"/v1/plans/{old.collection}").status_code == 404


def test_reports_that_name_a_collection_of_two_plans_raise_no_flag(tmp_path: Path) -> None:
    """Draws of the operating system: a flag would be raised by chance once in a million runs."""
    old = make_plan(mechanism="hdg", sigma=0.1)
    new = reshared(old)
    with running([old, new], str(tmp_path / "c.db")) as collector:
        reports = [named(report, old.collection) for report in (*draw(old, 300), *draw(new, 100))]
        collector.post(old, as_array(reports))
        status = collector.http.get(collector.path(old, "/status"), headers=collector.token()).json()
        assert status["reports"] == 400
        assert [check["about"] for check in status["checks"]] == [f"shares of plan {new.fingerprint}", "codes"]
        assert not any(check["flagged"] for check in status["checks"])
    alone = Tally(new)
    alone.add(reports)
    assert check_tally(alone)[0].flagged  # it would be if the old plan were not known


def test_a_collection_takes_reports_as_long_as_any_of_its_plans(tmp_path: Path) -> None:
    plans = [make_plan(expires=day) for day in ("2020-01-01", "2998-01-01")]
    store = open_store(str(tmp_path / "c.db"))
    found = register_plans(store, plans)
    store.close()
    whole = by_collection(found.values())
    assert whole.name == plans[0].collection
    assert whole.last_day == "2998-01-01"
    assert by_collection([found[plans[0].fingerprint]]).expired(today())


def test_a_collection_of_two_rounds_takes_the_questions_of_both_and_counts_them_under_the_second() -> None:
    first = make_plan(mechanism="ahdg")
    tally = Tally(first)
    tally.add(draw(first, 20))
    second = first.next_round(tally)
    later = msgspec.structs.replace(first, version=9)
    whole = by_collection([Served(later, PlanKey(3, 1)), Served(second, PlanKey(2, 1)), Served(first, PlanKey(1, 1))])
    assert whole.key.plan == 2
    np.testing.assert_array_equal(whole.codes, second.questions.codes)
