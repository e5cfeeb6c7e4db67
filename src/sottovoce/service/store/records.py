"""What both stores keep in the same small tables: plans, days, refusals and tokens, in SQL that both understand.

A store brings `_read` and `_write`; a ``?`` stands for a value. Columns are named in every statement, so that a column
that a later version adds changes nothing for those who do not know it.
"""

from __future__ import annotations

import datetime
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import psycopg

from sottovoce.errors import StoreError
from sottovoce.plan.log import Log, LogEntry
from sottovoce.service.store import plan_log
from sottovoce.service.store.keys import IdKey, Keyring
from sottovoce.service.store.store import CollectionState, KeptModel, Release, Token

TAKEN = (sqlite3.IntegrityError, psycopg.IntegrityError)
"""What a database raises when a name is taken."""

_TOKENS = """
SELECT name, role, tokens.prefix, digest, created, revoked, expires, collection, reports
FROM tokens LEFT JOIN token_limits ON token_limits.prefix = tokens.prefix
"""
_LEASE = """
INSERT INTO leases (name, holder, until) VALUES (?, ?, ?) ON CONFLICT (name)
DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE leases.until < ? OR leases.holder = excluded.holder
"""
_ASKED = """
INSERT INTO asked (day, token, collection, what, count) VALUES (?, ?, ?, ?, 1)
ON CONFLICT (day, token, collection, what) DO UPDATE SET count = asked.count + 1
"""
_MODEL = """
INSERT INTO models (collection, id, day, plan, reports, document) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (collection)
DO UPDATE SET id = excluded.id, day = excluded.day, plan = excluded.plan, reports = excluded.reports,
    document = excluded.document
"""
_WAVE_MODEL = """
INSERT INTO wave_models (collection, wave, id, day, plan, reports, document) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (collection, wave) DO UPDATE SET id = excluded.id, day = excluded.day, plan = excluded.plan,
    reports = excluded.reports, document = excluded.document
"""
_RELEASE = """
INSERT INTO releases (plan, wave, reports, document) SELECT number, ?, ?, ? FROM plans WHERE fingerprint = ?
ON CONFLICT (plan, wave) DO UPDATE SET reports = excluded.reports, document = excluded.document
WHERE releases.reports = ?
"""

_OF_COLLECTION = ("refusals", "models", "wave_models", "plans")
"""The tables of which a collection's rows go with it, beside ids and counts."""


