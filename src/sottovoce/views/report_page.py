"""The report: one page for a finished collection, with everything in it and nothing fetched from anywhere.

What was asked, the privacy certificate in plain words, the data's quality, every marginal and the strongest pairs.
"""

from __future__ import annotations

from html import escape

from sottovoce.errors import ModelError
from sottovoce.model.model import Model
from sottovoce.plan.audit import exact_words, promise, scope_words
from sottovoce.plan.plan import Plan
from sottovoce.schema.attributes import Categorical, Ordinal
from sottovoce.schema.schema import AnyAttribute
from sottovoce.tally.quality import check_tally
from sottovoce.tally.tally import Tally
from sottovoce.views.charts import altair, marginal_chart, pair_chart, svg_text

PAIRS_SHOWN, PAIRS_LISTED = 3, 10
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""The page is text and pictures: nothing in it runs, and nothing is fetched."""

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
h1{font-size:1.7rem;margin-bottom:.2rem}h2{font-size:1.25rem;margin-top:2.2rem;border-bottom:1px solid #ccc}
table{border-collapse:collapse;margin:.6rem 0}td,th{padding:.25rem .8rem .25rem 0;text-align:left;vertical-align:top}
th{border-bottom:1px solid #999}td.n,th.n{text-align:right}figure{margin:1.2rem 0}figure svg{max-width:100%;height:auto}
.note{color:#555;font-size:.9rem}.bad{color:#a40000;font-weight:bold}code{overflow-wrap:anywhere;font-size:.85rem}
.promise{border-left:4px solid #1f5f8b;padding:.4rem 1rem;background:#f2f7fa}
"""


def make_report(plan: Plan, tally: Tally, model: Model, *, level: float = 0.9) -> str:
    """Return the page, as HTML."""
    for what, collection in (("tally", tally.collection), ("model", model.origin.collection)):
        if collection != plan.collection:
            raise ModelError(
                f"the {what} is of another collection than the plan; give the three files of one collection"
            )
    altair()
    title = plan.purpose or "A collection under local differential privacy"
    sections = [
        f"<h1>{escape(title)}</h1>",
        _summary(plan, tally, model),
        _asked(plan),
        _certificate(plan),
        _quality(tally),
        _marginals(model, level),
        _pairs(model),
        _colophon(plan, tally, model),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n<body>\n'
        + "\n".join(sections)
        + "\n</body></html>\n"
    )


def _summary(plan: Plan, tally: Tally, model: Model) -> str:
    facts = [f"{tally.total:,} randomised reports on {len(plan.schema.attributes)} attributes"]
    facts += [f"until {plan.expires}"] if plan.expires else []
    facts += [f"contact: {plan.contact}"] if plan.contact else []
    stale = (
        ""
        if model.reports == tally.total
        else (
            f'<p class="bad">The model is of {model.reports:,} reports, the tally holds {tally.total:,}: fit again.</p>'
        )
    )
    caveats = "".join(f'<p class="bad">{escape(caveat)}.</p>' for caveat in model.caveats)
    return f"<p>{escape('; '.join(facts))}.</p>{stale}{caveats}"


def _asked(plan: Plan) -> str:
    rows = [
        [
            attribute.name,
            _kind(attribute),
            attribute.domain,
            f"{attribute.value_levels:,}",
            "may be left open" * attribute.accepts_null,
        ]
        for attribute in plan.schema.attributes
    ]
    questions = len(plan.questions)
    return (
        "<h2>What was asked</h2>"
        + _table(["attribute", "kind", "allowed", "n:levels", ""], rows)
        + f"<p>Each person's device drew <b>one</b> of {questions:,} public questions about these, and sent a "
        "randomised answer to it. The record itself never left the device.</p>"
    )


def _kind(attribute: AnyAttribute) -> str:
    if isinstance(attribute, Categorical):
        return "one of a list"
    return "whole numbers" if isinstance(attribute, Ordinal) else "numbers, in bins"


def _certificate(plan: Plan) -> str:
    audit = plan.audit()
    return (
        f"<h2>Privacy certificate</h2><p>Exact epsilon <b>{exact_words(audit)}</b>, at most the {plan.epsilon} "
        f'that was asked for.</p><p class="promise">{escape(promise(audit))}</p>'
        f"<p>{escape(scope_words(plan, audit))}</p>"
    )


