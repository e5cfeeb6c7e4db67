"""What a model tells: evidence and direct answers reach every answer, and ratios use them as they use values."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce._types import Floats
from sottovoce.model.fitted import Spread
from sottovoce.query.batch import Batch
from tests.oracle import TableModel, make_model


class Measured(TableModel):
    """The oracle, with what reports might say of it: everything a tenth larger, with twice the error."""

    def spread(self, batch: Batch, sums: Floats) -> Spread:
        errors = self.deviations(batch, sums)
        return Spread(errors, np.full(len(sums), 0.15), 1.1 * (sums @ self.evaluate(batch)), 2 * errors)


MODEL = Measured(make_model(2).table, error=0.001)


def test_every_answer_carries_its_evidence_and_says_in_words_what_was_assumed() -> None:
    found = [
        MODEL.answer("age > 0"),
        MODEL.answer("age > 0", given="region = 'north'"),
        MODEL.mean("age"),
        MODEL.quantile("income", 0.5),
        MODEL.correlation("age", "income"),
        sv.difference(MODEL.mean("age", where="region = 'north'"), MODEL.mean("age", where="region = 'east'")),
        *MODEL.mean_by("age", "region").values(),
        *MODEL.group_by("region").values(),
    ]
    for answer in found:
        assert answer.evidence == pytest.approx(0.15)
        assert "assumed: these reports can hardly tell" in str(answer)


def test_a_direct_share_is_what_the_reports_say() -> None:
    answer = MODEL.answer("age > 0")
    assert answer.direct is not None
    assert float(answer.direct) == pytest.approx(1.1 * answer.fraction)
    assert answer.direct.deviation == pytest.approx(2 * answer.deviation)


def test_a_direct_ratio_is_the_ratio_of_direct_shares() -> None:
    given = MODEL.answer("age > 0", given="region = 'north'")
    assert given.direct is not None
    assert float(given.direct) == pytest.approx(given.fraction)
    low, high = given.direct.interval
    assert low < given.interval[0] < given.interval[1] < high


def test_a_difference_knows_the_smallest_that_could_be_told() -> None:
    gap = sv.difference(*(MODEL.answer("age > 0", given=f"region = '{region}'") for region in ("north", "east")))
    assert gap.direct is not None
    wider = max(gap.deviation, gap.direct.deviation)
    assert gap.visible() == pytest.approx((1.6449 + 1.2816) * wider, rel=1e-3)
    plain = make_model(2).mean("age")
    assert plain.visible() == pytest.approx((1.6449 + 1.2816) * plain.deviation, rel=1e-3)
    narrow = sv.Estimate(0.3, interval=(0.2, 0.4), level=0.9)
    wide = sv.Estimate(0.3, interval=(0.1, 0.5), level=0.9)
    told = [
        sv.Estimate(0.3, interval=a.interval, level=0.9, direct=b).visible()
        for a, b in ((narrow, wide), (wide, narrow))
    ]
    assert told[0] == told[1] == wide.visible()  # whichever is wider


def test_a_mean_stays_within_its_attribute_whatever_the_error() -> None:
    wild = TableModel(MODEL.table, error=10.0).mean("age", where="region = 'north'")
    assert wild.interval == (-1.0, 2.0)