class Records(ABC):
    """The tables that grow with use, not with reports."""

    keys: Keyring
    _key: dict[int, IdKey]
    _id_tables: tuple[str, ...]

    @abstractmethod
    def _read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows that a statement finds."""

    def _write(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run a statement in a transaction of its own; return how many rows it changed."""
        return self._write_all([(sql, values)])[0]

    @abstractmethod
    def _write_all(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> list[int]:
        """Run statements in one transaction; return how many rows each changed."""

    def _key_of(self, collection: int) -> IdKey:
        """Return the key of a collection's ids, checked once."""
        if collection not in self._key:
            ((name, check),) = self._read(
                "SELECT collection, key_check FROM collections WHERE number = ?", (collection,)
            )
            self._key[collection] = self.keys.matching(name, check)
        return self._key[collection]

    def revision(self, collection: int) -> int:
        """Return a number that grows with every change to what was counted or refused."""
        return int(self._read("SELECT revision FROM collections WHERE number = ?", (collection,))[0][0])

    def by_day(self, collection: int) -> list[tuple[str, datetime.date, int]]:
        """Return how many reports were counted, by plan's fingerprint and day."""
        rows = self._read(
            "SELECT fingerprint, day, sum(count) FROM counts JOIN plans ON plans.number = counts.plan "
            "WHERE collection = ? GROUP BY fingerprint, day ORDER BY day, fingerprint",
            (collection,),
        )
        return [(fingerprint, day_of(day), int(count)) for fingerprint, day, count in rows]

    def releases(self, collection: int) -> list[Release]:
        """Return what was shown last of every plan and wave, where counts are shown in steps."""
        rows = self._read(
            "SELECT fingerprint, wave, reports, releases.document FROM releases "
            "JOIN plans ON plans.number = releases.plan WHERE collection = ?",
            (collection,),
        )
        return [Release(name, wave, int(reports), bytes(document)) for name, wave, reports, document in rows]

    def release(self, fingerprint: str, wave: int, before: int, reports: int, document: bytes) -> bool:
        """Keep what is shown of a plan's wave from now on; return whether the last one had ``before`` reports.

        Args:
            fingerprint: The plan.
            wave: Its wave; 1 for a plan without waves.
            before: How many reports were shown so far; if another collector showed more since, nothing is kept.
            reports: How many are shown from now on.
            document: The counts, as rows of integers.
        """
        return self._write(_RELEASE, (wave, reports, document, fingerprint, before)) == 1

    def refusals(self, collection: int) -> list[tuple[datetime.date, str, int]]:
        """Return how many reports were refused, by day and reason."""
        rows = self._read(
            "SELECT day, reason, count FROM refusals WHERE collection = ? ORDER BY day, reason", (collection,)
        )
        return [(day_of(day), reason, count) for day, reason, count in rows]

    def save_token(self, token: Token) -> None:
        """Keep a new token; a name may be used once."""
        row = (token.name, token.role, token.prefix, token.digest, str(token.created))
        limits = (token.prefix, token.expires and str(token.expires), token.collection, token.reports)
        try:
            self._write_all(
                [
                    ("INSERT INTO tokens (name, role, prefix, digest, created) VALUES (?, ?, ?, ?, ?)", row),
                    ("INSERT INTO token_limits (prefix, expires, collection, reports) VALUES (?, ?, ?, ?)", limits),
                ]
            )
        except TAKEN as error:
            raise StoreError(f"there is a token named {token.name!r} already; choose another name") from error

    def find_token(self, prefix: str) -> Token | None:
        """Return the token with that public prefix."""
        rows = self._read(f"{_TOKENS} WHERE tokens.prefix = ?", (prefix,))
        return _token(rows[0]) if rows else None

    def tokens(self) -> list[Token]:
        """Return all tokens, by name."""
        return [_token(row) for row in self._read(f"{_TOKENS} ORDER BY name")]

    def spend_token(self, prefix: str, reports: int) -> bool:
        """Take so many reports from what a token may post, give them back if negative; return whether it had them."""
        sql = "UPDATE token_limits SET reports = reports - ? WHERE prefix = ? AND reports >= ?"
        return self._write(sql, (reports, prefix, max(reports, 0))) == 1

    def rename_token(self, name: str, new: str) -> bool:
        """Give a token another name; return whether there was one."""
        return self._write("UPDATE tokens SET name = ? WHERE name = ?", (new, name)) == 1

    def note_asked(self, day: datetime.date, token: str, collection: str, what: str) -> None:
        """Write down that an analyst's token was used to ask something.

        Args:
            day: Today; no time of day is kept.
            token: The token's name.
            collection: What was asked about.
            what: The question.
        """
        self._write(_ASKED, (str(day), token, collection, what))

    def asked(self) -> list[tuple[datetime.date, str, str, str, int]]:
        """Return what was asked: day, token, collection, what, and how often."""
        rows = self._read("SELECT day, token, collection, what, count FROM asked ORDER BY day, token, collection, what")
        return [(day_of(day), token, collection, what, int(count)) for day, token, collection, what, count in rows]

    def log(self) -> Log:
        """Return the log of every plan that was ever registered."""
        return Log(tuple(LogEntry(*row) for row in self._read(f"{plan_log.ENTRIES} ORDER BY number")))

    def save_model(self, collection: int, day: datetime.date, model: KeptModel, wave: int | None = None) -> None:
        """Keep the model that answers from now on, and for its wave, for all collectors of this database.

        Args:
            collection: The collection's number.
            day: Today.
            model: The model's file, and what it was fitted to.
            wave: Of a plan with waves, which it is of.
        """
        row = (model.id, str(day), model.plan, model.reports, model.document)
        waves = [] if wave is None else [(_WAVE_MODEL, (collection, wave, *row))]
        self._write_all([(_MODEL, (collection, *row)), *waves])

    def model_head(self, collection: int, wave: int | None = None) -> tuple[str, int] | None:
        """Return the id and the reports of the model that answers, or of a wave's, if there is one."""
        rows = self._model_rows("id, reports", collection, wave)
        return (rows[0][0], int(rows[0][1])) if rows else None

    def model(self, collection: int, wave: int | None = None) -> KeptModel | None:
        """Return the model that answers, or a wave's, if there is one."""
        rows = self._model_rows("id, plan, reports, document", collection, wave)
        return KeptModel(rows[0][0], rows[0][1], int(rows[0][2]), bytes(rows[0][3])) if rows else None

    def _model_rows(self, columns: str, collection: int, wave: int | None) -> list[tuple[Any, ...]]:
        if wave is None:
            return self._read(f"SELECT {columns} FROM models WHERE collection = ?", (collection,))
        return self._read(f"SELECT {columns} FROM wave_models WHERE collection = ? AND wave = ?", (collection, wave))

    def model_day(self, collection: int) -> datetime.date | None:
        """Return the day on which the model that answers was fitted, if there is one."""
        rows = self._read("SELECT day FROM models WHERE collection = ?", (collection,))
        return day_of(rows[0][0]) if rows else None

    def wave_heads(self, collection: int) -> dict[int, tuple[str, int]]:
        """Return the id and the reports of every wave's model, by wave."""
        rows = self._read("SELECT wave, id, reports FROM wave_models WHERE collection = ? ORDER BY wave", (collection,))
        return {wave: (id, int(reports)) for wave, id, reports in rows}

    def lease(self, name: str, holder: str, seconds: int) -> bool:
        """Return whether a task is this holder's for so many seconds; one at a time has it.

        Args:
            name: The task.
            holder: Who asks, by a name that no other collector has.
            seconds: For how long; asking again before it ends makes it longer.
        """
        now = int(time.time())
        return self._write(_LEASE, (name, holder, now + seconds, now)) == 1

    def collections(self) -> list[CollectionState]:
        """Return all collections."""
        rows = self._read("SELECT number, collection, closed, purged FROM collections ORDER BY number")
        return [
            CollectionState(number, name, closed and day_of(closed), purged and day_of(purged))
            for number, name, closed, purged in rows
        ]

    def documents(self, collection: int) -> list[bytes]:
        """Return the plans of a collection, as their canonical JSON."""
        rows = self._read("SELECT document FROM plans WHERE collection = ? ORDER BY number", (collection,))
        return [bytes(document) for (document,) in rows]

    def fingerprints(self, collection: int) -> list[str]:
        """Return the plans of a collection, by their fingerprints."""
        return [name for (name,) in self._read("SELECT fingerprint FROM plans WHERE collection = ?", (collection,))]

    def close_collection(self, collection: int, day: datetime.date | None) -> None:
        """Mark a collection as closed since a day, or as open again."""
        self._write("UPDATE collections SET closed = ? WHERE number = ?", (day and str(day), collection))

    def purge_ids(self, collection: int, day: datetime.date) -> int:
        """Forget the ids of a collection, and their key, for good; return how many there were."""
        name = self._name_of(collection)
        forget = [(f"DELETE FROM {table} WHERE collection = ?", (collection,)) for table in self._id_tables]
        number = self._number_of_ids(collection)
        mark = "UPDATE collections SET purged = ?, closed = coalesce(closed, ?), key_check = NULL WHERE number = ?"
        self._write_all([*forget, (mark, (str(day), str(day), collection))])
        self._forgotten(collection)
        self.keys.destroy(name)
        return number

    def delete_collection(self, collection: int) -> None:
        """Remove everything of a collection, and its key."""
        name, one = self._name_of(collection), (collection,)
        plans = "(SELECT number FROM plans WHERE collection = ?)"
        self._write_all(
            [
                *((f"DELETE FROM {table} WHERE collection = ?", one) for table in self._id_tables),
                *((f"DELETE FROM {table} WHERE plan IN {plans}", one) for table in ("counts", "releases")),
                *((f"DELETE FROM {table} WHERE collection = ?", one) for table in _OF_COLLECTION),
                ("DELETE FROM collections WHERE number = ?", one),
            ]
        )
        self._forgotten(collection)
        self.keys.destroy(name)

    def _name_of(self, collection: int) -> str:
        rows = self._read("SELECT collection FROM collections WHERE number = ?", (collection,))
        if not rows:
            raise StoreError("there is no such collection here")
        return str(rows[0][0])

    @abstractmethod
    def _number_of_ids(self, collection: int) -> int:
        """Return how many ids of a collection are kept."""

    @abstractmethod
    def _forgotten(self, collection: int) -> None:
        """Let go of what is held in memory of a collection's ids, and of their room on disk."""

    def revoke_token(self, name: str, day: datetime.date) -> bool:
        """Mark a token as revoked; return whether there was one to revoke."""
        return self._write("UPDATE tokens SET revoked = ? WHERE name = ? AND revoked IS NULL", (str(day), name)) == 1


def day_of(value: str | datetime.date) -> datetime.date:
    """Return a day as either database gives it."""
    return datetime.date.fromisoformat(value) if isinstance(value, str) else value


def _token(row: tuple[Any, ...]) -> Token:
    name, role, prefix, digest, created, revoked, expires, collection, reports = row
    ended, last = revoked and day_of(revoked), expires and day_of(expires)
    return Token(name, role, prefix, bytes(digest), day_of(created), ended, last, collection, reports)
