"""The survey page: one HTML file with its program, its style, the plan and all texts, that loads nothing from anywhere.

The plan's attributes, the purpose, the organisation's name and whatever else is given are data: they stand in the page
as escaped text, or as JSON that the program shows as text. A policy lets nothing run but the program itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from urllib.parse import urlsplit

import msgspec

from sottovoce._checks import is_readable
from sottovoce.errors import PlanError, SottovoceError
from sottovoce.plan.plan import Plan
from sottovoce.views.inline import as_script, asset, digest
from sottovoce.views.survey_page.catalogues import Catalogue, catalogue
from sottovoce.views.survey_page.colours import DEFAULT, shades_of

MOST_EPSILON = 2
"""The largest epsilon that a device answers, unless a program of one's own says otherwise."""

MOST_CHARACTERS = 300
"""Of a name, a title or an address that is shown."""

_SHELL = """<!doctype html>
<html lang="{language}" dir="{direction}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{shades}</style>
<style>{style}</style>
</head>
<body>
<header class="top">
<div class="bar">{logo}<p class="organisation"><bdi>{organisation}</bdi></p><div id="language"></div></div>
<h1 id="title" dir="auto">{title}</h1>
</header>
<main>
<noscript><p class="notice bad">{noscript}</p></noscript>
<p id="notice" class="notice" role="status"></p>
<div id="step"></div>
</main>
<script type="application/json" id="data">{data}</script>
<script>{program}</script>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Survey:
    """Whose survey it is, and where its reports go; what is empty is left out.

    Attributes:
        collector: The address of the collector, such as https://collector.example; empty if it serves the page itself.
        title: The heading; the plan's purpose if there is none.
        organisation: Who asks.
        logo: A picture as a ``data:`` address, from `sottovoce.views.report_page.read_logo`.
        colour: The organisation's colour, as #1f5f8b.
        contact: Whom to ask; the plan's contact if there is none.
        notice: The address of the privacy notice.
        messages: What the page says, by language, the first being for whoever asks for none of them.
    """

    collector: str = ""
    title: str = ""
    organisation: str = ""
    logo: str = ""
    colour: str = DEFAULT
    contact: str = ""
    notice: str = ""
    messages: Mapping[str, Catalogue] = field(default_factory=lambda: {"en": catalogue("en")})

    def __post_init__(self) -> None:
        for name in ("title", "organisation", "contact"):
            text = getattr(self, name)
            if not is_readable(text) or len(text) > MOST_CHARACTERS:
                raise SottovoceError(f"{name} is at most {MOST_CHARACTERS} visible characters, got {text!r}")
        for name, text in (("collector", self.collector), ("privacy notice", self.notice)):
            if text:
                _check_address(name, text)
        if self.logo and not self.logo.startswith(("data:image/png;base64,", "data:image/jpeg;base64,")):
            raise SottovoceError("a logo is a picture that read_logo gave, within the page: nothing is fetched")

    @property
    def origin(self) -> str:
        """What the page may talk to, as a policy names it."""
        address = urlsplit(self.collector)
        return f"{address.scheme}://{address.netloc}" if self.collector else "'self'"


def survey_page(plan: Plan, survey: Survey | None = None) -> str:
    """Return the page on which people answer a plan, as HTML.

    Raises:
        PlanError: If no browser would answer the plan.
    """
    survey = survey or Survey()
    if plan.epsilon > MOST_EPSILON:
        raise PlanError(
            f"this plan has epsilon {plan.epsilon}, and people's devices answer at most {MOST_EPSILON}: nobody could "
            "answer on the page; make a plan with a smaller epsilon"
        )
    if not plan.for_browsers:
        raise PlanError("this plan has codes above 2^53, which no browser holds exactly; ask fewer attributes together")
    first = next(iter(survey.messages))
    words = survey.messages[first]
    shades = shades_of(survey.colour).style
    title = survey.title or plan.purpose or "Survey"
    config = {
        "plan": msgspec.json.decode(plan.to_json()),
        "fingerprint": plan.fingerprint,
        "collector": survey.collector.rstrip("/"),
        "organisation": survey.organisation,
        "contact": survey.contact or plan.contact,
        "notice": survey.notice,
        "languages": list(survey.messages),
        "messages": {language: {**one, "title": one["title"] or title} for language, one in survey.messages.items()},
    }
    logo = f'<img src="{escape(survey.logo)}" alt="">' if survey.logo else ""
    return _SHELL.format(
        language=escape(first),
        direction=words["direction"],
        policy=escape(_policy(survey, shades)),
        title=escape(words["title"] or title),
        shades=shades,
        style=_asset("survey.css"),
        logo=logo,
        organisation=escape(survey.organisation),
        noscript=escape(words["noscript"]),
        data=as_script(config),
        program=_asset("survey.js"),
    )


def _policy(survey: Survey, shades: str) -> str:
    """Return the policy: the page runs its own program, and talks to its collector, and does nothing else."""
    return (
        f"default-src 'none'; script-src {digest(_asset('survey.js'))}; "
        f"style-src {digest(shades)} {digest(_asset('survey.css'))}; img-src data:; connect-src {survey.origin}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _check_address(what: str, text: str) -> None:
    try:
        address = urlsplit(text)
        known = address.scheme in ("http", "https") and bool(address.hostname) and (address.port or 1) > 0
    except ValueError:
        known = False
    plain = text.isascii() and is_readable(text) and not set(text) & set(" \"'<>`\\;,")
    if not known or not plain or len(text) > MOST_CHARACTERS or (what == "collector" and "@" in address.netloc):
        raise SottovoceError(f"the {what} is an address such as https://example.org/page, got {text!r}")
    if what == "collector" and (address.query or address.fragment):
        raise SottovoceError(f"the address of the collector has no ? and no #, got {text!r}")


def _asset(name: str) -> str:
    return asset("sottovoce.views.survey_page", name)
