"""One plan, and one collector that serves it to all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sottovoce.plan.plan import Plan
from tests.collectors import Running, make_plan, running


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan()


@pytest.fixture(scope="module")
def collector(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    database = str(tmp_path_factory.mktemp("collector") / "collector.db")
    with running([plan], database, minimum_reports=50) as started:
        yield started