def _quality(tally: Tally) -> str:
    refused = sum(tally.refused.values())
    reasons = [[reason, f"{count:,}"] for reason, count in sorted(tally.refused.items())]
    checks = [
        [
            (check.plan or "")[:12],
            f"{check.reports:,}",
            f"{check.statistic:.1f} ({check.freedom})",
            f"{check.probability:.2g}",
            _Bad(check.words) if check.flagged else check.words,
        ]
        for check in check_tally(tally)
        if check.plan is not None
    ]
    return (
        f"<h2>Data quality</h2><p>{tally.total:,} reports were counted and {refused:,} refused"
        + ("; for these reasons:</p>" + _table(["reason", "n:reports"], reasons) if reasons else ".</p>")
        + "<p>Were people asked what the plan says? The number of reports on each question against its share:</p>"
        + _table(["plan", "n:reports", "n:chi-square (freedom)", "n:chance", "reports per question are"], checks)
        + '<p class="note">The chance is how often a sound collection would look at least as odd. '
        "No check can see who lied before randomisation, who answered twice, or who stayed away.</p>"
    )


def _marginals(model: Model, level: float) -> str:
    figures = "".join(
        f"<figure>{svg_text(marginal_chart(model, name, level=level))}</figure>" for name in model.schema.names
    )
    return f'<h2>Each attribute</h2><p class="note">{escape(model.interval_note)}</p>{figures}'


def _pairs(model: Model) -> str:
    found = model.association()
    if not found:
        return ""
    told = [pair for pair in found if pair.told]
    left = len(found) - len(told)
    rows = [
        [
            f"{pair.first} and {pair.second}",
            f"{pair.strength:.2f}",
            f"{pair.strength.interval[0]:.2f} to {pair.strength.interval[1]:.2f}",
            pair.strength.basis,
        ]
        for pair in told[:PAIRS_LISTED]
    ]
    figures = "".join(
        f"<figure>{svg_text(pair_chart(model, pair.first, pair.second))}</figure>" for pair in told[:PAIRS_SHOWN]
    )
    table = _table(["attributes", "n:Cramér's V", "n:interval", "evidence"], rows) if rows else ""
    return (
        f"<h2>What goes together</h2>{table}"
        f'<p class="note">0 is unrelated, 1 is fixed by each other; intervals hold for all {len(found)} pairs at once. '
        f"{len(told)} of them can be told from chance; of {left} it could not be said whether they go together at all."
        f"</p>{figures}"
    )


def _colophon(plan: Plan, tally: Tally, model: Model) -> str:
    rows = [
        ["mechanism", f"{plan.mechanism} {plan.parameters or ''}"],
        ["plan", plan.fingerprint],
        ["collection", plan.collection],
        ["fitted to", f"{model.reports:,} reports"],
        ["plans counted", ", ".join(fingerprint[:12] for fingerprint in tally.plans)],
    ]
    return (
        "<h2>How to check this</h2>"
        + _table(["", ""], rows)
        + (
            '<p class="note">The plan is public: whoever has it can recompute the fingerprint and the certificate with '
            "<code>sottovoce audit plan.json</code>.</p>"
        )
    )


class _Bad(str):
    """A text of a table that should worry the reader."""

    __slots__ = ()


def _table(head: list[str], rows: list[list[str]]) -> str:
    """Return an HTML table; a column whose name starts with ``n:`` holds numbers."""
    classes = [' class="n"' if name.startswith("n:") else "" for name in head]
    top = "".join(f"<th{kind}>{escape(name.removeprefix('n:'))}</th>" for name, kind in zip(head, classes, strict=True))
    body = ""
    for row in rows:
        cells = "".join(
            f'<td class="bad">{escape(cell)}</td>' if isinstance(cell, _Bad) else f"<td{kind}>{escape(cell)}</td>"
            for cell, kind in zip(row, classes, strict=True)
        )
        body += f"<tr>{cells}</tr>"
    return f"<table>{f'<tr>{top}</tr>' if any(head) else ''}{body}</table>"
