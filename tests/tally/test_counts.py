"""Counts: the dense and the sparse kind are one thing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.tally.counts import NO_CODE, NO_QUESTION, DenseCounts, SparseCounts, make_counts

ALPHABET = np.array([3, 1, 7], dtype=np.int64)
pairs = st.lists(st.tuples(st.integers(-2, 5), st.integers(-2, 9)), max_size=40)


def possible(question: int, code: int) -> bool:
    return 0 <= question < 3 and 0 <= code < ALPHABET[question]


@pytest.mark.parametrize("kind", [DenseCounts, SparseCounts])
class TestBothKinds:
    @given(pairs, pairs)
    def test_what_can_be_is_counted_and_the_rest_refused_by_reason(self, kind, first: list[Any], second: list[Any]):
        counts = kind(ALPHABET)
        wanted, refused, seen = Counter[tuple[int, int]](), Counter[str](), Counter[int]()
        for part in (first, second):
            questions, codes = (np.array([pair[axis] for pair in part], dtype=np.int64) for axis in (0, 1))
            totals, reasons = counts.add(questions, codes)
            seen += Counter(dict(enumerate(totals.tolist())))
            refused += reasons
            wanted.update(pair for pair in part if possible(*pair))
        assert list(zip(*(column.tolist() for column in counts.columns()), strict=True)) == [
            (*pair, count) for pair, count in sorted(wanted.items())
        ]
        assert refused == Counter(
            NO_CODE if 0 <= question < 3 else NO_QUESTION
            for question, code in first + second
            if not possible(question, code)
        )
        assert sum(seen.values()) == sum(wanted.values())
        codes, numbers = counts.pairs(2)
        assert dict(zip(codes.tolist(), numbers.tolist(), strict=True)) == {
            code: count for (question, code), count in wanted.items() if question == 2
        }

    @given(pairs, pairs)
    def test_merging_is_adding(self, kind, first: list[Any], second: list[Any]):
        whole, one, other = kind(ALPHABET), kind(ALPHABET), kind(ALPHABET)
        for target, part in ((whole, first + second), (one, first), (other, second)):
            columns = np.array(part, dtype=np.int64).reshape(-1, 2)
            target.add(columns[:, 0], columns[:, 1])
        one.merge(other)
        for left, right in zip(one.columns(), whole.columns(), strict=True):
            np.testing.assert_array_equal(left, right)

    @pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64])
    def test_weights_count_as_often_as_they_say(self, kind, dtype):
        counts = kind(ALPHABET)
        totals, refused = counts.add(
            np.array([0, 2, 2, 9], dtype=dtype), np.array([1, 6, 6, 0], dtype=dtype), np.array([5, 10**12, 1, 4])
        )
        assert totals.tolist() == [5, 0, 10**12 + 1]
        assert refused == {NO_QUESTION: 4}

    def test_the_largest_unsigned_numbers_are_refused_not_wrapped(self, kind):
        counts = kind(ALPHABET)
        largest = np.array([2**64 - 1, 2**63, 0], dtype=np.uint64)
        assert counts.add(largest, np.zeros(3, dtype=np.uint64))[1] == {NO_QUESTION: 2}
        assert counts.add(np.zeros(3, dtype=np.uint64), largest)[1] == {NO_CODE: 2}


def test_small_alphabets_are_dense_and_huge_ones_sparse():
    assert isinstance(make_counts(ALPHABET), DenseCounts)
    huge = make_counts(np.array([2**62, 2**40]))
    assert isinstance(huge, SparseCounts)
    huge.add(np.array([0, 0, 1]), np.array([2**62 - 1, 2**62, 2**40 - 1]))
    assert huge.columns()[1].tolist() == [2**62 - 1, 2**40 - 1]
