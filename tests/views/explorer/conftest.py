"""One small model with awkward names, fitted once for all tests of the explorer."""

from __future__ import annotations

import pytest

import sottovoce as sv
from tests.crowds_explored import explored_model, explored_plan


@pytest.fixture(scope="package")
def plan() -> sv.Plan:
    return explored_plan()


@pytest.fixture(scope="package")
def model(plan: sv.Plan) -> sv.Model:
    return explored_model(plan)
