"""Real data becomes levels; what is missing says where to get it and which columns are used."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.experiments.datasets import FLIGHTS, REAL, load_levels, locate, usable_columns
from sottovoce.experiments.specs import Dataset

ROWS = 500


def column(number: int) -> np.ndarray:
    return np.random.default_rng(number).gamma(2.0, 1000.0, ROWS)


def dataset(name: str, source: str, **changes: int) -> Dataset:
    return Dataset(name=name, source=source, **({"users": 300, "attributes": 3, "levels": 64} | changes))


@pytest.mark.parametrize("name", list(REAL))
def test_a_missing_file_of_the_paper_says_where_to_get_it_and_names_its_columns(name: str) -> None:
    with pytest.raises(sv.ExperimentError, match="https://") as raised:
        locate(name, None)
    assert all(wanted in str(raised.value) for wanted in REAL[name].columns)
    with pytest.raises(sv.ExperimentError, match="no file"):
        locate(name, "nowhere.csv")


@pytest.mark.parametrize("name", list(REAL))
def test_a_file_of_the_paper_is_read_by_its_columns(name: str, tmp_path: Path) -> None:
    names = REAL[name].columns
    table = pa.table({"other": ["x"] * ROWS, **{wanted: column(index) for index, wanted in enumerate(names)}})
    path = tmp_path / "data.csv"
    pc.write_csv(table, path, pc.WriteOptions(delimiter="\t" if name == "bfive" else ","))
    source, stamp = locate(name, str(path))
    assert stamp
    records = load_levels(dataset(name, source, attributes=10), seed=0)
    assert records.shape == (10, 300)
    assert records.dtype == np.uint8
    assert (records.max(axis=1) == 63).all()


def test_a_blank_counts_as_zero_in_the_census_and_leaves_the_row_out_elsewhere(tmp_path: Path) -> None:
    values = [1.0, None, 3.0, 4.0]
    for name, people in (("acs", {0, 1, 2, 3}), ("loan", {0, 1, 2})):
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table(dict.fromkeys(REAL[name].columns, values)), path)
        records = load_levels(dataset(name, str(path), attributes=2), seed=0)
        assert set(records.ravel().tolist()) == people


def test_any_file_gives_its_columns_of_numbers(tmp_path: Path) -> None:
    table = pa.table({"word": ["a"] * ROWS, "count": np.arange(ROWS) % 5, "amount": column(1), "more": column(2)})
    pq.write_table(table, tmp_path / "mine.parquet")
    pc.write_csv(table, tmp_path / "mine.csv")
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        archive.write(tmp_path / "mine.csv", "mine.csv")
    found = []
    for suffix in ("parquet", "csv", "zip"):
        source, _ = locate("mine", str(tmp_path / f"mine.{suffix}"))
        assert usable_columns("mine", source) == 3
        found.append(load_levels(dataset("mine", source), seed=7))
    assert set(found[0][0].tolist()) == {0, 1, 2, 3, 4}
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_few_rows_are_drawn_with_replacement_and_many_without(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": np.arange(50), "b": np.arange(50)}), tmp_path / "few.parquet")
    source = str(tmp_path / "few.parquet")
    without = load_levels(dataset("few", source, attributes=2, users=50), seed=0)
    assert sorted(without[0].tolist()) == list(range(50))
    assert load_levels(dataset("few", source, attributes=2, users=400), seed=0).shape == (2, 400)


def test_a_column_that_is_one_value_but_for_rare_ones_keeps_them_apart(tmp_path: Path) -> None:
    values = np.concatenate([np.zeros(20_000), np.arange(1, 71)])
    pq.write_table(pa.table({"a": values, "b": values}), tmp_path / "spike.parquet")
    records = load_levels(dataset("spike", str(tmp_path / "spike.parquet"), attributes=2, users=20_070), seed=0)
    assert len(np.unique(records)) > 30


def test_too_few_columns_and_unreadable_files_are_errors(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2], "b": [1.0, 2.0]}), tmp_path / "two.parquet")
    with pytest.raises(sv.ExperimentError, match="3 attributes"):
        load_levels(dataset("two", str(tmp_path / "two.parquet")), seed=0)
    (tmp_path / "no.parquet").write_text("nothing")
    with pytest.raises(sv.ExperimentError, match="cannot be read"):
        usable_columns("no", str(tmp_path / "no.parquet"))
    with pytest.raises(sv.ExperimentError, match="AGE"):
        usable_columns("ipums", str(tmp_path / "two.parquet"))


def test_flights_come_from_the_installed_package() -> None:
    source, _ = locate(FLIGHTS, None)
    records = load_levels(dataset(FLIGHTS, source, attributes=6, users=1000), seed=0)
    assert records.shape == (6, 1000)
    assert (records.std(axis=1) > 0).all()
