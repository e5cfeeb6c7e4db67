"""What both stores keep in the same small tables: plans, days, refusals and tokens, in SQL that both understand.

A store brings `_read` and `_write`; a ``?`` stands for a value. Columns are named in every statement, so that a column
that a later version adds changes nothing for those who do not know it.
"""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Sequence
from typing import Any

import psycopg

from sottovoce.errors import StoreError
from sottovoce.service.store.keys import IdKey, Keyring
from sottovoce.service.store.store import Token

TAKEN = (sqlite3.IntegrityError, psycopg.IntegrityError)
"""What a database raises when a name is taken."""

_TOKEN = "name, role, prefix, digest, created, revoked"


class Records:
    """The tables that grow with use, not with reports."""

    keys: Keyring
    _key: dict[int, IdKey]

    def _read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        raise NotImplementedError

    def _write(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run a statement in a transaction of its own; return how many rows it changed."""
        raise NotImplementedError

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

    def refusals(self, collection: int) -> list[tuple[datetime.date, str, int]]:
        """Return how many reports were refused, by day and reason."""
        rows = self._read(
            "SELECT day, reason, count FROM refusals WHERE collection = ? ORDER BY day, reason", (collection,)
        )
        return [(day_of(day), reason, count) for day, reason, count in rows]

    def save_token(self, token: Token) -> None:
        """Keep a new token; a name may be used once."""
        row = (token.name, token.role, token.prefix, token.digest, str(token.created))
        try:
            self._write("INSERT INTO tokens (name, role, prefix, digest, created) VALUES (?, ?, ?, ?, ?)", row)
        except TAKEN as error:
            raise StoreError(f"there is a token named {token.name!r} already; choose another name") from error

    def find_token(self, prefix: str) -> Token | None:
        """Return the token with that public prefix."""
        rows = self._read(f"SELECT {_TOKEN} FROM tokens WHERE prefix = ?", (prefix,))
        return _token(rows[0]) if rows else None

    def tokens(self) -> list[Token]:
        """Return all tokens, by name."""
        return [_token(row) for row in self._read(f"SELECT {_TOKEN} FROM tokens ORDER BY name")]

    def revoke_token(self, name: str, day: datetime.date) -> bool:
        """Mark a token as revoked; return whether there was one to revoke."""
        return self._write("UPDATE tokens SET revoked = ? WHERE name = ? AND revoked IS NULL", (str(day), name)) == 1


def day_of(value: str | datetime.date) -> datetime.date:
    """Return a day as either database gives it."""
    return datetime.date.fromisoformat(value) if isinstance(value, str) else value


def _token(row: tuple[Any, ...]) -> Token:
    name, role, prefix, digest, created, revoked = row
    return Token(name, role, prefix, bytes(digest), day_of(created), None if revoked is None else day_of(revoked))
