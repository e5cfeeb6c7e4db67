"""The report: sound HTML with everything in it, text that is never markup, and doubts that are said."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.plan.audit import exact_words
from sottovoce.views.report_page import About, Question, make_report
from sottovoce.views.report_page.page import PAIRS_LISTED, PAIRS_SHOWN

ATTACK = "<script>alert('x')</script>"
Collection = tuple[sv.Plan, sv.Tally, sv.Model]


def collect(schema: sv.Schema, *, people: int = 400, **about: str) -> Collection:
    """Return a finished collection of people who answer at random, by a fixed seed."""
    plan = sv.Plan.create(schema, epsilon=4, users=people, mechanism="hdg", **about)
    generator = np.random.default_rng(3)
    table = {
        attribute.name: np.array(attribute.values, dtype=object)[generator.integers(0, len(attribute.values), people)]
        if isinstance(attribute, sv.Categorical)
        else generator.integers(0, 4, people)
        for attribute in schema.attributes
    }
    tally = sv.simulate(plan, table, seed=1)
    return plan, tally, sv.fit(plan, tally)


@pytest.fixture(scope="module")
def awkward() -> Collection:
    """A collection whose names, values, purpose and contact all try to be markup."""
    schema = sv.Schema(
        [sv.Ordinal(f"age {ATTACK}", 0, 3, nullable=True), sv.Categorical("order & co", [ATTACK, "b", "c"])]
    )
    return collect(schema, purpose=f"Rooms {ATTACK}", contact="<me@example.org>", expires="2030-12-31")


class Outline(HTMLParser):
    """The tags that are open, the headings, and every kind of tag that there is."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.kinds: set[str] = set()
        self.mistakes: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.kinds.add(tag)
        if tag not in ("meta", "br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.mistakes.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.kinds.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_whatever_the_plan_says_is_text_and_every_tag_is_closed(awkward: Collection) -> None:
    page = make_report(*awkward)
    outline = Outline(page)
    assert (outline.open, outline.mistakes) == ([], [])
    assert "script" not in outline.kinds
    text = "".join(outline.texts)
    assert text.count(f"Rooms {ATTACK}") == 2, "the title and the heading"
    assert "contact: <me@example.org>" in text
    assert f"age {ATTACK}" in text
    assert not re.search(r"""(?:src|href)=["']|@import|url\((?!["']?#)""", page), "nothing is fetched"


def test_it_says_what_was_asked_and_what_was_promised(awkward: Collection) -> None:
    plan, tally, model = awkward
    text = "".join(Outline(make_report(plan, tally, model, level=0.5)).texts)
    assert "open until 2030-12-31" in text
    assert "nobody else ever had the record; where somebody did it with a table" in text
    assert "never left" not in text
    assert exact_words(plan.audit()) in text
    assert plan.fingerprint in text
    assert plan.collection in text
    assert "with 50% intervals" in text
    plain = text[text.index("Privacy in plain words") : text.index("How to check this")]
    assert "epsilon = 4 per report" in plain
    assert "99999" not in plain
    assert "400 reports were counted and 0 refused." in text


def test_refusals_are_listed_by_reason(awkward: Collection) -> None:
    plan, _, model = awkward
    tally = sv.simulate(plan, {plan.schema.names[0]: [1, 2], plan.schema.names[1]: ["b", "c"]}, seed=1)
    tally.refused.update({"wrong plan": 1_234, "duplicate": 5})
    page = make_report(plan, tally, model)
    assert "2 reports were counted and 1,239 refused; for these reasons:" in page
    assert '<td>duplicate</td><td class="n">5</td>' in page
    assert '<td>wrong plan</td><td class="n">1,234</td>' in page
    assert '<p class="bad">The model is of 400 reports, the tally holds 2: fit again.</p>' in page


def test_files_of_different_collections_are_refused_by_name(awkward: Collection) -> None:
    plan, tally, model = awkward
    other_plan, other_tally, other_model = collect(sv.Schema([sv.Ordinal("a", 0, 3), sv.Ordinal("b", 0, 3)]))
    assert "A collection under local differential privacy" in make_report(other_plan, other_tally, other_model)
    with pytest.raises(sv.ModelError, match="the tally is of another collection"):
        make_report(plan, other_tally, model)
    with pytest.raises(sv.ModelError, match="the model is of another collection"):
        make_report(plan, tally, other_model)


@pytest.fixture(scope="module")
def alike() -> Collection:
    """A collection of six attributes that are all the same."""
    schema = sv.Schema([sv.Ordinal(name, 0, 3) for name in "abcdef"])
    plan = sv.Plan.create(schema, epsilon=8, users=20_000, mechanism="hdg")
    levels = np.random.default_rng(3).integers(0, 4, 20_000)
    tally = sv.simulate(plan, dict.fromkeys("abcdef", levels), seed=1)
    return plan, tally, sv.fit(plan, tally)


def test_findings_come_first_and_only_the_strongest_pairs_are_shown(alike: Collection) -> None:
    page = make_report(*alike)
    assert page.count('<section class="attribute">') == 6 + PAIRS_SHOWN
    assert page.index("What was found") < page.index("The whole crowd") < page.index("Groups compared")
    assert page.count("<li><b>The mean") == 5, "fifteen pairs go together, and five are told"
    listed = re.findall(r"<tr><td>(\w) and (\w)</td>", page)
    assert len(listed) == PAIRS_LISTED < 15
    assert listed == [(pair.first, pair.second) for pair in alike[2].association()[:PAIRS_LISTED]]


def test_questions_take_the_place_of_everything_and_say_what_is_compared(alike: Collection) -> None:
    page = make_report(*alike, questions=[Question(mean="a", by="b"), Question(where="c >= 2", title="High c")])
    assert "The whole crowd" not in page
    assert page.count('<section class="attribute">') == 2
    assert page.count("<li><b>The mean a is") == 1
    assert "one for each of 1 pairs" in page
    assert "What was found" not in make_report(*alike, questions=[Question(share="a")])


def test_nothing_found_is_said_with_what_could_have_been(awkward: Collection) -> None:
    text = "".join(Outline(make_report(*awkward)).texts)
    assert "No difference between groups can be told from chance by these reports." in text
    assert "More reports, fewer attributes or a larger epsilon tell more." in text


def test_the_head_has_title_organisation_date_and_logo(awkward: Collection) -> None:
    about = About(f"Beds {ATTACK}", f"City {ATTACK}", "2030-12-31", "data:image/png;base64,AA==")
    page = make_report(*awkward, about=about)
    outline = Outline(page)
    assert (outline.open, outline.mistakes) == ([], [])
    assert "script" not in outline.kinds
    assert f"City {ATTACK}, 2030-12-31" in "".join(outline.texts)
    assert '<img src="data:image/png;base64,AA==" alt="City &lt;script&gt;' in page


def test_a_single_attribute_has_nothing_to_compare() -> None:
    plan = sv.Plan.create(sv.Schema([sv.Ordinal("age", 0, 3)]), epsilon=4, users=100)
    tally = sv.simulate(plan, {"age": [0, 1, 2, 3] * 25}, seed=1)
    page = make_report(plan, tally, sv.fit(plan, tally))
    assert "What goes together" not in page
    assert "What was found" not in page
    assert "Benjamini" not in page


def test_a_name_that_starts_with_an_exclamation_mark_is_shown_whole() -> None:
    schema = sv.Schema([sv.Ordinal("!b", 0, 3), sv.Ordinal("a", 0, 3)])
    plan = sv.Plan.create(schema, epsilon=2, users=200, mechanism="hdg")
    tally = sv.simulate(plan, {"!b": [1, 2], "a": [0, 3]}, seed=1)
    assert "<td>!b</td>" in make_report(plan, tally, sv.fit(plan, tally))
