"""A tally comes out of a collector as it would have been counted from the reports themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import sottovoce as sv
from sottovoce.cli.group import main
from sottovoce.errors import TallyError
from sottovoce.plan.plan import Plan
from tests.collectors import as_array, draw, make_plan, running


def counted(plan: Plan, reports: list[sv.Report]) -> sv.Tally:
    tally = sv.Tally(plan)
    tally.add(reports)
    return tally


def test_the_route_the_command_and_the_library_give_the_same_tally(database: str, tmp_path: Path) -> None:
    plan, other = make_plan(), make_plan(expires="2998-01-01")
    plan.save(tmp_path / "plan.json")
    with running([plan, other], database) as collector:
        reports = [*draw(plan, 200), *draw(other, 30)]
        collector.post(plan, as_array(reports))
        answer = collector.http.get(collector.path(plan, "/tally"), headers=collector.token())
        assert collector.http.get(collector.path(plan, "/tally")).status_code == 401
        here = sv.Tally.from_store(plan, database)  # while the collector runs
    (tmp_path / "route.parquet").write_bytes(answer.content)
    result = CliRunner().invoke(
        main, ["tally", str(tmp_path / "plan.json"), database, "--out", str(tmp_path / "command.parquet"), "--json"]
    )
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["total"] == 230
    expected = counted(plan, reports[:200])
    expected.merge(counted(other, reports[200:]))
    for tally in (here, sv.Tally.load(tmp_path / "route.parquet"), sv.Tally.load(tmp_path / "command.parquet")):
        assert tally == expected
        assert tally.totals_by_plan.keys() == expected.totals_by_plan.keys()


def test_a_database_without_the_collection_is_refused_and_none_is_made(tmp_path: Path) -> None:
    plan = make_plan()
    with pytest.raises(TallyError, match="no such database"):
        sv.Tally.from_store(plan, str(tmp_path / "none.db"))
    assert not (tmp_path / "none.db").exists()
    with running([plan], str(tmp_path / "c.db")):
        pass
    with pytest.raises(TallyError, match="has no reports of collection"):
        sv.Tally.from_store(make_plan(purpose="another"), str(tmp_path / "c.db"))
