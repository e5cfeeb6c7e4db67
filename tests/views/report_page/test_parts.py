"""Pieces of a page: text stays text, bars stay on their axis, and wide tables scroll by themselves."""

from __future__ import annotations

import math
import re

from sottovoce.model.answer import Estimate
from sottovoce.views.report_page.parts import Bad, bars, heat, table

ATTACK = "<script>alert('x')</script>"


def number(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, interval=(low, high), level=0.9)


def test_every_text_is_escaped() -> None:
    pages = [
        table([ATTACK, f"n:{ATTACK}"], [[ATTACK, Bad(ATTACK)]], caption=ATTACK),
        bars([(ATTACK, number(1, 0, 2), ATTACK)], caption=ATTACK),
        heat([ATTACK], [((ATTACK, ATTACK), [0.5])], caption=ATTACK),
    ]
    for page in pages:
        assert "<script" not in page
        assert page.count("&lt;script&gt;") >= 3


def test_bars_share_one_axis_that_holds_every_interval() -> None:
    page = bars([("a", number(2, 1, 4), "2"), ("b", number(-1, -1, math.inf), "-1")], caption="c")
    places = [float(place) for place in re.findall(r"left:([\d.]+)%", page)]
    widths = [float(width) for width in re.findall(r"width:([\d.]+)%", page)]
    assert places == [20.0, 40.0, 60.0, 0.0, 0.0, 0.0]
    assert widths == [40.0, 60.0, 20.0, 100.0]


def test_nothing_at_all_is_drawn_too() -> None:
    assert 'style="left:0.00%;width:0.00%"' in bars([("a", number(0, 0, 0), "0")], caption="c")
    assert "rgb(255,255,255)" in heat(["a", "b"], [(("x", "y"), [0.0])], caption="c")


def test_the_largest_share_has_the_darkest_cell() -> None:
    page = heat(["a", "b", "c", "d"], [(("x", "10%"), [0.25, 0.5])], caption="each row")
    assert re.findall(r"rgb\(([\d,]+)\)", page) == ["182,210,230", "110,165,205"]
    assert 'tabindex="0" role="region" aria-label="each row"' in page
