"""How tables of text are written: separators, encodings, compression, standard input."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.cli.sniffing import STANDARD_INPUT, open_text

TEXT = 'age;"where; now"\n1;Köln\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_are_told_apart(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(TEXT.encode(encoding))
    with open_text(path) as (raw, written):
        assert raw.read().decode(encoding) == TEXT
    assert (written.encoding, written.separator, written.columns) == (encoding, ";", ("age", "where; now"))
    assert ("Windows-1252" in written.note) == (encoding == "cp1252")


@pytest.mark.parametrize(("separator", "word"), [(",", ""), (";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_separators_are_guessed_with_a_word(separator: str, word: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(separator.join(["a", "b c", "d"]) + "\n", encoding="utf-8")
    with open_text(tmp_path / "a.csv") as (_, written):
        assert written.columns == ("a", "b c", "d")
    assert word in written.note
    assert bool(written.note) == bool(word)


def test_a_file_larger_than_the_sample_comes_whole(tmp_path: Path) -> None:
    content = b"a,b\n" + b"12345,67890\n" * 200_000
    with gzip.open(tmp_path / "a.csv.gz", "wb") as file:
        file.write(content)
    with open_text(tmp_path / "a.csv.gz") as (raw, _):
        assert raw.read() == content


def test_standard_input_is_read_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\tb\n1\t2\n")))
    with open_text(STANDARD_INPUT) as (raw, written):
        assert (raw.read(), written.separator) == (b"a\tb\n1\t2\n", "\t")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    with pytest.raises(sv.RecordError, match="empty; its first line names the columns"), open_text(tmp_path / "a.csv"):
        pytest.fail("there is nothing to read")
