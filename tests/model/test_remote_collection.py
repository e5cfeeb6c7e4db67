"""A collection at a collector: what may name it, and what is refused before anything is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.model.remote_collection import RemoteCollection
from tests.collectors import as_array, draw, make_plan, running

TOKEN = "sv_0123456789ab_secret"
NOWHERE = "http://127.0.0.1:1"


@pytest.mark.parametrize("plan", ["", "0" * 63, "G" * 64, "0" * 65, 3, b"0" * 64])
def test_what_is_no_plan_is_refused(plan: object) -> None:
    with pytest.raises(sv.DeliveryError, match="64 hexadecimal digits"):
        RemoteCollection(NOWHERE, plan, token=TOKEN)  # type: ignore[arg-type]


@pytest.mark.parametrize("wave", [0, -1, 1.5, "1", True])
def test_what_is_no_wave_is_refused(wave: object) -> None:
    with pytest.raises(sv.QueryError, match="wave"):
        RemoteCollection(NOWHERE, token=TOKEN, wave=wave)  # type: ignore[arg-type]


def test_it_says_what_it_is_of_and_not_its_token() -> None:
    assert repr(RemoteCollection(NOWHERE, token=TOKEN)) == f"<RemoteCollection of the only collection at {NOWHERE}>"
    named = repr(RemoteCollection(NOWHERE, make_plan(), token=TOKEN, wave=2))
    assert named == f"<RemoteCollection of plan {make_plan().fingerprint[:12]}, wave 2, at {NOWHERE}>"


def test_the_only_collection_is_found_with_its_plan_and_counts(tmp_path: Path) -> None:
    plan = make_plan()
    with running([plan], str(tmp_path / "c.db")) as collector:
        reports = draw(plan, 30)
        collector.post(plan, as_array(reports))
        token = collector.token()["authorization"].removeprefix("Bearer ")
        found = RemoteCollection(str(collector.http.base_url), token=token)
        assert found.fingerprint == plan.fingerprint
        assert found.plan == plan
        counted = sv.Tally(plan)
        counted.add(reports)
        assert found.tally() == counted
        assert found.status()["reports"] == 30
