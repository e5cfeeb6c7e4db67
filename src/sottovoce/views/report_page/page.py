"""The report: what was found, who was asked, every question with its interval, the method and the privacy.

It is text and tables: nothing in it runs, nothing is fetched, and whatever a plan says is shown as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sottovoce.errors import ModelError
from sottovoce.model.answer import plain_number
from sottovoce.model.findings import Findings, every_pair, find
from sottovoce.model.model import Model
from sottovoce.model.waves import WaveModels
from sottovoce.plan.audit import exact_words, promise, scope_words, waves_words
from sottovoce.plan.plan import Plan
from sottovoce.tally.quality import check_tally
from sottovoce.tally.tally import Tally
from sottovoce.views.report_page.about import About
from sottovoce.views.report_page.answers import answer_question, one_attribute, together
from sottovoce.views.report_page.asked import Question, asked_pairs
from sottovoce.views.report_page.over_time import over_time
from sottovoce.views.report_page.parts import Bad, table
from sottovoce.views.report_page.style import STYLE
from sottovoce.views.report_page.words import finding_words, title_of

PAIRS_SHOWN, PAIRS_LISTED = 3, 10
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""The page is text and pictures: nothing in it runs, and nothing is fetched."""


def make_report(
    plan: Plan,
    tally: Tally,
    model: Model | WaveModels,
    *,
    level: float = 0.9,
    questions: Sequence[Question] = (),
    about: About | None = None,
) -> str:
    """Return the page, as HTML.

    Args:
        plan: What was asked.
        tally: What was counted.
        model: What was fitted to the tally; of a plan with waves, the models of all of them.
        level: Of the intervals.
        questions: What is answered; by default every attribute, and the pairs that go together.
        about: Title, organisation, date and logo.

    Raises:
        ModelError: If the three are not of one collection.
        QueryError: For a question that the model cannot be asked.
    """
    waves, shown = (model, model[max(model)]) if isinstance(model, WaveModels) else (None, model)
    fitted_to = shown.origin.collection if waves is None else waves.plan.collection
    reports = shown.reports if waves is None else sum(each.reports for each in waves.values())
    for what, collection in (("tally", tally.collection), ("model", fitted_to)):
        if collection != plan.collection:
            raise ModelError(
                f"the {what} is of another collection than the plan; give the three files of one collection"
            )
    about = about or About()
    title = about.title or plan.purpose or "A collection under local differential privacy"
    found = find(shown, pairs=asked_pairs(questions)) if questions else find(shown)
    sections = [
        _head(title, about),
        "<main>",
        _summary(plan, tally, shown, reports),
        "" if waves is None else over_time(waves, questions, level),
        _findings(shown, found),
        _answers(shown, questions, level) if questions else _everything(shown, found, level),
        _method(plan, shown, found, level),
        _privacy(plan),
        _annex(plan, tally, reports),
        "</main>",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>\n<body>\n'
        + "\n".join(sections)
        + "\n</body></html>\n"
    )


def _head(title: str, about: About) -> str:
    logo = f'<img src="{escape(about.logo)}" alt="{escape(about.organisation)}">' if about.logo else ""
    beneath = ", ".join(escape(text) for text in (about.organisation, about.date) if text)
    return f"<header>{logo}<div><h1>{escape(title)}</h1>{f'<p>{beneath}</p>' * bool(beneath)}</div></header>"


def _summary(plan: Plan, tally: Tally, model: Model, reports: int) -> str:
    names = [title_of(attribute) for attribute in plan.schema.attributes]
    facts = [f"{tally.total:,} randomised reports were counted"]
    facts += [f"in {plan.waves.number} waves, of which people report in one"] if plan.waves is not None else []
    facts += [f"open until {plan.expires}"] if plan.expires else []
    facts += [f"contact: {plan.contact}"] if plan.contact else []
    listed = ", ".join(names[:-1]) + (f" and {names[-1]}" if len(names) > 1 else names[-1])
    stale = (
        ""
        if reports == tally.total
        else f'<p class="bad">The model is of {reports:,} reports, the tally holds {tally.total:,}: fit again.</p>'
    )
    odd = [check for check in check_tally(tally) if check.flagged]
    stale += "".join(f'<p class="bad">Reports per question are {escape(check.words)}.</p>' for check in odd)
    caveats = "".join(f'<p class="bad">{escape(caveat)}.</p>' for caveat in model.caveats)
    return f'<p class="lead">{escape("; ".join(facts))}. Asked was about {escape(listed)}.</p>{stale}{caveats}'


