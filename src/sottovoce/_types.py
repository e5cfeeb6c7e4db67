"""The types that most rooms name: arrays, paths, and who is told how far a long computation is."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A file, a directory or a pattern, or several of them."""

Progress = Callable[[float], None]
"""Called with the fraction of the work that is done, from 0 to 1."""
