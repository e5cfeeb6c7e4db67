"""Missing answers: None, NaN and pandas' NA are none; everything else is an answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sottovoce.schema.missing import is_absent, missing_answers


@pytest.mark.parametrize("value", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
def test_what_says_that_there_is_no_answer(value: object) -> None:
    assert is_absent(value)


@pytest.mark.parametrize("value", [0, "", "nan", False, float("inf"), np.zeros(3)])
def test_what_is_an_answer(value: object) -> None:
    assert not is_absent(value)


def test_a_column_says_which_answers_are_missing_or_that_none_is() -> None:
    gaps = missing_answers(np.array(["a", None, pd.NA], dtype=object))
    assert gaps is not None
    assert gaps.tolist() == [False, True, True]
    assert missing_answers(np.array([1.0, 2.0])) is None
    assert missing_answers(np.array([1, 2])) is None
