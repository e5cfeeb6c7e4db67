"""One cluster for the whole file: it takes longer to start than all tests take to run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.engines.spark import tally_spark_files
from tests.engines.report_cases import (
    crowd_for,
    good_reports,
    huge_plan,
    small_plan,
    write_bad_files,
    write_duplicates,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEFT_OPEN = "ignore:Exception ignored in. <socket.socket:pytest.PytestUnraisableExceptionWarning"
"""PySpark 4.0 leaves the sockets by which results come to be collected as garbage."""

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.filterwarnings(LEFT_OPEN)]


@pytest.mark.parametrize("make_plan", [small_plan, huge_plan])
def test_spark_numpy_and_duckdb_give_the_same_tally_and_refuse_alike(
    spark: SparkSession, make_plan, tmp_path: Path
) -> None:
    plan = make_plan()
    expected, refused = write_bad_files(plan, tmp_path)
    for strange in tmp_path.glob("*[[]*"):
        strange.rename(tmp_path / "strange.parquet")  # Spark takes brackets in a path for a pattern
    (tmp_path / "ids").mkdir()
    more, refused_more = write_duplicates(plan, tmp_path / "ids")
    expected.merge(more)
    expected.refused = refused + refused_more
    tally = tally_spark_files(plan, spark, tmp_path)
    assert tally.refused == expected.refused
    assert tally == expected
    assert tally == sv.tally_parquet(plan, tmp_path)
    assert tally == sv.tally_parquet(plan, tmp_path, engine="numpy")


def test_a_dataframe_says_its_plan_row_by_row(spark: SparkSession) -> None:
    plan = small_plan()
    rows = [
        (plan.fingerprint, 0, 1),
        (plan.fingerprint, 0, 1),
        ("f" * 64, 0, 1),
        (None, 0, 1),
        (plan.fingerprint, 99, 1),
    ]
    frame = spark.createDataFrame(rows, "plan string, question int, code long")
    tally = sv.tally_spark(plan, frame)
    assert tally.counts(0)[1] == tally.total == 2
    assert tally.refused == {"wrong plan": 1, "no plan": 1, "impossible question": 1}
    assert sv.tally_spark(plan, frame, assume_plan=True).total == 3
    bare = frame.drop("plan")
    assert sv.tally_spark(plan, bare).refused == {"no plan": 5}
    assert sv.tally_spark(plan, bare, assume_plan=True).total == 4


def test_a_dataframe_of_wrong_types_is_refused_and_counted(spark: SparkSession) -> None:
    plan = small_plan()
    text = spark.createDataFrame([("0", 1), ("x", 2)], "question string, code int")
    assert sv.tally_spark(plan, text, assume_plan=True).refused == {"wrong type": 2}
    lacking = spark.createDataFrame([(1,)], "question int")
    assert sv.tally_spark(plan, lacking, assume_plan=True).refused == {"wrong type": 1}
    numbers = spark.createDataFrame([(0, 0, 1.5)], "question int, code int, id double")
    assert sv.tally_spark(plan, numbers, assume_plan=True).refused == {"wrong type": 1}


def test_records_are_randomised_once_on_more_than_one_worker(spark: SparkSession, tmp_path: Path) -> None:
    plan = small_plan()
    pq.write_table(pa.table(crowd_for(plan, 4000, seed=6)), tmp_path / "people.parquet")
    people = spark.read.parquet(str(tmp_path / "people.parquet")).repartition(4)

    def processes(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.RecordBatch.from_pydict({"process": pa.array([os.getppid()], pa.int64())})

    # the parent of a Python worker is the daemon of one executor
    assert people.mapInArrow(processes, "process long").distinct().count() == 2
    reports = sv.randomize_spark(plan, people, ids=True)
    assert reports.columns == ["plan", "question", "code", "id"]
    first, second = (sv.tally_spark(plan, reports) for _ in range(2))
    assert first == second, "a second use must not draw again"
    assert (first.total, first.refused) == (4000, {})
    assert reports.select("id").distinct().count() == 4000
    doubled = sv.tally_spark(plan, reports.union(reports.limit(100)))
    assert doubled.refused == {"duplicate": 100}
    doubled.refused.clear()
    assert doubled == first


def test_a_record_outside_its_domain_is_an_error_that_names_it(spark: SparkSession) -> None:
    plan = small_plan()
    people = spark.createDataFrame([(500, 10.0, "north")], "age int, income double, region string")
    with pytest.raises(sv.RecordError, match="age"):
        sv.randomize_spark(plan, people)


def test_the_statement_in_sparks_dialect_counts_alike(spark: SparkSession) -> None:
    plan = small_plan()
    reports = good_reports(plan, 300, seed=4).to_pylist()
    rows = [(plan.fingerprint, str(i % 250), row["question"], row["code"]) for i, row in enumerate(reports)]
    frame = spark.createDataFrame(rows, "plan string, id string, question int, code int")
    frame.createOrReplaceTempView("survey")
    counted = sv.Tally.from_counts(plan, spark.sql(plan.sql("spark", table="survey")).collect())
    assert counted == sv.tally_spark(plan, frame)
    assert counted.refused == {"duplicate": 50}


def test_a_tally_is_made_from_a_dataframe_as_by_the_engine_itself(spark: SparkSession) -> None:
    plan = small_plan()
    rows = [
        (plan.fingerprint, 0, 1),
        (plan.fingerprint, 1, 0),
        (None, 0, 1),
        ("f" * 64, 0, 1),
        (plan.fingerprint, 99, 1),
    ]
    frame = spark.createDataFrame(rows, "plan string, question int, code long")
    tally, assumed = (sv.Tally.from_spark(plan, frame, assume_plan=assume) for assume in (False, True))
    assert (tally.total, tally.refused) == (2, {"no plan": 1, "wrong plan": 1, "impossible question": 1})
    assert tally == sv.tally_spark(plan, frame)
    assert assumed.total == 3
    assert assumed == sv.tally_spark(plan, frame, assume_plan=True)
