"""Charts: a marginal with its interval, a pair as a heat map, and errors to expect; as PNG, SVG or a page of their own.

They need the extra ``plots`` and no network: pictures are drawn by a library, and a page carries its program along.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce._files import whole_file, write_whole
from sottovoce.errors import QueryError, SottovoceError
from sottovoce.model.answer import Answer, evidence_words, percent
from sottovoce.model.model import Model
from sottovoce.model.waves import WaveModels
from sottovoce.query.functional import Where
from sottovoce.query.labels import level_labels
from sottovoce.schema.attributes import Categorical, Numeric
from sottovoce.schema.schema import AnyAttribute
from sottovoce.simulation.forecasting import Forecast
from sottovoce.views.inline import digest

SUFFIXES = (".png", ".svg", ".html")
INK, BAND = "#1f5f8b", "#9cc4de"
MOST_CELLS = 32
"""A heat map has at most so many cells along each attribute; finer levels are joined."""

_SIZE = {"width": 560, "height": 260}
_LOG = {"type": "log", "nice": False, "padding": 12}


def altair() -> Any:
    """Return the charting library, or say how to get it."""
    try:
        import altair as alt
        import vl_convert  # noqa: F401 - draws the pictures
    except ImportError as error:
        raise SottovoceError(f'charts need {error.name}: run pip install "sottovoce[plots]"') from error
    return alt


def save_chart(chart: Any, path: str | Path, *, kind: str | None = None) -> None:
    """Write a chart as PNG, SVG or HTML; the page needs no network.

    Args:
        chart: An Altair chart, such as this module makes.
        path: The file; its suffix says which kind, if ``kind`` does not.
        kind: ".png", ".svg" or ".html", for a path with another suffix.

    Raises:
        SottovoceError: If the suffix is none of these.
    """
    suffix = check_suffix(path if kind is None else f"chart{kind}")
    if suffix == ".html":
        write_whole(path, html_text(chart).encode())
    else:
        with whole_file(Path(path)) as part:
            chart.save(str(part), format=suffix[1:], **({"scale_factor": 2} if suffix == ".png" else {}))


def html_text(chart: Any) -> str:
    """Return a chart as a page that needs no network, in which names are data.

    The chart's description stands in a script: there ``<`` is written as an escape, so that no name ends the script.
    The page's policy lets only its own scripts run, by their digests, and nothing be fetched.
    """
    page = str(chart.to_html(inline=True))
    described = json.dumps(chart.to_dict())
    if page.count(described) != 1:
        raise SottovoceError("this version of altair writes pages in another form; save the chart as .svg or .png")
    page = page.replace(described, described.replace("<", "\\u003c").replace("\u2028", "\\u2028"))
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, flags=re.DOTALL)
    digests = " ".join(map(digest, scripts))
    policy = (
        f"default-src 'none'; script-src {digests} 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    return page.replace("<head>", f'<head>\n  <meta http-equiv="Content-Security-Policy" content="{policy}">', 1)


def check_suffix(path: str | Path) -> str:
    """Return the suffix of a chart's file, in lower case; one that cannot be drawn is refused."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise SottovoceError(f"{str(path)!r}: a chart is a file that ends in {', '.join(SUFFIXES)}")
    return suffix


