"""Measures read off a frame of single answers: errors of several kinds, coverage, and paired tests of two methods."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from sottovoce._types import Floats
from sottovoce.errors import ExperimentError
from sottovoce.model.samples import to_frame

FLOOR = 0.001
"""Relative errors are of a truth of at least this much; below it they would measure how rare a query is."""

MOST_EXACT = 14
"""Up to so many pairs every assignment of signs is tried; beyond, as many as that drawn at random."""

Row = dict[str, Any]


def score(frame: Any, *, by: Sequence[str] = ("dataset", "method", "epsilon"), result: str = "pandas") -> Any:
    """Return the errors of every group of answers, each with its standard error over collections.

    Columns: ``mae``, ``mse``, ``max`` and ``relative`` (mean absolute, mean squared, largest, and mean relative error,
    the truth taken as at least 0.001), ``covered`` (how often an interval holds the truth, where there are intervals);
    each but the last with its standard error over repeats, ``mae_error`` and so on; ``repeats`` and ``queries``.

    Args:
        frame: What `run` returns, or a part of it.
        by: The columns that make a group.
        result: "pandas", "polars" or "arrow".

    Example:
        >>> import sottovoce as sv
        >>> frame = sv.experiments.run("uniform", users=1000, attributes=2, queries=5, frame="arrow")
        >>> sv.experiments.score(frame, by=["method"], result="arrow").num_rows
        1
    """
    rows = _rows(frame, [*by, "repeat"])
    groups: dict[tuple[Any, ...], dict[int, list[Row]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), {}).setdefault(row["repeat"], []).append(row)
    found = []
    for key, collections in groups.items():
        each = [_measures(answers) for answers in collections.values()]
        scored: Row = dict(zip(by, key, strict=True))
        for name in each[0]:
            values = np.array([measured[name] for measured in each], dtype=float)
            scored[name] = float(values.mean())
            if name != "covered":
                scored[f"{name}_error"] = (
                    float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
                )
        found.append({**scored, "repeats": len(each), "queries": len(next(iter(collections.values())))})
    return to_frame(pa.Table.from_pylist(found), result)


def _measures(rows: list[Row]) -> dict[str, float]:
    truth, errors = _column(rows, "truth"), _column(rows, "error")
    low, high = _column(rows, "low"), _column(rows, "high")
    known = ~np.isnan(low)
    covered = (low <= truth) & (truth <= high)
    return {
        "mae": float(errors.mean()),
        "mse": float((errors**2).mean()),
        "max": float(errors.max()),
        "relative": float((errors / np.maximum(truth, FLOOR)).mean()),
        "covered": float(covered[known].mean()) if known.any() else float("nan"),
    }


def _column(rows: list[Row], name: str) -> Floats:
    return np.array([row[name] for row in rows], dtype=float)


def paired(frame: Any, first: str, second: str, *, by: Sequence[str] = (), result: str = "pandas") -> Any:
    """Return whether one method errs less than another, by a paired test.

    A pair is the two methods' mean absolute errors on the same people and the same queries, in one repeat; which of
    the two is whose is then given a random sign. Columns: both errors, their difference (negative where the first is
    better), its standard error, and ``p``, how often signs at random give a mean difference as large. Repeats on one
    population are independent in what the mechanisms draw, not in who the people are: with every repeat of one seed
    the verdict is about this population.

    Args:
        frame: What `run` returns.
        first: A method's label.
        second: Another's.
        by: Columns that tell apart tests of their own, such as "epsilon".
        result: "pandas", "polars" or "arrow".
    """
    settings = ("dataset", "users", "attributes", "levels", "covariance", "cut", "epsilon", "kind", "dimension")
    asked = ("volume", "aligned", "index")
    rows = _rows(frame, [*by, "method", "repeat", *settings, *asked])
    missing = [name for name in (first, second) if not any(row["method"] == name for row in rows)]
    if missing:
        there = ", ".join(sorted({row["method"] for row in rows}))
        raise ExperimentError(f"the frame has no method {', '.join(missing)}; it has {there}")
    tests: dict[tuple[Any, ...], dict[tuple[Any, ...], dict[str, dict[tuple[Any, ...], float]]]] = {}
    for row in (row for row in rows if row["method"] in (first, second)):
        pair = tests.setdefault(tuple(row[name] for name in by), {}).setdefault(
            (row["repeat"], *(row[name] for name in settings)), {}
        )
        pair.setdefault(row["method"], {})[tuple(row[name] for name in asked)] = row["error"]
    found = [
        {**dict(zip(by, key, strict=True)), **_test(list(pairs.values()), first, second)}
        for key, pairs in tests.items()
    ]
    return to_frame(pa.Table.from_pylist(found), result)


def _test(pairs: list[dict[str, dict[tuple[Any, ...], float]]], first: str, second: str) -> Row:
    one, other = [], []
    for pair in pairs:
        common = sorted(pair.get(first, {}).keys() & pair.get(second, {}).keys())
        if common:
            one.append(np.mean([pair[first][query] for query in common]))
            other.append(np.mean([pair[second][query] for query in common]))
    if len(one) < 2:
        raise ExperimentError(
            f"a paired test needs at least two collections in which {first} and {second} were asked the same; "
            f"there are {len(one)}: run more repeats"
        )
    differences = np.array(one) - np.array(other)
    return {
        "pairs": len(one),
        first: float(np.mean(one)),
        second: float(np.mean(other)),
        "difference": float(differences.mean()),
        "difference_error": float(differences.std(ddof=1) / np.sqrt(len(differences))),
        "p": sign_flip_p(differences),
    }


def sign_flip_p(differences: Floats) -> float:
    """Return how often the mean of differences with signs at random is at least as far from zero as theirs.

    Example:
        >>> sign_flip_p(np.array([1.0, 1.0, 1.0, 1.0, 1.0]))
        0.0625
    """
    if len(differences) <= MOST_EXACT:
        signs = np.array(list(product((-1, 1), repeat=len(differences))))
    else:
        generator = np.random.default_rng(len(differences))
        signs = generator.choice((-1, 1), (2**MOST_EXACT, len(differences)))
        signs[0] = 1
    means = np.abs(signs @ differences)
    return float(np.mean(means >= np.abs(differences.sum()) * (1 - 1e-12)))


def _rows(frame: Any, needed: Sequence[str]) -> list[Row]:
    """Return the rows of any kind of frame that were answered."""
    table = nw.from_native(frame, eager_only=True).to_arrow()
    missing = [name for name in (*needed, "truth", "error", "low", "high") if name not in table.column_names]
    if missing:
        raise ExperimentError(
            f"the frame has no column {', '.join(missing)}; it is one that sottovoce.experiments.run returns"
        )
    return [row for row in table.to_pylist() if row["error"] is not None and row["error"] == row["error"]]
