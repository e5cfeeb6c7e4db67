"""A digest of the code behind a number: finished work is kept until something that could change it is changed.

It covers the sources of all rooms that measure, and of the mechanism measured: its folder, or the modules that the
mechanisms of single files share. What only draws or prints is not in it. A mechanism from outside counts with the
sources of its own package.
"""

from __future__ import annotations

import functools
import hashlib
import secrets
import sys
from pathlib import Path

import numpy as np

import sottovoce
from sottovoce.plan.registry import Mechanism, find_mechanism

ROOMS = ("schema", "channels", "plan", "client", "tally", "query", "estimation", "model", "simulation")
"""Rooms all of whose modules may change a number."""

MEASURING = ("cache", "datasets", "measure", "methods", "oracles", "queries", "specs", "true_answers")
"""The modules of this room that do."""

_HOME = Path(sottovoce.__file__).parent


def code_digest(mechanism: str) -> str:
    """Return the SHA-256 of the sources that a mechanism's numbers depend on, and of numpy's version.

    Of a mechanism without a source, made in a session that no file holds, nobody can tell later what it was: its
    digest is drawn at random, so that its numbers are not taken for those of another session.
    """
    return _digest_of(find_mechanism(mechanism))


@functools.cache
def _digest_of(mechanism: Mechanism) -> str:
    sources = [path for room in ROOMS for path in (_HOME / room).rglob("*.py")]
    sources += [_HOME / "experiments" / f"{name}.py" for name in MEASURING]
    sources += (_HOME / "mechanisms").glob("*.py")
    module = Path(getattr(sys.modules.get(mechanism.design.__module__), "__file__", None) or "")
    if not module.is_file():
        return secrets.token_hex(32)
    if module.parent != _HOME / "mechanisms":
        sources += module.parent.rglob("*.py") if (module.parent / "__init__.py").exists() else [module]
    parts = [np.__version__.encode(), *(path.read_bytes() for path in sorted(set(sources)))]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
