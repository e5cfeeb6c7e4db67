"""Counts per (question, code): one dense array where it fits, sorted pairs where it does not.

Both take reports in bulk, refuse what cannot be (a question the plan does not have, a code its channel cannot give) and
say how many they refused and why.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sottovoce._types import Integers
from sottovoce.plan.refusals import NO_CODE, NO_QUESTION

Entries = tuple[Integers, Integers, Integers]
"""Questions, codes and counts."""

Added = tuple[Integers, Counter[str]]
"""How many reports each question got, and how many were refused by reason."""

DENSE_LIMIT = 2**24
"""Up to this many (question, code) pairs, counts are one dense array."""


class Counts(Protocol):
    """Counts per (question, code) that reports can be added to."""

    def add(self, questions: NDArray[Any], codes: NDArray[Any], counts: NDArray[Any] | None = None) -> Added:
        """Add reports, or counts of reports.

        Args:
            questions: The question of each report; integers of any type.
            codes: The code of each report.
            counts: How many reports each pair stands for; None for one each.

        Returns:
            How many reports each question got, and how many were refused by reason.
        """

    def merge(self, other: Any) -> None:
        """Add counts of the same kind."""

    def pairs(self, question: int) -> tuple[Integers, Integers]:
        """Return one question's codes that were seen, and their counts."""

    def columns(self) -> tuple[Integers, Integers, Integers]:
        """Return questions, codes and counts of all pairs seen, in order."""


def make_counts(alphabet: Integers) -> Counts:
    """Return empty counts for questions with these alphabets."""
    return DenseCounts(alphabet) if len(alphabet) * int(alphabet.max()) <= DENSE_LIMIT else SparseCounts(alphabet)


class DenseCounts:
    """One count for every possible pair, questions by the largest alphabet."""

    def __init__(self, alphabet: Integers) -> None:
        self.alphabet = alphabet
        self.width = int(alphabet.max())
        self.table = np.zeros((len(alphabet), self.width), dtype=np.int64)
        self.impossible = np.arange(self.width) >= alphabet[:, None]

    def add(self, questions: NDArray[Any], codes: NDArray[Any], counts: NDArray[Any] | None = None) -> Added:
        """Add reports, or counts of reports, in chunks that stay in cache.

        Args:
            questions: The question of each report; integers of any type.
            codes: The code of each report.
            counts: How many reports each pair stands for; None for one each.
        """
        totals, refused = np.zeros(len(self.alphabet), dtype=np.int64), Counter[str]()
        chunk = max(2**16, 4 * self.table.size)
        for start in range(0, len(questions), chunk):
            part = slice(start, start + chunk)
            totals += self._add_chunk(questions[part], codes[part], None if counts is None else counts[part], refused)
        return totals, refused

    def _add_chunk(
        self, questions: NDArray[Any], codes: NDArray[Any], counts: NDArray[Any] | None, refused: Counter[str]
    ) -> Integers:
        if not (_within(questions, len(self.alphabet)) and _within(codes, self.width)):
            questions, codes, counts = _screen(self.alphabet, questions, codes, counts, refused)
        keys = questions.astype(np.intp)
        keys *= self.width
        keys += codes.astype(np.intp, copy=False)
        if counts is None:
            added = np.bincount(keys, minlength=self.table.size).reshape(self.table.shape)
        else:
            added = np.zeros_like(self.table)
            np.add.at(added.reshape(-1), keys, counts)
        if misplaced := int(added[self.impossible].sum()):
            refused[NO_CODE] += misplaced
            added[self.impossible] = 0
        self.table += added
        return np.asarray(added.sum(axis=1))

    def merge(self, other: DenseCounts) -> None:
        """Add counts of the same kind."""
        self.table += other.table

    def pairs(self, question: int) -> tuple[Integers, Integers]:
        """Return one question's codes that were seen, and their counts."""
        codes = np.flatnonzero(self.table[question])
        return codes, self.table[question, codes]

    def columns(self) -> tuple[Integers, Integers, Integers]:
        """Return questions, codes and counts of all pairs seen, in order."""
        questions, codes = np.nonzero(self.table)
        return questions, codes, self.table[questions, codes]


