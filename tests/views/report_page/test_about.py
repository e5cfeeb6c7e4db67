"""Whose report it is: a logo is a picture, small, and inside the page."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.views.report_page.about import MOST_BYTES, read_logo

PNG = b"\x89PNG\r\n\x1a\n"


def test_a_logo_becomes_an_address_that_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "logo"
    path.write_bytes(PNG + b"rest")
    kind, data = read_logo(path).split(",")
    assert kind == "data:image/png;base64"
    assert b64decode(data) == PNG + b"rest"
    path.write_bytes(b"\xff\xd8\xffrest")
    assert read_logo(path).startswith("data:image/jpeg;base64,")


@pytest.mark.parametrize("data", [b"<svg onload='alert(1)'/>", b"", PNG + bytes(MOST_BYTES)])
def test_what_is_no_picture_or_too_large_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "logo.png"
    path.write_bytes(data)
    with pytest.raises(sv.SottovoceError, match="a logo is a PNG or JPEG file of at most 500 kB"):
        read_logo(path)
