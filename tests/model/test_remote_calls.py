"""Calls to a collector: what may be an address, a token and a question, and what refusals become."""

from __future__ import annotations

import functools
import http.server
import math
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.model.remote_calls import Calls, _refusal, open_ends, predicate

TOKEN = "sv_0123456789ab_secret"
NOWHERE = "http://127.0.0.1:1"


@pytest.mark.parametrize("url", ["", "collect.example.org", "ftp://a.example", "https://", "http://a b", 3, None])
def test_what_is_no_address_is_refused(url: object) -> None:
    with pytest.raises(sv.DeliveryError, match="address is such as https"):
        Calls.to(url, TOKEN)


@pytest.mark.parametrize("token", ["", "a b", "a\nb", "é", "x" * 201, None, 7])
def test_what_is_no_token_is_refused_and_not_repeated(token: object) -> None:
    with pytest.raises(sv.DeliveryError, match="sottovoce token create"):
        Calls.to(NOWHERE, token)


def test_a_token_is_in_no_text_about_the_calls() -> None:
    assert TOKEN not in repr(Calls.to(NOWHERE + "/", TOKEN))
    assert Calls.to(NOWHERE + "/", TOKEN).url == NOWHERE


def test_a_collector_that_does_not_answer_is_a_delivery_error() -> None:
    with pytest.raises(sv.DeliveryError, match="cannot reach the collector") as refused:
        Calls.to(NOWHERE, TOKEN).get("/v1/plans")
    assert not refused.value.lasting


def test_what_is_no_collector_is_a_delivery_error(tmp_path: Path) -> None:
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "plans").write_text("<p>welcome</p>")
    handler = functools.partial(Quiet, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        model = sv.RemoteModel(f"http://127.0.0.1:{server.server_port}", token=TOKEN)
        with pytest.raises(sv.DeliveryError, match="is no collector, or another version"):
            model.answer("a > 3")
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (422, '{"detail": "unknown attribute"}', sv.QueryError, "422: unknown attribute"),
        (422, '{"detail": [{"loc": ["body", "level"], "msg": "too large"}]}', sv.QueryError, "level: too large"),
        (422, '{"detail": [{"loc": ["body"], "msg": "give either"}]}', sv.QueryError, "the question: give either"),
        (409, '{"detail": "a fit is running"}', sv.ModelError, "a fit is running"),
        (403, '{"detail": "another collection"}', sv.DeliveryError, "another collection"),
        (502, "<html>", sv.DeliveryError, "502"),
    ],
)
def test_a_refusal_is_the_error_of_what_it_means(status: int, body: str, kind: type, words: str) -> None:
    error = _refusal(SimpleNamespace(status_code=status, content=body.encode(), headers={}))
    assert type(error) is kind
    assert words in str(error)
    if isinstance(error, sv.DeliveryError):
        assert error.lasting == (status == 403)


def test_a_collector_that_says_when_to_come_back_is_heard() -> None:
    answer = SimpleNamespace(status_code=429, content=b"{}", headers={"retry-after": "5"})
    error = _refusal(answer)
    assert isinstance(error, sv.DeliveryError)
    assert (error.retry_after, error.lasting) == (5.0, False)


def test_predicates_are_sql_or_made_with_col() -> None:
    assert predicate("a > 3") == "a > 3"
    assert predicate(sv.col("a b") > 3) == '"a b" > 3'
    for wrong in (None, 3, sv.col("a"), b"a > 3"):
        with pytest.raises(sv.QueryError, match="made with col"):
            predicate(wrong)


def test_open_ends_are_the_largest_numbers_that_json_has() -> None:
    most = sys.float_info.max
    assert open_ends([{"a": (-math.inf, 3), "b": ["x"]}]) == [{"a": [-most, 3], "b": ["x"]}]


@pytest.mark.parametrize("body", [object(), {1: {2, object()}}, {"level": 1j}])
def test_what_json_cannot_hold_is_a_query_error(body: Any) -> None:
    with pytest.raises(sv.QueryError, match="numbers and texts"):
        Calls.to(NOWHERE, TOKEN).post("/", body, dict)


def test_numbers_of_numpy_are_sent_as_numbers() -> None:
    with pytest.raises(sv.DeliveryError, match="cannot reach"):
        Calls.to(NOWHERE, TOKEN).post("/", {"a": np.int64(3), "b": np.arange(3)}, dict)
