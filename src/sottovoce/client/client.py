"""The client: draw a question, compute a cell, draw a code. Integers and the operating system's randomness only.

`Client.report` checks the **whole** record before it draws a question, so that neither an error nor silence says which
question was drawn. This module loads no numpy; `randomize`, for many records at once, imports it when called.
"""

from __future__ import annotations

import datetime
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from sottovoce.channels.exact import Words, system_words
from sottovoce.client.delivery import Ledger, fetch_plan, post_report
from sottovoce.errors import DeliveryError, TallyError
from sottovoce.plan.plan import Plan, require_plan
from sottovoce.schema.schema import encode

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

PLAN_KEY, COLLECTION_KEY = b"sottovoce.plan", b"sottovoce.collection"
"""The schema metadata of a table of reports: which plan, and which collection, they answer."""

BINARY_VERSION = 1


Number = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class WireReport(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A report's JSON form."""

    plan: Annotated[str, msgspec.Meta(min_length=64, max_length=64)]
    id: Annotated[str, msgspec.Meta(min_length=32, max_length=32)]
    question: Number
    code: Number


@dataclass(frozen=True, slots=True)
class Report:
    """What leaves the device: which public question was drawn, and a randomised answer code.

    Attributes:
        plan: The plan's fingerprint, 64 hexadecimal digits.
        id: 128 random bits, 32 hexadecimal digits, so that a report sent twice is counted once.
        question: The question's index.
        code: The randomised answer.
    """

    plan: str
    id: str
    question: int
    code: int

    def __post_init__(self) -> None:
        if not _is_hexadecimal(self.plan, 64) or not _is_hexadecimal(self.id, 32):
            raise TallyError(
                f"a report names its plan by 64 and itself by 32 lower-case hexadecimal digits, "
                f"got {self.plan!r} and {self.id!r}"
            )
        for number in (self.question, self.code):
            if type(number) is not int or not 0 <= number < 2**63:
                raise TallyError(f"question and code are integers from 0 to 2^63 - 1, got {number!r}")

    def to_json(self) -> str:
        """Return the JSON form: plan, id, question, code."""
        return msgspec.json.encode(WireReport(self.plan, self.id, self.question, self.code)).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Report:
        """Return the report that a JSON text holds."""
        try:
            wire = msgspec.json.decode(text, type=WireReport)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise TallyError(f"not a report: {error}") from error
        return cls(wire.plan, wire.id, wire.question, wire.code)

    def to_bytes(self) -> bytes:
        """Return the binary form: a version byte, the plan (32), the id (16), question and code as varints."""
        head = bytes([BINARY_VERSION]) + bytes.fromhex(self.plan) + bytes.fromhex(self.id)
        return head + _varint(self.question) + _varint(self.code)

    @classmethod
    def from_bytes(cls, data: bytes) -> Report:
        """Return the report that a binary form holds."""
        if len(data) < 51 or data[0] != BINARY_VERSION:
            raise TallyError(f"not a report: {len(data)} bytes that do not start with version {BINARY_VERSION}")
        question, place = read_varint(data, 49)
        code, place = read_varint(data, place)
        if place != len(data):
            raise TallyError(f"not a report: {len(data) - place} bytes too many")
        return cls(data[1:33].hex(), data[33:49].hex(), question, code)


class Client:
    """Answers a plan for one person at a time, on that person's device.

    Example:
        >>> import sottovoce as sv
        >>> schema = sv.Schema([sv.Ordinal("age", 0, 119), sv.Ordinal("hours", 0, 80)])
        >>> client = sv.Client(sv.Plan.create(schema, epsilon=1, users=10_000))
        >>> report = client.report({"age": 34, "hours": 40})
        >>> report.plan == client.plan.fingerprint
        True
    """

    def __init__(self, plan: Plan) -> None:
        require_plan(plan)
        self.plan = plan
        self._url: str | None = None
        self._token: str | None = None
        self._ledger: Ledger | None = None

    @classmethod
    def from_url(cls, url: str, *, token: str | None = None, spent: str | Path | None = None) -> Client:
        """Return a client of the plan at a collector, its fingerprint checked; needs ``sottovoce[http]``.

        Args:
            url: The plan's address, ``https://collector.example/v1/plans/{fingerprint}``.
            token: What the collector asks of those who post, if it does.
            spent: The directory that records which collections this person answered; by default in the user's own data.
        """
        client = cls(fetch_plan(url))
        client._url, client._token = url, token
        client._ledger = Ledger(None if spent is None else Path(spent))
        return client

    def send(self, record: Mapping[str, object]) -> Report:
        """Return the report that answers this collection, now counted: drawn once, kept on disk, and only then sent.

        A collection that was answered before is not answered again: what was drawn then is sent if it was never
        acknowledged, whatever the record is now. After an error, call it again: the same bytes are sent.
        """
        if self._url is None or self._ledger is None:
            raise DeliveryError("this client knows no collector; make it with Client.from_url")
        collection = self.plan.collection
        spent = self._ledger.draw_once(collection, lambda: self._draw(record).to_json())
        report = Report.from_json(spent.report)
        if not spent.acknowledged:
            url = f"{self._url.rstrip('/').rpartition('/')[0]}/{report.plan}"
            post_report(url, spent.report, {"authorization": f"Bearer {self._token}"} if self._token else {})
            self._ledger.acknowledge(collection, spent)
        return report

    def _draw(self, record: Mapping[str, object]) -> Report:
        """Return a report, unless the collection is over and it would be drawn for nothing."""
        if self.plan.expires is not None and datetime.datetime.now(datetime.UTC).date().isoformat() > self.plan.expires:
            raise DeliveryError(f"this collection ended on {self.plan.expires}: nothing is drawn")
        return self.report(record)

    def report(self, record: Mapping[str, object]) -> Report:
        """Return one randomised report; all of the record is checked before a question is drawn."""
        levels = self.plan.schema.levels(record)
        question = self.plan.questions.locate(secrets.randbits(32))
        code = question.channel.draw(question.cell(levels))
        return Report(self.plan.fingerprint, secrets.token_hex(16), question.index, code)


def randomize(plan: Plan, table: object) -> pa.Table:
    """Return one randomised report per row, as an Arrow table of (question, code), by the system's randomness.

    Args:
        plan: The plan to answer.
        table: A pandas, polars or Arrow table, or a dict of arrays, with the schema's attributes as columns.
    """
    import pyarrow as pa

    require_plan(plan)
    levels = encode(plan.schema, table)
    questions, codes = draw_reports(plan, levels, system_words)
    metadata = {PLAN_KEY: plan.fingerprint, COLLECTION_KEY: plan.collection}
    return pa.table({"question": questions, "code": codes}).replace_schema_metadata(metadata)


def draw_reports(
    plan: Plan, levels: list[NDArray[Any]], words: Words
) -> tuple[NDArray[np.unsignedinteger[Any]], NDArray[np.unsignedinteger[Any]]]:
    """Return a question and a code for every row of levels, in the smallest unsigned types, by the given words."""
    import numpy as np

    questions = draw_questions(plan, len(levels[0]), words)
    codes = np.zeros(len(questions), dtype=np.min_scalar_type(int(plan.questions.codes.max()) - 1))
    for index, rows in rows_by_question(questions):
        question = plan.questions[index]
        cells = question.cells([levels[attribute][rows] for attribute in question.attributes])
        codes[rows] = question.channel.draw_many(cells, words)
    return questions, codes


def draw_questions(plan: Plan, count: int, words: Words) -> NDArray[np.unsignedinteger[Any]]:
    """Return a random question for each of ``count`` people, exactly by the plan's shares."""
    import numpy as np

    ends = np.cumsum(plan.questions.shares)
    positions = words((count + 1) // 2).view(np.uint32)[:count]
    return np.searchsorted(ends, positions, side="right").astype(np.min_scalar_type(len(ends) - 1))


def rows_by_question(questions: NDArray[Any]) -> list[tuple[int, NDArray[np.intp]]]:
    """Return each question that was drawn, with the rows that drew it."""
    import numpy as np

    counts = np.bincount(questions)
    drawn = np.flatnonzero(counts)
    rows = np.split(np.argsort(questions, kind="stable"), np.cumsum(counts[drawn])[:-1])
    return list(zip(drawn.tolist(), rows, strict=False))


def _is_hexadecimal(text: object, digits: int) -> bool:
    return isinstance(text, str) and len(text) == digits and re.fullmatch("[0-9a-f]*", text) is not None


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def read_varint(data: bytes, place: int) -> tuple[int, int]:
    """Return the number that stands at ``place`` and the place after it."""
    number = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise TallyError("not a report: it ends within a number")
        byte = data[place]
        number |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return number, place
