"""The counting statement: what any SQL engine that holds reports is asked, so that they need not be moved.

The statement gives rows of (reason, question, code, count). Where ``reason`` is null, the pair was reported that often;
elsewhere question and code are -1 and that many rows were refused, so the result stays small whatever was sent.
``Tally.from_counts`` takes it. Written once, in DuckDB's SQL; sqlglot turns it into the other dialects.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sottovoce.errors import PlanError
from sottovoce.plan.refusals import DUPLICATE, NO_CODE, NO_PLAN, NO_QUESTION, NULL, WRONG_PLAN, WRONG_TYPE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIALECTS = ("bigquery", "clickhouse", "duckdb", "postgres", "snowflake", "spark")
"""The dialects of SQL in which the statement is written."""

COLUMNS = ("plan", "id", "question", "code")
"""What a table of reports may have: ``plan`` and ``id`` may be missing."""

MAX_RUNS = 2048
"""The most runs of questions with one alphabet that are spelled out where duplicates are looked for."""

FEW_RUNS = 64
"""The most that are spelled out elsewhere: the tally that takes the counts screens exactly, this only bounds them."""


@dataclass(frozen=True, slots=True)
class AlphabetRun:
    """Questions up to, not including, ``end``, whose codes are at most ``last``."""

    end: int
    last: int


def alphabet_runs(codes: NDArray[np.int64], columns: Collection[str]) -> list[AlphabetRun]:
    """Return the alphabets of all questions as few runs, for a table with these columns.

    Where there are too many to spell out, neighbours are joined under their largest alphabet; what then passes although
    its own question cannot give it is refused by the tally that takes the counts.

    Example:
        >>> import numpy as np
        >>> alphabet_runs(np.array([2, 2, 2, 4]), COLUMNS)
        [AlphabetRun(end=3, last=1), AlphabetRun(end=4, last=3)]
    """
    import numpy as np

    most = MAX_RUNS if "id" in columns else FEW_RUNS
    ends = np.append(np.flatnonzero(np.diff(codes)) + 1, len(codes))
    if len(ends) > most:
        ends = ends[np.linspace(len(ends) - 1, 0, most).astype(int)[::-1]]
    starts = np.concatenate([[0], ends[:-1]])
    largest = np.maximum.reduceat(codes, starts)
    return [AlphabetRun(end, last - 1) for end, last in zip(ends.tolist(), largest.tolist(), strict=True)]


def verdict(
    names: Collection[str], alphabets: list[AlphabetRun], columns: Collection[str], *, integers: bool = True
) -> str:
    """Return an expression: null for a row that may be counted, the reason for one that may not.

    Args:
        names: What a report that answers the plan may name: its fingerprint, or its collection.
        alphabets: How many codes each run of questions has.
        columns: Which columns there are; without ``plan`` all rows are taken to answer this plan.
        integers: False where question or code are of another type, so that nothing may be compared.
    """
    cases = []
    if "plan" in columns:
        cases.append(("plan IS NULL", NO_PLAN))
    if not integers:
        cases.append(("TRUE", WRONG_TYPE))
    nulls = [f"{name} IS NULL" for name in ("question", "code", "id") if name in columns]
    cases.append((" OR ".join(nulls), NULL))
    if "plan" in columns:
        cases.append((f"plan NOT IN ({', '.join(repr(name) for name in names)})", WRONG_PLAN))
    if integers:
        cases.append((f"question < 0 OR question > {alphabets[-1].end - 1}", NO_QUESTION))
        cases.append((f"code < 0 OR code > {_last_code(alphabets)}", NO_CODE))
    return "CASE " + " ".join(f"WHEN {condition} THEN '{reason}'" for condition, reason in cases) + " END"


def _last_code(alphabets: list[AlphabetRun]) -> str:
    """Return the largest code of a row's question, found by halving."""
    if len(alphabets) == 1:
        return str(alphabets[0].last)
    middle = len(alphabets) // 2
    low, high = alphabets[:middle], alphabets[middle:]
    return f"CASE WHEN question < {low[-1].end} THEN {_last_code(low)} ELSE {_last_code(high)} END"


