"""Pages that a collector serves beside its API, each under a policy that lets its own scripts run and no others.

What stands within a page's script and style elements is named by its digest in the page's policy: whoever put the file
there meant it, and nothing that gets into the page later runs.
"""

from __future__ import annotations

import os
from functools import lru_cache
from html.parser import HTMLParser

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from sottovoce.views.inline import digest

_MOST_BYTES = 16 * 2**20
"""Of a page whose policy is made to measure; a larger one gets the one of all answers."""


class Pages(StaticFiles):
    """Files beside the API; those whose name starts with a dot are nobody's business."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """Return a file's path, if it may be served."""
        if any(part.startswith(".") and part not in (".", ".well-known") for part in path.split("/")):
            return "", None
        return super().lookup_path(path)

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return a file; a page with the policy for it.

        Args:
            full_path: Where the file is.
            stat_result: What the system says of it.
            scope: The request.
            status_code: That of the answer.
        """
        response = super().file_response(full_path, stat_result, scope, status_code)
        if os.fspath(full_path).endswith((".html", ".htm")) and stat_result.st_size <= _MOST_BYTES:
            policy = _policy_of(os.fspath(full_path), stat_result.st_mtime_ns, stat_result.st_size)
            response.headers["content-security-policy"] = policy
        return response


@lru_cache(maxsize=64)
def _policy_of(path: str, changed: int, size: int) -> str:
    with open(path, encoding="utf-8", errors="replace", newline=None) as file:
        return page_policy(file.read())


def page_policy(page: str) -> str:
    """Return the content security policy of a page: it loads from its collector, and runs what stands in the page.

    Example:
        >>> page_policy("<p>Nothing runs here.</p>").split("; ")[1]
        "script-src 'self'"
    """
    found = _Inline()
    found.feed(page)
    found.close()
    listed = {kind: " ".join(["'self'", *dict.fromkeys(map(digest, found.texts[kind]))]) for kind in found.texts}
    return (
        f"default-src 'self'; script-src {listed['script']}; style-src {listed['style']}; img-src 'self' data:; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    )


class _Inline(HTMLParser):
    """Collects what stands within script and style elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self._open: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note that an element begins."""
        names = dict(attrs)
        if tag in self.texts and "src" not in names and names.get("type") != "application/json":
            self.texts[tag].append("")
            self._open = tag

    def handle_data(self, data: str) -> None:
        """Note what stands within."""
        if self._open:
            self.texts[self._open][-1] += data

    def handle_endtag(self, tag: str) -> None:
        """Note that an element ends."""
        if tag == self._open:
            self._open = None
