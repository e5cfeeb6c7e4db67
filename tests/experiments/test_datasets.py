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


IPUMS = """\
"YEAR","SAMPLE","SERIAL","PERNUM","PERWT","AGE","INCTOT","UHRSWORK","TRANTIME","EDUC","FAMSIZE","INCWAGE","VALUEH","HHINCOME","NCHILD"
2018,201801,1,1,121.00,46,52000,40,25,10,3,50000,250000,81000,1
2018,201801,1,2,99.00,11,9999999,0,0,2,3,999999,250000,81000,0
2018,201801,2,1,58.00,34,-7800,55,5,7,1,0,9999999,-7800,0
2018,201801,3,1,77.00,71,21000,0,0,6,2,0,180000,30000,0
2018,201801,4,1,12.00,19,900,12,15,6,1,900,9999998,9999999,0
"""
"""A child not asked for income; a tenant, whose house has no value; a pensioner, who has no way to work."""

ACS = """\
RT,SERIALNO,SPORDER,AGEP,PINCP,WKHP,JWMNP,SCHL,WAGP,PERNP,POVPIP,MARHYP,INTP
P,0000012,01,46,000052000,40,025,21,050000,000050000,401,1995,000000
P,0000012,02,11,,,,08,,,401,,
P,0000087,01,71,000021000,,,16,000000,000000000,181,1969,000150
"""

LOAN = """\
id,member_id,loan_amnt,int_rate,installment,annual_inc,dti,revol_bal,revol_util,total_acc,open_acc,total_pymnt
68407277,,3600.0, 13.99%,123.03,55000.0,5.91,2765.0,29.7%,13.0,7.0,4421.72
68355089,,24700.0, 11.99%,820.28,65000.0,999,21470.0,19.2%,38.0,22.0,25679.66
68341763,,20000.0, 10.78%,432.66,63000.0,10.78,7869.0,,18.0,6.0,22705.92
66310712,,35000.0, 14.85%,829.90,110000.0,17.06,7802.0,11.6%,17.0,13.0,31464.01
Total amount funded in policy code 1: 6417608175,,,,,,,,,,,
"""


@pytest.mark.parametrize(
    ("name", "text", "attributes", "known"),
    [
        ("ipums", IPUMS, 2, [0, 2, 3, 4]),
        ("ipums", IPUMS, 6, [0, 2, 4]),
        ("ipums", IPUMS, 10, [0]),
        ("acs", ACS, 2, [0, 2]),
        ("acs", ACS, 10, [0]),
        ("loan", LOAN, 4, [0, 1, 2, 3]),
        ("loan", LOAN, 6, [0, 2, 3]),
        ("loan", LOAN, 10, [0, 3]),
    ],
)
def test_people_of_whom_something_was_not_asked_or_is_not_known_are_left_out(
    name: str, text: str, attributes: int, known: list[int], tmp_path: Path
) -> None:
    """The files' own forms: quoted heads, zeros in front, percent signs, a last line that is none."""
    path = tmp_path / "data.csv"
    path.write_text(text)
    rows = [line.split(",") for line in text.replace('"', "").splitlines()]
    first = rows[0].index(REAL[name].columns[0])
    expected = sorted(float(rows[1 + row][first]) for row in known)
    source, _ = locate(name, str(path))
    records = load_levels(dataset(name, source, attributes=attributes, users=len(known)), seed=0)
    assert sorted(np.unique(expected)[records[0]].tolist()) == expected


def test_numbers_with_a_percent_sign_and_without_are_the_same(tmp_path: Path) -> None:
    found = []
    for number, text in enumerate((LOAN, LOAN.replace("%", ""))):
        (tmp_path / f"{number}.csv").write_text(text)
        found.append(load_levels(dataset("loan", str(tmp_path / f"{number}.csv"), attributes=10, users=2), seed=0))
    np.testing.assert_array_equal(*found)


def test_a_file_of_unknowns_alone_is_refused(tmp_path: Path) -> None:
    head, *rows = IPUMS.splitlines()
    (tmp_path / "data.csv").write_text("\n".join([head, rows[1], rows[2]]) + "\n")
    with pytest.raises(sv.ExperimentError, match="no row has a known value in all of AGE"):
        load_levels(dataset("ipums", str(tmp_path / "data.csv"), attributes=10), seed=0)


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
