"""The page itself: one HTML file with its program, its style and what it shows, that loads nothing from anywhere."""

from __future__ import annotations

from functools import cache
from html import escape

from sottovoce.model.model import Model
from sottovoce.model.waves import WaveModels
from sottovoce.plan.plan import Plan
from sottovoce.views.explorer.document import exploration
from sottovoce.views.explorer.waves import waves_exploration
from sottovoce.views.inline import as_script, asset, digest

_SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main id="explorer"><noscript>The explorer computes its answers here, for which it needs JavaScript.</noscript></main>
<script type="application/json" id="exploration">{data}</script>
<script>{program}</script>
</body>
</html>
"""


def explorer_page(
    model: Model | WaveModels, *, plan: Plan | None = None, level: float = 0.9, population: int | None = None
) -> str:
    """Return the explorer of a model as one HTML file, which works wherever it is opened and sends nothing.

    Args:
        model: A fitted model of a mechanism that explains the crowd by a mixture, or those of several waves.
        plan: The plan that was answered, for its purpose and its privacy certificate; models of waves know theirs.
        level: The probability with which intervals should hold the true fraction.
        population: How many people the crowd stands for; as many as reported, unless given.
    """
    if isinstance(model, WaveModels):
        document = waves_exploration(model, level=level, population=population)
    else:
        document = exploration(model, plan=plan, level=level, population=population)
    return _fill(document["title"], as_script(document), _policy(connect="'none'"))


@cache
def live_page() -> str:
    """Return the explorer that asks the collector which serves it for plans, counts and models."""
    return _fill("Sottovoce explorer", "null", live_policy())


@cache
def live_policy() -> str:
    """Return the content security policy of the live page: it talks to the collector that serves it, and no other."""
    return _policy(connect="'self'")


def _policy(*, connect: str) -> str:
    """Return the policy under which the page runs its own program and style, and calls ``connect`` alone."""
    return (
        f"default-src 'none'; script-src {digest(_asset('explorer.js'))}; style-src {digest(_asset('explorer.css'))}; "
        f"img-src data:; connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def _fill(title: str, data: str, policy: str) -> str:
    return _SHELL.format(
        policy=escape(policy),
        title=escape(title),
        style=_asset("explorer.css"),
        data=data,
        program=_asset("explorer.js"),
    )


def _asset(name: str) -> str:
    return asset("sottovoce.views.explorer", name)
