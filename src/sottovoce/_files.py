"""The one way to write a file: under another name first, so that it appears whole or not at all.

Neither an error, Ctrl-C nor a power cut leaves half a file, or destroys the one that was there before.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sottovoce.errors import SottovoceError


def read_whole(path: str | os.PathLike[str], what: str, *, error: type[SottovoceError]) -> bytes:
    """Return what a file holds.

    Args:
        path: Where it is.
        what: What it should be, for the message.
        error: What to raise.

    Raises:
        SottovoceError: Of the kind given, if there is no such file, or it cannot be read.
    """
    if not isinstance(path, str | os.PathLike):
        raise error(f"the path of a {what} is a text or a Path, got {path!r}")
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as cause:
        raise error(f"cannot read the {what} {str(path)!r}: {cause}") from cause


def unfinished(path: Path) -> Path:
    """Return a name beside ``path`` for a file that is still being written: hidden, and found by no usual pattern."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path that becomes ``path`` when all went well, and is removed when it did not."""
    part = unfinished(path)
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: str | Path, data: bytes, *, private: bool = False) -> None:
    """Write a file, or replace one, durably: when this returns, a power cut does not undo it.

    Args:
        path: Where to write.
        data: What the file holds.
        private: Let only its owner read it.
    """
    path = Path(path)
    with whole_file(path) as part:
        _write_durably(part, data, private=private)
    sync_directory(path.parent)


def create_whole(path: Path, data: bytes, *, private: bool = False) -> bool:
    """Return whether the file was written: of several that write it at the same time, one is the first and stays."""
    part = unfinished(path)
    try:
        _write_durably(part, data, private=private)
        os.link(part, path)
    except FileExistsError:
        return False
    finally:
        part.unlink(missing_ok=True)
        sync_directory(path.parent)
    return True


def _write_durably(path: Path, data: bytes, *, private: bool) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable, where the system can."""
    if os.name == "posix":
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
