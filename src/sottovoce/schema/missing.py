"""Missing answers: which values say that there is none, one by one and by the column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def is_absent(value: object) -> bool:
    """Return whether a value says that there is no answer: None, NaN, or pandas' NA, which compares to nothing."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except TypeError:
        return True
    except ValueError:  # an array is no answer of any kind
        return False


def missing_answers(column: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Return which answers are missing (None, NaN or no date), or None where all are there."""
    import numpy as np

    if column.dtype.kind == "f":
        missing = np.isnan(column)
    elif column.dtype.kind == "M":
        missing = np.isnat(column)
    elif column.dtype.kind == "O":
        missing = np.array([is_absent(value) for value in column.tolist()], dtype=bool)
    else:
        return None
    return missing if missing.any() else None
