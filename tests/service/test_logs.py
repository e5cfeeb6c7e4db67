"""Events of a collector: one line each, with a reason, for people or as JSON, and never data."""

from __future__ import annotations

import json
import logging
import os
import re
import sys

import pytest

from sottovoce.service.logs import FIELDS, Lines, configure_logs


def record(**more: object) -> logging.LogRecord:
    return logging.makeLogRecord({"levelname": "ERROR", "msg": "a commit failed: %s", "args": ("FULL",), **more})


def test_a_line_of_json_has_the_event_and_its_reason() -> None:
    line = json.loads(Lines("json").format(record(event="commit", reason="FULL", times=3, pathname="/secret")))
    assert line.pop("process") == os.getpid()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", line.pop("day"))
    assert line == {
        "level": "error", "message": "a commit failed: FULL", "event": "commit", "reason": "FULL", "times": 3,
    }  # fmt: skip


def test_a_line_for_people_is_one_line() -> None:
    assert Lines("text").format(record(msg="a\nb\r%s")) == "error: a b FULL"


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_error_is_told_by_its_kind_and_never_by_its_text(form: str) -> None:
    try:
        raise ValueError("what somebody sent")
    except ValueError:
        line = Lines(form).format(record(exc_info=sys.exc_info()))
    assert "ValueError" in line
    assert "somebody" not in line
    assert "Traceback" not in line


def test_only_named_fields_are_written() -> None:
    line = json.loads(Lines("json").format(record(**dict.fromkeys(FIELDS, 1), address="127.0.0.1")))
    assert set(line) == {"day", "level", "process", "message", *FIELDS}


def test_lines_go_to_the_standard_error_from_a_level_on(capsys: pytest.CaptureFixture[str]) -> None:
    kept = [(logging.getLogger(name), logging.getLogger(name).level) for name in ("sottovoce", "uvicorn")]
    try:
        configure_logs("json", "warning")
        log = logging.getLogger("sottovoce.collector")
        log.info("nothing")
        log.warning("something", extra={"event": "test"})
        logging.getLogger("uvicorn.error").info("Started server process")
        (line,) = capsys.readouterr().err.splitlines()
        assert json.loads(line)["event"] == "test"
    finally:
        for logger, level in kept:
            logger.handlers = []
            logger.setLevel(level)
