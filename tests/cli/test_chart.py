"""``sottovoce chart``: pictures that hold all they need, in the form that the file's name asks for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.calls import fail, run, succeed


@pytest.mark.parametrize("names", [("age",), ("income",), ("region",), ("age", "income"), ("region", "age")])
@pytest.mark.parametrize("suffix", ["png", "svg", "html"])
def test_pictures_hold_no_address_to_fetch_from(collection: Path, names: tuple[str, ...], suffix: str) -> None:
    out = Path(f"chart.{suffix}")
    assert succeed("chart", "model.json", *names, "--out", out)["attributes"] == list(names)
    content = out.read_bytes()
    if suffix == "png":
        assert content.startswith(b"\x89PNG")
        return
    text = content.decode()
    assert not re.search(r"""(?:src|href)=["']https?:""", text)
    if suffix == "svg":
        assert text.startswith("<svg")
        assert all(f">{name}" in text for name in names)


def test_what_cannot_be_drawn_takes_one_line(collection: Path) -> None:
    said = fail("chart", "model.json", "age", "--out", "age.pdf")
    assert "age.pdf" in said
    assert ".png, .svg, .html" in said
    assert "unknown attribute" in fail("chart", "model.json", "nobody", "--out", "chart.svg")
    assert "unknown attribute" in fail("chart", "model.json", "age", "nobody", "--out", "chart.svg")
    assert "two different attributes" in fail("chart", "model.json", "age", "age", "--out", "chart.svg")
    assert not Path("age.pdf").exists()


def test_without_the_extra_the_error_says_how_to_get_it(collection: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    assert 'pip install "sottovoce[plots]"' in fail("chart", "model.json", "age", "--out", "chart.svg")


def test_people_are_told_the_file_and_what_it_shows(collection: Path) -> None:
    assert run("chart", "model.json", "age", "income", "--out", "pair.svg").output == "pair.svg: age and income\n"


def test_the_level_of_the_intervals_is_drawn(collection: Path) -> None:
    succeed("chart", "model.json", "age", "--level", 0.5, "--out", "half.svg")
    assert "with 50% intervals" in Path("half.svg").read_text(encoding="utf-8")


def test_a_failed_drawing_keeps_the_picture_that_was_there(collection: Path) -> None:
    Path("chart.pdf").write_text("what was there before", encoding="utf-8")
    fail("chart", "model.json", "age", "--out", "chart.pdf")
    assert Path("chart.pdf").read_text(encoding="utf-8") == "what was there before"
    assert "would be overwritten" in fail("chart", "model.json", "age", "--out", "model.json")
