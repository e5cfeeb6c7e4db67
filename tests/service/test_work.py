"""Pools of threads: bounded, apart, and a thread that hangs is an error in time."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from sottovoce.plan.plan import Plan
from sottovoce.service.analysis import Analyst
from sottovoce.service.work import CrowdedError, Pool
from tests.collectors import as_array, draw, running


def test_what_is_too_much_is_refused_and_what_hangs_is_given_up() -> None:
    gate = threading.Event()

    async def run() -> None:
        pool = Pool("test", threads=1, waiting=1)
        with pytest.raises(TimeoutError):
            await pool.run(gate.wait, seconds=0.05)
        waiting = asyncio.ensure_future(pool.run(lambda: 7))
        await asyncio.sleep(0)
        with pytest.raises(CrowdedError):
            await pool.run(lambda: 8)
        gate.set()
        assert await waiting == 7
        assert await pool.run(lambda: 9) == 9
        pool.close()

    asyncio.run(run())


def test_one_fit_runs_at_a_time_and_keeps_nobody_else_waiting(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, begun = threading.Event(), threading.Event()
    real = Analyst.fit

    def slow(self: Analyst, *arguments: object, **named: object) -> object:
        begun.set()
        gate.wait(30)
        return real(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Analyst, "fit", slow)
    with running([plan], str(tmp_path / "c.db"), minimum_reports=10) as collector:
        token, path = collector.token(), collector.path(plan, "/fit")
        collector.post(plan, as_array(draw(plan, 50)))
        answers: list[int] = []
        import httpx

        def ask() -> None:
            with httpx.Client(base_url=collector.http.base_url, timeout=60) as other:
                answers.append(other.post(path, headers=token).status_code)

        first = threading.Thread(target=ask)
        first.start()
        assert begun.wait(10)
        for _ in range(8):
            assert collector.http.post(path, headers=token).status_code == 409
        assert collector.http.get(collector.path(plan, "/status"), headers=token).json()["reports"] == 50
        assert collector.post(plan, draw(plan, 1)[0].to_json()).json()["counted"] == 1
        gate.set()
        first.join()
        assert answers == [200]


@pytest.mark.parametrize(
    "body", [b'{"level": NaN, "queries": [{}]}', b'{"queries": [{"age": [NaN, 1]}]}', b'{"seed": NaN}']
)
def test_a_number_that_is_none_is_refused(plan: Plan, tmp_path: Path, body: bytes) -> None:
    with running([plan], str(tmp_path / "c.db"), minimum_reports=1) as collector:
        for rest in ("/fit", "/answers"):
            answer = collector.http.post(collector.path(plan, rest), headers=collector.token(), content=body)
            assert answer.status_code in (400, 422)
