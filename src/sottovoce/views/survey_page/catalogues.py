"""What the page says, in every language: catalogues of messages, those that ship and those of one's own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from sottovoce._checks import is_readable
from sottovoce.errors import SottovoceError
from sottovoce.schema.presentation import check_language

SHIPPED = ("en", "de", "ar")
"""The languages whose catalogues come with the package."""

MOST_CHARACTERS = 5000
"""Of one message."""

_DIRECTIONS = ("ltr", "rtl")
_HELD = re.compile(r"\{(\w+)\}")
_OPTIONAL = ("title", "purpose")

Catalogue = dict[str, str]


@cache
def _shipped(language: str) -> Mapping[str, str]:
    path = files("sottovoce.views.survey_page") / "messages" / f"{language}.json"
    found: Catalogue = json.loads(path.read_text(encoding="utf-8"))
    return found


def catalogue(language: str) -> Catalogue:
    """Return the messages of a language that ships.

    Example:
        >>> catalogue("de")["start"]
        'Beginnen'
    """
    if language not in SHIPPED:
        raise SottovoceError(
            f"the page has no messages in {language!r}; it has {', '.join(SHIPPED)}, and takes others by "
            "--messages FILE"
        )
    return dict(_shipped(language))


def read_catalogue(path: str | Path) -> Catalogue:
    """Return the messages of a file of one's own, completed from those that ship, if its language does.

    Raises:
        SottovoceError: If a message is missing, unknown, or names other values than it should.
    """
    what = str(path)
    try:
        given: Any = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise SottovoceError(f"{what!r}: messages are a JSON object of texts in UTF-8: {error}") from error
    if not isinstance(given, dict) or not isinstance(given.get("language"), str):
        raise SottovoceError(f'{what!r}: messages are a JSON object that names its "language", such as "fr"')
    language: str = given["language"]
    check_language(what, language)
    pattern = _shipped("en")
    made = dict(_shipped(language)) if language in SHIPPED else dict.fromkeys(_OPTIONAL, "")
    unknown = sorted(set(given) - set(pattern))
    if unknown:
        raise SottovoceError(
            f"{what!r}: there are no messages {', '.join(unknown)}; sottovoce survey --print-messages en shows "
            "all there are"
        )
    made |= given
    missing = [key for key in pattern if key not in made]
    if missing:
        raise SottovoceError(f"{what!r}: messages are missing: {', '.join(missing)}")
    for key, text in made.items():
        _check(f"{what!r}: {key}", text, pattern[key])
    if made["direction"] not in _DIRECTIONS:
        raise SottovoceError(f"{what!r}: direction is one of {', '.join(_DIRECTIONS)}, got {made['direction']!r}")
    return {key: made[key] for key in pattern}


def _check(what: str, text: object, pattern: str) -> None:
    if not isinstance(text, str) or not is_readable(text) or len(text) > MOST_CHARACTERS:
        raise SottovoceError(f"{what} is a text of at most {MOST_CHARACTERS} visible characters, got {text!r}")
    extra = sorted(set(_HELD.findall(text)) - set(_HELD.findall(pattern)))
    if extra:
        held = ", ".join(f"{{{name}}}" for name in _HELD.findall(pattern)) or "none"
        raise SottovoceError(f"{what} names {{{extra[0]}}}; the values that it may name are: {held}")


def choose_catalogues(
    wanted: Sequence[str], asked: Sequence[str], own: Sequence[Catalogue] = ()
) -> dict[str, Catalogue]:
    """Return the catalogues of a page by language, the first one being for whoever asks for none of them.

    Args:
        wanted: The languages that the page should have; if none, those that questions are in and messages exist for.
        asked: The languages that questions are in, the schema's own first.
        own: Catalogues of one's own.
    """
    mine = {one["language"]: one for one in own}
    if not wanted:
        known = [language for language in asked if language in mine or language in SHIPPED]
        wanted = known or list(mine) or ["en"]
    chosen = {language: mine[language] if language in mine else catalogue(language) for language in wanted}
    unused = sorted(set(mine) - set(chosen))
    if unused:
        raise SottovoceError(
            f"messages in {', '.join(unused)} were given, but the page is in {', '.join(chosen)} alone"
        )
    return chosen
