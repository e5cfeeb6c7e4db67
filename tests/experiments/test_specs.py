"""What experiments are made of has one JSON form, from which keys and seeds come."""

from __future__ import annotations

from msgspec.structs import replace

from sottovoce.experiments.catalogue import find_experiment
from sottovoce.experiments.tasks import Request, expand


def test_a_tasks_key_changes_with_whatever_could_change_its_numbers() -> None:
    task = expand(find_experiment("varying-epsilon"), Request())[0]
    changed = [
        replace(task, seed=1),
        replace(task, repeat=1),
        replace(task, epsilon=1.5),
        replace(task, data=replace(task.data, stamp="x")),
        replace(task, method=task.method.with_option("g2", 4)),
    ]
    assert len({task.key, *(other.key for other in changed)}) == 6
