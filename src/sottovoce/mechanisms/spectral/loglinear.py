"""Tables of two attributes with given sums of rows and columns, and how they move.

The table is P(x, y) = a(x) b(y) exp(S(x, y)): of all tables with these sums the one whose dependence is S alone, found
by scaling rows and columns in turn (iterative proportional fitting). It is never negative. If S changes by dS and the
sums by r and c, then dP = P (dS + alpha(x) + beta(y)), and alpha and beta follow from one linear system, because the
sums of dP are r and c.
"""

from __future__ import annotations

import numpy as np

from sottovoce._types import Floats

_MOST_SWEEPS, _TOLERANCE = 1000, 1e-6  # the stronger the dependence, the more sweeps it takes
_RIDGE = 1e-13  # of the linear system, where a cell holds next to nobody


def table(interaction: Floats, rows: Floats, columns: Floats) -> Floats:
    """Return the table with these sums and this interaction.

    Args:
        interaction: S, rows by columns; functions of the row or of the column alone change nothing.
        rows: The sums of rows.
        columns: The sums of columns.

    Example:
        >>> table(np.zeros((2, 2)), np.array([0.5, 0.5]), np.array([0.25, 0.75]))
        array([[0.125, 0.375],
               [0.125, 0.375]])
    """
    kernel = np.exp(interaction - interaction.max())
    if not kernel.any(axis=1).all():  # a row is nothing to the computer; a function of the row alone changes nothing
        kernel = np.exp(interaction - interaction.max(axis=1, keepdims=True))
    right = np.ones(len(columns))
    for _ in range(_MOST_SWEEPS):
        left = rows / np.maximum(kernel @ right, 1e-300)
        before, right = right, columns / np.maximum(kernel.T @ left, 1e-300)
        if np.abs(right - before).max() <= _TOLERANCE * right.max():
            break
    left = rows / np.maximum(kernel @ right, 1e-300)
    return np.asarray(left[:, None] * kernel * right)


def balance(joint: Floats, rows: Floats, columns: Floats) -> tuple[Floats, Floats]:
    """Return alpha and beta, by directions, for which the sums of P (alpha(x) + beta(y)) are given.

    Args:
        joint: The table P.
        rows: The wanted sums of rows, rows by directions.
        columns: The wanted sums of columns, columns by directions; each direction has the same total as in rows.
    """
    by_row, by_column = joint.sum(axis=1), joint.sum(axis=0)
    scaled = joint / by_row[:, None]
    # from rows: alpha = (r - P beta) / p; put into columns: (diag q - P' P / p) beta = c - P' r / p.
    # adding the same to alpha as is taken from beta changes nothing, so one more equation, q beta = 0, is free
    system = np.diag(by_column + _RIDGE) - joint.T @ scaled + np.outer(by_column, by_column)
    beta = np.linalg.solve(system, columns - scaled.T @ rows)
    return (rows - joint @ beta) / by_row[:, None], beta


def score_sums(joint: Floats, one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Return the sums of rows and of columns of P(x, y) u(x) v(y) for every pair of scores u, v, in the order of both.

    Args:
        joint: The table P.
        one: Scores of rows, rows by scores.
        other: Scores of columns, columns by scores.
    """
    by_row = one[:, :, None] * (joint @ other)[:, None, :]
    by_column = (joint.T @ one)[:, :, None] * other[:, None, :]
    return by_row.reshape(len(joint), -1), by_column.reshape(joint.shape[1], -1)


def moments_moved(joint: Floats, scores: tuple[Floats, Floats], units: tuple[Floats, Floats]) -> Floats:
    """Return how the means of products of functions move with the interaction of scores, the sums staying as they are.

    Args:
        joint: The table P.
        scores: The scores of rows and of columns: S is a sum over their products.
        units: Functions of the row and of the column.

    Returns:
        Products of functions by products of scores.
    """
    rows, columns = score_sums(joint, *scores)
    alpha, beta = balance(joint, -rows, -columns)
    counts = [units[0].shape[1], scores[0].shape[1], units[1].shape[1], scores[1].shape[1]]
    left = (units[0][:, :, None] * scores[0][:, None, :]).reshape(len(joint), -1)
    right = (units[1][:, :, None] * scores[1][:, None, :]).reshape(joint.shape[1], -1)
    moved = (left.T @ joint @ right).reshape(counts).transpose(0, 2, 1, 3).reshape(counts[0] * counts[2], -1)
    means = (units[0][:, :, None] * (joint @ units[1])[:, None, :]).reshape(len(joint), -1)
    others = ((joint.T @ units[0])[:, :, None] * units[1][:, None, :]).reshape(joint.shape[1], -1)
    return np.asarray(moved + means.T @ alpha + others.T @ beta)
