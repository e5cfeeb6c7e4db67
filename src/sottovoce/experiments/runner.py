"""Tasks run on all cores, results kept as they come: an interrupted run goes on where it stopped.

Workers are fresh processes with one thread of arithmetic each. They end when the run ends, also when it is killed.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from sottovoce._types import Progress
from sottovoce.errors import ExperimentError
from sottovoce.experiments.answers import COLUMNS as ANSWER_COLUMNS
from sottovoce.experiments.answers import run_answers
from sottovoce.experiments.cache import Cache
from sottovoce.experiments.measure import prepare, run_task
from sottovoce.experiments.results import COLUMNS, Results
from sottovoce.experiments.specs import Task
from sottovoce.plan.registry import REGISTERED, register

SAVE_SECONDS = 2.0
"""Results are written at most this often, so a killed run loses no more than this."""

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Result = TypeVar("Result")


def run(tasks: Sequence[Task], path: Path, *, workers: Workers, progress: Progress) -> pa.Table:
    """Return what the tasks measure, having run those that the file at ``path`` does not hold.

    Args:
        tasks: What to run; all of one seed, and all of the measure "answers" or none.
        path: The results, a Parquet file; made if it is not there.
        workers: Who runs them.
        progress: Told how much of the work is done, from 0 to 1.
    """
    answers = any(task.measure == "answers" for task in tasks)
    work, columns = (run_answers, ANSWER_COLUMNS) if answers else (run_task, COLUMNS)
    results = Results(path, columns)
    waiting = [task for task in tasks if task.key not in results]
    shared = list({(task.data, task.queries): task for task in waiting}.values())
    saved = time.monotonic()
    try:
        for done, _ in enumerate(workers.each(prepare, shared), start=1):
            progress(done / (len(shared) + len(waiting)))
        for done, rows in enumerate(workers.each(work, waiting), start=1 + len(shared)):
            results.add(rows)
            if time.monotonic() - saved > SAVE_SECONDS:
                results.save()
                saved = time.monotonic()
            progress(done / (len(shared) + len(waiting)))
    except BrokenProcessPool as error:
        raise ExperimentError(
            "a worker process did not start or was ended from outside: for want of memory, or because a script that "
            "uses several processes does its work outside of `if __name__ == '__main__':`; what was measured is kept, "
            "and goes on from there with fewer jobs"
        ) from error
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
            try:
                packed = _packed()
            except ExperimentError:
                self._folder.cleanup()
                raise
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.jobs, context, initializer=_begin, initargs=(packed,))
        return self

    def __exit__(self, kind: type[BaseException] | None, *reason: object) -> None:
        if self._pool is not None:
            interrupted = kind is not None and not issubclass(kind, Exception)
            self._pool.shutdown(wait=not interrupted, cancel_futures=True)
            for process in multiprocessing.active_children() if interrupted else []:
                process.terminate()  # whoever presses Ctrl-C does not want to wait for a slow task
            self._pool.shutdown(wait=True)
        self._folder.cleanup()

    def each(self, work: Callable[[Task, Cache], Result], tasks: Sequence[Task]) -> Iterator[Result]:
        """Yield what each task gives, in the order in which they finish."""
        futures: list[Future[Result]] = []
        try:
            if self._pool is None:
                yield from (work(task, self.cache) for task in tasks)
            else:
                futures += [self.submit(work, task, self.cache) for task in tasks]
                yield from (future.result() for future in as_completed(futures))
        except Exception:
            for future in futures:
                future.cancel()
            raise

    def submit(self, work: Callable[..., Result], *arguments: object) -> Future[Result]:
        """Return the promise of some other work's result; without processes of its own it is kept at once."""
        if self._pool is None:
            done: Future[Result] = Future()
            done.set_result(work(*arguments))
            return done
        with _one_thread_each(), _without_a_main_that_is_no_file():
            return self._pool.submit(work, *arguments)


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


@contextlib.contextmanager
def _without_a_main_that_is_no_file() -> Iterator[None]:
    """Let processes start though the program is read from a pipe: they would import its file, and there is none."""
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if file is None or Path(file).is_file():
        yield
        return
    del main.__file__
    try:
        yield
    finally:
        main.__file__ = file


def _packed() -> bytes:
    """Return the mechanisms that this process registered, to be known to workers.

    Raises:
        ExperimentError: For one that they cannot import.
    """
    main = getattr(sys.modules["__main__"], "__file__", None)
    for mechanism in REGISTERED.values():
        parts = (mechanism.design, mechanism.fit, mechanism.options, mechanism.model)
        homes = {getattr(part, "__module__", None) for part in parts}  # some have no part of their own
        try:
            pickle.dumps(mechanism)
            reachable = "__main__" not in homes or (main is not None and Path(main).is_file())
        except (pickle.PicklingError, AttributeError, TypeError):
            reachable = False
        if not reachable:
            raise ExperimentError(
                f"mechanism {mechanism.name!r} was registered in this session and other processes cannot import it: "
                "put it in a module of its own, or run with one process (jobs=1)"
            )
    return pickle.dumps(list(REGISTERED.values()))


def _begin(registered: bytes) -> None:
    """Register what the parent has, leave Ctrl-C to it, and end with it whatever ends it."""
    for mechanism in pickle.loads(registered):
        register(mechanism)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
