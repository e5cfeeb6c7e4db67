"""``sottovoce schema``: from a table or a list of questions to a schema, a plan and reports."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from tests.cli.calls import fail, run, succeed

ROWS = [("34", "TRUE", "north"), ("51", "FALSE", "south"), ("18", "TRUE", "north")] * 30


@pytest.fixture(autouse=True)
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["id,age,car,where", *(f"{number},{','.join(row)}" for number, row in enumerate(ROWS))]
    Path("people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_table_becomes_a_schema_that_takes_the_table() -> None:
    said = succeed("schema", "people.csv", "--out", "schema.toml")
    assert [attribute["name"] for attribute in said["attributes"]] == ["age", "car", "where"]
    assert list(said["left_out"]) == ["id"]
    text = Path("schema.toml").read_text(encoding="utf-8")
    assert "a plan is public: replace them by what is known without the data" in text
    assert "# left out 'id':\n# every row has a number of its own" in text
    assert sv.Schema.load("schema.toml").names == ("age", "car", "where")
    succeed("plan", "schema.toml", "--epsilon", 1, "--users", 90, "--mechanism", "hdg", "--out", "plan.json")
    assert succeed("randomize", "plan.json", "people.csv", "--out", "reports.parquet")["rows"] == 90


def test_parquet_and_text_give_the_same_schema() -> None:
    ages, cars, places = zip(*ROWS, strict=True)
    pq.write_table(
        pa.table({"age": [int(age) for age in ages], "car": [car == "TRUE" for car in cars], "where": places}),
        "p.parquet",
    )
    assert succeed("schema", "p.parquet")["attributes"] == succeed("schema", "people.csv")["attributes"]


def test_without_out_the_schema_is_printed() -> None:
    result = run("schema", "people.csv")
    assert sv.Schema.from_toml(result.stdout).names == ("age", "car", "where")


def test_questions_become_a_schema() -> None:
    Path("questions.txt").write_text("How old are you? | 18..99 years\ncar: A car? | yes/no\n", encoding="utf-8")
    assert "Next: sottovoce plan" in run("schema", "--questions", "questions.txt", "--out", "schema.toml").stdout
    schema = sv.Schema.load("schema.toml")
    assert [attribute.shown().question for attribute in schema.attributes] == ["How old are you?", "A car?"]
    assert "read off" not in Path("schema.toml").read_text(encoding="utf-8")


def test_what_cannot_become_a_schema_is_refused() -> None:
    assert "one of the two" in fail("schema", code=2)
    assert "one of the two" in fail("schema", "people.csv", "--questions", "q.txt", code=2)
    Path("ids.csv").write_text("id\n" + "\n".join(map(str, range(99))) + "\n", encoding="utf-8")
    assert "no column can be asked for: id: every row has a number" in fail("schema", "ids.csv")
    Path("none.csv").write_text("age,car\n", encoding="utf-8")
    assert "has no rows" in fail("schema", "none.csv")
