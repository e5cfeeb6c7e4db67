"""Pieces of a page: tables, bars with intervals, and heat maps, all of them text that a screen reader reads too."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from sottovoce.model.answer import Answer, Estimate


class Bad(str):
    """A text of a table that should worry the reader."""

    __slots__ = ()


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str = "") -> str:
    """Return an HTML table that scrolls by itself; a column whose name starts with ``n:`` holds numbers.

    Args:
        head: Names of the columns, all empty for none; one that starts with ``n:`` holds numbers.
        rows: Texts, which are escaped; a `Bad` one stands out.
        caption: What stands above it; "" for nothing.
    """
    classes = [' class="n"' if name.startswith("n:") else "" for name in head]
    top = "".join(
        f'<th scope="col"{kind}>{escape(name.removeprefix("n:"))}</th>' if name else "<td></td>"
        for name, kind in zip(head, classes, strict=True)
    )
    body = ""
    for row in rows:
        cells = "".join(
            f'<td class="bad">{escape(cell)}</td>' if isinstance(cell, Bad) else f"<td{kind}>{escape(cell)}</td>"
            for cell, kind in zip(row, classes, strict=True)
        )
        body += f"<tr>{cells}</tr>"
    framed = _scrolling(f"<table>{f'<tr>{top}</tr>' if any(head) else ''}{body}</table>", caption)
    return f'<p class="note">{escape(caption)}</p>{framed}' if caption else framed


def bars(rows: Sequence[tuple[str, Answer | Estimate, str]], *, caption: str) -> str:
    """Return a bar with its interval for every row: its label, the number, and the number in words.

    All share one axis, from nothing (or the least, where there are numbers below it) to the highest end of an interval.
    """
    ends = [end for _, value, _ in rows for end in (*value.interval, float(value)) if abs(end) < float("inf")]
    least, most = min([0.0, *ends]), max([0.0, *ends])
    width = (most - least) or 1.0

    def part(value: float) -> float:
        return 100 * (min(max(value, least), most) - least) / width

    lines = ""
    for label, value, words in rows:
        start, stop = sorted((part(0.0), part(float(value))))
        low, high = (part(end) for end in value.interval)
        lines += (
            f'<tr><th scope="row">{escape(label)}</th><td class="track"><div>'
            f'<i class="bar" style="left:{start:.2f}%;width:{stop - start:.2f}%"></i>'
            f'<i class="reach" style="left:{low:.2f}%;width:{max(high - low, 0):.2f}%"></i>'
            f'<i class="mark" style="left:{part(float(value)):.2f}%"></i></div></td>'
            f'<td class="n">{escape(words)}</td></tr>'
        )
    return f'<table class="bars"><caption>{escape(caption)}</caption>{lines}</table>'


def heat(head: Sequence[str], rows: Sequence[tuple[Sequence[str], Sequence[float]]], *, caption: str) -> str:
    """Return a table of shares coloured by their size; each row starts with texts and goes on with shares.

    Args:
        head: Names of the columns.
        rows: Texts and shares of each; the largest share of all is the darkest.
        caption: What stands above it.
    """
    most = max((share for _, shares in rows for share in shares), default=0.0) or 1.0
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = ""
    for texts, shares in rows:
        first, *others = texts
        cells = "".join(
            f'<td class="n" style="background:rgb({_shade(share / most)})">{share:.0%}</td>' for share in shares
        )
        body += f'<tr><th scope="row">{escape(first)}</th>'
        body += "".join(f'<td class="n">{escape(text)}</td>' for text in others) + f"{cells}</tr>"
    framed = _scrolling(f'<table class="heat"><tr>{top}</tr>{body}</table>', caption)
    return f'<p class="note">{escape(caption)}</p>{framed}'


def trend(answers: Mapping[int, Answer], *, caption: str) -> str:
    """Return a picture of fractions wave by wave: a line through them, and a band of their intervals.

    The axis goes from nothing to a round share above the highest end of an interval.
    """
    width, height, left, bottom, top = 640.0, 190.0, 56.0, 26.0, 12.0
    highest = max(answer.interval[1] for answer in answers.values()) or 1.0
    unit = 10.0 ** math.floor(math.log10(highest))
    step = next(unit * part for part in (0.1, 0.2, 0.5, 1.0) if highest / (unit * part) <= 5 or part == 1.0)
    most = step * math.ceil(highest / step - 1e-9)
    first, last = min(answers), max(answers)

    def across(wave: int) -> float:
        return left + 16 + (width - left - 32) * (wave - first) / max(1, last - first)

    def up(share: float) -> float:
        return height - bottom - (height - bottom - top) * share / most

    def points(pairs: Sequence[tuple[int, float]]) -> str:
        return " ".join(f"{across(wave):.1f},{up(share):.1f}" for wave, share in pairs)

    lows = [(wave, answer.interval[0]) for wave, answer in answers.items()]
    highs = [(wave, answer.interval[1]) for wave, answer in answers.items()]
    line = [(wave, answer.fraction) for wave, answer in answers.items()]
    rules = "".join(
        f'<line class="rule" x1="{left}" x2="{width}" y1="{up(step * at):.1f}" y2="{up(step * at):.1f}"/>'
        f'<text x="{left - 6}" y="{up(step * at) + 4:.1f}" text-anchor="end">{100 * step * at:.3g}%</text>'
        for at in range(round(most / step) + 1)
    )
    every = math.ceil(len(line) / 16)
    dots = "".join(f'<circle cx="{across(wave):.1f}" cy="{up(share):.1f}" r="4"/>' for wave, share in line)
    names = "".join(
        f'<text x="{across(wave):.1f}" y="{height - 5}" text-anchor="middle">{"wave " * (wave == first)}{wave}</text>'
        for wave in list(answers)[::every]
    )
    words = f"{caption}: from {line[0][1]:.1%} to {line[-1][1]:.1%}"
    return (
        f'<svg class="trend" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(words)}">{rules}'
        f'<polygon points="{points(highs + lows[::-1])}"/><polyline points="{points(line)}"/>{dots}{names}</svg>'
    )


def _shade(part: float) -> str:
    """Return a colour from white to a blue that dark text can still be read on (contrast 7 to 1)."""
    part = min(max(part, 0.0), 1.0)
    return ",".join(f"{255 - (255 - end) * part:.0f}" for end in (110, 165, 205))


def _scrolling(inside: str, name: str) -> str:
    """Return a table in a frame of its own, so that a wide one never makes the page wider than the screen."""
    label = f' role="region" aria-label="{escape(name)}"' if name else ""
    return f'<div class="wide" tabindex="0"{label}>{inside}</div>'
