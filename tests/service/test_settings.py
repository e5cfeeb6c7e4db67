"""What a collector is told is checked when it is told, before anybody is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from sottovoce.errors import SottovoceError
from sottovoce.service.settings import Settings


@pytest.mark.parametrize("rate", ["", "often", "600", "600/fortnight"])
def test_a_rate_that_cannot_be_understood_is_refused_at_once(rate: str) -> None:
    with pytest.raises(SottovoceError, match="such as 600/minute"):
        Settings(rate=rate)


def test_a_rate_is_so_many_uses_in_so_long() -> None:
    limit = Settings(rate="3/hour").rate_limit
    assert (limit.amount, limit.get_expiry()) == (3, 3600)


@pytest.mark.parametrize(
    "origin", ["example.org", "*", "ftp://example.org", "https://example.org/", "https://example.org/survey", "null"]
)
def test_an_origin_that_no_browser_would_send_is_refused_at_once(origin: str) -> None:
    with pytest.raises(SottovoceError, match="a scheme and a host"):
        Settings(origins={"f" * 64: ("https://good.example.org", origin)})


def test_a_plans_origins_are_its_own_and_those_of_every_plan() -> None:
    settings = Settings(origins={"*": ("https://all.example.org",), "f" * 64: ("http://localhost:8000",)})
    assert settings.origins_of("f" * 64) == ("https://all.example.org", "http://localhost:8000")
    assert settings.origins_of("0" * 64) == ("https://all.example.org",)


def test_pages_are_served_from_directories_alone(tmp_path: Path) -> None:
    file = tmp_path / "index.html"
    file.touch()
    assert Settings(pages=(tmp_path,)).pages == (tmp_path,)
    for wrong in (file, tmp_path / "missing"):
        with pytest.raises(SottovoceError, match="from a directory"):
            Settings(pages=(tmp_path, wrong))
