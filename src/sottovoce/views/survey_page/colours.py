"""An organisation's colour, in shades that can be read by day and by night.

Contrast is that of WCAG 2.2: 4.5 to 1 for text (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).

    >>> round(contrast("#ffffff", "#000000"))
    21
    >>> shades_of("#ffd400").light
    '#7d6800'
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sottovoce.errors import SottovoceError

DEFAULT = "#2f5d54"
READABLE = 4.5
"""The contrast that text needs."""

MARGIN = 0.4
"""What is asked for on top: a tint of the colour may lie beneath."""

_PAPERS = ("#f6f4ef", "#fffefb")
_SLATES = ("#151b1a", "#1d2524")
_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_STEPS = 200


@dataclass(frozen=True, slots=True)
class Shades:
    """A colour as the page uses it.

    Attributes:
        button: What buttons are filled with: the colour itself.
        button_ink: What can be read on it.
        light: For links and marks on a light page.
        dark: The same on a dark page.
    """

    button: str
    button_ink: str
    light: str
    dark: str

    @property
    def style(self) -> str:
        """The style sheet that names them; it is made of hexadecimal digits only."""
        return (
            f":root{{--button:{self.button};--button-ink:{self.button_ink};--accent:{self.light}}}"
            f"@media (prefers-color-scheme:dark){{:root{{--accent:{self.dark}}}}}"
            f"@media print{{:root{{--accent:{self.light}}}}}"
        )


def shades_of(colour: str) -> Shades:
    """Return the shades of a colour, each with enough contrast to what it stands on.

    Raises:
        SottovoceError: If it is not written as ``#1f5f8b``.
    """
    if not isinstance(colour, str) or not _HEX.fullmatch(colour):
        raise SottovoceError(f"a colour is written as #1f5f8b, got {colour!r}")
    colour = colour.lower()
    ink = max(("#ffffff", "#000000"), key=lambda ink: contrast(ink, colour))
    return Shades(colour, ink, _towards(colour, "#000000", _PAPERS), _towards(colour, "#ffffff", _SLATES))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _towards(colour: str, end: str, grounds: tuple[str, ...]) -> str:
    """Return the nearest mixture of a colour with black or white that can be read on all grounds."""
    for step in range(_STEPS + 1):
        mixed = _mixed(colour, end, step / _STEPS)
        if min(contrast(mixed, ground) for ground in grounds) >= READABLE + MARGIN:
            return mixed
    return end


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))


def _mixed(one: str, other: str, part: float) -> str:
    mixed = (round(a + (b - a) * part) for a, b in zip(_parts(one), _parts(other), strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _luminance(colour: str) -> float:
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (part / 255 for part in _parts(colour))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
