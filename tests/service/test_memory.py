"""Memory of parts that lay among small things goes back to the system."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

PARTS = """
from sottovoce.service.memory import give_back
from tests.raw_http import memory
kept, parts = [], []
for _ in range(1_000):
    parts.append(bytearray(100_000))  # below what the C library maps apart
    kept.append(bytearray(50_000))  # stays between two parts
parts.clear()
before = memory()
assert give_back()
print(before - memory())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is known to give memory back")
def test_what_lay_among_things_that_stay_is_given_back() -> None:
    found = subprocess.run([sys.executable, "-c", PARTS], capture_output=True, text=True, check=True, timeout=60)
    assert int(found.stdout) > 50 * 2**20
