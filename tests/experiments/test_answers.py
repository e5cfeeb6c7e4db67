"""Single answers: every query with its truth, and errors read off them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from msgspec.structs import replace

from sottovoce.experiments.answers import COLUMNS, errors_of, run_answers
from sottovoce.experiments.cache import Cache
from sottovoce.experiments.measure import run_task
from sottovoce.experiments.methods import HDG
from sottovoce.experiments.specs import Dataset, Method, QuerySpec, Task

TASK = Task(
    data=Dataset(name="normal", users=2000, attributes=3, levels=16, covariance=0.8, cut=6.0),
    epsilon=1.0,
    method=HDG,
    queries=(QuerySpec(count=6), QuerySpec(dimension=3, count=6)),
    asked=(None, 4),
    measure="answers",
)


def test_every_query_is_a_row_with_its_text_truth_and_answer(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 0)
    rows = run_answers(TASK, cache)
    assert [(row["dimension"], row["index"]) for row in rows] == [(2, n) for n in range(1, 7)] + [
        (3, n) for n in range(1, 5)
    ]
    records = cache.records(TASK.data)
    for row in rows:
        inside = np.ones(2000, dtype=bool)
        words = row["query"].split()
        for name, low, high in zip(words[::6], words[2::6], words[4::6], strict=True):
            levels = records[int(name[1:]) - 1]
            inside &= (levels >= int(low)) & (levels <= int(high))
        assert row["truth"] == pytest.approx(inside.mean())
        assert row["error"] == pytest.approx(abs(row["answer"] - row["truth"]))
        assert (row["low"], row["high"], row["seed"]) == (None, None, TASK.collection_seed)
        assert min(row["fit_cpu"], row["answer_cpu"]) >= 0
    assert pa.Table.from_pylist(rows, schema=COLUMNS).schema == COLUMNS


def test_intervals_are_those_of_the_model_where_asked_for(tmp_path: Path) -> None:
    method = Method(label="spectral", mechanism="spectral")
    rows = run_answers(replace(TASK, method=method, level=0.9), Cache(tmp_path, 0))
    assert all(row["low"] <= row["answer"] + 1e-9 and row["answer"] <= row["high"] + 1e-9 for row in rows)


@pytest.mark.parametrize("measure", ["error", "errors"])
def test_errors_read_off_answers_are_those_measured_by_themselves(measure: str, tmp_path: Path) -> None:
    answers = pa.Table.from_pylist(run_answers(TASK, Cache(tmp_path, 0)), schema=COLUMNS)
    alone = run_task(replace(TASK, measure=measure), Cache(tmp_path, 0))
    found = errors_of(answers, measure).to_pylist()
    assert [row["value"] for row in found] == pytest.approx([row["value"] for row in alone])
    for one, other in zip(found, alone, strict=True):
        assert {**one, "value": 0, "task": 0} == {**other, "value": 0, "task": 0}


def test_what_is_too_large_has_a_row_without_an_answer(tmp_path: Path) -> None:
    large = replace(TASK, data=replace(TASK.data, levels=2**11), method=Method(label="CALM", mechanism="calm"))
    rows = run_answers(large, Cache(tmp_path, 0))
    answers = pa.Table.from_pylist(rows, schema=COLUMNS)
    assert answers["answer"].to_pylist() == [None, None]
    assert errors_of(answers, "error")["value"].to_pylist() == [None, None]
