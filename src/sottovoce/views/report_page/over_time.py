"""Time in a report: what changed from the first wave to the last, and how, wave by wave."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sottovoce.model.answer import Answer, percent
from sottovoce.model.waves import Change, WaveModels
from sottovoce.query.functional import Where
from sottovoce.views.report_page.asked import Question
from sottovoce.views.report_page.bands import bands_of
from sottovoce.views.report_page.parts import table, trend
from sottovoce.views.report_page.words import label_words, title_of

MOST_LINES = 6
"""An attribute with more values than this is followed in bands."""

MOST_TRENDS = 5
"""So many trends are drawn at the most."""

Line = tuple[str, Where]
"""What is followed over time: its name, and the predicate."""


def followed(models: WaveModels, questions: Sequence[Question]) -> list[Line]:
    """Return what is followed over time: what questions ask, or else the values of every attribute."""
    asked: list[Line] = [(one.title or one.where, one.where) for one in questions if one.where and not one.given]
    if asked:
        return asked
    return [
        (f"{title_of(attribute)}: {label_words(attribute, label)}", where)
        for attribute in models.plan.schema.attributes
        for label, where, *_ in bands_of(attribute, rows=MOST_LINES)
    ]


def over_time(models: WaveModels, questions: Sequence[Question], level: float) -> str:
    """Return the section on time: the changes that are more than chance in sentences, and trends with intervals.

    Args:
        models: The models of all waves that have reports.
        questions: What is asked; those with a predicate for the whole crowd are followed, or else every attribute.
        level: Of the intervals of each trend, and of all changes together.
    """
    first, last = min(models), max(models)
    if first == last:
        return f"<h2>Over time</h2><p>There are reports of wave {last} only: nothing can be compared yet.</p>"
    lines = followed(models, questions)
    changes = models.changes([where for _, where in lines], level=level)
    told = [change for change in changes if change.told]
    items = "".join(f"<li><b>{escape(head)}.</b> {escape(much)}.</li>" for head, much in change_words(lines, told))
    said = (
        f'<ol class="findings">{items}</ol>'
        if told
        else f"<p>Nothing that changed from wave {first} to wave {last} can be told from chance by these reports. That "
        "does not say that nothing did.</p>"
    )
    drawn = "".join(_trend(models, *lines[change.number], level) for change in (told or changes)[:MOST_TRENDS])
    return (
        f"<h2>Over time</h2>{said}"
        f'<p class="note">{len(lines):,} lines were compared between wave {first} and wave {last}, of which '
        f"{len(told):,} can be told from chance. In brackets are the ends of intervals that should all hold at once in "
        f"{level:.0%} of cases. People report in one wave each, so the waves' errors are independent.</p>{drawn}"
        f"<p>All else on this page is of wave {last}, the last that has reports.</p>"
    )


def change_words(lines: Sequence[Line], changes: Sequence[Change]) -> list[tuple[str, str]]:
    """Return changes as sentences, each in two parts: what changed, and by how much."""
    found = []
    for change in changes:
        low, high = (f"{100 * end:+.1f}" for end in change.gap.interval)
        much = f"{percent(change.before.fraction)} became {percent(change.after.fraction)}"
        points = f"{100 * float(change.gap):+.1f} points ({low} to {high})"
        word = "more" if float(change.gap) > 0 else "fewer"
        found.append((f"{lines[change.number][0]}: {word} people than before", f"{much}: {points}"))
    return found


def _trend(models: WaveModels, name: str, where: Where, level: float) -> str:
    answers = models.trend(where, level=level)
    rows = [
        [f"{wave}", f"{answer.reports:,}", f"{percent(answer.fraction)} ({_ends(answer)})"]
        for wave, answer in answers.items()
    ]
    listed = table(["n:wave", "n:reports", f"n:share ({level:.0%} interval)"], rows)
    return (
        f'<section class="attribute"><h3>{escape(name)}</h3>{trend(answers, caption=f"{name}, wave by wave")}'
        f"<details><summary>The numbers</summary>{listed}</details></section>"
    )


def _ends(answer: Answer) -> str:
    low, high = map(percent, answer.interval)
    return f"{low} to {high}"
