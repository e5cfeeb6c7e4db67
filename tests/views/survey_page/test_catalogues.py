"""Catalogues: every language says everything, and names the same values."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sottovoce import SottovoceError
from sottovoce.views.survey_page.catalogues import SHIPPED, catalogue, choose_catalogues, read_catalogue


def write(path: Path, **messages: object) -> Path:
    path.write_text(json.dumps(messages, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.parametrize("language", SHIPPED)
def test_every_language_says_everything_and_names_the_same_values(language: str) -> None:
    english, other = catalogue("en"), catalogue(language)
    assert list(other) == list(english)
    assert other["language"] == language
    for key, text in other.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[key])), key
        assert text or key in ("title", "purpose")
        assert language == "en" or text != english[key] or key in SAME, key


SAME = {"title", "purpose", "direction", "number", "with_unit", "chance", "person"}
"""What may be the same in two languages."""


def test_every_message_that_the_page_says_is_there_and_no_other() -> None:
    folder = Path(__file__).parents[3] / "clients" / "js" / "survey"
    program = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.js"))
    shell = {"language", "name", "direction", "noscript"}
    assert {key for key in catalogue("en") if not re.search(rf'["`]{key}["`]', program)} <= shell
    said = set(re.findall(r'\.say\("(\w+)"', program)) | set(re.findall(r'key: "(\w+)"', program))
    assert said <= set(catalogue("en"))


def test_a_file_of_ones_own_changes_some_messages_of_a_language_that_ships(tmp_path: Path) -> None:
    made = read_catalogue(write(tmp_path / "de.json", language="de", consent_words="Unser eigener Text."))
    assert made == {**catalogue("de"), "consent_words": "Unser eigener Text."}


def test_a_language_that_does_not_ship_has_to_say_everything(tmp_path: Path) -> None:
    with pytest.raises(SottovoceError, match=r"messages are missing: .*consent_words"):
        read_catalogue(write(tmp_path / "fr.json", language="fr", name="Français", direction="ltr"))
    whole = {**catalogue("en"), "language": "fr", "name": "Français"}
    del whole["title"], whole["purpose"]
    assert read_catalogue(write(tmp_path / "fr.json", **whole)) == {
        **catalogue("en"),
        "language": "fr",
        "name": "Français",
    }


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ({"language": "de", "strat": "Los"}, "there are no messages strat"),
        ({"language": "de", "start": 3}, "start is a text"),
        ({"language": "de", "start": "a\u202eb"}, "visible characters"),
        ({"language": "de", "start": "x" * 5001}, "at most 5000"),
        ({"language": "de", "step": "Schritt {nummer}"}, r"names {nummer}; .* {number}, {count}"),
        ({"language": "de", "direction": "up"}, "ltr, rtl"),
        ({"language": "DE!", "start": "Los"}, "a language is a code such as en"),
        ({"start": "Los"}, 'names its "language"'),
    ],
)
def test_messages_that_the_page_could_not_say_are_refused(tmp_path: Path, messages: dict, said: str) -> None:
    with pytest.raises(SottovoceError, match=said):
        read_catalogue(write(tmp_path / "own.json", **messages))


def test_what_is_no_json_object_is_refused(tmp_path: Path) -> None:
    for text in ("[]", "{", "\ufeff3"):
        (tmp_path / "own.json").write_text(text, encoding="utf-8")
        with pytest.raises(SottovoceError, match="JSON object"):
            read_catalogue(tmp_path / "own.json")


def test_a_page_has_the_languages_that_questions_are_in() -> None:
    own = {**catalogue("en"), "language": "fr"}
    assert list(choose_catalogues((), ("de", "en", "xx"))) == ["de", "en"]
    assert list(choose_catalogues((), ())) == ["en"]
    assert list(choose_catalogues((), ("fr", "de"), [own])) == ["fr", "de"]
    assert choose_catalogues((), ("fr", "de"), [own])["fr"] is own
    assert list(choose_catalogues(("ar", "en"), ("de",))) == ["ar", "en"]
    with pytest.raises(SottovoceError, match="no messages in 'xx'; it has en, de, ar"):
        choose_catalogues(("xx",), ())
    with pytest.raises(SottovoceError, match="messages in fr were given, but the page is in de alone"):
        choose_catalogues(("de",), (), [own])