def _findings(model: Model, found: Findings) -> str:
    if not found.pairs:
        return ""
    if not found.chosen:
        return f"<h2>What was found</h2><p>{escape(_nothing(model))}</p>"
    items = ""
    for finding in found.chosen:
        first, second = finding_words(model.schema, finding)
        items += f"<li><b>{escape(first)}.</b> {escape(second)}.</li>"
    return (
        f'<h2>What was found</h2><ol class="findings">{items}</ol>'
        f'<p class="note">Chosen from {found.lines:,} differences between groups, one for each of {found.pairs:,} '
        f"pairs of attributes at most, so that on average no more than {found.rate:.0%} of what is listed is chance. "
        "In brackets are the ends of an interval that allows for this choice. What differs need not be the cause.</p>"
    )


def _nothing(model: Model) -> str:
    """Return in a sentence that nothing was found, and what could have been."""
    visible = sorted(model.smallest_difference(*pair) for pair in every_pair(model)[:PAIRS_LISTED])
    seen = visible[len(visible) // 2]
    able = (
        f"A difference of {plain_number(100 * seen)} points between two groups is about the smallest that they could "
        "have told."
        if seen < 1
        else "Even the largest differences that there can be between two groups could hardly have been told."
    )
    return (
        "No difference between groups can be told from chance by these reports. That does not say that there is none. "
        f"{able} More reports, fewer attributes or a larger epsilon tell more. What each attribute is like for the "
        "whole crowd is known far better, and follows."
    )


def _answers(model: Model, questions: Sequence[Question], level: float) -> str:
    return "<h2>The questions</h2>" + "".join(answer_question(model, question, level) for question in questions)


def _everything(model: Model, found: Findings, level: float) -> str:
    each = "".join(one_attribute(model, name, level) for name in model.schema.names)
    return f"<h2>The whole crowd</h2>{each}{_pairs(model, found, level)}"


def _pairs(model: Model, found: Findings, level: float) -> str:
    """Return the pairs that go together: those of findings first, with groups side by side, then a list."""
    strengths = model.association()
    if not strengths:
        return ""
    told = [pair for pair in strengths if pair.told]
    ways = {frozenset(pair): pair for pair in every_pair(model)}
    shown = dict.fromkeys([(one.name, one.by) for one in found.chosen])
    shown |= dict.fromkeys(ways[frozenset((pair.first, pair.second))] for pair in told)
    heats = "".join(together(model, name, by, level) for name, by in list(shown)[:PAIRS_SHOWN])
    titles = {attribute.name: title_of(attribute) for attribute in model.schema.attributes}
    rows = [
        [
            f"{titles[pair.first]} and {titles[pair.second]}",
            f"{pair.strength:.2f} ({pair.strength.interval[0]:.2f} to {pair.strength.interval[1]:.2f})",
            f"{plain_number(100 * model.smallest_difference(*ways[frozenset((pair.first, pair.second))]))} points",
        ]
        for pair in told[:PAIRS_LISTED]
    ]
    head = ["attributes", "n:strength", "n:smallest visible difference"]
    listed = table(head, rows, caption="How strongly attributes go together") if rows else ""
    return (
        f"<h2>Groups compared</h2>{heats}<h3>What goes together</h3>{listed}"
        f'<p class="note">Strength is Cramér\'s V: 0 is unrelated, 1 is fixed by each other; intervals hold for all '
        f"{len(strengths)} pairs at once. {len(told)} of them can be told from chance; of {len(strengths) - len(told)} "
        "it could not be said whether they go together at all. The smallest visible difference is what these reports "
        "could tell between the two largest groups, nine times in ten.</p>"
    )


def _method(plan: Plan, model: Model, found: Findings, level: float) -> str:
    chosen = (
        "<p>The findings are differences between one group and everybody else. All pairs of attributes are asked the "
        f"same way; how many are listed is decided by the method of Benjamini and Hochberg at a rate of "
        f"{found.rate:.0%}, and their intervals are widened by that of Benjamini and Yekutieli, because what was "
        "chosen for being large looks larger than it is.</p>"
        if found.pairs
        else ""
    )
    return (
        '<section class="page"><h2>How this was done</h2>'
        f"<p>There is a public list of {len(plan.questions):,} questions about the attributes. Each report answers one "
        "of them, drawn by chance, and the answer is randomised: often it is not the true one. One report says next to "
        "nothing; many together say how the crowd is, because it is known how often chance changes an answer. A "
        f"statistical model (<code>{escape(plan.mechanism)}</code>) is fitted to all counts at once, and every number "
        "here comes from it.</p>"
        f"<p>The number in front is the best estimate; in brackets are the ends of an interval that should hold the "
        f"truth in {level:.0%} of cases. {escape(model.interval_note)}</p>"
        "<p>Answers about one attribute are measured well. How two attributes go together is harder to tell, and the "
        "model then leans towards “not at all”: a difference that is not listed here may still be there. “Assumed” "
        f"stands where these reports can hardly tell.</p>{chosen}"
        "<p>Nothing here can see who lied, answered twice or stayed away.</p></section>"
    )


def _privacy(plan: Plan) -> str:
    contact = f" Ask {plan.contact}." if plan.contact else ""
    audit = plan.audit()
    waves = "".join(f"<p>{escape(words)}</p>" for words in waves_words(audit))
    return (
        '<section class="page"><h2>Privacy in plain words</h2>'
        f"<p>The plan allows a privacy loss of at most epsilon = {plan.epsilon:g} per report.</p>"
        f'<p class="promise">{escape(promise(audit))}</p>{waves}<ul>'
        "<li>This page was made from a tally: how often each answer to each question was counted. It holds no record, "
        "no name and no address.</li>"
        "<li>The promise holds against whoever collects the reports, too.</li>"
        "<li>A tally does not know where records were randomised. Where people's own devices did it, nobody else ever "
        f"had the record; where somebody did it with a table of records, that somebody had them.{escape(contact)}</li>"
        "<li>Not hidden is that somebody took part. Whoever answers further collections gives away as much again for "
        "each.</li></ul></section>"
    )


def _annex(plan: Plan, tally: Tally, reports: int) -> str:
    refused = sum(tally.refused.values())
    reasons = [[reason, f"{count:,}"] for reason, count in sorted(tally.refused.items())]
    checks = [
        [
            (check.plan or "")[:12],
            f"{check.reports:,}",
            f"{check.statistic:.1f} ({check.freedom})",
            f"{check.probability:.2g}",
            Bad(check.words) if check.flagged else check.words,
        ]
        for check in check_tally(tally)
        if check.plan is not None
    ]
    asked = [[attribute.name, attribute.domain, f"{attribute.value_levels:,}"] for attribute in plan.schema.attributes]
    audit = plan.audit()
    facts = [
        ["exact epsilon", exact_words(audit)],
        ["mechanism", plan.mechanism],
        *([str(name), _plain(value)] for name, value in plan.parameters.items()),
        ["plan", plan.fingerprint],
        ["collection", plan.collection],
        ["fitted to", f"{reports:,} reports"],
        ["plans counted", ", ".join(fingerprint[:12] for fingerprint in tally.plans)],
    ]
    return (
        '<section class="page facts"><h2>How to check this</h2>'
        f"<p>{tally.total:,} reports were counted and {refused:,} refused"
        + ("; for these reasons:</p>" + table(["reason", "n:reports"], reasons) if reasons else ".</p>")
        + "<p>Were people asked what the plan says? The number of reports on each question against its share:</p>"
        + table(["plan", "n:reports", "n:chi-square (freedom)", "n:chance", "reports per question are"], checks)
        + '<p class="note">The chance is how often a sound collection would look at least as odd.</p>'
        + table(["attribute", "allowed", "n:levels"], asked, caption="What was allowed")
        + table(["", ""], facts)
        + f"<p>{escape(scope_words(plan, audit))}</p>"
        '<p class="note">The plan is public: whoever has it can recompute the fingerprint and the certificate with '
        "<code>sottovoce audit plan.json</code>.</p></section>"
    )


def _plain(value: object) -> str:
    """Return a parameter as text, without the brackets of a programming language."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(one)}" for name, one in value.items())
    return ", ".join(map(_plain, value)) if isinstance(value, list | tuple) else str(value)
