"""Truths in a population: another way of counting agrees with them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from sottovoce.simulation.crowds import CROWDS, Population, Question
from sottovoce.simulation.crowds.clauses import at_least, at_most, between, is_in, missing
from sottovoce.simulation.crowds.population import association

EACH = pytest.mark.parametrize("crowd", CROWDS.values(), ids=CROWDS)
COMMUTING = CROWDS["commuting"]
TABLE = COMMUTING.draw(5_000, seed=3)
FRAME = pd.DataFrame(TABLE)
POPULATION = Population(COMMUTING.schema, TABLE)


def test_shares_agree_with_pandas() -> None:
    late = Question("share of 2", where=(at_least("minutes", 30), is_in("mode", "car", "bus")))
    expected = ((FRAME["minutes"] >= 30) & FRAME["mode"].isin(["car", "bus"])).mean()
    assert late.truth(POPULATION) == pytest.approx(expected)


def test_differences_of_shares_agree_with_pandas_where_answers_are_missing() -> None:
    cheap = Question("difference of shares", (at_most("cost", 75),), (is_in("mode", "bus"),), (is_in("mode", "car"),))
    shares = (FRAME["cost"] < 75).groupby(FRAME["mode"]).mean()
    assert cheap.truth(POPULATION) == pytest.approx(shares["bus"] - shares["car"])
    untold = Question("share of 1", where=(missing("cost"),))
    assert untold.truth(POPULATION) == pytest.approx(FRAME["cost"].isna().mean())


def test_means_count_a_bin_by_its_middle_and_leave_out_who_did_not_answer() -> None:
    mean = Question("mean by group", name="cost", given=(is_in("mode", "train"),))
    costs = FRAME.loc[FRAME["mode"] == "train", "cost"].dropna()
    expected = np.mean([min(math.floor(cost / 5), 59) * 5 + 2.5 for cost in costs])
    assert mean.truth(POPULATION) == pytest.approx(expected)


def test_a_median_of_integers_is_the_least_value_that_half_do_not_exceed() -> None:
    median = Question("median by group", name="minutes", given=(between("days", 2, 4),))
    minutes = sorted(TABLE["minutes"][(TABLE["days"] >= 2) & (TABLE["days"] <= 4)])
    assert median.truth(POPULATION) == minutes[math.ceil(len(minutes) / 2) - 1]


def test_a_quantile_of_numbers_is_where_the_spread_out_bins_reach_it() -> None:
    quantile = Question("quantile", name="cost", probability=0.25).truth(POPULATION)
    costs = FRAME["cost"].dropna()
    edge = 5 * math.floor(quantile / 5)
    inside = ((costs >= edge) & (costs < edge + 5)).mean()
    assert (costs < edge).mean() + inside * (quantile - edge) / 5 == pytest.approx(0.25)


def test_a_correlation_is_that_of_the_middles_of_bins() -> None:
    known = FRAME.dropna()
    middles = np.minimum(known["cost"] // 5, 59) * 5 + 2.5
    expected = np.corrcoef(middles, known["minutes"])[0, 1]
    assert Question("correlation", name="cost", second="minutes").truth(POPULATION) == pytest.approx(expected)


def test_an_association_of_two_yes_and_no_is_the_size_of_their_correlation() -> None:
    expected = abs(np.corrcoef(TABLE["flexible"] == "yes", TABLE["stressed"] == "yes")[0, 1])
    assert Question("association", name="flexible", second="stressed").truth(POPULATION) == pytest.approx(expected)
    assert association(np.eye(12) / 12) == pytest.approx(1.0)
