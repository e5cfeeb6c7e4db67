"""``sottovoce survey``: the page that the function gives, in a directory, and what people will miss on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.views.report_page import read_logo
from sottovoce.views.survey_page import Survey, choose_catalogues, survey_page
from tests.cli.calls import fail, run, succeed, text_of

PNG = b"\x89PNG\r\n\x1a\n and more"


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sv.Plan:
    """A plan, saved in the working directory."""
    monkeypatch.chdir(tmp_path)
    translated = sv.Ordinal("age", 0, 9, title="Age", translations=[sv.Translation("de", title="Alter")])
    schema = sv.Schema([translated, sv.Boolean("car")], language="en")
    made = sv.Plan.create(
        schema, epsilon=1, users=1_000, purpose="Buses", contact="a@example.org", expires="2999-12-31"
    )
    made.save("plan.json")
    return made


def test_the_command_writes_the_page_that_the_function_gives(plan: sv.Plan) -> None:
    Path("city.png").write_bytes(PNG)
    Path("own.json").write_text(json.dumps({"language": "ar", "title": "عنوان"}), encoding="utf-8")
    about = [
        "--title",
        "Ways",
        "--organisation",
        "City",
        "--logo",
        "city.png",
        "--colour",
        "#1f5f8b",
        "--contact",
        "us",
    ]
    about += ["--privacy-notice", "https://example.org/p", "--collector", "https://collector.example"]
    about += ["--language", "ar", "--language", "en", "--messages", "own.json"]
    said = succeed("survey", "plan.json", *about, "--out", "site")
    page = Path("site/index.html").read_text(encoding="utf-8")
    messages = choose_catalogues(("ar", "en"), ())
    messages["ar"]["title"] = "عنوان"
    expected = Survey(
        collector="https://collector.example",
        title="Ways",
        organisation="City",
        logo=read_logo("city.png"),
        colour="#1f5f8b",
        contact="us",
        notice="https://example.org/p",
        messages=messages,
    )
    assert page == survey_page(plan, expected)
    assert said == {
        "page": "site/index.html",
        "bytes": len(page.encode()),
        "fingerprint": plan.fingerprint,
        "languages": ["ar", "en"],
        "attributes": ["age", "car"],
        "notes": ["questions are not translated to ar: they are shown as they are"],
    }


def test_it_says_what_people_will_miss_and_what_comes_next(plan: sv.Plan) -> None:
    shown = text_of("survey", "plan.json", "--colour", "#ffd400", "--out", "site")
    assert shown.startswith("site/index.html: 2 attributes, en, de, ")
    assert "people are not told the organisation" in shown
    assert "people are not told the privacy notice" in shown
    assert "people are not told the purpose" not in shown
    assert "#ffd400 cannot be read on a light page" in shown
    assert f"/#{plan.fingerprint}" in shown
    assert "Next: sottovoce serve plan.json --pages site" in shown
    again = text_of("survey", "plan.json", "--collector", "https://collector.example", "--out", "site")
    assert "Next: put site on a web host" in again


def test_the_texts_of_the_page_can_be_had_to_translate_them() -> None:
    printed = run("survey", "--print-messages", "de")
    assert printed.exit_code == 0
    assert json.loads(printed.stdout)["start"] == "Beginnen"
    assert "it has en, de, ar" in fail("survey", "--print-messages", "fr")


@pytest.mark.usefixtures("plan")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--colour", "red", "--out", "site"), "a colour is written as #1f5f8b"),
        (("--logo", "plan.json", "--out", "site"), "a logo is a PNG or JPEG"),
        (("--privacy-notice", "javascript:1", "--out", "site"), "is an address such as"),
        (("--language", "xx", "--out", "site"), "no messages in 'xx'"),
        (("--messages", "plan.json", "--out", "site"), 'names its "language"'),
        (("--out", "plan.json"), "is a file; --out is the name of a directory"),
        (("--out", "no/such/site"), "No such file"),
    ],
)
def test_what_is_wrong_takes_one_line_and_writes_nothing(arguments: tuple[str, ...], said: str) -> None:
    assert said in fail("survey", "plan.json", *arguments)
    assert [path.name for path in Path().iterdir()] == ["plan.json"]


def test_a_plan_that_is_over_gets_no_page(tmp_path: Path) -> None:
    schema = sv.Schema([sv.Boolean("car"), sv.Boolean("dog")])
    sv.Plan.create(schema, epsilon=1, users=1_000, expires="2020-01-01").save(tmp_path / "old.json")
    assert "ended on 2020-01-01" in fail("survey", tmp_path / "old.json", "--out", tmp_path / "site")
    assert not (tmp_path / "site").exists()
