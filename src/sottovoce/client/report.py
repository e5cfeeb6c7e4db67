"""The report: what leaves a device, two small integers with a plan and an id, as JSON and as bytes."""

from __future__ import annotations

import re
from typing import Annotated

import msgspec

from sottovoce.errors import TallyError

PLAN_KEY, COLLECTION_KEY = b"sottovoce.plan", b"sottovoce.collection"
"""The schema metadata of a table of reports: which plan, and which collection, they answer."""

BINARY_VERSION = 1

Number = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""A question or a code, as JSON may hold it."""

_PLAN, _ID = re.compile("[0-9a-f]{64}"), re.compile("[0-9a-f]{32}")


class Report(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What leaves the device: which public question was drawn, and a randomised answer code.

    Attributes:
        plan: The plan's fingerprint, 64 hexadecimal digits.
        id: 128 random bits, 32 hexadecimal digits, so that a report sent twice is counted once.
        question: The question's index.
        code: The randomised answer.
    """

    plan: str
    id: str
    question: Number
    code: Number

    def __post_init__(self) -> None:
        try:
            known = _PLAN.fullmatch(self.plan) is not None and _ID.fullmatch(self.id) is not None
        except TypeError:
            known = False
        if not known:
            raise TallyError(
                f"a report names its plan by 64 and itself by 32 lower-case hexadecimal digits, "
                f"got {self.plan!r} and {self.id!r}"
            )
        for number in (self.question, self.code):
            if type(number) is not int or not 0 <= number < 2**63:
                raise TallyError(f"question and code are integers from 0 to 2^63 - 1, got {number!r}")

    def to_json(self) -> str:
        """Return the JSON form: plan, id, question, code."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Report:
        """Return the report that a JSON text holds."""
        try:
            return msgspec.json.decode(text, type=cls)
        except (msgspec.MsgspecError, UnicodeError, TypeError, RecursionError) as error:
            raise TallyError(f"not a report: {error}") from error

    def to_bytes(self) -> bytes:
        """Return the binary form: a version byte, the plan (32), the id (16), question and code as varints."""
        head = bytes([BINARY_VERSION]) + bytes.fromhex(self.plan) + bytes.fromhex(self.id)
        return head + _varint(self.question) + _varint(self.code)

    @classmethod
    def from_bytes(cls, data: bytes) -> Report:
        """Return the report that a binary form holds."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TallyError(f"the binary form of a report is bytes, got {type(data).__name__}")
        if len(data) < 51 or data[0] != BINARY_VERSION:
            raise TallyError(f"not a report: {len(data)} bytes that do not start with version {BINARY_VERSION}")
        question, offset = read_varint(data, 49)
        code, offset = read_varint(data, offset)
        if offset != len(data):
            raise TallyError(f"not a report: {len(data) - offset} bytes too many")
        return cls(bytes(data[1:33]).hex(), bytes(data[33:49]).hex(), question, code)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def read_varint(data: bytes, offset: int) -> tuple[int, int]:
    """Return the number that stands at ``offset`` and the offset after it."""
    number = shift = 0
    while True:
        if offset >= len(data) or shift > 63:
            raise TallyError("not a report: it ends within a number")
        byte = data[offset]
        number |= (byte & 127) << shift
        offset, shift = offset + 1, shift + 7
        if byte < 128:
            return number, offset
