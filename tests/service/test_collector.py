"""The checks that every route shares: tokens, bodies, batches, and a store that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from sottovoce.plan.plan import Plan
from sottovoce.service.store import Reports
from tests.collectors import Running, draw, running


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("[", "application/json", 400),
        ("", "application/json", 400),
        ("nonsense", "application/json", 400),
        ("[" * 100_000, "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"", "application/octet-stream", 400),
        (b"\x01" * 100, "application/octet-stream", 400),
        ("{}", "text/plain", 415),
        ("{}", "", 415),
        ("[" + "0," * 10_000 + "0]", "application/json", 413),
        (" " * (4 * 2**20 + 1), "application/json", 413),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_body_that_is_no_report_is_refused_whole(
    collector: Running, plan: Plan, body: str | bytes, kind: str, status: int
) -> None:
    before = collector.total(plan)
    answer = collector.post(plan, body, kind)
    assert answer.status_code == status
    assert answer.json()["detail"]
    assert collector.total(plan) == before


def test_a_token_may_be_used_only_so_often(plan: Plan, tmp_path: Path) -> None:
    with running([plan], str(tmp_path / "c.db"), rate="3/hour") as collector:
        token, path = collector.token(), collector.path(plan, "/status")
        assert [collector.http.get(path, headers=token).status_code for _ in range(4)] == [200, 200, 200, 429]
        assert collector.http.get(path, headers=collector.token()).status_code == 200


def test_a_store_that_fails_acknowledges_nothing_and_the_same_bytes_count_later(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running([plan], str(tmp_path / "c.db")) as collector:
        body = draw(plan, 1)[0].to_json()
        with monkeypatch.context() as broken:
            broken.setattr(Reports, "pairs", lambda self: 1 / 0)
            answer = collector.post(plan, body)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert collector.post(plan, body).json()["counted"] == 1
