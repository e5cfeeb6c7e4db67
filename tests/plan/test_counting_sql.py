from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest
import sqlglot

import sottovoce as sv
from sottovoce.plan.counting_sql import DIALECTS, alphabet_runs
from tests.engines.report_cases import good_reports, huge_plan, small_plan

Rows = list[tuple[object, ...]]


def mixed_rows(plan: sv.Plan) -> tuple[Rows, sv.Tally]:
    """Return rows of (plan, id, question, code), good, bad and twice, and the tally they must give."""
    good = good_reports(plan, 400, seed=8)
    mine, top = plan.fingerprint, int(plan.questions.codes[0])
    rows: Rows = [(mine, f"{i:032x}", row["question"], row["code"]) for i, row in enumerate(good.to_pylist())]
    rows += rows[:30]
    rows += [(None, "a", 0, 0), ("f" * 64, "b", 0, 0), (mine, None, 0, 0), (mine, "c", None, 0), (mine, "d", 0, None)]
    rows += [(mine, "e", -1, 0), (mine, "f", len(plan.questions), 0), (mine, "g", 0, top), (mine, "h", 0, -1)]
    rows += [(mine, "i", 0, top), (mine, "i", 0, 1), (mine, "i", 0, 0)]
    expected = sv.Tally(plan)
    expected.add(good)
    expected.add_counts(*(pa.array([value]).to_numpy() for value in (0, 0, 1)))
    expected.refused.update(
        {"duplicate": 31, "no plan": 1, "wrong plan": 1, "null": 3, "impossible question": 2, "impossible code": 3}
    )
    return rows, expected


def in_duckdb(rows: Rows) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA survey")
    connection.execute("CREATE TABLE survey.answers (plan VARCHAR, id VARCHAR, question BIGINT, code BIGINT)")
    connection.executemany("INSERT INTO survey.answers VALUES (?, ?, ?, ?)", rows)
    return connection


@pytest.mark.parametrize("make_plan", [small_plan, huge_plan])
def test_the_statement_counts_in_a_database_what_add_counts_here(make_plan) -> None:
    plan = make_plan()
    rows, expected = mixed_rows(plan)
    with in_duckdb(rows) as connection:
        counted = connection.execute(plan.sql("duckdb", table="survey.answers")).fetchall()
    assert sv.Tally.from_counts(plan, counted) == expected


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_reads_its_statement(dialect: str) -> None:
    for columns in (("plan", "id", "question", "code"), ("question", "code"), ("plan", "question", "code")):
        text = small_plan().sql(dialect, table="survey.answers", columns=columns, assume_plan=True)
        statement = sqlglot.parse_one(text, read=dialect)
        assert [column.alias_or_name for column in statement.selects] == ["reason", "question", "code", "count"]
        assert "NULLS" not in text, "no null is ordered, so no dialect needs to be told where nulls go"


@pytest.mark.parametrize("dialect", sorted(set(DIALECTS) - {"duckdb"}))
def test_every_dialects_statement_read_back_still_counts_alike(dialect: str) -> None:
    plan = small_plan()
    rows, expected = mixed_rows(plan)
    (text,) = sqlglot.transpile(plan.sql(dialect, table="survey.answers"), read=dialect, write="duckdb")
    with in_duckdb(rows) as connection:
        assert sv.Tally.from_counts(plan, connection.execute(text).fetchall()) == expected


def test_the_statement_runs_in_clickhouse() -> None:
    chdb = pytest.importorskip("chdb", reason="the embedded ClickHouse is not installed")
    plan = small_plan()
    rows, expected = mixed_rows(plan)
    values = ", ".join("(" + ", ".join("NULL" if v is None else repr(v) for v in row) + ")" for row in rows)
    kinds = "plan Nullable(String), id Nullable(String), question Nullable(Int64), code Nullable(Int64)"
    text = f"WITH answers AS (SELECT * FROM values('{kinds}', {values}))," + plan.sql("clickhouse", table="answers")[4:]
    counted = chdb.query(text, "ArrowTable")
    assert sv.Tally.from_counts(plan, counted) == expected


def test_a_plan_column_is_asked_for_unless_the_plan_is_assumed() -> None:
    plan = small_plan()
    with pytest.raises(sv.PlanError, match="assume_plan=True"):
        plan.sql("duckdb", columns=("question", "code"))
    with pytest.raises(sv.PlanError, match="question and code"):
        plan.sql("duckdb", columns=("question", "codes"))
    with pytest.raises(sv.PlanError, match="not for 'cobol'"):
        plan.sql("cobol")
    for table in ("reports; DROP TABLE reports", "a, b", "reports WHERE code = 1", "(SELECT 1)", "", "reports r"):
        with pytest.raises(sv.PlanError, match="name of a table"):
            plan.sql("duckdb", table=table)
    assert 'FROM survey."odd name"' in plan.sql("postgres", table='survey."odd name"')
    assert "`project-1`.survey.reports" in plan.sql("bigquery", table="`project-1`.survey.reports")
    assert plan.sql("postgresql") == plan.sql("postgres")


def test_stretches_are_few_cover_all_and_never_cut_a_code() -> None:
    codes = pa.array(range(2, 10_002)).to_numpy()
    for columns, most in ((["id"], 2048), ([], 64)):
        joined = alphabet_runs(codes, columns)
        assert len(joined) <= most
        assert joined[-1].end == len(codes)
        start = 0
        for each in joined:
            assert codes[start : each.end].max() - 1 == each.last
            start = each.end


def test_rows_that_name_their_collection_count_as_those_that_name_the_plan() -> None:
    plan = small_plan()
    names = [plan.fingerprint, plan.collection, "0" * 64]
    connection = duckdb.connect()
    connection.execute("CREATE TABLE reports (plan VARCHAR, question INTEGER, code INTEGER)")
    connection.executemany("INSERT INTO reports VALUES (?, 0, 0)", [[name] for name in names])
    statement = plan.sql("duckdb", columns=("plan", "question", "code"))
    tally = sv.Tally.from_counts(plan, connection.execute(statement).fetchall())
    assert tally.total == 2
    assert tally.refused == {"wrong plan": 1}
