"""Small experiments, and runs of them in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
from msgspec.structs import replace

from sottovoce.experiments.catalogue import find_experiment
from sottovoce.experiments.experiment import Experiment, quick
from sottovoce.experiments.runner import Workers, run
from sottovoce.experiments.tasks import Request, expand

SMALL: dict[str, Any] = {"users": (2000,), "levels": (16,), "queries": 10}

ONE: dict[str, Any] = {"volumes": (0.5,), "dimensions": (2,), "datasets": ("normal",)}


def small(name: str, **changes: Any) -> Experiment:
    return replace(quick(find_experiment(name)), **(SMALL | changes))


def outcome(experiment: Experiment, path: Path, *, request: Request | None = None, jobs: int = 1) -> pa.Table:
    request = request or Request()
    with Workers(jobs, seed=request.seed) as workers:
        return run(expand(experiment, request), path, workers=workers, progress=lambda done: None)
