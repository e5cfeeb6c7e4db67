"""Threads for what an event loop must not do itself: pools apart, so that one kind of work cannot hold up another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


class CrowdedError(Exception):
    """More work of a kind waits than is taken on: come back later."""


class Pool:
    """A few threads for one kind of work, and a bound on how much of it waits.

    Args:
        name: What the threads are called.
        threads: How many work at once.
        waiting: How many may wait besides; one more is refused.
    """

    def __init__(self, name: str, *, threads: int, waiting: int) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most, self._taken = threads + waiting, 0

    async def run(self, work: Callable[[], Result], *, seconds: float | None = None) -> Result:
        """Return what ``work`` returns, done in a thread of the pool.

        Args:
            work: What to do.
            seconds: How long to wait for it; a thread that hangs goes on hanging, and counts as taken.

        Raises:
            CrowdedError: If too much waits already.
            TimeoutError: If it took too long.
        """
        if self._taken >= self._most:
            raise CrowdedError
        self._taken += 1
        future = asyncio.get_running_loop().run_in_executor(self._executor, work)
        future.add_done_callback(self._done)
        if seconds is None:
            return await future
        return await asyncio.wait_for(asyncio.shield(future), seconds)

    def _done(self, future: asyncio.Future[Result]) -> None:
        self._taken -= 1
        if not future.cancelled():
            future.exception()  # whoever waited no longer hears it

    def close(self) -> None:
        """Take on nothing more; what runs is not waited for."""
        self._executor.shutdown(wait=False, cancel_futures=True)
