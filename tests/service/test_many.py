"""One collector or many: models, plans and what an operator does are the database's, and every collector sees them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sottovoce.cli.group import main
from sottovoce.service.store import open_store
from tests.collectors import as_array, draw, make_plan, running


def eventually(true: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.15)
    return False


def command(*arguments: object) -> dict[str, Any]:
    result = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_a_model_answers_the_same_from_every_collector_and_after_a_restart(database: str) -> None:
    plan, queries = make_plan(), {"queries": [{"age": [4, 9]}, {"hours": [0, 3], "age": [7, 7]}]}
    with (
        running([plan], database, minimum_reports=50) as first,
        running([plan], database, minimum_reports=50) as second,
    ):
        token = first.token()
        first.post(plan, as_array(draw(plan, 500)))
        assert second.http.post(second.path(plan, "/answers"), headers=token, json=queries).status_code == 409
        first.http.post(first.path(plan, "/fit"), headers=token, json={"quality": "fast"})
        answers = [
            one.http.post(one.path(plan, "/answers"), headers=token, json=queries).json() for one in (first, second) * 2
        ]
        assert all(answer == answers[0] for answer in answers)
        heads = [one.http.get(one.path(plan, "/status"), headers=token).json()["fit"] for one in (first, second)]
        assert heads[0] == heads[1] is not None
        explored = [one.http.get(one.path(plan, "/exploration"), headers=token).json() for one in (first, second)]
        assert explored[0] == explored[1]
    with running([plan], database, minimum_reports=50) as third:
        again = third.http.post(third.path(plan, "/answers"), headers=token, json=queries)
        assert again.json() == answers[0]


def test_fits_are_made_on_a_schedule_by_one_of_the_collectors(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from sottovoce.service.analysis import Analyst

    fits, real = list[int](), Analyst.fit
    monkeypatch.setattr(
        Analyst, "fit", lambda self, *args, **named: fits.append(1) or real(self, *args, **{**named, "quality": "fast"})
    )
    plan, settings = make_plan(), {"minimum_reports": 50, "fit_every": 600, "look_every": 0.1}
    with running([plan], database, **settings) as first, running([plan], database, **settings) as second:
        token = first.token()
        assert eventually(lambda: bool(fits))  # with too few reports, of which it is told: the next look comes soon
        time.sleep(0.5)
        before = len(fits)
        first.post(plan, as_array(draw(plan, 200)))

        def fitted() -> bool:
            status = second.http.get(second.path(plan, "/status"), headers=token).json()
            return status["fit"] is not None and status["fit"]["reports"] == 200

        assert eventually(fitted)
    assert len(fits) <= before + 1


def test_a_lease_is_one_holders_until_it_ends(database: str) -> None:
    store = open_store(database)
    assert store.lease("fit", "one", 600)
    assert not store.lease("fit", "two", 600)
    assert store.lease("fit", "one", 0)
    time.sleep(1.1)
    assert store.lease("fit", "two", 600)
    store.close()


def test_an_operator_closes_reopens_and_extends_while_the_collector_runs(database: str, tmp_path: Path) -> None:
    plan, path = make_plan(expires="2999-01-01"), tmp_path / "plan.json"
    plan.save(path)
    with running([plan], database, look_every=0.1) as collector:
        body = draw(plan, 1)[0].to_json()
        command("collection", "close", path, "--db", database)
        assert eventually(lambda: collector.post(plan, body).status_code == 410)
        command("collection", "reopen", path, "--db", database)
        assert eventually(lambda: collector.post(plan, body).status_code == 200)
        longer = tmp_path / "longer.json"
        command("collection", "extend", path, "--db", database, "--expires", "2999-06-01", "--out", longer)
        from sottovoce.plan.plan import Plan

        extended = Plan.load(longer)
        assert extended.collection == plan.collection
        assert eventually(lambda: collector.http.get(collector.path(extended)).status_code == 200)
        assert collector.post(extended, draw(extended, 1)[0].to_json()).json()["counted"] == 1
        (row,) = command("collection", "list", "--db", database)["collections"]
        assert (row["plans"], row["reports"], row["closed"]) == (2, 2, None)


def test_ids_are_forgotten_after_closing_with_their_key_and_counts_stay(database: str, tmp_path: Path) -> None:
    plan, path = make_plan(), tmp_path / "plan.json"
    plan.save(path)
    with running([plan], database) as collector:
        collector.post(plan, as_array(reports := draw(plan, 100)))
    store = open_store(database)
    digest = store.keys.of(plan.collection).digest
    store.close()
    early = CliRunner().invoke(main, ["collection", "purge", str(path), "--db", database])
    assert "close the collection first" in early.stderr
    command("collection", "close", path, "--db", database)
    assert command("collection", "purge", path, "--db", database)["ids"] == 100
    from tests.service.test_unlinkable import all_bytes

    store = open_store(database)
    assert store.keys.find(plan.collection) is None
    assert [count for _, _, count in store.by_day(1)] == [100]
    store.close()
    if "://" not in database:
        raw = b"".join(all_bytes(database))
        assert not any(digest(bytes.fromhex(report.id)) in raw for report in reports)
    with running([plan], database) as collector:
        assert collector.post(plan, reports[0].to_json()).status_code == 410
        assert collector.total(plan) == 100
    again = CliRunner().invoke(main, ["collection", "reopen", str(path), "--db", database])
    assert "were forgotten" in again.stderr


def test_a_collection_that_is_deleted_leaves_nothing(database: str, tmp_path: Path) -> None:
    plan, other, path = make_plan(), make_plan(purpose="another"), tmp_path / "plan.json"
    plan.save(path)
    with running([plan, other], database) as collector:
        for one in (plan, other):
            collector.post(one, as_array(draw(one, 20)))
    refused = CliRunner().invoke(main, ["collection", "delete", str(path), "--db", database])
    assert "say --yes" in refused.stderr
    command("collection", "delete", path, "--db", database, "--yes")
    store = open_store(database)
    assert [one.collection for one in store.collections()] == [other.collection]
    assert store._read("SELECT count(*) FROM counts c JOIN plans p ON p.number = c.plan")[0][0] > 0  # type: ignore[attr-defined]
    assert store.keys.find(plan.collection) is None
    assert store.keys.find(other.collection) is not None
    store.close()
    with running([plan], database) as collector:  # it may begin anew
        assert collector.post(plan, as_array(draw(plan, 5))).json()["counted"] == 5


def test_a_plan_that_was_left_out_at_a_restart_goes_on_being_taken(database: str) -> None:
    old, new = make_plan(expires="2998-01-01"), make_plan()
    with running([old], database):
        late = draw(old, 1)[0].to_json()
    with running([new], database) as collector:
        assert collector.post(old, late).json()["counted"] == 1
