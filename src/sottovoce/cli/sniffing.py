"""Tables of text as they come: with any usual separator and encoding, compressed or not, or from standard input."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from sottovoce.errors import RecordError

STANDARD_INPUT = Path("-")
"""The path that stands for standard input."""

_SAMPLE = 2**20
"""How much of a file is looked at to guess how it is written."""

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True, slots=True)
class Written:
    """How a table of text is written, and the columns that its first line names."""

    separator: str
    encoding: str
    columns: tuple[str, ...]

    @property
    def note(self) -> str:
        """What was guessed and may be wrong; empty where it is plain CSV."""
        words = [] if self.separator == "," else [f"its columns are separated by {_SEPARATORS[self.separator]}"]
        if self.separator == ";":
            words.append("a comma within a number is taken as its decimal point")
        if self.encoding == "cp1252":
            words.append("it is not UTF-8 and is read as Windows-1252: save it as UTF-8 if letters look wrong")
        return "; ".join(words)


@contextmanager
def open_text(path: Path) -> Iterator[tuple[IO[bytes], Written]]:
    """Yield a table's bytes, decompressed, and how it is written."""
    with _opened(path) as raw:
        sample = raw.read(_SAMPLE)
        if not sample:
            raise RecordError("the file is empty; its first line names the columns")
        yield cast(IO[bytes], io.BufferedReader(_Chained(sample, raw))), _written(sample)


class _Chained(io.RawIOBase):
    """Bytes that were read already, and then the rest of where they came from."""

    def __init__(self, first: bytes, rest: IO[bytes]) -> None:
        self._first, self._rest = first, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        part = self._first[:size] or self._rest.read(size)
        self._first = self._first[len(part) :]
        buffer[: len(part)] = part
        return len(part)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    if path == STANDARD_INPUT:
        yield sys.stdin.buffer
    elif path.suffix.lower() == ".gz":
        with gzip.open(path, "rb") as file:
            yield cast(IO[bytes], file)
    else:
        with path.open("rb") as file:
            yield file


def _written(sample: bytes) -> Written:
    encoding = next((name for mark, name in _MARKS if sample.startswith(mark)), "")
    if not encoding:
        encoding = "utf-8" if _is_utf8(sample) else "cp1252"
    text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
    first = next(iter(io.StringIO(text)), "")
    separator = max(_SEPARATORS, key=lambda mark: len(_split(first, mark)))
    return Written(separator, encoding, tuple(_split(first, separator)))


def _is_utf8(sample: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def _split(line: str, separator: str) -> Sequence[str]:
    return next(csv.reader([line], delimiter=separator), [])
