"""What experiments are made of has one JSON form, from which keys and seeds come."""

from __future__ import annotations

import subprocess
import sys

import pytest
from msgspec.structs import replace

import sottovoce as sv
from sottovoce.experiments.catalogue import find_experiment
from sottovoce.experiments.specs import Method, QuerySpec, check_member, derive_seed, digest
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


def test_a_digest_is_the_same_in_every_process_and_differs_with_every_part() -> None:
    code = "from sottovoce.experiments.specs import *; print(digest(1, 'people', QuerySpec(count=3), {'b': 1, 'a': 2}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest(1, "people", QuerySpec(count=3), {"a": 2, "b": 1})
    parts = [(1, "ab"), (1, "a", "b"), ("1", "ab"), (2, "ab"), (1, QuerySpec()), (1, QuerySpec(count=3))]
    assert len({digest(*part) for part in parts}) == len(parts)


def test_a_seed_is_what_numpy_takes_and_follows_from_the_parts() -> None:
    seeds = [derive_seed(repeat, "people") for repeat in range(50)]
    assert len(set(seeds)) == 50
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert derive_seed(3, "people") == seeds[3]


def test_an_option_more_makes_another_method_of_the_same_name() -> None:
    method = Method(label="HDG", mechanism="hdg", options=(("g1", 8),))
    more = method.with_option("g2", 4)
    assert (more.label, more.options) == ("HDG", (("g1", 8), ("g2", 4)))
    assert method.options == (("g1", 8),)


def test_a_word_that_is_not_allowed_is_refused_with_those_that_are() -> None:
    check_member("a measure", "error", ("error", "errors"))
    with pytest.raises(sv.ExperimentError, match="a measure is one of error, errors, got 'taste'"):
        check_member("a measure", "taste", ("error", "errors"))
