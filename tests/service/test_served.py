"""A plan that is served: what it takes, what it lacks, and until when."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from sottovoce.plan.plan import Plan
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


def test_a_question_that_nobody_is_asked_is_refused(tmp_path: Path) -> None:
    plan = make_plan()
    families = list(plan.families)
    first, second = families[0], families[1]
    assert isinstance(first.shares, int)
    assert isinstance(second.shares, int)
    families[0] = type(first)(first.attributes, first.tables, first.channel, 0)
    families[1] = type(second)(second.attributes, second.tables, second.channel, first.shares + second.shares)
    document = json.loads(plan.to_json())
    document["families"] = [msgspec.to_builtins(family) for family in families]
    narrowed = Plan.from_json(json.dumps(document))
    assert narrowed.collection == plan.collection
    with running([narrowed], str(tmp_path / "c.db")) as collector:
        report = json.loads(draw(narrowed, 1)[0].to_json()) | {"question": 0, "code": 0}
        assert collector.post(narrowed, json.dumps(report)).json()["refused"][0]["reason"] == "impossible question"


def test_an_expired_plan_takes_no_reports(tmp_path: Path) -> None:
    old, new = make_plan(expires="2020-01-01"), make_plan()
    assert old.collection == new.collection
    with running([old, new], str(tmp_path / "c.db")) as collector:
        assert collector.post(old, draw(old, 1)[0].to_json()).status_code == 410
        mixed = collector.post(new, as_array([*draw(old, 1), *draw(new, 1)])).json()
        assert mixed == {"counted": 1, "duplicate": 0, "refused": [{"index": 0, "reason": "expired plan"}]}
