"""Evaluation: values, errors and joint distributions are those of the table, in batches of bounded size."""

from __future__ import annotations

import numpy as np
import pytest

from sottovoce._types import Floats
from sottovoce.model.evaluation import assess, expectations, values_of
from sottovoce.query.batch import Batch
from sottovoce.query.functional import Functional
from tests.oracle import SCHEMA, TableModel, make_model

MODEL = make_model(2)


class Counting(TableModel):
    """A model that keeps how many queries it was asked at once."""

    def __init__(self) -> None:
        super().__init__(MODEL.table)
        self.asked: list[int] = []

    def evaluate(self, batch: Batch) -> Floats:
        self.asked.append(batch.count)
        return super().evaluate(batch)


def random_functionals(count: int, *, seed: int) -> list[Functional]:
    """Return sums of up to three products of weights of any size."""
    generator = np.random.default_rng(seed)
    return [
        Functional(
            tuple(
                (float(generator.normal()), {index: generator.normal(size=SCHEMA.sizes[index])})
                for index in generator.choice(4, generator.integers(0, 4), replace=False).tolist()
            )
        )
        for _ in range(count)
    ]


def test_values_are_the_sums_over_the_table() -> None:
    functionals = random_functionals(20, seed=1)
    expected = [
        sum(
            coefficient * MODEL.table.sum(axis=tuple({0, 1, 2, 3} - {index})) @ vector
            for coefficient, weights in functional.products
            for index, vector in weights.items()
        )
        for functional in functionals
    ]
    np.testing.assert_allclose(values_of(MODEL, functionals), expected, atol=1e-12)
    found = assess(MODEL, functionals)
    values, errors = found.values, found.errors
    np.testing.assert_allclose(values, expected, atol=1e-12)
    assert [error == 0 for error in errors] == [not functional.products for functional in functionals]


def test_what_selects_nobody_is_nothing_and_is_not_asked() -> None:
    model = Counting()
    assert values_of(model, [Functional(()), Functional(())]).tolist() == [0, 0]
    found = assess(model, [Functional(())])
    assert (found.values.tolist(), found.errors.tolist()) == ([0], [0])
    assert model.asked == []


def test_no_batch_holds_more_products_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    functionals = random_functionals(30, seed=2)
    whole = values_of(MODEL, functionals)
    monkeypatch.setattr("sottovoce.model.evaluation.PRODUCTS_AT_ONCE", 4)
    model = Counting()
    np.testing.assert_allclose(values_of(model, functionals), whole, atol=1e-12)
    assert max(model.asked) <= 4
    assert sum(model.asked) == sum(len(functional.products) for functional in functionals)


@pytest.mark.parametrize("indices", [[2], [3, 0], [1, 2, 0]])
def test_expectations_are_the_weighted_table_over_the_other_attributes(indices: list[int]) -> None:
    weights = {0: np.arange(5.0), 3: np.array([0.5, 0.0, 2.0])}
    weighted = MODEL.table * weights[0].reshape(-1, 1, 1, 1) * weights[3]
    left = sorted(indices)
    joint = weighted.sum(axis=tuple({0, 1, 2, 3} - set(indices))).transpose([left.index(index) for index in indices])
    np.testing.assert_allclose(expectations(MODEL, indices, weights), joint, atol=1e-12)


def test_many_answers_at_once_are_the_answers_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sottovoce.model.evaluation.PRODUCTS_AT_ONCE", 3)
    wheres = ["age > 0", "FALSE", "age > 0 OR income < 5 OR region = 'east'", "TRUE", "income > 3"]
    assert MODEL.answers(wheres) == [MODEL.answer(where) for where in wheres]
