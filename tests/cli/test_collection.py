"""The commands for collections: they say what there is, and refuse what cannot be, in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sottovoce.cli.group import main
from sottovoce.plan.plan import Plan
from sottovoce.service.store import open_store
from tests.collectors import make_plan


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A database that knows one plan, whose file stands beside it."""
    plan = make_plan()
    plan.save(tmp_path / "plan.json")
    store = open_store(str(tmp_path / "c.db"))
    store.register(plan)
    store.close()
    return tmp_path


def run(folder: Path, *arguments: object) -> Result:
    return CliRunner().invoke(main, ["collection", *map(str, arguments), "--db", str(folder / "c.db")])


def test_collections_are_listed_as_a_table_and_as_json(folder: Path) -> None:
    collection = make_plan().collection
    assert collection[:12] in run(folder, "list").output
    assert json.loads(run(folder, "list", "--json").stdout)["collections"] == [
        {"collection": collection, "plans": 1, "reports": 0, "closed": None, "purged": None}
    ]


def test_a_plan_of_the_collection_is_added_and_another_is_not(folder: Path) -> None:
    make_plan(expires="2998-01-01").save(folder / "later.json")
    assert "is taken from now on" in run(folder, "add", folder / "later.json").output
    make_plan(purpose="another").save(folder / "other.json")
    refused = run(folder, "add", folder / "other.json")
    assert refused.exit_code == 1
    assert "has no collection" in refused.stderr
    assert "sottovoce serve begins one" in refused.stderr
    assert json.loads(run(folder, "list", "--json").stdout)["collections"][0]["plans"] == 2


def test_an_extended_plan_is_a_file_of_the_same_collection(folder: Path) -> None:
    done = run(folder, "extend", folder / "plan.json", "--expires", "2999-06-01", "--out", folder / "longer.json")
    assert done.exit_code == 0, done.output
    longer = Plan.load(folder / "longer.json")
    assert (longer.collection, longer.expires, longer.version) == (make_plan().collection, "2999-06-01", 2)


def test_what_there_is_not_is_not_closed_deleted_or_purged(folder: Path) -> None:
    make_plan(purpose="another").save(folder / "other.json")
    longer = ["extend", "--expires", "2999-06-01", "--out", folder / "longer.json"]
    for verb in (longer, ["close"], ["reopen"], ["purge"], ["delete", "--yes"]):
        refused = run(folder, verb[0], folder / "other.json", *verb[1:])
        assert refused.exit_code == 1
        assert "has no collection" in refused.stderr
    assert not (folder / "longer.json").exists()
    assert "say --yes" in run(folder, "delete", folder / "plan.json").stderr
