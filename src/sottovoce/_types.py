"""The types that most rooms name: arrays, and who is told how far a long computation is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

Progress = Callable[[float], None]
"""Called with the fraction of the work that is done, from 0 to 1."""
