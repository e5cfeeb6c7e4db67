"""Check a built site: every link leads to a page and a place on it, and nothing is loaded from elsewhere.

Links to other sites are checked by their form alone, since a build needs no network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

LOADED = {
    "img": "src",
    "script": "src",
    "iframe": "src",
    "source": "src",
    "audio": "src",
    "video": "src",
    "object": "data",
}
"""What a browser fetches by itself, and the attribute that says from where."""


@dataclass
class Page:
    """What a page links to, what it loads, and the places that links may lead to."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.page.places.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.page.links.append(given["href"])
        elif tag == "link" and given.get("rel") != "canonical" and "href" in given:
            kind = self.page.loaded if given.get("rel") in ("stylesheet", "icon", "preload") else self.page.links
            kind.append(given["href"])
        elif tag in LOADED and LOADED[tag] in given:
            self.page.loaded.append(given[LOADED[tag]])
        self.page.loaded += [part.split()[0] for part in given.get("srcset", "").split(",") if part.strip()]


def read(text: str) -> Page:
    """Return what a page of HTML links to and loads.

    Example:
        >>> read('<a id="top" href="b.html#x">b</a><img src="c.png">')
        Page(links=['b.html#x'], loaded=['c.png'], places={'top'})
    """
    reader = _Reader()
    reader.feed(text)
    return reader.page


def faults(site: Path) -> list[str]:
    """Return all that is wrong with a built site, one line each."""
    pages = {path: read(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = [line for path, page in pages.items() for line in _page_faults(site, pages, path, page)]
    for sheet in sorted(site.rglob("*.css")):
        fetched = re.findall(
            r"""(?:url\(|@import)\s*["']?\s*((?:https?:)?//[^"')\s]+)""", sheet.read_text(encoding="utf-8")
        )
        found += [f"{sheet.relative_to(site)} loads {address} from elsewhere" for address in fetched]
    return found


def _page_faults(site: Path, pages: dict[Path, Page], path: Path, page: Page) -> Iterator[str]:
    here = path.relative_to(site)
    for address in page.loaded:
        if address.startswith("data:"):
            continue
        if urlsplit(address).netloc or urlsplit(address).scheme:
            yield f"{here} loads {address} from elsewhere"
        elif not (path.parent / unquote(urlsplit(address).path)).exists():
            yield f"{here} loads {address}, which is not there"
    for address in page.links:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            if not well_formed(address):
                yield f"{here} links to {address}, which is no address"
            continue
        without, place = urldefrag(address)
        target = (path.parent / unquote(urlsplit(without).path)).resolve() if without else path
        if not target.is_file():
            yield f"{here} links to {address}, which is not there"
        elif place and target in pages and unquote(place) not in pages[target].places:
            yield f"{here} links to {address}, a place that is not on that page"


def well_formed(address: str) -> bool:
    """Return whether the address of another site could be one.

    Example:
        >>> [well_formed(one) for one in ("https://example.org/a", "https://example/a b", "mailto:a@example.org")]
        [True, False, True]
    """
    parts = urlsplit(address)
    if parts.scheme == "mailto":
        return re.fullmatch(r"[^@\s]+@[\w-]+(\.[\w-]+)+", parts.path) is not None
    named = re.fullmatch(r"[\w-]+(\.[\w-]+)+", parts.hostname or "")
    return parts.scheme in ("http", "https") and named is not None and " " not in address
