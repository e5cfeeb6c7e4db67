"""The one interface of every store, and the values that go in and come out.

A store counts a batch in **one transaction**: the ids that are new, what their reports said, and what was refused. It
returns when the transaction is on disk, so whatever was acknowledged survives a crash and a power cut.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sottovoce.plan.log import Log
from sottovoce.plan.plan import Plan

if TYPE_CHECKING:
    from sottovoce.service.store.keys import Keyring

ID = np.dtype("S16")
"""An id as numpy holds it: sixteen bytes, compared as bytes."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PlanKey:
    """The numbers under which a store keeps a plan and its collection."""

    plan: int
    collection: int


@dataclass(frozen=True, slots=True)
class Reports:
    """Reports as columns; ``plan`` holds the store's numbers of plans.

    Example:
        >>> one = np.ones(1, np.int64)
        >>> len(Reports(np.array([bytes(16)], ID), one, one, one))
        1
    """

    ids: NDArray[np.bytes_]
    plan: NDArray[np.int64]
    question: NDArray[np.int64]
    code: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: NDArray[Any]) -> Reports:
        """Return some of the reports, by index or by mask."""
        return Reports(self.ids[rows], self.plan[rows], self.question[rows], self.code[rows])

    def pairs(self) -> NDArray[np.int64]:
        """Return the rows (plan, question, code, count), sorted, one for every triple present."""
        order = np.lexsort((self.code, self.question, self.plan))
        rows = np.stack((self.plan, self.question, self.code), axis=1)[order]
        if not len(rows):
            return np.zeros((0, 4), np.int64)
        first = np.ones(len(rows), dtype=bool)
        first[1:] = (rows[1:] != rows[:-1]).any(axis=1)
        starts = np.flatnonzero(first)
        return np.column_stack((rows[starts], np.diff(starts, append=len(rows))))


class One(NamedTuple):
    """One report by itself, as most of them come: cheaper than columns of length one."""

    id: bytes
    plan: int
    question: int
    code: int


def columns_of(ones: list[One]) -> Reports:
    """Return single reports as columns, in their order."""
    numbers = np.array([one[1:] for one in ones], dtype=np.int64).reshape(-1, 3)
    return Reports(np.frombuffer(b"".join([one.id for one in ones]), dtype=ID), *numbers.T)


def join(parts: list[Reports]) -> Reports:
    """Return the reports of several batches, one after the other."""
    return Reports(
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.plan for part in parts]),
        np.concatenate([part.question for part in parts]),
        np.concatenate([part.code for part in parts]),
    )


def split(raw: bytes) -> list[bytes]:
    """Return the ids that stand one after the other in ``raw``.

    Example:
        >>> split(bytes(16) + b"a" * 16) == [bytes(16), b"a" * 16]
        True
    """
    found: list[bytes] = np.frombuffer(raw, dtype=f"V{ID.itemsize}").tolist()
    return found


def leads(ids: NDArray[np.bytes_]) -> NDArray[np.uint64]:
    """Return the first half of each id as a number, in the order of the ids: quicker to sort and to find than text."""
    return np.ascontiguousarray(ids).view(">u8")[::2].astype(np.uint64)


def sorting(ids: NDArray[np.bytes_]) -> NDArray[np.intp]:
    """Return the indices that sort ids; of equal ones, the one that came first is first.

    Example:
        >>> sorting(np.array([b"b" * 16, b"a" * 16, b"b" * 16], ID)).tolist()
        [1, 0, 2]
    """
    lead = leads(ids)
    order = np.argsort(lead, kind="stable")
    sorted_lead = lead[order]
    if (sorted_lead[1:] == sorted_lead[:-1]).any():  # the same id, or a chance of one in 2^64
        order = np.argsort(ids, kind="stable")
    return order


def first_of_each(ids: NDArray[np.bytes_]) -> NDArray[np.intp]:
    """Return the index of the first of every id, in the order of the ids.

    Example:
        >>> first_of_each(np.array([b"b" * 16, b"a" * 16, b"b" * 16], ID)).tolist()
        [1, 0]
    """
    order = sorting(ids)
    found, kept = ids[order], np.ones(len(ids), dtype=bool)
    kept[1:] = found[1:] != found[:-1]
    return order[kept]


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is kept.

    Attributes:
        name: What people call it.
        role: What it is for.
        prefix: The public part by which it is found.
        digest: The secret's digest.
        created: When it was made.
        revoked: When it was ended, if it was.
        expires: Its last day, if it has one.
        collection: The one collection it is for, if it is for one.
        reports: How many more reports it may post, if that is limited.
    """

    name: str
    role: str
    prefix: str
    digest: bytes
    created: datetime.date
    revoked: datetime.date | None = None
    expires: datetime.date | None = None
    collection: str | None = None
    reports: int | None = None


@dataclass(frozen=True, slots=True)
class CollectionState:
    """A collection as a store keeps it: its number and name, when it was closed, and when its ids were forgotten."""

    number: int
    collection: str
    closed: datetime.date | None
    purged: datetime.date | None


@dataclass(frozen=True, slots=True)
class Storage:
    """How much room a store takes: its kind, its bytes, and how many are left where that can be told."""

    kind: str
    used: int
    free: int | None


@dataclass(frozen=True, slots=True)
class KeptModel:
    """The model that answers for a collection: its id, the plan it was fitted by, its reports, and its file."""

    id: str
    plan: str
    reports: int
    document: bytes


@dataclass(frozen=True, slots=True)
class Release:
    """What was shown last of a plan's wave: how many reports, and their rows as the one who released them wrote it."""

    fingerprint: str
    wave: int
    reports: int
    document: bytes


