"""Algorithms 1 and 2 against literal readings of their listings, value by value and query by query."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sottovoce.estimation.norm_sub import norm_sub
from sottovoce.estimation.weighted_update import MAX_SWEEPS, PairGrids, from_pairs, response_matrix

LEVELS = (6, 10)
FINE = (np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 1, 2, 2, 3, 3, 3]))
"""The 1-D bin of each value; four uneven bins in the second attribute."""
COARSE = (np.array([0, 1, 1]), np.array([0, 0, 1, 1]))
"""The 2-D bin of each 1-D bin."""


def grids(seed: int, *, negative: float = 0.0) -> PairGrids:
    generator = np.random.default_rng(seed)
    rows, columns, cells = (norm_sub(generator.random(shape) - negative) for shape in (3, 4, (2, 2)))
    return PairGrids(rows, columns, cells, *COARSE)


def start() -> np.ndarray:
    return np.outer(*(np.bincount(fine) / len(fine) for fine in FINE))


def algorithm_1(known: PairGrids, threshold: float) -> np.ndarray:
    """Return the paper's matrix, one element per pair of values."""
    matrix = np.full(LEVELS, 1 / np.prod(LEVELS))
    row_cell, column_cell = (coarse[fine] for coarse, fine in zip(COARSE, FINE, strict=True))
    values = list(itertools.product(range(LEVELS[0]), range(LEVELS[1])))
    cells = [([v for v in values if FINE[0][v[0]] == cell], known.rows[cell]) for cell in range(3)]
    cells += [([v for v in values if FINE[1][v[1]] == cell], known.columns[cell]) for cell in range(4)]
    cells += [
        ([v for v in values if (row_cell[v[0]], column_cell[v[1]]) == cell], known.cells[cell])
        for cell in itertools.product(range(2), range(2))
    ]
    for _ in range(MAX_SWEEPS):
        before = matrix.copy()
        for members, frequency in cells:
            total = sum(matrix[value] for value in members)
            if total != 0:
                for value in members:
                    matrix[value] = matrix[value] / total * frequency
        if np.abs(matrix - before).sum() < threshold:
            break
    return matrix


def per_bin(matrix: np.ndarray) -> np.ndarray:
    sums = np.zeros((3, 4))
    np.add.at(sums, np.ix_(*FINE), matrix)
    return sums


class TestResponseMatrix:
    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("threshold", [1e-2, 1e-6, 0.0])
    def test_it_is_the_papers_matrix_summed_over_bins(self, seed: int, threshold: float):
        known = grids(seed)
        matrix, _ = response_matrix(start(), known, threshold=threshold)
        np.testing.assert_allclose(matrix, per_bin(algorithm_1(known, threshold)), atol=1e-12)

    @pytest.mark.parametrize("seed", range(12))
    def test_cells_that_cannot_be_reached_get_their_frequency_spread_evenly(self, seed: int):
        known = grids(seed, negative=0.5)
        matrix, _ = response_matrix(start(), known, threshold=1e-9)
        literal = per_bin(algorithm_1(known, 1e-9))
        extra = matrix - literal
        for cell in itertools.product(range(2), range(2)):
            inside = np.ix_(COARSE[0] == cell[0], COARSE[1] == cell[1])
            assert matrix[inside].sum() == pytest.approx(known.cells[cell], abs=1e-9)
            if literal[inside].sum() > 0:
                np.testing.assert_allclose(extra[inside], 0, atol=1e-12)
            else:
                np.testing.assert_allclose(extra[inside] / start()[inside], extra[inside].sum() / start()[inside].sum())

    def test_some_cell_was_unreachable_in_the_test_above(self):
        """Else it would show nothing."""
        literals = [(grids(seed, negative=0.5), seed) for seed in range(12)]
        assert any(
            (per_bin(algorithm_1(known, 1e-9))[np.ix_(COARSE[0] == row, COARSE[1] == column)].sum() == 0)
            and known.cells[row, column] > 0
            for known, _ in literals
            for row in range(2)
            for column in range(2)
        )

    def test_consistent_grids_are_met_exactly_and_changes_fall(self):
        truth = np.random.default_rng(1).random((3, 4))
        truth /= truth.sum()
        cells = np.zeros((2, 2))
        np.add.at(cells, np.ix_(*COARSE), truth)
        known = PairGrids(truth.sum(axis=1), truth.sum(axis=0), cells, *COARSE)
        matrix, changes = response_matrix(start(), known, threshold=1e-12)
        np.testing.assert_allclose(matrix.sum(axis=1), known.rows, atol=1e-9)
        np.testing.assert_allclose(matrix.sum(axis=0), known.columns, atol=1e-9)
        assert changes[-1] < 1e-12 < changes[0]
        assert len(changes) < MAX_SWEEPS


def algorithm_2(pairs: np.ndarray, threshold: float) -> float:
    """Return the all-inside answer of one query, the vector scaled to a total of one after each pair."""
    dimensions = len(pairs)
    vector = dict.fromkeys(itertools.product((0, 1), repeat=dimensions), 0.5**dimensions)
    for _ in range(MAX_SWEEPS):
        before = dict(vector)
        for first, second in itertools.combinations(range(dimensions), 2):
            members = [each for each in vector if each[first] and each[second]]
            total = sum(vector[each] for each in members)
            if total != 0:
                for each in members:
                    vector[each] = vector[each] / total * pairs[first, second]
            whole = sum(vector.values())
            vector = {each: value / whole for each, value in vector.items()}
        if sum(abs(vector[each] - before[each]) for each in vector) < threshold:
            break
    return vector[(1,) * dimensions]


class TestFromPairs:
    @pytest.mark.parametrize("dimensions", [3, 4, 5])
    @pytest.mark.parametrize("threshold", [1e-2, 1e-6])
    def test_it_is_the_papers_loop_with_a_total_of_one(self, dimensions: int, threshold: float):
        """Queries that end in different sweeps are answered together here, one by one there."""
        pairs = np.random.default_rng(dimensions).random((dimensions, dimensions, 20)) ** 3
        answers = from_pairs(pairs, threshold=threshold)
        literal = [algorithm_2(pairs[:, :, query], threshold) for query in range(20)]
        np.testing.assert_allclose(answers, literal, atol=1e-12)

    def test_a_pair_that_nobody_satisfies_gives_nothing(self):
        pairs = np.full((3, 3, 2), 0.3)
        pairs[0, 1, 0] = 0.0
        answers = from_pairs(pairs, threshold=1e-9)
        assert answers[0] == 0
        assert 0 < answers[1] < 0.3

    def test_pairs_that_everybody_satisfies_come_close_to_everybody(self):
        """The paper's loop creeps towards 1 from below; a hundred sweeps leave less than one percent."""
        answers = from_pairs(np.ones((4, 4, 3)), threshold=1e-9)
        assert (answers > 0.99).all()
        assert (answers <= 1).all()
