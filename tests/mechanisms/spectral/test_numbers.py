"""Which numbers of a pair may be larger than others, against what the constants say, number by number."""

from itertools import product

import numpy as np
import pytest

from sottovoce.mechanisms.spectral.belief import BELIEF
from sottovoce.mechanisms.spectral.numbers import Numbers
from sottovoce.mechanisms.spectral.walsh import Axis

ORDERED, ASKED, LIST = Axis(6), Axis(6, nullable=True), Axis(4, ordered=False)
SHAPES = {ORDERED: 4, ASKED: 5, LIST: 4}
PAIRS = list(product(SHAPES, repeat=2))


def numbers_of(one, other):
    return Numbers.of((one, other), (SHAPES[one], SHAPES[other]))


def leading(axis):
    """Return the scores that strong dependence takes: the normal score, after that of "no answer"; every value."""
    return {ORDERED: {0}, ASKED: {0, 1}, LIST: {0, 1, 2, 3}}[axis]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_products_of_leading_scores_grow_with_the_square_of_what_they_make_of_the_table(one, other):
    """Of two lists of four values, the part that one of three products has of it."""
    own = numbers_of(one, other)
    grown = own.grown(0.5).reshape(SHAPES[one], SHAPES[other])
    products = 3 if one is LIST and other is LIST else 1
    for a, b in np.ndindex(grown.shape):
        both = a in leading(one) and b in leading(other)
        assert grown[a, b] == pytest.approx(1 + BELIEF.strong * 0.25 / products if both else 1)
    assert own.grown(0.0).max() == 1
    np.testing.assert_allclose(own.grown(100.0), own.grown(BELIEF.strongest * products**0.5))


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_intervals_take_more_for_two_lists_for_fine_scores_and_at_least_so_much_for_no_answer(one, other):
    variances = np.full(SHAPES[one] * SHAPES[other], 0.01)
    taken = numbers_of(one, other).widened(variances).reshape(SHAPES[one], SHAPES[other])
    ranks = {ORDERED: [1, 2, 3, 4], ASKED: [None, 1, 2, 3, 4], LIST: [None] * 4}  # None: a value's or "no answer"'s own
    for a, b in np.ndindex(taken.shape):
        unanswered = (one is ASKED and a == 0) or (other is ASKED and b == 0)
        together = 1 + BELIEF.lists * 2 if one is LIST and other is LIST else 1
        first, second = ranks[one][a], ranks[other][b]
        power = BELIEF.fine if first and second else BELIEF.profile
        usual = 0.01 * together * ((first or 1) * (second or 1)) ** power
        assert taken[a, b] == pytest.approx(max(usual, BELIEF.no_answer) if unanswered else usual)


def test_two_lists_take_no_more_than_the_most_considered_but_never_less_than_given():
    own = numbers_of(LIST, LIST)
    taken = own.widened(np.array([0.01, 1.0, 5.0, 20.0] * 4))
    assert taken[1] == pytest.approx(1 + BELIEF.lists * 2)
    assert taken[2] == BELIEF.most
    assert taken[3] == 20.0


def test_two_yes_or_no_answers_have_one_product_and_take_no_more():
    own = Numbers.of((Axis(2, ordered=False),) * 2, (2, 2))
    np.testing.assert_array_equal(own.widened(np.full(4, 0.3)), np.full(4, 0.3))
    np.testing.assert_array_equal(own.grown(0.5), np.full(4, 1 + BELIEF.strong * 0.25))