def svg_text(chart: Any) -> str:
    """Return a chart as SVG, to be put into a page."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(chart.to_dict()))


def marginal_chart(model: Model, name: str, *, level: float = 0.9) -> Any:
    """Return the distribution of an attribute: a bar or step for every value, with its interval.

    Args:
        model: What answers.
        name: The attribute.
        level: The probability with which an interval should hold the truth.

    Returns:
        An Altair chart; "no answer" is not drawn.
    """
    alt = altair()
    groups = model.group_by(name, level=level)
    attribute = model.schema.attributes[model.schema.index(name)]
    rows = [{**_extent(attribute, label), **_numbers(answer)} for label, answer in groups.items() if label is not None]
    head = alt.TitleParams(
        f"{name}: fraction of the crowd, with {level:.0%} intervals", subtitle=_beneath(groups), anchor="start"
    )
    share = alt.Axis(format=".1%", title="in each bin" if isinstance(attribute, Numeric) else "with each value")
    if isinstance(attribute, Categorical):
        base = alt.Chart(alt.Data(values=rows)).encode(y=alt.Y("label:N", sort=None, title=None))
        bars = base.mark_bar(color=BAND).encode(x=alt.X("fraction:Q", axis=share))
        ends = base.mark_rule(color=INK, strokeWidth=2).encode(x="low:Q", x2="high:Q")
        points = base.mark_point(color=INK, filled=True, size=40).encode(x="fraction:Q")
        return (bars + ends + points).properties(title=head, width=_SIZE["width"])
    step = {} if isinstance(attribute, Numeric) else {"tickMinStep": 1}
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("start:Q", title=name, scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(**step)), x2="stop:Q"
    )
    bands = base.mark_rect(color=BAND, opacity=0.8).encode(y=alt.Y("low:Q", axis=share), y2="high:Q")
    lines = base.mark_rule(color=INK, strokeWidth=2).encode(y="fraction:Q")
    return (bands + lines).properties(title=head, **_SIZE)


def pair_chart(model: Model, first: str, second: str) -> Any:
    """Return a heat map of two attributes together: the fraction of the crowd in every cell.

    Args:
        model: What answers.
        first: The attribute from left to right.
        second: The attribute from bottom to top.

    Returns:
        An Altair chart; attributes of many levels are drawn in bands.

    Raises:
        QueryError: If both are the same attribute, or one is unknown.
    """
    alt = altair()
    if first == second:
        raise QueryError(f"a pair is two different attributes, got {first} twice")
    attributes = [model.schema.attributes[model.attribute_index(name)] for name in (first, second)]
    joint = np.asarray(model.marginal(first, second))
    edges = [_cell_starts(attribute) for attribute in attributes]
    for axis, starts in enumerate(edges):
        joint = np.add.reduceat(joint, starts, axis=axis)
    labels = [_cell_labels(attribute, starts) for attribute, starts in zip(attributes, edges, strict=True)]
    rows = [
        {"one": labels[0][row], "two": labels[1][column], "fraction": float(joint[row, column])}
        for row in range(joint.shape[0])
        for column in range(joint.shape[1])
    ]
    colour = alt.Color("fraction:Q", scale=alt.Scale(scheme="blues"), legend=alt.Legend(format=".1%", title="fraction"))
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_rect()
        .encode(
            x=alt.X("one:O", sort=None, title=first, axis=alt.Axis(labelOverlap=True, labelAngle=0)),
            y=alt.Y("two:O", sort=labels[1][::-1], title=second, axis=alt.Axis(labelOverlap=True)),
            color=colour,
            tooltip=["one:O", "two:O", alt.Tooltip("fraction:Q", format=".2%")],
        )
        .properties(
            title=alt.TitleParams(
                f"{first} and {second}: fraction of the crowd in each cell",
                subtitle=_together(model, first, second),
                anchor="start",
            ),
            width=420,
            height=360,
        )
    )


def _together(model: Model, first: str, second: str) -> str:
    """Return how much two attributes go together, and how much of that was measured, in words."""
    strength = model.association(first, second)
    low, high = strength.interval
    told = "told from chance" if low > 0 else "it could be chance that they go together"
    basis = f"; {strength.basis}" if strength.basis else ""
    return f"Cramér's V {strength:.2f} ({strength.level:.0%} interval {low:.2f} to {high:.2f}), {told}{basis}"


def trend_chart(models: WaveModels, where: Where, *, level: float = 0.9) -> Any:
    """Return a fraction of the crowd over the waves: a point for each, with its own interval.

    Args:
        models: A model of each wave.
        where: Which fraction, as a predicate.
        level: The probability with which an interval should hold the truth.

    Returns:
        An Altair chart.
    """
    alt = altair()
    trend = models.trend(where, level=level)
    rows = [{"wave": wave, **_numbers(answer)} for wave, answer in trend.items()]
    head = alt.TitleParams(
        f"{where}: fraction of the crowd, with {level:.0%} intervals",
        subtitle="Everybody reports in one wave, so the waves' errors are independent.",
        anchor="start",
    )
    axis = alt.X("wave:Q", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(zero=False, padding=12))
    base = alt.Chart(alt.Data(values=rows)).encode(x=axis)
    ends = base.mark_rule(color=BAND, strokeWidth=6).encode(
        y=alt.Y("low:Q", axis=alt.Axis(format=".1%", title=None), scale=alt.Scale(zero=False)), y2="high:Q"
    )
    line = base.mark_line(color=INK, strokeWidth=1, opacity=0.5).encode(y="fraction:Q")
    points = base.mark_point(color=INK, filled=True, size=40, opacity=1).encode(y="fraction:Q")
    return (ends + line + points).properties(title=head, **_SIZE)


def forecast_chart(forecasts: Sequence[Forecast]) -> Any:
    """Return expected errors as curves: over the number of people, a colour per number of attributes.

    Several mechanisms or epsilons give one panel each.
    """
    alt = altair()
    rows = [
        {
            "people": forecast.users,
            "error": row.error,
            "attributes": f"{row.dimensions}",
            "panel": f"{forecast.mechanism}, epsilon {forecast.epsilon:g}",
        }
        for forecast in forecasts
        for row in forecast.expected
    ]
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X(
                "people:Q", scale=alt.Scale(**_LOG), axis=alt.Axis(format="~s", title="people who report", tickCount=5)
            ),
            y=alt.Y(
                "error:Q", scale=alt.Scale(**_LOG), axis=alt.Axis(format=".1%", title="expected error", tickCount=6)
            ),
            color=alt.Color("attributes:N", scale=alt.Scale(scheme="dark2"), legend=alt.Legend(title="attributes")),
        )
        .properties(width=max(220, 560 // len(panels)), height=260)
    )
    return chart.facet(
        facet=alt.Facet("panel:N", title=None, sort=panels),
        columns=3,
        title=alt.TitleParams("Expected error of typical queries", anchor="start"),
    )


def compare_chart(forecasts: Sequence[Forecast]) -> Any:
    """Return expected errors side by side: a panel per number of attributes, a line per mechanism, over epsilon."""
    alt = altair()
    rows = [
        {
            "epsilon": f"{forecast.epsilon:g}",
            "error": row.error,
            "mechanism": forecast.mechanism,
            "panel": f"queries on {row.dimensions} attribute{'s' * (row.dimensions > 1)}",
        }
        for forecast in forecasts
        for row in forecast.expected
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("epsilon:O", sort=None, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("error:Q", scale=alt.Scale(**_LOG), axis=alt.Axis(format=".1%", title="mean error", tickCount=6)),
            color=alt.Color("mechanism:N", sort=None, scale=alt.Scale(scheme="dark2")),
        )
        .properties(width=260, height=200)
        .facet(
            facet=alt.Facet("panel:N", title=None),
            columns=2,
            title=alt.TitleParams("Error of typical queries on a table like yours", anchor="start"),
        )
    )


def _numbers(answer: Answer) -> dict[str, float]:
    return {"fraction": answer.fraction, "low": answer.interval[0], "high": answer.interval[1]}


def _extent(attribute: AnyAttribute, label: Any) -> dict[str, Any]:
    """Return where a level stands on its axis."""
    if isinstance(label, tuple):
        return {"start": label[0], "stop": label[1]}
    return {"label": label} if isinstance(attribute, Categorical) else {"start": label - 0.5, "stop": label + 0.5}


def _beneath(groups: dict[Any, Answer]) -> str:
    """Return what stands beneath a chart's title: who gave no answer, and how much was measured of the middle value."""
    words = []
    if None in groups:
        answer = groups[None]
        low, high = answer.interval
        words.append(f"no answer: {percent(answer.fraction)} ({percent(low)} to {percent(high)})")
    known = sorted(answer.evidence for answer in groups.values() if answer.evidence is not None)
    if known:
        words.append(evidence_words(known[len(known) // 2]))
    return "; ".join(words)


def _cell_starts(attribute: AnyAttribute) -> NDArray[np.intp]:
    """Return the level at which each cell of a heat map starts; "no answer" is a cell of its own."""
    levels = attribute.value_levels
    step = 1 if isinstance(attribute, Categorical) else math.ceil(levels / MOST_CELLS)
    starts = np.arange(0, levels, step)
    return np.asarray(np.append(starts, levels) if attribute.accepts_null else starts, dtype=np.intp)


def _cell_labels(attribute: AnyAttribute, starts: NDArray[np.intp]) -> list[str]:
    """Return a text for every cell, no two of them alike."""
    labels = [level_labels(attribute)[start] for start in starts.tolist()]
    digits = 6
    while True:
        shown = [
            f"{label[0]:.{digits}g}" if isinstance(attribute, Numeric) and label is not None else str(label)
            for label in labels
        ]
        if digits >= 17 or len(set(shown)) == len(shown):
            break
        digits += 1
    if attribute.accepts_null:
        shown[-1] = "no answer" if "no answer" not in shown[:-1] else "(no answer)"
    return shown