_PAIRS = """
WITH pairs AS (
    SELECT {names}, COUNT(*) AS reports FROM reports GROUP BY {names}
), screened AS (
    SELECT {verdict} AS verdict, question AS asked, code AS answer, reports FROM pairs
)"""

_UNIQUE = """
WITH screened AS (
    SELECT {verdict} AS screening, id AS report, question AS asked, code AS answer FROM reports
), ranked AS (
    SELECT screening, asked, answer,
        ROW_NUMBER() OVER (PARTITION BY screening, report ORDER BY asked, answer) AS nth
    FROM screened
), kept AS (
    SELECT CASE WHEN screening IS NULL AND nth > 1 THEN '{duplicate}' ELSE screening END AS verdict,
        asked, answer, 1 AS reports
    FROM ranked
)"""

_COUNTS = """, counted AS (
    SELECT verdict, reports,
        CASE WHEN verdict IS NULL THEN CAST(asked AS BIGINT) ELSE -1 END AS counted_question,
        CASE WHEN verdict IS NULL THEN CAST(answer AS BIGINT) ELSE -1 END AS counted_code
    FROM {source}
)
SELECT verdict AS reason, counted_question AS question, counted_code AS code, CAST(SUM(reports) AS BIGINT) AS count
FROM counted GROUP BY verdict, counted_question, counted_code"""


def counting_statement(
    names: Collection[str], codes: NDArray[np.int64], dialect: str, *, table: str, columns: Collection[str]
) -> str:
    """Return the statement in one dialect, for a table with these columns.

    Args:
        names: What a report that answers the plan may name.
        codes: How many codes each question has.
        dialect: One of `DIALECTS`.
        table: The table of reports.
        columns: Which of a report's columns it has; with ``id``, of equal ids one row is counted.

    Raises:
        PlanError: If the dialect is another.
    """
    known = "postgres" if isinstance(dialect, str) and dialect == "postgresql" else dialect
    if not isinstance(known, str) or known not in DIALECTS:
        raise PlanError(f"the counting statement is written for {', '.join(DIALECTS)}, not for {dialect!r}")
    judged = verdict(names, alphabet_runs(codes, columns), columns)
    if "id" in columns:
        text = _UNIQUE.format(verdict=judged, duplicate=DUPLICATE) + _COUNTS.format(source="kept")
    else:
        listed = ", ".join(name for name in COLUMNS if name in columns)
        text = _PAIRS.format(verdict=judged, names=listed) + _COUNTS.format(source="screened")
    return _translate(text, known, table)


def _translate(text: str, dialect: str, table: str) -> str:
    import sqlglot
    from sqlglot import exp

    statement: Any = sqlglot.parse_one(text, read="duckdb")
    wanted = _table(table, dialect)
    for name in [found for found in statement.find_all(exp.Table) if found.name == "reports"]:
        name.replace(wanted.copy())
    small_first = sqlglot.Dialect.get_or_raise(dialect).NULL_ORDERING == "nulls_are_small"
    for ordered in statement.find_all(exp.Ordered):  # no null is ever in the order: each dialect may keep its own
        ordered.set("nulls_first", small_first)
    return str(statement.sql(dialect=dialect, pretty=True))


def _table(name: str, dialect: str) -> Any:
    """Return the table of that name; anything more than a name is refused."""
    import sqlglot
    from sqlglot import exp

    try:
        if not isinstance(name, str):
            raise ValueError
        statements = sqlglot.parse(f"SELECT 1 FROM {name}", read=dialect)
        table = statements[0].find(exp.Table) if len(statements) == 1 and statements[0] else None
        if table is None or table.alias or not isinstance(table.this, exp.Identifier):
            raise ValueError
        if exp.select("1").from_(table.copy()).sql(dialect) != statements[0].sql(dialect):  # type: ignore[union-attr]
            raise ValueError
    except (sqlglot.errors.SqlglotError, ValueError) as error:
        raise PlanError(f"table is the name of a table, such as reports or survey.reports, got {name!r}") from error
    return table
