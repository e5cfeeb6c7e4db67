"""The bytes of a request -> columns of reports, and what is refused and why.

A good batch takes no Python work for any one report beyond picking its fields: JSON is decoded straight to structs, all
ids are checked and read as one text, and questions and codes as arrays. Only a batch with something malformed in it is
decoded report by report.
"""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from sottovoce.client.report import BINARY_VERSION, Number, Report, read_varint
from sottovoce.errors import TallyError
from sottovoce.plan.refusals import EXPIRED, MALFORMED, NO_CODE, NO_QUESTION, WRONG_PLAN
from sottovoce.service.served import Served
from sottovoce.service.store import ID, One, Reports

_REASONS = ("", WRONG_PLAN, EXPIRED, NO_QUESTION, NO_CODE)
_PLAN = re.compile("[0-9a-f]{64}")
_decode_one = msgspec.json.Decoder(Report).decode
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_decode_apart = msgspec.json.Decoder(list[msgspec.Raw]).decode


class _Wire(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A report of a batch, its two texts of the right length and not looked at yet: `_read_ids` does so for all."""

    plan: Annotated[str, msgspec.Meta(min_length=64, max_length=64)]
    id: Annotated[str, msgspec.Meta(min_length=32, max_length=32)]
    question: Number
    code: Number


_decode_all = msgspec.json.Decoder(_Wire | list[_Wire]).decode


class BadBodyError(Exception):
    """A request whose body is no report and no batch of reports: nothing of it is counted."""


class BatchSizeError(Exception):
    """A batch of more reports than are taken at once."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A request: the reports that may be counted, and the indices and reasons of those that may not."""

    reports: Reports
    refused: list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class _Columns:
    """Well-formed reports: their indices in the request, the plans they name, and their numbers."""

    indices: NDArray[np.intp]
    plans: list[str]
    ids: bytes
    question: NDArray[np.int64]
    code: NDArray[np.int64]


def decode_json(body: bytes, plans: Mapping[str, Served], day: datetime.date, *, limit: int) -> Decoded:
    """Return the reports of a JSON body: one report, or an array of them, of any of a collection's plans.

    Args:
        body: The bytes.
        plans: The collection's plans, by what reports may name.
        day: Today; an expired plan's reports are refused.
        limit: The most reports of a body.

    Raises:
        BadBodyError: If it is not JSON.
        BatchSizeError: If there are too many.
    """
    try:
        wires: Sequence[_Wire | Report]
        try:
            found, malformed = _decode_all(body), list[int]()
            wires = [found] if isinstance(found, _Wire) else found
            ids = _read_ids(wires, plans)
        except (msgspec.DecodeError, UnicodeDecodeError, TallyError):
            wires, malformed = _parse_apart(body)
            ids = _read_ids(wires, plans)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadBodyError(f"the body is not JSON: {error}") from error
    total = len(wires) + len(malformed)
    _check_size(total, limit)
    columns = _Columns(
        indices=np.delete(np.arange(total), malformed),
        plans=[wire.plan for wire in wires],
        ids=ids,
        question=np.array([wire.question for wire in wires], dtype=np.int64),
        code=np.array([wire.code for wire in wires], dtype=np.int64),
    )
    return _screen(columns, plans, day, malformed)


def decode_one(body: bytes, plans: Mapping[str, Served], day: datetime.date) -> One | None:
    """Return the one report of a JSON body; None if it is something else, or refused: `decode_json` says why.

    Args:
        body: The bytes.
        plans: The collection's plans, by what reports may name.
        day: Today; an expired plan's reports are refused.
    """
    try:
        wire = _decode_one(body)
    except (msgspec.DecodeError, TallyError, UnicodeDecodeError, RecursionError):
        return None
    served = plans.get(wire.plan)
    if served is None or served.expired(day) or wire.question >= len(served.code_list):
        return None
    if wire.code >= served.code_list[wire.question]:
        return None
    return One(bytes.fromhex(wire.id), served.key.plan, wire.question, wire.code)


def decode_binary(body: bytes, served: Served, day: datetime.date, *, limit: int) -> Decoded:
    """Return the reports of a binary body: one or more binary forms that name what it is posted to, end to end.

    Args:
        body: The bytes.
        served: What it was posted to.
        day: Today; an expired plan's reports are refused.
        limit: The most reports of a body.

    Raises:
        BadBodyError: If it is not binary reports of this plan.
        BatchSizeError: If there are too many.
    """
    name = served.name
    first, *pieces = body.split(bytes([BINARY_VERSION]) + bytes.fromhex(name))
    _check_size(len(pieces), limit)
    try:
        if first or not pieces or min(map(len, pieces)) < ID.itemsize:
            raise TallyError(f"not a report of {name}")
        pairs = np.array([_pair(piece[ID.itemsize :]) for piece in pieces], dtype=np.int64)
    except TallyError as error:
        raise BadBodyError(f"the body is not binary reports of this plan: {error}") from error
    ids = b"".join([piece[: ID.itemsize] for piece in pieces])
    names = [name] * len(pieces)
    columns = _Columns(np.arange(len(pieces)), names, ids, pairs[:, 0], pairs[:, 1])
    return _screen(columns, {name: served}, day, [])


def _read_ids(wires: Sequence[_Wire | Report], plans: Mapping[str, Served]) -> bytes:
    """Return the ids of some reports, one after the other, if these and the plans they name are hexadecimal digits."""
    text = "".join([wire.id for wire in wires])
    try:
        ids = bytes.fromhex(text)
    except ValueError as error:
        raise TallyError("an id is 32 lower-case hexadecimal digits") from error
    if ids.hex() != text:  # upper case and blanks are read, but not written, like this
        raise TallyError("an id is 32 lower-case hexadecimal digits")
    if not all(map(_PLAN.fullmatch, {wire.plan for wire in wires} - plans.keys())):
        raise TallyError("a plan is 64 lower-case hexadecimal digits")
    return ids


def _parse_apart(body: bytes) -> tuple[list[Report], list[int]]:
    """Return the well-formed reports, and the indices of the others.

    Text that is no Unicode, such as half of a surrogate pair, spoils its own report and no other.
    """
    # a report that holds a surrogate, whole or half, is malformed with any other character instead of it too
    body = _SURROGATE.sub(rb"\\ufffd", body)
    parts = _decode_apart(body) if body.lstrip()[:1] == b"[" else [msgspec.Raw(body)]
    wires, malformed = [], []
    for index, part in enumerate(parts):
        try:
            wires.append(_decode_one(part))
        except (msgspec.ValidationError, TallyError, UnicodeDecodeError):
            malformed.append(index)
    return wires, malformed


@functools.lru_cache(maxsize=2**16)
def _pair(data: bytes) -> tuple[int, int]:
    question, offset = read_varint(data, 0)
    code, offset = read_varint(data, offset)
    if offset != len(data) or max(question, code) >= 2**63:
        raise TallyError("not a question and a code")
    return question, code


def _check_size(number: int, limit: int) -> None:
    if number > limit:
        raise BatchSizeError(f"a request holds at most {limit} reports, this one has {number}; send them in parts")


def _screen(columns: _Columns, plans: Mapping[str, Served], day: datetime.date, malformed: list[int]) -> Decoded:
    """Return the reports that can be, and the others with their reasons, in the order of the request."""
    numbers = np.zeros(len(columns.plans), dtype=np.int64)
    reasons = np.ones(len(columns.plans), dtype=np.intp)
    named = set(columns.plans)
    for name in named & plans.keys():
        rows = slice(None) if len(named) == 1 else np.array([one == name for one in columns.plans])
        served = plans[name]
        numbers[rows] = served.key.plan
        reasons[rows] = 2 if served.expired(day) else _judge(served, columns.question[rows], columns.code[rows])
    reports = Reports(np.frombuffer(columns.ids, dtype=ID), numbers, columns.question, columns.code)
    if not malformed and not reasons.any():
        return Decoded(reports, [])
    refused = [(index, MALFORMED) for index in malformed]
    refused += [(int(columns.indices[row]), _REASONS[reasons[row]]) for row in np.flatnonzero(reasons)]
    return Decoded(reports.take(reasons == 0), sorted(refused))


def _judge(served: Served, question: NDArray[np.int64], code: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return for each report the number of the reason why it cannot be, or 0."""
    codes = served.codes.take(question, mode="clip")
    codes[question >= len(served.codes)] = 0
    return np.where(code < codes, 0, np.where(codes == 0, 3, 4))
