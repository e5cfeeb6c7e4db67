"""Calls to a collector on behalf of an analyst: what is sent, what comes back, and what each refusal means here."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec
import numpy as np

from sottovoce.client.delivery import TIMEOUT_SECONDS, reason_of, require_httpx, seconds_until
from sottovoce.errors import DeliveryError, ModelError, QueryError
from sottovoce.query.expression import Expression

SECONDS = 600.0
"""How long an answer may take: a fit of many reports takes minutes."""

Found = TypeVar("Found")

_TOKEN = re.compile(r"[\x21-\x7e]{1,200}")


@dataclass(frozen=True, slots=True)
class Calls:
    """A collector's address, and the token that is shown to it.

    Attributes:
        url: Where it is, such as ``https://collect.example.org``.
        token: An analyst's, as ``sottovoce token create`` shows it.
    """

    url: str
    token: str = field(repr=False)

    @classmethod
    def to(cls, url: object, token: object) -> Calls:
        """Return the calls to a collector; DeliveryError for what can be no address or no token."""
        if not isinstance(url, str) or not re.fullmatch(r"https?://[^\s/?#]+[^\s?#]*", url):
            raise DeliveryError(f"a collector's address is such as https://collect.example.org, got {url!r}")
        if not isinstance(token, str) or not _TOKEN.fullmatch(token):
            raise DeliveryError("a token is the text that sottovoce token create shows: sv_ and what follows")
        return cls(url.rstrip("/"), token)

    def get(self, path: str) -> bytes:
        """Return what stands at a path."""
        return self._call("GET", path, None)

    def read(self, path: str, kind: type[Found]) -> Found:
        """Return what stands at a path, as the form that it should have."""
        return self._decoded(self.get(path), kind)

    def post(self, path: str, body: object, kind: type[Found]) -> Found:
        """Return what a collector answers.

        Args:
            path: The route.
            body: What is asked, as JSON will hold it.
            kind: The form that the answer should have.
        """
        try:
            content = msgspec.json.encode(body, enc_hook=_plain)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise QueryError(f"a question is made of numbers and texts that JSON can hold: {error}") from error
        return self._decoded(self._call("POST", path, content), kind)

    def _decoded(self, content: bytes, kind: type[Found]) -> Found:
        try:
            return msgspec.json.decode(content, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise DeliveryError(f"what answers at {self.url} is no collector, or another version: {error}") from error

    def _call(self, method: str, path: str, body: bytes | None) -> bytes:
        httpx = require_httpx()
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        try:
            timeout = httpx.Timeout(SECONDS, connect=TIMEOUT_SECONDS)
            response = httpx.request(method, self.url + path, content=body, headers=headers, timeout=timeout)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise DeliveryError(f"cannot reach the collector at {self.url}: {error}") from error
        if response.status_code != 200:
            raise _refusal(response)
        content: bytes = response.content
        return content


def _refusal(response: Any) -> DeliveryError | ModelError | QueryError:
    """Return what a refusal means: a question that cannot be, a model that is not there, or a call in vain."""
    status, content = response.status_code, response.content
    if status == 422:
        return QueryError(f"the collector says {_faults(content) or reason_of(status, content)}")
    if status == 409:
        return ModelError(f"the collector says {reason_of(status, content)}")
    after = seconds_until(response.headers.get("retry-after", ""))
    return DeliveryError(
        f"the collector says {reason_of(status, content)}", lasting=after is None and status < 500, retry_after=after
    )


def _faults(content: bytes) -> str:
    """Return the faults of a body, each with its place, if that is what was refused."""
    try:
        lines = msgspec.json.decode(content)["detail"]
        return "" if isinstance(lines, str) else "; ".join(f"{_place(line['loc'])}: {line['msg']}" for line in lines)
    except (msgspec.MsgspecError, UnicodeDecodeError, LookupError, TypeError):
        return ""


def _place(parts: list[object]) -> str:
    return ".".join(map(str, parts[1:])) or "the question"


def predicate(where: object) -> str:
    """Return a predicate as SQL; QueryError for anything else."""
    if not isinstance(where, str | Expression):
        raise QueryError(f"a predicate is SQL text or made with col, got {type(where).__name__}")
    return str(where)


def open_ends(queries: Any) -> Any:
    """Return queries by ranges as JSON can hold them: an open end as the largest number that there is."""
    if isinstance(queries, dict):
        return {name: open_ends(each) for name, each in queries.items()}
    if isinstance(queries, list | tuple):
        return [open_ends(each) for each in queries]
    if isinstance(queries, float) and math.isinf(queries):
        return math.copysign(sys.float_info.max, queries)
    return queries


def _plain(value: object) -> object:
    """Return what numpy holds as Python does, for `msgspec`."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"got {type(value).__name__}")
