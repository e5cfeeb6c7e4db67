"""Models of whole records draw people of the schema's own types and can be brought to known marginals."""

from __future__ import annotations

import sys
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import sottovoce as sv
from sottovoce.model.files import load_model
from sottovoce.plan.registry import MECHANISMS, Mechanism
from sottovoce.schema.frames import encode
from tests.chances import assert_drawn_from
from tests.oracle import SCHEMA, TableModel, make_model

MODEL = make_model(5)


def level_counts(table: object) -> NDArray[np.int64]:
    levels = encode(SCHEMA, table)
    return np.bincount(np.ravel_multi_index(tuple(levels), SCHEMA.sizes), minlength=MODEL.table.size)


class TestSample:
    @pytest.mark.parametrize("frame", ["pandas", "polars", "arrow"])
    def test_people_follow_the_model(self, frame: str) -> None:
        """Seed 3: a correct program fails for less than one seed in 10^9."""
        people = MODEL.sample(40_000, seed=3, frame=frame)
        assert len(people) == 40_000
        possible = MODEL.table.ravel() > 0
        counts = level_counts(people)
        assert not counts[~possible].any()
        assert_drawn_from(counts[possible], MODEL.table.ravel()[possible])

    def test_people_have_the_types_of_the_schema(self) -> None:
        arrow = MODEL.sample(500, frame="arrow")
        assert arrow.schema.types == [pa.int64(), pa.float64(), pa.string(), pa.int64()]
        people = MODEL.sample(500)
        assert isinstance(people, pd.DataFrame)
        assert list(people) == list(SCHEMA.names)
        assert [str(people[name].dtype) for name in ("age", "income", "the rooms")] == ["Int64", "float64", "int64"]
        assert set(people["region"].dropna()) <= {"north", "it's", "east"}
        assert people["region"].isna().any()
        assert isinstance(MODEL.sample(5, frame="polars"), pl.DataFrame)
        assert set(arrow.column("age").to_pylist()) == {-1, 0, 1, 2, None}

    def test_a_seed_determines_the_people(self) -> None:
        one, same, other = (MODEL.sample(50, seed=seed, frame="arrow") for seed in (1, 1, 2))
        assert one == same != other

    def test_numbers_stay_within_their_bin(self) -> None:
        incomes = MODEL.sample(20_000, frame="arrow").column("income").drop_null().to_numpy()
        assert 0 <= incomes.min() < incomes.max() < 70
        assert len(np.unique(incomes)) > 10_000, "spread within bins, not one number a bin"

    def test_nobody_can_be_drawn(self) -> None:
        assert len(MODEL.sample(0)) == 0

    @pytest.mark.parametrize(
        ("asked", "said"),
        [
            ({"count": -1}, "an integer from 0 to 1000000000, got -1"),
            ({"count": 1.5}, "got 1.5"),
            ({"count": 5, "seed": -1}, "seed is an integer"),
            ({"count": 5, "frame": "excel"}, "pandas, polars, arrow, got 'excel'"),
        ],
    )
    def test_what_cannot_be_drawn_is_refused(self, asked: dict[str, object], said: str) -> None:
        with pytest.raises(sv.QueryError, match=said):
            MODEL.sample(**asked)

    @pytest.mark.parametrize("frame", ["pandas", "polars"])
    def test_a_library_that_is_missing_is_named(self, frame: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, frame, None)
        with pytest.raises(sv.ModelError, match=f'{frame} is not installed: run "pip install {frame}"'):
            MODEL.sample(5, frame=frame)


