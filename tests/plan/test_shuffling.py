"""The shuffled promise: against brute force over all crowds, and against a second evaluation by other means."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from sottovoce.channels import make_channel
from sottovoce.plan.shuffling import Blanket, shuffled_epsilon


def counts_of(rows: list[np.ndarray]) -> np.ndarray:
    """Return the exact distribution of the counts of all codes but the last, one person per row."""
    codes, people = len(rows[0]), len(rows)
    table = np.zeros((people + 1,) * (codes - 1))
    table[(0,) * (codes - 1)] = 1.0
    for number, row in enumerate(rows):
        reached = (slice(number + 2),) * (codes - 1)
        counts = table[reached]
        grown = row[-1] * counts
        for code in range(codes - 1):
            grown += row[code] * np.roll(counts, 1, axis=code)  # the last count is still zero, so nothing wraps
        table[reached] = grown
    return table


def exact_epsilon(first: np.ndarray, second: np.ndarray, delta: float, most: float) -> float:
    """Return the smallest epsilon that holds between two distributions, both ways, by bisection."""

    def left(epsilon: float) -> float:
        growth = math.exp(epsilon)
        return max(np.maximum(first - growth * second, 0).sum(), np.maximum(second - growth * first, 0).sum())

    return bisect(left, delta, most)


def bisect(left: Callable[[float], float], delta: float, most: float) -> float:
    low, high = 0.0, most
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if left(middle) > delta else (low, middle)
    return high


def crowds(cells: int, others: int, *, every: bool) -> Iterator[tuple[int, ...]]:
    """Yield how many others are in each cell: every way, or all of them in one cell, or half in each of two."""
    if every:
        yield from (way for way in itertools.product(range(others + 1), repeat=cells) if sum(way) == others)
        return
    for one, two in itertools.combinations_with_replacement(range(cells), 2):
        way = [0] * cells
        way[one] += others // 2
        way[two] += others - others // 2
        yield tuple(way)


def brute_force(epsilon: float, cells: int, users: int, delta: float, *, every: bool) -> float:
    """Return the largest exact epsilon over crowds, the person's record being cell 0 or cell 1."""
    ratio, worst = math.exp(epsilon), 0.0
    table = (np.ones((cells, cells)) + (ratio - 1) * np.eye(cells)) / (ratio + cells - 1)
    for way in crowds(cells, users - 1, every=every):
        rows = [table[cell] for cell, number in enumerate(way) for _ in range(number)]
        worst = max(worst, exact_epsilon(counts_of([*rows, table[0]]), counts_of([*rows, table[1]]), delta, epsilon))
    return worst


def response(epsilon: float, cells: int) -> Blanket:
    """Return what is known of randomised response, where two cells differ in all that is outside of the blanket."""
    ratio = math.exp(epsilon)
    variation = Fraction((ratio - 1) / (ratio + cells - 1))
    return Blanket(Fraction(ratio), variation, variation)


CASES = [(2, 8, True), (2, 50, True), (3, 6, True), (3, 50, False), (4, 5, True), (4, 16, False)]