class SparseCounts:
    """The pairs present, sorted by question and code. What is added waits until it is as much as what is sorted."""

    def __init__(self, alphabet: Integers) -> None:
        self.alphabet = alphabet
        self._settled: Entries = (np.zeros(0, np.int64),) * 3
        self._waiting: list[Entries] = []
        self._waiting_pairs = 0

    @property
    def entries(self) -> Entries:
        """Questions, codes and counts of all pairs seen, in order."""
        if self._waiting:
            self._settle()
        return self._settled

    def add(self, questions: NDArray[Any], codes: NDArray[Any], counts: NDArray[Any] | None = None) -> Added:
        """Add reports, or counts of reports.

        Args:
            questions: The question of each report; integers of any type.
            codes: The code of each report.
            counts: How many reports each pair stands for; None for one each.
        """
        refused = Counter[str]()
        counts = np.ones(len(questions), dtype=np.int64) if counts is None else counts
        questions, codes, counts = _screen(self.alphabet, questions, codes, counts, refused)
        assert counts is not None
        self._absorb(questions.astype(np.int64), codes.astype(np.int64), counts.astype(np.int64))
        totals = np.zeros(len(self.alphabet), dtype=np.int64)
        np.add.at(totals, questions.astype(np.intp), counts.astype(np.int64))
        return totals, refused

    def merge(self, other: SparseCounts) -> None:
        """Add counts of the same kind."""
        self._absorb(*other.entries)

    def _absorb(self, questions: Integers, codes: Integers, counts: Integers) -> None:
        self._waiting.append((questions, codes, counts))
        self._waiting_pairs += len(questions)
        if self._waiting_pairs > max(2**20, len(self._settled[0])):
            self._settle()

    def _settle(self) -> None:
        questions, codes, counts = (
            np.concatenate(columns) for columns in zip(self._settled, *self._waiting, strict=True)
        )
        order = np.lexsort((codes, questions))
        questions, codes, counts = questions[order], codes[order], counts[order]
        first = np.ones(len(questions), dtype=bool)
        first[1:] = (questions[1:] != questions[:-1]) | (codes[1:] != codes[:-1])
        starts = np.flatnonzero(first)
        self._settled = questions[starts], codes[starts], np.add.reduceat(counts, starts) if len(starts) else counts
        self._waiting, self._waiting_pairs = [], 0

    def pairs(self, question: int) -> tuple[Integers, Integers]:
        """Return one question's codes that were seen, and their counts."""
        questions, codes, counts = self.entries
        start, stop = np.searchsorted(questions, [question, question + 1])
        return codes[start:stop], counts[start:stop]

    def columns(self) -> Entries:
        """Return questions, codes and counts of all pairs seen, in order."""
        return self.entries


def refusals(alphabet: Integers, questions: NDArray[Any], codes: NDArray[Any], counts: NDArray[Any]) -> Counter[str]:
    """Return how many of some counts cannot be, by reason; nothing is added anywhere.

    Args:
        alphabet: How many codes each question has.
        questions: The question of each pair.
        codes: The code of each pair.
        counts: How many reports each pair stands for.
    """
    refused = Counter[str]()
    _screen(alphabet, questions, codes, counts, refused)
    return refused


def _within(column: NDArray[Any], limit: int) -> bool:
    return bool(column.max() < limit and (column.dtype.kind == "u" or column.min() >= 0))


def _screen(
    alphabet: Integers,
    questions: NDArray[Any],
    codes: NDArray[Any],
    counts: NDArray[Any] | None,
    refused: Counter[str],
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """Return the pairs that can be, and count the others into ``refused``."""
    weights = np.ones(len(questions), dtype=np.int64) if counts is None else counts
    known = (questions >= 0) & (questions < len(alphabet))
    possible = known & (codes >= 0) & (codes < alphabet[np.where(known, questions, 0).astype(np.intp)])
    for reason, wrong in ((NO_QUESTION, ~known), (NO_CODE, known & ~possible)):
        if number := int(weights[wrong].sum()):
            refused[reason] += number
    return questions[possible], codes[possible], None if counts is None else counts[possible]
