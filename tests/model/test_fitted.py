"""What a mechanism's model gives: errors from repeated fits, and nothing claimed that it does not know."""

from __future__ import annotations

import numpy as np
import pytest

from sottovoce._types import Floats
from sottovoce.model.fitted import Fitted
from sottovoce.query.batch import Batch
from tests.oracle import TableModel, make_model

ORIGIN = make_model(1).origin


class Repeated(Fitted):
    """A model that answers everything by one number."""

    kind = "repeated"
    state = TableModel.state
    from_state = TableModel.from_state  # type: ignore[assignment]

    def __init__(self, answer: float) -> None:
        super().__init__(ORIGIN)
        self.answer = answer

    def evaluate(self, batch: Batch) -> Floats:
        return np.full(batch.count, self.answer)


def one_query() -> tuple[Batch, np.ndarray]:
    return Batch.of({0: np.ones((1, 5))}), np.eye(1)


def test_a_model_that_was_never_fitted_again_knows_no_error() -> None:
    assert np.isinf(Repeated(0.2).deviations(*one_query())).all()


def test_the_error_is_the_spread_of_repeated_fits_and_how_far_they_drift() -> None:
    model = Repeated(0.2)
    model.keep_replicates([Repeated(0.2), Repeated(0.3), Repeated(0.4)])
    spread, drift = np.var([0.2, 0.3, 0.4], ddof=1), 0.1
    assert model.deviations(*one_query()) == pytest.approx(np.sqrt(spread + drift**2))


def test_a_model_that_cannot_tell_claims_no_evidence_and_no_direct_answer() -> None:
    model = Repeated(0.2)
    model.keep_replicates([Repeated(0.2), Repeated(0.4)])
    spread = model.spread(*one_query())
    assert spread.error == pytest.approx(model.deviations(*one_query()))
    assert all(np.isnan(part).all() for part in (spread.evidence, spread.direct, spread.direct_error))
