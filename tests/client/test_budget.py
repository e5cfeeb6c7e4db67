"""The budget: exact sums, the same rules and words in both languages; limits that are raised are shown."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.client.budget import Cost, Limits, Spent, cost_of, parse_max_epsilon, plain, total

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "budgets.json").read_text(encoding="utf-8"))
EPSILONS = st.decimals("0.01", "20", allow_nan=False, places=26)


@pytest.mark.parametrize("vector", VECTORS)
def test_a_device_spends_the_same_and_says_the_same_in_both_languages(vector: dict[str, Any]) -> None:
    budget, period, device = vector["limits"]
    entries = [
        Spent(one["collection"], one["epsilon"] and Decimal(one["epsilon"]), one["day"], one["profile"])
        for one in vector["entries"]
    ]
    charged = Decimal(vector["epsilon"]), Decimal(vector["maxEpsilon"])
    limits = Limits(Decimal(budget), period, Decimal(device))
    cost = cost_of(charged, entries, limits, profile=vector["profile"], day=vector["day"])
    assert (plain(cost.spent), plain(cost.device_spent)) == (vector["spent"], vector["deviceSpent"])
    assert (cost.refusal, cost.words) == (vector["refusal"], vector["words"])


@given(st.lists(EPSILONS, max_size=200))
def test_sums_are_exact(amounts: list[Decimal]) -> None:
    assert Fraction(total(amounts)) == sum(map(Fraction, amounts))


@given(EPSILONS)
def test_a_number_reads_back_as_it_is(amount: Decimal) -> None:
    assert Decimal(plain(amount)) == amount
    assert not plain(amount).endswith((".", ".0"))


def test_what_would_reach_the_budget_is_answered_and_the_least_more_is_not() -> None:
    limits = Limits()
    entries = [Spent("a", Decimal("3.9999999999999999999999999999"), "2030-01-01")]
    least = Decimal("0.0000000000000000000000000001")
    for epsilon, allowed in ((least, True), (least + least, False)):
        cost = cost_of((epsilon, Decimal(2)), entries, limits, profile=1, day="2030-01-01")
        assert (cost.refusal is None) == allowed


def test_usual_limits_are_not_called_raised_and_each_that_is_raised_is() -> None:
    def words(limits: Limits, most: str = "2") -> str:
        return Cost(Decimal(1), Decimal(most), Decimal(0), Decimal(0), limits).words

    assert "raised" not in words(Limits())
    assert "raised" not in words(Limits(Decimal(1), 400, Decimal(2)))
    for limits in (Limits(Decimal(5)), Limits(period=364), Limits(device_budget=Decimal(9))):
        assert "raised the budget from 4 in 365 days" in words(limits)
    assert "raised the limit of one collection from 2 to 3" in words(Limits(), "3")


@pytest.mark.parametrize("wrong", [0, 21, "much", None, True])
def test_a_largest_epsilon_that_is_none_is_refused(wrong: object) -> None:
    with pytest.raises(sv.BudgetError, match="max_epsilon"):
        parse_max_epsilon(wrong)
