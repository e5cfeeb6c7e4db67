"""Attributes, values and findings in words, as plain text: whoever puts them into a page escapes them."""

from __future__ import annotations

from sottovoce.model.answer import Answer, Estimate, percent, plain_number
from sottovoce.model.findings import Finding
from sottovoce.query.labels import Label
from sottovoce.schema.attributes import Ordinal
from sottovoce.schema.schema import AnyAttribute, Schema


def title_of(attribute: AnyAttribute) -> str:
    """Return what an attribute is called."""
    return attribute.shown().title


def label_words(attribute: AnyAttribute, label: Label) -> str:
    """Return a value or a band in words.

    Example:
        >>> import sottovoce as sv
        >>> label_words(sv.Ordinal("age", 0, 119), (20, 29)), label_words(sv.Ordinal("age", 0, 119), None)
        ('20 to 29', 'no answer')
    """
    if label is None:
        return "no answer"
    labels = attribute.shown().labels
    if not isinstance(label, tuple):
        return labels[attribute.level(label)] if labels else str(label)
    low, high = label
    if labels and isinstance(attribute, Ordinal):
        first, last = (labels[attribute.level(end)] for end in label)
        return first if low == high else f"{first} to {last}"
    if low == high:
        return short_number(low)
    joint = "to" if isinstance(attribute, Ordinal) else "to under"
    return f"{short_number(low)} {joint} {short_number(high)}"


def short_number(value: float) -> str:
    """Return a bound as people write it, thousands apart."""
    return f"{value:,.10g}"


def bare_number(value: float) -> str:
    """Return an estimate as people write it: a whole number in full, others by three digits that count."""
    return short_number(value) if value % 1 == 0 else plain_number(value)


def with_unit(number: str, attribute: AnyAttribute) -> str:
    """Return a number with the attribute's unit behind it, if it has one."""
    unit = attribute.shown().unit
    return f"{number} {unit}" if unit else number


def estimate_words(value: Answer | Estimate, attribute: AnyAttribute) -> str:
    """Return a number and the interval it lies in."""
    if isinstance(value, Answer):
        low, high = map(percent, value.interval)
        return f"{percent(float(value))} ({low} to {high})"
    low, high = map(bare_number, value.interval)
    return f"{with_unit(bare_number(float(value)), attribute)} ({low} to {high})"


def finding_words(schema: Schema, finding: Finding) -> tuple[str, str]:
    """Return a finding as a sentence, in two parts: what differs, and by how much."""
    attribute, maker = (schema.attributes[schema.index(name)] for name in (finding.name, finding.by))
    share, up = finding.value is not None, finding.gap > 0
    where = f"where {title_of(maker)} is {label_words(maker, finding.group)} than elsewhere"
    if share:
        value = label_words(attribute, finding.value)
        first = f"{title_of(attribute)} is {value} {'more' if up else 'less'} often {where}"
    else:
        first = f"The mean {title_of(attribute)} is {'higher' if up else 'lower'} {where}"
    inside, outside = (
        percent(float(each)) if share else bare_number(float(each)) for each in (finding.inside, finding.outside)
    )
    low, high = sorted(abs(end) for end in finding.gap.interval)
    scale = 100 if share else 1
    gap, low_words, high_words = (plain_number(scale * each) for each in (abs(float(finding.gap)), low, high))
    gap = f"{gap} points" if share else with_unit(gap, attribute)
    much = f"{gap} {'more' if up else 'less'} ({low_words} to {high_words})"
    return first[:1].upper() + first[1:], f"{inside} against {outside}: {much}"
