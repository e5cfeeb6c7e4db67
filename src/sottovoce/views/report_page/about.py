"""Whose report it is: title, organisation, date and logo."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

from sottovoce.errors import SottovoceError

MOST_BYTES = 500_000
"""The largest logo: a report is sent by mail."""

_KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


@dataclass(frozen=True, slots=True)
class About:
    """What stands at the head of a report; what is empty is left out.

    Attributes:
        title: The heading; the plan's purpose if there is none.
        organisation: Whose report it is.
        date: When it was made, such as 2030-12-31.
        logo: A picture as a ``data:`` address, from `read_logo`.
    """

    title: str = ""
    organisation: str = ""
    date: str = ""
    logo: str = ""


def read_logo(path: str | Path) -> str:
    """Return a PNG or JPEG file as an address that holds the picture itself, so that nothing is fetched."""
    data = Path(path).read_bytes()
    kind = next((kind for start, kind in _KINDS.items() if data.startswith(start)), None)
    if kind is None or len(data) > MOST_BYTES:
        raise SottovoceError(
            f"{str(path)!r}: a logo is a PNG or JPEG file of at most {MOST_BYTES // 1000} kB, got {len(data):,} bytes"
            + ("" if kind else " of another kind")
        )
    return f"data:{kind};base64,{b64encode(data).decode()}"
