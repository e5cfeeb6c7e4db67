"""Answers in a report: an attribute for the whole crowd, one in the groups of another, and what a question asks."""

from __future__ import annotations

from html import escape

import numpy as np

from sottovoce.model.answer import Answer, Estimate
from sottovoce.model.groups import groups_of
from sottovoce.model.model import EVERYBODY, Model
from sottovoce.query.functional import Where
from sottovoce.schema.schema import AnyAttribute
from sottovoce.views.report_page.asked import Question
from sottovoce.views.report_page.bands import bands_of
from sottovoce.views.report_page.parts import bars, heat
from sottovoce.views.report_page.words import estimate_words, label_words, title_of

MOST_COLUMNS = 6
"""A heat map has at most so many columns, the level of "no answer" besides."""


def one_attribute(model: Model, name: str, level: float) -> str:
    """Return an attribute's heading, its mean and median, and a bar for every value or band.

    Args:
        model: What answers.
        name: The attribute.
        level: The probability with which an interval should hold the truth.

    Returns:
        HTML.
    """
    attribute = _attribute(model, name)
    lead = ""
    if attribute.ordered:
        mean, median = model.mean(name, level=level), model.quantile(name, 0.5, level=level)
        lead = (
            f"<p>Mean {escape(estimate_words(mean, attribute))}, median {escape(estimate_words(median, attribute))}</p>"
        )
    asked = attribute.shown().question
    lead = f'<p class="note">{escape(asked)}</p>{lead}' if asked else lead
    return _section(title_of(attribute), lead + _shares(model, name, level, EVERYBODY))


def together(model: Model, name: str, by: str, level: float, *, given: Where = EVERYBODY) -> str:
    """Return an attribute in the groups of another: its shares in every group, and its mean where it has one.

    Args:
        model: What answers.
        name: The attribute.
        by: The attribute that makes groups.
        level: The probability with which an interval should hold the truth.
        given: Among whom, as a predicate; everybody if left out.

    Returns:
        HTML.
    """
    attribute, maker = _attribute(model, name), _attribute(model, by)
    means = _means(model, name, by, level, given) if attribute.ordered else ""
    return _section(f"{title_of(attribute)} by {title_of(maker)}", means + _heat(model, name, by, given))


def answer_question(model: Model, question: Question, level: float) -> str:
    """Return the answer to a question under its title, or under what it asks.

    Args:
        model: What answers.
        question: What is asked, from a file of questions.
        level: The probability with which an interval should hold the truth.

    Returns:
        HTML.
    """
    given = question.given or EVERYBODY
    among = f", of those with {question.given}" if question.given else ""
    if question.where is not None:
        answer = model.answer(question.where, given=given, level=level)
        share = bars([("share", answer, _share_words(answer))], caption=f"{question.where}{among}")
        return _section(question.title or f"{question.where}{among}", share + _basis(answer))
    name = question.attribute
    assert name is not None
    attribute = _attribute(model, name)
    if question.by is None:
        head = question.title or f"{title_of(attribute)}{among}"
        if question.mean is None:
            return _section(head, _shares(model, name, level, given))
        mean = model.mean(name, where=given, level=level)
        return _section(head, f"<p>Mean {escape(estimate_words(mean, attribute))}</p>{_basis(mean)}")
    head = question.title or f"{title_of(attribute)} by {title_of(_attribute(model, question.by))}{among}"
    if question.mean is not None:
        return _section(head, _means(model, name, question.by, level, given))
    return _section(head, _heat(model, name, question.by, given))


def _attribute(model: Model, name: str) -> AnyAttribute:
    return model.schema.attributes[model.attribute_index(name)]


def _section(head: str, inside: str) -> str:
    return f'<section class="attribute"><h3>{escape(head)}</h3>{inside}</section>'


def _shares(model: Model, name: str, level: float, given: Where) -> str:
    attribute = _attribute(model, name)
    found = bands_of(attribute)
    answers = model.answers([where for _, where, _, _ in found], given=given, level=level)
    rows = [
        (label_words(attribute, label), answer, _share_words(answer))
        for (label, *_), answer in zip(found, answers, strict=True)
    ]
    return bars(rows, caption=f"Share of the crowd, with {level:.0%} intervals")


def _means(model: Model, name: str, by: str, level: float, given: Where) -> str:
    attribute, maker = _attribute(model, name), _attribute(model, by)
    means = model.mean_by(name, by, where=given, level=level)
    rows = [
        (label_words(maker, label), mean, estimate_words(mean, attribute) + _doubt(mean))
        for label, mean in means.items()
    ]
    return bars(rows, caption=f"Mean {title_of(attribute)} by {title_of(maker)}, with {level:.0%} intervals")


def _heat(model: Model, name: str, by: str, given: Where) -> str:
    """Return the shares of an attribute's values in every group of another, and how many reports a group stands for."""
    attribute, maker = _attribute(model, name), _attribute(model, by)
    joint = np.maximum(np.asarray(model.marginal(by, name, where=given)), 0.0)
    columns = bands_of(attribute, rows=MOST_COLUMNS) if attribute.ordered else bands_of(attribute)
    offset = model.attribute_index(by)
    rows = []
    for group in groups_of(model, by):
        ((product, _),) = group.terms.items()
        ((start, stop),) = dict(product)[offset]
        inside = joint[int(start) : int(stop)].sum(axis=0)
        size = float(inside.sum())
        if size > 0:
            shares = [float(inside[first:last].sum()) / size for *_, first, last in columns]
            rows.append(((label_words(maker, group.label), f"{size:.1%}"), shares))
    head = [title_of(maker), "share of crowd", *(label_words(attribute, label) for label, *_ in columns)]
    return heat(
        head, rows, caption=f"{title_of(attribute)} in every group of {title_of(maker)}: each row adds up to 100%"
    )


def _share_words(answer: Answer) -> str:
    low, high = answer.interval
    digits = 0 if high - low > 0.1 else 1
    return f"{100 * answer:.{digits}f}% ({100 * low:.{digits}f} to {100 * high:.{digits}f})"


def _doubt(value: Answer | Estimate) -> str:
    return f", {value.basis}" if value.basis.startswith(("assumed", "partly")) else ""


def _basis(value: Answer | Estimate) -> str:
    return f'<p class="note">{escape(value.basis)}</p>' if value.basis else ""
