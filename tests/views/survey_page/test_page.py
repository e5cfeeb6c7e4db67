"""The survey page as a document: everything is in it, nothing is fetched, and what is given stays text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

import sottovoce as sv
from sottovoce.views.survey_page import Survey, choose_catalogues, survey_page

HOSTILE = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>\"'&amp;{title}"
LOGO = "data:image/png;base64,iVBORw0KGgo="


def make_plan(name: str = "age", **about: object) -> sv.Plan:
    return sv.Plan.create(
        sv.Schema([sv.Ordinal(name, 0, 9), sv.Boolean("car")]), **{"epsilon": 1, "users": 1_000, **about}
    )


class Parts(HTMLParser):
    """The elements of a page with their attributes, and what stands in scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inline: list[tuple[str, str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        tag = self.elements[-1][0] if self.elements else ""
        if tag in ("script", "style"):
            self.inline.append((tag, data))
            self.elements.append(("", {}))


def policy_of(page: str) -> dict[str, str]:
    (content,) = [
        attributes["content"]
        for tag, attributes in Parts(page).elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    parts = (part.partition(" ") for part in content.split("; "))
    return {name: value for name, _, value in parts}


def test_the_page_holds_the_plan_and_asks_nobody_for_anything() -> None:
    plan = make_plan(purpose="Buses", contact="a@example.org", expires="2999-12-31")
    page = survey_page(plan)
    assert "<title>Buses</title>" in page
    data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    assert data["fingerprint"] == plan.fingerprint
    assert sv.Plan.from_json(json.dumps(data["plan"])).fingerprint == plan.fingerprint
    assert (data["contact"], data["collector"], data["languages"]) == ("a@example.org", "", ["en"])
    loaded = [attributes for tag, attributes in Parts(page).elements if tag in ("script", "link", "img", "iframe")]
    assert all(not attributes.get("src") and attributes.get("href", "data:,") == "data:," for attributes in loaded)


def test_the_policy_lets_the_program_run_and_call_its_collector_and_nothing_else() -> None:
    page = survey_page(make_plan())
    policy = policy_of(page)
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"] == "'self'"
    assert policy["require-trusted-types-for"] == "'script'"
    scripts = [text for tag, text in Parts(page).inline if tag == "script"]
    styles = [text for tag, text in Parts(page).inline if tag == "style"]
    digests = ["'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'" for text in styles]
    assert policy["style-src"] == " ".join(digests)
    program = base64.b64encode(hashlib.sha256(scripts[-1].encode()).digest()).decode()
    assert policy["script-src"] == f"'sha256-{program}'"
    assert "unsafe" not in str(policy)
    elsewhere = survey_page(make_plan(), Survey(collector="https://collector.example:8443/under/"))
    assert policy_of(elsewhere)["connect-src"] == "https://collector.example:8443"
    assert '"collector":"https://collector.example:8443/under"' in elsewhere


def test_names_are_data_whatever_they_hold() -> None:
    plan = make_plan(HOSTILE, purpose=HOSTILE, contact=HOSTILE)
    page = survey_page(plan, Survey(title=HOSTILE, organisation=HOSTILE, contact=HOSTILE))
    plain = survey_page(make_plan(), Survey(title="T", organisation="O", contact="C"))
    assert [tag for tag, _ in Parts(page).elements] == [tag for tag, _ in Parts(plain).elements]
    assert [list(attributes) for _, attributes in Parts(page).elements] == [
        list(attributes) for _, attributes in Parts(plain).elements
    ]
    data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    assert data["organisation"] == HOSTILE
    assert data["messages"]["en"]["title"] == HOSTILE


def test_a_picture_stands_within_the_page() -> None:
    assert f'<img src="{LOGO}" alt="">' in survey_page(make_plan(), Survey(logo=LOGO))
    with pytest.raises(sv.SottovoceError, match="nothing is fetched"):
        Survey(logo="https://example.org/logo.png")
    with pytest.raises(sv.SottovoceError, match="nothing is fetched"):
        Survey(logo='data:image/svg+xml,<svg onload="pwned()">')


def test_the_first_language_is_what_the_page_starts_with() -> None:
    page = survey_page(make_plan(), Survey(messages=choose_catalogues(("ar", "en"), ())))
    assert '<html lang="ar" dir="rtl">' in page


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//example.org",
        "https://",
        "https://example.org/ x",
        "https://example.org/;script-src",
        'https://example.org/"onclick=',
        "https://example.org:notaport/",
        "http://[",
        "https://exämple.org/",
        "https://example.org/" + "x" * 300,
    ],
)
@pytest.mark.parametrize("name", ["notice", "collector"])
def test_an_address_that_is_none_is_refused(name: str, address: str) -> None:
    with pytest.raises(sv.SottovoceError, match=r"is an address such as https://example.org/page"):
        Survey(**{name: address})


def test_the_address_of_a_collector_names_no_person_and_no_part() -> None:
    for address in ("https://user:word@example.org", "https://user@example.org"):
        with pytest.raises(sv.SottovoceError, match="is an address"):
            Survey(collector=address)
    with pytest.raises(sv.SottovoceError, match=r"no \? and no #"):
        Survey(collector="https://example.org/?a=1")
    assert Survey(notice="https://example.org/privacy?lang=de#top").notice.endswith("#top")


def test_what_acts_instead_of_being_seen_is_refused() -> None:
    with pytest.raises(sv.SottovoceError, match="organisation is at most 300 visible characters"):
        Survey(organisation="City\u202e")
    with pytest.raises(sv.SottovoceError, match="title is at most"):
        Survey(title="x" * 301)


def test_a_plan_that_no_device_would_answer_gets_no_page() -> None:
    with pytest.raises(sv.PlanError, match="devices answer at most 2"):
        survey_page(make_plan(epsilon=4))
    wide = sv.Schema([sv.Ordinal(f"a{number}", 0, 511) for number in range(6)])
    plan = sv.Plan.create(wide, epsilon=1, users=1_000, mechanism="hio")
    assert not plan.for_browsers
    with pytest.raises(sv.PlanError, match="no browser holds exactly"):
        survey_page(plan)