@dataclass(frozen=True, slots=True)
class Counts:
    """What was counted of one plan, over all days; the plan as its fingerprint and its canonical JSON."""

    fingerprint: str
    document: bytes
    question: NDArray[np.int64]
    code: NDArray[np.int64]
    count: NDArray[np.int64]


class Store(Protocol):
    """Where a collector keeps counts, digests of the ids it has seen, and digests of tokens."""

    keys: Keyring

    def register(self, plan: Plan) -> PlanKey:
        """Return the numbers of a plan, which is kept and logged from now on; its collection's key must be right."""

    def log(self) -> Log:
        """Return the log of every plan that was ever registered."""

    def add(self, collection: int, day: datetime.date, reports: Reports, refusals: Mapping[str, int]) -> Mask:
        """Count the reports whose id is new, in one transaction; return which those were once it is on disk.

        The reports' ids differ from one another; all are of one collection, which was registered. Ids are kept as keyed
        digests, in the order of the digests.

        Args:
            collection: The collection's number.
            day: Today; reports are counted by day, and no finer.
            reports: What is to be counted.
            refusals: How many others were refused, by reason.
        """

    def upkeep(self, *, now: bool = False) -> bool:
        """Do a slice of what may wait, all of it if ``now``; return whether more is left. For the thread that adds."""

    def counts(self, collection: int) -> list[Counts]:
        """Return what was counted, plan by plan."""

    def releases(self, collection: int) -> list[Release]:
        """Return what was shown last of every plan and wave, where counts are shown in steps."""

    def release(self, fingerprint: str, wave: int, before: int, reports: int, document: bytes) -> bool:
        """Keep what is shown of a plan's wave from now on; return whether the last one had ``before`` reports.

        Args:
            fingerprint: The plan.
            wave: Its wave; 1 for a plan without waves.
            before: How many reports were shown so far.
            reports: How many are shown from now on.
            document: The counts, as rows of integers.
        """

    def revision(self, collection: int) -> int:
        """Return a number that grows with every change to what was counted or refused."""

    def by_day(self, collection: int) -> list[tuple[str, datetime.date, int]]:
        """Return how many reports were counted, by plan's fingerprint and day."""

    def refusals(self, collection: int) -> list[tuple[datetime.date, str, int]]:
        """Return how many reports were refused, by day and reason."""

    def save_token(self, token: Token) -> None:
        """Keep a new token; a name may be used once."""

    def find_token(self, prefix: str) -> Token | None:
        """Return the token with that public prefix."""

    def tokens(self) -> list[Token]:
        """Return all tokens, by name."""

    def revoke_token(self, name: str, day: datetime.date) -> bool:
        """Mark a token as revoked; return whether there was one to revoke."""

    def spend_token(self, prefix: str, reports: int) -> bool:
        """Take so many reports from what a token may post, give them back if negative; return whether it had them."""

    def rename_token(self, name: str, new: str) -> bool:
        """Give a token another name; return whether there was one."""

    def known(self, collection: int, ids: NDArray[np.bytes_]) -> Mask:
        """Return which ids were counted before."""

    def note_asked(self, day: datetime.date, token: str, collection: str, what: str) -> None:
        """Write down that an analyst's token was used to ask something.

        Args:
            day: Today; no time of day is kept.
            token: The token's name.
            collection: What was asked about.
            what: The question.
        """

    def asked(self) -> list[tuple[datetime.date, str, str, str, int]]:
        """Return what was asked: day, token, collection, what, and how often."""

    def save_model(self, collection: int, day: datetime.date, model: KeptModel, wave: int | None = None) -> None:
        """Keep the model that answers from now on, and for its wave, for all collectors of this database.

        Args:
            collection: The collection's number.
            day: Today.
            model: The model's file, and what it was fitted to.
            wave: Of a plan with waves, which it is of.
        """

    def model_head(self, collection: int, wave: int | None = None) -> tuple[str, int] | None:
        """Return the id and the reports of the model that answers, or of a wave's, if there is one."""

    def model(self, collection: int, wave: int | None = None) -> KeptModel | None:
        """Return the model that answers, or a wave's, if there is one."""

    def model_day(self, collection: int) -> datetime.date | None:
        """Return the day on which the model that answers was fitted, if there is one."""

    def wave_heads(self, collection: int) -> dict[int, tuple[str, int]]:
        """Return the id and the reports of every wave's model, by wave."""

    def lease(self, name: str, holder: str, seconds: int) -> bool:
        """Return whether a task is this holder's for so many seconds; one at a time has it.

        Args:
            name: The task.
            holder: Who asks, by a name that no other collector has.
            seconds: For how long; asking again before it ends makes it longer.
        """

    def collections(self) -> list[CollectionState]:
        """Return all collections."""

    def documents(self, collection: int) -> list[bytes]:
        """Return the plans of a collection, as their canonical JSON."""

    def fingerprints(self, collection: int) -> list[str]:
        """Return the plans of a collection, by their fingerprints."""

    def close_collection(self, collection: int, day: datetime.date | None) -> None:
        """Mark a collection as closed since a day, or as open again."""

    def purge_ids(self, collection: int, day: datetime.date) -> int:
        """Forget the ids of a collection, and their key, for good; return how many there were."""

    def delete_collection(self, collection: int) -> None:
        """Remove everything of a collection, and its key."""

    def storage(self) -> Storage:
        """Return how much room the store takes, and how much is left."""

    def check(self, *, write: bool = False) -> None:
        """Raise unless the store answers, and if ``write`` unless it takes a write: a full disk reads well."""

    def close(self) -> None:
        """Let go of all connections."""
