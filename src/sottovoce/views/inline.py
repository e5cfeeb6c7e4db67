"""What stands inside a page that loads nothing: its files, their hashes for its policy, and data in a script."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

import msgspec


@cache
def asset(package: str, name: str) -> str:
    """Return a file of a package's ``static/`` folder."""
    return (files(package) / "static" / name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """Return the source expression by which a content security policy allows this script or style, and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def as_script(document: object) -> str:
    """Return JSON that can stand within a script element: nothing in it ends the element or opens a comment."""
    return msgspec.json.encode(document).decode().replace("<", "\\u003c")
