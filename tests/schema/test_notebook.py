"""What a notebook shows: facts by name and rows under headings, with every text escaped."""

from __future__ import annotations

from sottovoce.schema.notebook import facts_html, rows_html


def test_facts_stand_under_their_names_and_empty_ones_are_left_out() -> None:
    shown = facts_html("A <plan>", {"purpose": "ask & tell", "contact": ""})
    assert shown == ("<p><b>A &lt;plan&gt;</b></p><table><tr><th>purpose</th><td>ask &amp; tell</td></tr></table>")


def test_every_cell_is_escaped() -> None:
    assert "<td>&lt;script&gt;</td>" in rows_html(["name"], [["<script>"]])
