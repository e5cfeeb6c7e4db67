"""The page itself: its program and style from ``static/``, and the policy under which nothing else runs."""

from __future__ import annotations

from functools import cache
from html import escape

from sottovoce.views.inline import asset, digest

_SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>Sottovoce: operate</title>
<style>{style}</style>
</head>
<body>
<header><h1>Operate</h1><p id="about"></p><p id="live" role="status"></p></header>
<main id="operate"><noscript>This page asks the collector for what it shows: it needs JavaScript.</noscript></main>
<script>{program}</script>
</body>
</html>
"""


@cache
def operator_page() -> str:
    """Return the operator's page."""
    return _SHELL.format(policy=escape(operator_policy()), style=_asset("operate.css"), program=_asset("operate.js"))


@cache
def operator_policy() -> str:
    """Return the content security policy of the page: it runs its own program, and talks to its own collector."""
    return (
        f"default-src 'none'; script-src {digest(_asset('operate.js'))}; style-src {digest(_asset('operate.css'))}; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
    )


def _asset(name: str) -> str:
    return asset("sottovoce.views.operator", name)
