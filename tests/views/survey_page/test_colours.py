"""An organisation's colour: every shade can be read where it stands, whatever the colour is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce import SottovoceError
from sottovoce.views.survey_page.colours import READABLE, contrast, shades_of

COLOURS = st.integers(0, 0xFFFFFF).map("#{:06x}".format)


@given(COLOURS)
def test_every_colour_becomes_shades_that_can_be_read(colour: str) -> None:
    shades = shades_of(colour)
    assert shades.button == colour
    assert contrast(shades.button, shades.button_ink) >= READABLE
    assert all(contrast(shades.light, ground) >= READABLE for ground in ("#f6f4ef", "#fffefb"))
    assert all(contrast(shades.dark, ground) >= READABLE for ground in ("#151b1a", "#1d2524"))


def test_the_grounds_are_those_of_the_style_sheet() -> None:
    from importlib.resources import files

    style = (files("sottovoce.views.survey_page") / "static" / "survey.css").read_text(encoding="utf-8")
    for ground in ("#f6f4ef", "#fffefb", "#151b1a", "#1d2524"):
        assert ground in style


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#777777", "#777777") == 1


def test_a_colour_that_can_be_read_stays_as_it_is() -> None:
    assert shades_of("#1F5F8B").light == "#1f5f8b"


@pytest.mark.parametrize("wrong", ["red", "#fff", "#12345g", "#1f5f8b;} body{display:none", "#1f5f8b\n", "", None])
def test_anything_but_six_digits_is_refused(wrong: str) -> None:
    with pytest.raises(SottovoceError, match="a colour is written as #1f5f8b"):
        shades_of(wrong)
