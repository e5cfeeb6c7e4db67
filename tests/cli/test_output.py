"""What commands say: one JSON object or tables, nothing of a terminal in a pipe, and progress nowhere else."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from sottovoce.cli import output
from sottovoce.cli.output import make_console, make_table, print_json, print_paragraph, progress_bar, strong


def test_json_is_one_line_with_every_letter_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"region": "Süd\nost", "shares": [0.5, None]})
    text = capsys.readouterr().out
    assert text.count("\n") == 1
    assert "Süd" in text
    assert json.loads(text) == {"region": "Süd\nost", "shares": [0.5, None]}


def test_a_pipe_gets_whole_lines_without_colours(capsys: pytest.CaptureFixture[str]) -> None:
    words = " ".join(["fingerprint"] * 30)
    make_console().print(strong(words))
    assert capsys.readouterr().out == f"{words}\n"


def test_a_paragraph_is_indented_and_wrapped_between_words_in_a_pipe_as_well(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "A sentence with [brackets] that are no markup. " * 8
    print_paragraph(make_console(), text)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 3
    assert all(line.startswith("  ") and len(line) <= 80 for line in lines)
    assert " ".join(" ".join(lines).split()) == text.strip()


def test_a_column_of_numbers_is_aligned_to_the_right(capsys: pytest.CaptureFixture[str]) -> None:
    table = make_table("who", ">people")
    table.add_row("north", "7")
    table.add_row("a longer name", "1,000")
    make_console().print(table)
    _, head, _, first, second = capsys.readouterr().out.splitlines()[:5]
    assert "who" in head
    assert ">" not in head
    assert len(first.rstrip()) == len(second.rstrip()), "both numbers end in the same column"
    assert first.index("north") == second.index("a longer")


def test_progress_is_shown_on_a_terminal_and_silent_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress_bar("count", 2.0) as progress:
        progress(1.0)
    assert capsys.readouterr() == ("", "")
    screen = io.StringIO()
    monkeypatch.setattr(
        output, "Console", lambda **options: Console(file=screen, force_terminal=True, width=80, _environ={})
    )
    with progress_bar("count", 2.0) as progress:
        progress(1.0)
    assert "count" in screen.getvalue()
    assert "50%" in screen.getvalue()
