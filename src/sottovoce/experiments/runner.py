"""Tasks run on all cores, results kept as they come: an interrupted run goes on where it stopped.

Workers are fresh processes with one thread of arithmetic each. They end when the run ends, also when it is killed.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path

import pyarrow as pa

from sottovoce.errors import ExperimentError
from sottovoce.experiments.cache import Cache
from sottovoce.experiments.measure import Row, prepare, run_task
from sottovoce.experiments.nouns import Task
from sottovoce.experiments.results import Results

SAVE_SECONDS = 2.0
"""Results are written at most this often, so a killed run loses no more than this."""

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Advance = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


def run(tasks: Sequence[Task], path: Path, *, workers: Workers, advance: Advance) -> pa.Table:
    """Return what the tasks measure, having run those that the file at ``path`` does not hold.

    Args:
        tasks: What to run; all of one seed.
        path: The results, a Parquet file; made if it is not there.
        workers: Who runs them.
        advance: Told how far it is.
    """
    results = Results(path)
    waiting = [task for task in tasks if task.key not in results]
    saved = time.monotonic()
    try:
        shared = {(task.data, task.queries): task for task in waiting}
        for done, _ in enumerate(workers.each(prepare, list(shared.values())), start=1):
            advance("preparing data", done, len(shared))
        advance("measuring", len(tasks) - len(waiting), len(tasks))
        for done, rows in enumerate(workers.each(run_task, waiting), start=len(tasks) - len(waiting) + 1):
            results.add(rows)
            if time.monotonic() - saved > SAVE_SECONDS:
                results.save()
                saved = time.monotonic()
            advance("measuring", done, len(tasks))
    finally:
        if waiting:
            results.save()
    return results.table(task.key for task in tasks)


class Workers:
    """Some processes, and the folder that they share; a context manager that ends both."""

    def __init__(self, jobs: int | None = None, *, seed: int = 0) -> None:
        self.jobs = count_cores() if jobs is None else jobs
        if self.jobs < 1:
            raise ExperimentError(f"jobs is at least 1, got {self.jobs}")
        self._folder = tempfile.TemporaryDirectory(prefix="sottovoce-")
        self.cache = Cache(Path(self._folder.name), seed)
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Workers:
        if self.jobs > 1:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.jobs, context, initializer=_begin)
        return self

    def __exit__(self, *reason: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._folder.cleanup()

    def each(self, work: Callable[[Task, Cache], list[Row] | None], tasks: Sequence[Task]) -> Iterator[list[Row]]:
        """Yield what each task gives, in the order in which they finish."""
        if self._pool is None:
            for task in tasks:
                yield work(task, self.cache) or []
            return
        futures: list[Future[list[Row] | None]] = []
        try:
            with _one_thread_each():
                futures += [self._pool.submit(work, task, self.cache) for task in tasks]
            for future in as_completed(futures):
                yield future.result() or []
        finally:
            for future in futures:
                future.cancel()


def count_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let the processes started meanwhile do arithmetic on one thread: tasks already fill the cores."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _begin() -> None:
    """Leave Ctrl-C to the parent, and end with it whatever ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
