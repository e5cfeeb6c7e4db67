"""Working directories for commands: one before a collection, one after it. Each is made once and copied."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from sottovoce.simulation.population import PEOPLE, people
from tests.crowds import mixed_crowd


@pytest.fixture(scope="session")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A schema, 3,000 people as CSV and Parquet, and a plan; not to be written to."""
    folder = tmp_path_factory.mktemp("planned")
    crowd = people(3_000, seed=5)
    PEOPLE.save(folder / "schema.toml")
    pc.write_csv(crowd, folder / "people.csv")
    pq.write_table(crowd, folder / "people.parquet")
    sv.Plan.create(PEOPLE, epsilon=1, users=3_000, mechanism="hdg").save(folder / "plan.json")
    return folder


@pytest.fixture(scope="session")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A schema, a table, and a finished collection of its 4,000 people; not to be written to."""
    folder = tmp_path_factory.mktemp("collected")
    schema = sv.Schema(
        [
            sv.Ordinal("age", 18, 30),
            sv.Numeric("income", 0.0, 90.0, bins=10, nullable=True),
            sv.Categorical("region", ("north", "south", "east")),
        ]
    )
    crowd = mixed_crowd(4_000, seed=3)
    crowd["income"][::7] = float("nan")
    schema.save(folder / "schema.toml")
    pc.write_csv(
        pa.table({name: pa.array(crowd[name], from_pandas=True) for name in schema.names}), folder / "people.csv"
    )
    plan = sv.Plan.create(schema, epsilon=4, users=4_000, mechanism="hdg", purpose="Rooms & <rents>", contact="a@b.c")
    tally = sv.simulate(plan, crowd, seed=1)
    tally.refused["wrong plan"] = 12
    plan.save(folder / "plan.json")
    tally.save(folder / "tally.parquet")
    sv.fit(plan, tally).save(folder / "model.json")
    return folder


@pytest.fixture
def folder(planned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a schema, 3,000 people as CSV and Parquet, and a plan."""
    shutil.copytree(planned, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def collection(collected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a schema, a table, and a finished collection of its people."""
    shutil.copytree(collected, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