@pytest.mark.parametrize("delta", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(("cells", "users", "every"), CASES)
def test_it_is_never_below_the_exact_divergence_of_any_crowd(
    cells: int, users: int, every: bool, epsilon: float, delta: float
):
    exact = brute_force(epsilon, cells, users, delta, every=every)
    found = shuffled_epsilon(response(epsilon, cells), users=users, delta=delta, binary=cells == 2)
    assert exact <= found <= 1.05 * exact
    assert found <= shuffled_epsilon(response(epsilon, cells), users=users, delta=delta)


def exact_among_equals(laws: np.ndarray, users: int, delta: float, most: float) -> float:
    """Return the exact epsilon between two laws of a report, those of all others being the third.

    Among independent reports of one law r, the person's report is that of any of them: delta is E[(f_1 + ... + f_n)_+]
    / n with f = a / r - e b / r, over how often each of its few values comes.
    """
    kinds, number = np.unique(laws.round(14), axis=1, return_counts=True)
    chances = kinds[2] * number
    ways = np.array([way for way in itertools.product(range(users + 1), repeat=len(chances)) if sum(way) == users])
    logs = np.array([math.lgamma(count + 1) for count in range(users + 1)])
    weights = np.exp(logs[users] - logs[ways].sum(axis=1) + ways @ np.log(chances))

    def left(epsilon: float) -> float:
        terms = (kinds[0] - math.exp(epsilon) * kinds[1]) / kinds[2]
        return float(weights @ np.maximum(ways @ terms, 0)) / users

    return bisect(left, delta, most)


@pytest.mark.parametrize("delta", [1e-2, 1e-4])
@pytest.mark.parametrize("epsilon", ["0.5", "1", "2"])
@pytest.mark.parametrize(("kind", "cells"), [("local_hash", 9), ("square_wave", 4), ("square_wave", 8)])
def test_reports_in_which_two_records_agree_and_others_do_not_are_allowed_for(
    kind: str, cells: int, epsilon: str, delta: float
):
    """Under local hashing two cells may share a hash, and in a square wave what is near: both count against them."""
    channel = make_channel(kind, cells, Decimal(epsilon), "00")
    blanket = Blanket(channel.worst_ratio(), channel.variation(), 1 - channel.blanket())
    assert blanket.outside > blanket.variation or kind == "square_wave"
    for users in (2, 5):
        found = shuffled_epsilon(blanket, users=users, delta=delta)
        for cells_of in [(0, -1, 0), (0, -1, -1), *itertools.permutations((0, 1, -1))]:
            laws = channel.probabilities()[list(cells_of)]
            assert exact_among_equals(laws, users, delta, float(epsilon)) <= found


def test_two_questions_in_one_of_which_two_records_agree_need_what_is_outside_of_the_blanket():
    """Half of the people are asked what the two agree in and others do not: their own variation alone is too small."""
    ratio = math.exp(2)
    cells = (np.ones((3, 3)) + (ratio - 1) * np.eye(3)) / (ratio + 2)
    laws = np.hstack([cells[[0, 0, 1]], cells]) / 2
    whole = Fraction((ratio - 1) / (ratio + 2))
    known = Blanket(Fraction(ratio), whole / 2, whole)
    forgetful = Blanket(Fraction(ratio), whole / 2, whole / 2)
    below = []
    for delta in (3e-3, 1e-3, 3e-4):
        exact = exact_among_equals(laws, 6, delta, 2.0)
        assert exact <= shuffled_epsilon(known, users=6, delta=delta)
        below.append(shuffled_epsilon(forgetful, users=6, delta=delta) < exact)
    assert any(below)


@pytest.mark.parametrize("delta", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_two_questions_of_three_cells_give_what_one_gives(epsilon: float, delta: float):
    """All others are in the third cell of both: the bound is nearly attained, however many questions there are."""
    ratio = math.exp(epsilon)
    cells = (np.ones((3, 3)) + (ratio - 1) * np.eye(3)) / (ratio + 2)
    exact = exact_among_equals(np.hstack([cells, cells]) / 2, 50, delta, epsilon)
    assert exact <= shuffled_epsilon(response(epsilon, 3), users=50, delta=delta) <= 1.05 * exact


def second_evaluation(ratio: float, informative: float, users: int, delta: float) -> float:
    """Return the epsilon of the same four values by an integral over their moment generating function.

    E[T_+] is the integral of M(s) / s^2 along a vertical line in the complex plane, here through the saddle point.
    """
    masses = np.array([informative, informative, 1 - (ratio + 1) * informative, (ratio - 1) * informative])

    def left(epsilon: float) -> float:
        growth = math.exp(epsilon)
        values = np.array([ratio - growth, 1 - growth * ratio, 1 - growth, 0.0])

        def logarithm(s: complex | np.ndarray) -> np.ndarray:
            grown = np.expm1(np.multiply.outer(s, values)) @ masses
            return np.asarray(users * np.log1p(grown) - 2 * np.log(s))

        best = minimize_scalar(lambda u: float(logarithm(math.exp(u))), bounds=(-25, 8), options={"xatol": 1e-9})
        saddle = math.exp(best.x)
        step = saddle * 1e-3
        middle = float(logarithm(saddle))
        curve = (float(logarithm(saddle + step)) - 2 * middle + float(logarithm(saddle - step))) / step**2
        heights = np.linspace(0, 30 / math.sqrt(curve), 20_001)
        along = np.exp(logarithm(saddle + 1j * heights) - middle).real
        return math.exp(middle) * float(np.trapezoid(along, heights)) / math.pi / users

    return bisect(left, delta, math.log(ratio))


@pytest.mark.parametrize("users", [10**4, 10**6, 10**8])
@pytest.mark.parametrize("cells", [2, 3, 16])
@pytest.mark.parametrize("epsilon", [1.0, 2.0, 4.0])
def test_it_equals_a_second_evaluation_from_above(epsilon: float, cells: int, users: int):
    known = response(epsilon, cells)
    found = shuffled_epsilon(known, users=users, delta=1e-9)
    second = second_evaluation(float(known.ratio), float(known.variation / (known.ratio - 1)), users, 1e-9)
    assert second <= found <= 1.002 * second


def test_more_people_fewer_exemptions_and_more_variation_change_it_as_they_must():
    known = response(1.0, 4)
    by_users = [shuffled_epsilon(known, users=users, delta=1e-6) for users in (1, 10, 1000, 10**5, 10**11)]
    assert by_users == sorted(by_users, reverse=True)
    assert by_users[0] == pytest.approx(1.0, abs=1e-5)
    by_delta = [shuffled_epsilon(known, users=5000, delta=delta) for delta in (1e-3, 1e-6, 1e-12)]
    assert by_delta == sorted(by_delta)
    by_variation = [
        shuffled_epsilon(Blanket(known.ratio, known.variation * part, known.outside * whole), users=5000, delta=1e-6)
        for part, whole in ((Fraction(1, 9), Fraction(1, 9)), (Fraction(1, 9), 1), (1, 1))
    ]
    assert by_variation == sorted(by_variation)
    assert by_variation[1] < 1.1 * by_variation[0]  # what only the others differ in costs little in large crowds
    assert shuffled_epsilon(Blanket(Fraction(1), Fraction(0), Fraction(0)), users=5, delta=1e-6) == 0


def test_one_person_is_hidden_by_nobody():
    assert shuffled_epsilon(response(2.0, 3), users=1, delta=1e-9) == pytest.approx(2.0, abs=1e-3)
