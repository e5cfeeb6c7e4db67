"""Mirroring a collector's log of plans, and noticing when it is rewritten."""

from __future__ import annotations

import datetime
from pathlib import Path

import sottovoce as sv
from sottovoce.plan.log import Log
from tests.cli.calls import fail, succeed, text_of
from tests.collectors import make_plan, running

PLANS = [make_plan(purpose=name) for name in ("one", "two")]


def test_a_mirror_is_made_and_brought_up_to_date_and_a_rewritten_log_is_noticed(tmp_path: Path) -> None:
    mirror = tmp_path / "log.json"
    with running(PLANS[:1], str(tmp_path / "c.db")) as collector:
        said = succeed("log", collector.http.base_url, "--mirror", mirror)
        assert (said["entries"], said["new"]) == (1, 1)
    with running(PLANS, str(tmp_path / "c.db")) as collector:
        said = succeed("log", f"{collector.http.base_url}/v1/log", "--mirror", mirror)
        assert (said["entries"], said["new"], said["head"]) == (2, 1, Log.load(mirror).head)
        assert said["collections"] == {plan.collection: 1 for plan in PLANS}
        assert PLANS[1].fingerprint[:16] in text_of("log", collector.http.base_url)
    kept = mirror.read_bytes()
    with running(PLANS[1:], str(tmp_path / "another.db")) as collector:
        assert "was rewritten" in fail("log", collector.http.base_url, "--mirror", mirror)
    assert mirror.read_bytes() == kept


def test_a_collection_with_a_plan_for_each_person_gets_a_remark(tmp_path: Path) -> None:
    first = datetime.date(2998, 1, 1).toordinal()
    own: list[sv.Plan] = [make_plan(expires=datetime.date.fromordinal(first + day).isoformat()) for day in range(51)]
    with running(own, str(tmp_path / "c.db")) as collector:
        assert "may give each person a plan of their own" in text_of("log", collector.http.base_url)


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    with running(PLANS, str(tmp_path / "c.db")) as collector:
        assert "not a log of plans" in fail("log", collector.url(PLANS[0]))