class TestCalibrate:
    KNOWN: ClassVar = {
        "age": {(-1, 0): 0.3, 1: 0.5, 2: 0.1, None: 0.1},
        "region": {"north": 0.6, "it's": 0.3, "east": 0.1},
        "the rooms": [0.2, 0.2, 0.6],
    }

    def test_marginals_become_those_that_are_known(self) -> None:
        model = MODEL.calibrate(self.KNOWN)
        age = model.marginal("age")
        assert [age[:2].sum(), *age[2:]] == pytest.approx([0.3, 0.5, 0.1, 0.1], abs=1e-6)
        assert model.marginal("the rooms") == pytest.approx([0.2, 0.2, 0.6], abs=1e-6)
        region, silent = model.marginal("region"), MODEL.marginal("region")[3]
        assert region == pytest.approx([*(np.array([0.6, 0.3, 0.1]) * (1 - silent)), silent], abs=1e-6)

    def test_within_a_band_people_stay_as_they_were(self) -> None:
        model = MODEL.calibrate({"age": self.KNOWN["age"]})
        for where in ("age = 1", "age BETWEEN -1 AND 0"):
            for name in ("region", "income"):
                assert model.marginal(name, where=where) == pytest.approx(MODEL.marginal(name, where=where))

    def test_answers_are_those_of_the_reweighted_table(self) -> None:
        model = MODEL.calibrate(self.KNOWN)
        table = MODEL.table.copy()
        for index, weights in model.weights.items():
            table *= weights.reshape([-1 if axis == index else 1 for axis in range(4)])
        exact = TableModel(table / table.sum())
        wheres = ["age > 0 OR income < 15", "region = 'north' AND \"the rooms\" = 1", "TRUE", "income IS NULL"]
        assert [answer.fraction for answer in model.answers(wheres)] == pytest.approx(
            [answer.fraction for answer in exact.answers(wheres)], abs=1e-9
        )
        assert model.mean("income") == pytest.approx(exact.mean("income"))
        assert model.quantile("income", 0.4, where="age = 1") == pytest.approx(
            exact.quantile("income", 0.4, where="age = 1")
        )

    def test_an_interval_is_that_of_the_ratio(self) -> None:
        """Checked by moving every kind of person's probability a little, the weights held."""
        model, step, squares = MODEL.calibrate(self.KNOWN), 1e-6, 0.0
        where = "income < 20 AND age >= 0"
        before = model.answer(where)
        for kind in np.ndindex(*MODEL.table.shape):
            table = MODEL.table.copy()
            table[kind] += step
            squares += (
                (TableModel(table).reweighted(model.weights).answer(where).fraction - before.fraction) / step
            ) ** 2
        assert before.deviation == pytest.approx(0.01 * np.sqrt(squares), rel=1e-3)
        assert "taken as exact" in before.interval_note

    def test_people_follow_the_calibrated_model(self) -> None:
        """Seed 4: a correct program fails for less than one seed in 10^9."""
        model = MODEL.calibrate(self.KNOWN)
        counts = level_counts(model.sample(30_000, seed=4, frame="arrow"))
        joint = model.marginal(*SCHEMA.names).ravel()
        assert_drawn_from(counts[joint > 0], joint[joint > 0])

    def test_calibrating_again_starts_from_the_calibrated_model(self) -> None:
        twice = MODEL.calibrate({"region": self.KNOWN["region"]}).calibrate({"the rooms": [0.2, 0.2, 0.6]})
        assert twice.base is MODEL
        assert twice.marginal("the rooms") == pytest.approx([0.2, 0.2, 0.6], abs=1e-6)

    def test_a_calibrated_model_survives_its_file(self, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(MECHANISMS, "table", Mechanism("table", "", object, None, None, TableModel))
        model = MODEL.calibrate(self.KNOWN)
        model.save(tmp_path / "model.json")
        loaded = load_model(tmp_path / "model.json")
        assert loaded.marginal(*SCHEMA.names) == pytest.approx(model.marginal(*SCHEMA.names))

    @pytest.mark.parametrize(
        ("known", "said"),
        [
            ({}, "a dict from attribute names"),
            ([0.5, 0.5], "a dict from attribute names"),
            ({"nobody": [1]}, "unknown attribute"),
        ],
    )
    def test_what_names_no_known_distribution_is_refused(self, known: object, said: str) -> None:
        with pytest.raises(sv.QueryError, match=said):
            MODEL.calibrate(known)


def test_models_of_pairs_refuse_and_say_what_can() -> None:
    schema = sv.Schema([sv.Ordinal("a", 0, 3), sv.Ordinal("b", 0, 3)])
    plan = sv.Plan.create(schema, epsilon=1, users=100, mechanism="hdg")
    model = sv.fit(plan, sv.simulate(plan, {"a": [1, 2], "b": [0, 3]}, seed=1))
    for ask in (lambda: model.sample(5), lambda: model.calibrate({"a": [0.25] * 4})):
        with pytest.raises(
            sv.ModelError, match=r"by hdg answers from parts of records.*models whole records \(.*uniform"
        ):
            ask()
