"""Every value that is not allowed, by row and column."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

import sottovoce as sv
from sottovoce.cli.faults import Fault, as_values, fault_words, find_faults
from tests.cli.calls import fail, run, succeed

SCHEMA = sv.Schema(
    [
        sv.Ordinal("age", 0, 99, nullable=True),
        sv.Boolean("car"),
        sv.Ordered("mood", ["bad", "good"]),
        sv.Date("joined", by="weekday"),
        sv.Choices("ways", ["bus", "bike"]),
    ]
)
HEADER = "age;car;mood;joined;ways\n"


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sv.Plan:
    monkeypatch.chdir(tmp_path)
    plan = sv.Plan.create(SCHEMA, epsilon=1, users=1000, mechanism="hdg")
    plan.save("plan.json")
    return plan


@pytest.mark.usefixtures("plan")
def test_a_file_of_text_is_read_as_it_comes() -> None:
    Path("people.csv").write_text(
        HEADER + "34;TRUE;good;2026-11-16;bus|bike\n;n;2;2026-11-17T10:00;\n3,0;ja;bad;7;bike\n", encoding="utf-8"
    )
    assert succeed("randomize", "plan.json", "people.csv", "--check") == {"rows": 3, "faults": []}
    assert "all 3 rows fit" in run("randomize", "plan.json", "people.csv", "--check").output


@pytest.mark.usefixtures("plan")
def test_all_faults_are_told_at_once_by_row_and_column() -> None:
    Path("people.csv").write_text(
        HEADER.replace(";", ",") + "3,no,good,1,\n" * 10 + "340,maybe,gud,2026-11-31,tram\n,,2,Monday,bus\n",
        encoding="utf-8",
    )
    told = run("randomize", "plan.json", "people.csv", "--check", "--json")
    assert told.exit_code == 1
    assert "6 values in 2 of 12 rows are not allowed" in told.stderr
    for word in ("340", "maybe", "gud", "2026-11-31", "tram"):
        assert word in told.stdout
    message = fail("randomize", "plan.json", "people.csv", "--out", "reports.parquet")
    assert "row 11, column age: got 340.0; allowed are the integers 0 to 99" in message
    assert "And 3 more (rows count from 1, the header not counted); --check lists all" in message
    assert not Path("reports.parquet").exists()


@pytest.mark.usefixtures("plan")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Age;car;mood;joined;ways\n", "there is no column 'age'; the columns are 'Age', 'car'.* 'age' may be 'Age'"),
        (HEADER + "1;no;bad;1;bus\n1;no;bad;1;bus;2\n", r"row 2 \(from 1, without the header\): 6 fields .* names 5"),
    ],
)
def test_a_table_of_another_shape_is_refused_with_what_it_has(text: str, message: str) -> None:
    Path("people.csv").write_text(text.replace(";", ","), encoding="utf-8")
    assert re.search(message, fail("randomize", "plan.json", "people.csv", "--out", "reports"))


def test_rows_go_on_from_part_to_part() -> None:
    table = pa.table({"age": [5.0, 100.0]})
    schema = sv.Schema([sv.Ordinal("age", 0, 99)])
    assert [(fault.row, fault.value) for fault in find_faults(schema, table, 1001)] == [(1002, 100.0)]


def test_a_column_with_a_text_that_is_no_value_stays_text() -> None:
    column = pa.chunked_array([["1", "x", ""]])
    assert as_values(sv.Ordinal("age", 0, 9), column, decimal_comma=False).to_pylist() == ["1", "x", ""]
    pay = pa.chunked_array([["1,5", ""]])
    assert as_values(sv.Numeric("pay", 0, 9), pay, decimal_comma=True).to_pylist() == [1.5, None]


def test_few_faults_are_told_in_full() -> None:
    assert fault_words([Fault(3, "age", "x", "no")]) == (
        "row 3, column age: got 'x'; no (rows count from 1, the header not counted)"
    )
