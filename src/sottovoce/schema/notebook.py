"""Values as a notebook shows them: a heading, facts by name, rows under headings; every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape


def facts_html(title: str, facts: Mapping[str, str]) -> str:
    """Return a heading and a table of facts by name; a fact of no words is left out.

    Example:
        >>> facts_html("Plan", {"epsilon": "1", "purpose": ""})
        '<p><b>Plan</b></p><table><tr><th>epsilon</th><td>1</td></tr></table>'
    """
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(fact)}</td></tr>" for name, fact in facts.items() if fact)
    return f"<p><b>{escape(title)}</b></p><table>{rows}</table>"


def rows_html(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of rows under headings.

    Example:
        >>> rows_html(["a", "b"], [["1", "<2"]])
        '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>&lt;2</td></tr></table>'
    """
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"
