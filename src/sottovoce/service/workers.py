"""Several processes that share one port and one PostgreSQL database: as many collectors as a machine has processors.

This process only watches: it opens the port, starts the others, starts one again that ended by itself, passes SIGHUP
on, and ends them all when it is told to, or when it is gone itself.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterable
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from types import FrameType

from prometheus_client.multiprocess import mark_process_dead

from sottovoce.plan.plan import Plan
from sottovoce.service.app import BACKLOG, STOP_SECONDS, make_server
from sottovoce.service.logs import configure_logs
from sottovoce.service.metrics import SHARED
from sottovoce.service.served import register_plans
from sottovoce.service.settings import Settings
from sottovoce.service.store import open_store

log = logging.getLogger("sottovoce.collector")

AGAIN_SECONDS = 1.0
"""A worker that ended is started again after so long."""

Load = Callable[[], Iterable[Plan]]
"""Gives the plans to serve; made of what another process can be told: a function of a module, and paths."""


class Workers:
    """The process that watches over workers."""

    def __init__(self, settings: Settings, plans: Iterable[Plan], load: Load) -> None:
        """Make the tables and the keys that all workers need, or raise what stands in the way.

        Args:
            settings: How to serve, ``workers`` among it.
            plans: What to serve.
            load: Gives each worker the plans anew; something that another process can be told.
        """
        store = open_store(settings.database, settings.keys)
        try:
            register_plans(store, plans, settings.grace)
        finally:
            store.close()
        self._settings, self._load = settings, load
        self._ended = threading.Event()
        self._running: list[BaseProcess] = []
        self.started = False

    def run(self) -> None:
        """Serve until told to stop; return at once if the port cannot be opened."""
        try:
            shared = socket.create_server((self._settings.host, self._settings.port), backlog=BACKLOG)
        except OSError:
            return
        self.started = True
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)
        signal.signal(signal.SIGHUP, self._pass_on)
        with shared, tempfile.TemporaryDirectory(prefix="sottovoce-metrics-") as directory:
            os.environ[SHARED] = directory
            while not self._ended.is_set():
                while len(self._running) < self._settings.workers:
                    self._running.append(self._start(shared))
                wait([process.sentinel for process in self._running], timeout=0.2)
                self._replace(directory)
            self._stop()

    def _start(self, shared: socket.socket) -> BaseProcess:
        context = multiprocessing.get_context("spawn")
        process = context.Process(target=work, args=(self._settings, self._load, shared), name="worker")
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})  # a worker hears it once it can
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return process

    def _replace(self, directory: str) -> None:
        """Forget the workers that ended by themselves; others take their places."""
        for process in [one for one in self._running if not one.is_alive()]:
            self._running.remove(process)
            if process.pid is not None:
                mark_process_dead(process.pid, directory)  # type: ignore[no-untyped-call]
            if not self._ended.is_set():
                about = {"event": "worker", "reason": f"exit {process.exitcode}"}
                log.error("a worker ended (%s); another is started", about["reason"], extra=about)
                self._ended.wait(AGAIN_SECONDS)

    def _stop(self) -> None:
        for process in self._running:
            process.terminate()
        for process in self._running:
            process.join(STOP_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._ended.set()

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        for process in self._running:
            if process.pid is not None and process.is_alive():
                os.kill(process.pid, signal.SIGHUP)


def work(settings: Settings, load: Load, shared: socket.socket) -> None:
    """Be one worker: a collector at a port that others listen at too.

    Args:
        settings: How to serve.
        load: Gives the plans.
        shared: The socket that all workers listen at.
    """
    configure_logs(settings.log_format, settings.log_level)
    threading.Thread(target=_follow_parent, daemon=True).start()
    make_server(settings, load(), load).run(sockets=[shared])


def _follow_parent() -> None:
    """End when the process that watches is gone, however it went."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
