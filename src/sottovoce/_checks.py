"""The checks of arguments that most doors make: what was given, what is allowed, in one wording.

Booleans are integers to Python and a mistake to people, so they are refused everywhere.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Collection
from typing import TypeGuard

from sottovoce.errors import SottovoceError


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number: no boolean, no text; NaN and infinity are numbers.

    Example:
        >>> is_number(2.5), is_number(True), is_number("2")
        (True, False, False)
    """
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters that act on a terminal or a page instead of being seen: controls, directions, tags, half characters."""


def is_readable(value: object) -> TypeGuard[str]:
    r"""Return whether a value is text that shows all it holds; both clients know the same rule.

    Example:
        >>> is_readable("income [EUR]"), is_readable("a\x1b[2J"), is_readable("\u202eevil")
        (True, False, False)
    """
    return isinstance(value, str) and _UNSEEN.search(value) is None


def visible(text: str) -> str:
    r"""Return a text with characters that act instead of being seen as escapes of JSON; line breaks and tabs stay.

    Example:
        >>> visible("a\x1b[2Jb")
        'a\\u001b[2Jb'
    """

    def shown(found: re.Match[str]) -> str:
        units = found[0].encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))

    return _UNSEEN.sub(lambda found: found[0] if found[0] in "\n\t" else shown(found), text)


def check_integer(name: str, value: object, *, error: type[SottovoceError], least: int, most: int | None = None) -> int:
    """Return an integer argument; raise ``error`` unless it is one from ``least`` to ``most``.

    Args:
        name: What the argument is called, for the message.
        value: What was given.
        error: What to raise.
        least: The smallest integer allowed.
        most: The largest, if there is one.

    Raises:
        SottovoceError: Of the kind given, saying what was given and what is allowed.

    Example:
        >>> check_integer("users", 5, error=SottovoceError, least=1)
        5
    """
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        whole = int(value)
        if least <= whole and (most is None or whole <= most):
            return whole
    allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise error(f"{name} is an integer {allowed}, got {value!r}")


def check_choice(name: str, value: object, allowed: Collection[str], *, error: type[SottovoceError]) -> str:
    """Return a choice; raise ``error`` unless it is one of the texts allowed.

    Args:
        name: What the argument is called, for the message.
        value: What was given.
        allowed: What may be chosen.
        error: What to raise.

    Raises:
        SottovoceError: Of the kind given, saying what was given and what is allowed.

    Example:
        >>> check_choice("quality", "fast", ("default", "fast"), error=SottovoceError)
        'fast'
    """
    if isinstance(value, str) and value in allowed:
        return value
    raise error(f"{name} is one of {', '.join(allowed)}, got {value!r}")


def check_fraction(
    name: str, value: object, *, error: type[SottovoceError], ends: bool = False, usual: str = ""
) -> float:
    """Return a fraction; raise ``error`` unless it is a number between 0 and 1, these included if ``ends`` says so.

    Args:
        name: What the argument is called, for the message.
        value: What was given.
        error: What to raise.
        ends: Whether 0 and 1 are allowed.
        usual: What is usual, for whoever has to choose again.

    Raises:
        SottovoceError: Of the kind given, saying what was given and what is allowed.

    Example:
        >>> check_fraction("level", 0.9, error=SottovoceError)
        0.9
    """
    if is_number(value) and (0 <= value <= 1 if ends else 0 < value < 1):
        return float(value)
    allowed = "from 0 to 1" if ends else "above 0 and below 1"
    raise error(f"{name} is a number {allowed}, got {value!r}{'; ' + usual if usual else ''}")
