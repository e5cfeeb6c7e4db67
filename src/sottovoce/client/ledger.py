"""The ledger: what this device has answered and spent, over all collections.

Privacy is spent at the **draw**. So before a report is drawn, its collection, its cost and a **reservation** of fixed
length are on disk; the report then takes the place of the reservation, and is sent only from there. Whatever fails, be
it a full disk or a power cut, a collection that was reserved is never drawn for again: a reservation without a report
counts as spent. Once the collector has the report, the ledger forgets it and keeps the mark.

One SQLite file, readable by its owner alone. Whoever draws holds it alone until the report is written, so that of many
programs that answer at the same time one draws and the others find what it drew.
"""

from __future__ import annotations

import contextlib
import copy
import datetime
import os
import sqlite3
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import msgspec

from sottovoce.client import older_ledger
from sottovoce.client.budget import BUDGET, MAX_EPSILON, PERIOD, Cost, Spent, cost_of, parse_limits
from sottovoce.errors import BudgetError, DeliveryError

FILE = "ledger.db"
"""What the ledger's file is called in a directory."""

REPORT_LENGTH = 256
"""The bytes of a reservation: more than any report's JSON takes, whatever its question and code."""

_EMPTY, _DRAWN, _TAKEN = "empty", "drawn", "taken"
"""What a report is: reserved, drawn but not acknowledged, acknowledged. Words of one length."""

_BUSY_SECONDS = 30
_FORMAT = 1
_TABLES = """
CREATE TABLE device (latest TEXT NOT NULL, profiles INTEGER NOT NULL);
INSERT INTO device VALUES ('0001-01-01', 1);
CREATE TABLE spent (
    profile INTEGER NOT NULL, collection TEXT NOT NULL, epsilon TEXT, day TEXT NOT NULL, purpose TEXT NOT NULL,
    PRIMARY KEY (profile, collection)
) WITHOUT ROWID;
CREATE TABLE reports (
    profile INTEGER NOT NULL, collection TEXT NOT NULL, wave INTEGER NOT NULL, state TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (profile, collection, wave)
) WITHOUT ROWID
"""


class Charge(msgspec.Struct, frozen=True):
    """What is about to be answered, and what that costs.

    Attributes:
        collection: The collection's name.
        epsilon: What it costs, once for all of its waves.
        purpose: What it is for, as its plan says.
        max_epsilon: The largest epsilon that the program lets this device answer.
    """

    collection: str
    epsilon: Decimal
    purpose: str = ""
    max_epsilon: Decimal = MAX_EPSILON


class Kept(msgspec.Struct, frozen=True):
    """What is kept of an answer: the report until it is acknowledged, and whether it is.

    Without either, the device stopped between the reservation and the draw, or could not write the report down.
    """

    report: str | None
    acknowledged: bool = False


class Ledger:
    """What one person on this device answered and spent, and how much they are willing to.

    Args:
        path: A file, or a directory for it; by default in the user's own data (needs ``sottovoce[http]``).
        budget: The epsilon that one person spends in a period; 4 unless said otherwise.
        period: The days for which what was spent counts; 365 unless said otherwise.
        device_budget: What all profiles of the device spend together; twice the budget unless said otherwise.
        clock: Gives the day it is.

    Example:
        >>> import sottovoce as sv, tempfile
        >>> ledger = sv.Ledger(tempfile.mkdtemp())
        >>> ledger.spent, ledger.entries()
        (Decimal('0'), [])
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        budget: Decimal | float | str = BUDGET,
        period: int = PERIOD,
        device_budget: Decimal | float | str | None = None,
        clock: Callable[[], datetime.date] | None = None,
    ) -> None:
        self.limits = parse_limits(budget, period, device_budget)
        self.profile = 1
        self._clock = clock or _universal_day
        place = _data_directory() if path is None else Path(path)
        self.path = place / FILE if path is None or place.is_dir() else place
        self._open()

    @property
    def spent(self) -> Decimal:
        """What this person spent in the period that ends today."""
        return self.cost(Charge("", Decimal(0))).spent

    def cost(self, charge: Charge) -> Cost:
        """Return what an answer would cost, beside what was spent; nothing if the collection was answered."""
        with self._connected() as connection:
            return self._cost(connection, charge)

    def entries(self) -> list[Spent]:
        """Return what was answered on this device, by all profiles, in order of days: what for, when, at what cost."""
        with self._connected() as connection:
            return _entries(connection)

    def find(self, collection: str, *, wave: int = 0) -> Kept | None:
        """Return what is kept of this person's answer to a collection, if there is one."""
        with self._connected() as connection:
            return self._find(connection, collection, wave)

    def draw_once(self, charge: Charge, draw: Callable[[], str], *, wave: int = 0, length: int = REPORT_LENGTH) -> Kept:
        """Return what was drawn for a collection; ``draw`` is called only if nothing was, and the cost is affordable.

        Args:
            charge: The collection and its cost, which is paid once, whatever the number of its waves.
            draw: Gives the report's JSON; called when the reservation is on disk.
            wave: Which report of the collection it is; 0 where there are no waves.
            length: The bytes to reserve: as many as the longest that can be drawn.

        Raises:
            BudgetError: If it would cost more than the device is willing to spend.
            DeliveryError: If the ledger cannot be written: nothing is drawn, or never again.
        """
        with self._alone() as connection:
            found = self._find(connection, charge.collection, wave)
            if found is not None:
                _learn_cost(connection, charge)
                return found
            self._reserve(connection, charge, wave, length)
            connection.execute("COMMIT")
            report = draw()
            connection.execute("BEGIN IMMEDIATE")
            self._write(connection, (charge.collection, wave), _DRAWN, report.encode(), length)
        return Kept(report)

    def acknowledge(self, collection: str, *, wave: int = 0) -> None:
        """Take note that the collector has the report, and forget what it said."""
        with self._alone() as connection:
            row = connection.execute(
                "SELECT length(body) FROM reports WHERE (profile, collection, wave) = (?, ?, ?)",
                (self.profile, collection, wave),
            ).fetchone()
            if row is not None:
                self._write(connection, (collection, wave), _TAKEN, b"", row[0])

    def today(self) -> datetime.date:
        """Return the day it is for this device; a clock that was set back changes nothing."""
        with self._connected() as connection:
            return datetime.date.fromisoformat(self._today(connection))

    @property
    def profiles(self) -> int:
        """How many profiles this device has."""
        with self._connected() as connection:
            (number,) = connection.execute("SELECT profiles FROM device").fetchone()
            return int(number)

    def open_profile(self) -> Ledger:
        """Return the ledger of one more person on this device, who has no name here.

        To be called on that person's own act alone: what all profiles spend together is limited, as nobody can tell
        several people from one.
        """
        with self._alone() as connection:
            connection.execute("UPDATE device SET profiles = profiles + 1")
            (number,) = connection.execute("SELECT profiles FROM device").fetchone()
        return self.of_profile(number)

    def of_profile(self, number: int) -> Ledger:
        """Return the ledger of a profile that was opened, by its number; the first is 1."""
        if type(number) is not int or not 1 <= number <= self.profiles:
            raise BudgetError(f"this device has profiles 1 to {self.profiles}, got {number!r}; open_profile adds one")
        other = copy.copy(self)
        other.profile = number
        return other

    def _cost(self, connection: sqlite3.Connection, charge: Charge) -> Cost:
        entries = _entries(connection)
        paid = any(entry.collection == charge.collection and entry.profile == self.profile for entry in entries)
        charged = Decimal(0) if paid else charge.epsilon, charge.max_epsilon
        return cost_of(charged, entries, self.limits, profile=self.profile, day=self._today(connection))

    def _reserve(self, connection: sqlite3.Connection, charge: Charge, wave: int, length: int) -> None:
        refusal = self._cost(connection, charge).refusal
        if refusal is not None:
            raise BudgetError(refusal)
        day = self._today(connection)
        connection.execute("UPDATE device SET latest = ?", (day,))
        connection.execute(
            "INSERT OR IGNORE INTO spent (profile, collection, epsilon, day, purpose) VALUES (?, ?, ?, ?, ?)",
            (self.profile, charge.collection, str(charge.epsilon), day, charge.purpose),
        )
        connection.execute(
            "INSERT INTO reports (profile, collection, wave, state, body) VALUES (?, ?, ?, ?, ?)",
            (self.profile, charge.collection, wave, _EMPTY, b" " * length),
        )

    def _write(
        self, connection: sqlite3.Connection, key: tuple[str, int], state: str, body: bytes, length: int
    ) -> None:
        """Put a report in its place, whose length stays as it is."""
        assert len(body) <= length, "a report longer than its reservation"
        connection.execute(
            "UPDATE reports SET state = ?, body = ? WHERE (profile, collection, wave) = (?, ?, ?)",
            (state, body.ljust(length), self.profile, *key),
        )

    def _find(self, connection: sqlite3.Connection, collection: str, wave: int) -> Kept | None:
        row = connection.execute(
            "SELECT state, body FROM reports WHERE (profile, collection, wave) = (?, ?, ?)",
            (self.profile, collection, wave),
        ).fetchone()
        if row is None:
            return None
        return Kept(row[1].decode().rstrip() if row[0] == _DRAWN else None, acknowledged=row[0] == _TAKEN)

    def _today(self, connection: sqlite3.Connection) -> str:
        """Return the day it is; a clock that was set back changes nothing."""
        (latest,) = connection.execute("SELECT latest FROM device").fetchone()
        return max(str(latest), self._clock().isoformat())

    def _open(self) -> None:
        """Make the file if it is not there, and take over what an older version kept beside it."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise DeliveryError(f"cannot keep a ledger at {str(self.path)!r}: {error}; nothing is drawn") from error
        with self._alone() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version > _FORMAT:
                raise DeliveryError(
                    f"the ledger {str(self.path)!r} is of a newer version of sottovoce: install that; nothing is drawn"
                )
            if version == 0:
                for statement in _TABLES.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {_FORMAT}")
            older = older_ledger.read(self.path.parent)
            for one in older:
                self._take_over(connection, one)
        older_ledger.remove(older)

    def _take_over(self, connection: sqlite3.Connection, older: older_ledger.Older) -> None:
        fresh = connection.execute(
            "INSERT OR IGNORE INTO spent (profile, collection, epsilon, day, purpose) VALUES (1, ?, NULL, ?, '')",
            (older.collection, older.day),
        ).rowcount
        if fresh:
            state = _TAKEN if older.acknowledged else _EMPTY if older.report is None else _DRAWN
            body = (older.report or "").encode() if state == _DRAWN else b""
            connection.execute(
                "INSERT INTO reports (profile, collection, wave, state, body) VALUES (1, ?, 0, ?, ?)",
                (older.collection, state, body.ljust(REPORT_LENGTH)),
            )

    @contextlib.contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection; whatever the database raises becomes an error of ours."""
        connection = None
        try:
            connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.execute("PRAGMA secure_delete = ON")
            yield connection
        except sqlite3.Error as error:
            raise DeliveryError(
                f"the ledger {str(self.path)!r} cannot be used: {error}; what was not drawn before is not drawn"
            ) from error
        finally:
            if connection is not None:
                connection.close()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection within a transaction; no other program reads or writes until this one is done."""
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")  # from here on, past the end of the transaction
            yield connection
            if connection.in_transaction:
                connection.execute("COMMIT")


def _entries(connection: sqlite3.Connection) -> list[Spent]:
    rows = connection.execute(
        "SELECT collection, epsilon, day, profile, purpose FROM spent ORDER BY day, profile, collection"
    )
    return [Spent(name, epsilon and Decimal(epsilon), *more) for name, epsilon, *more in rows]


def _learn_cost(connection: sqlite3.Connection, charge: Charge) -> None:
    """Take note of the cost of a collection that was answered before costs were written down."""
    connection.execute(
        "UPDATE spent SET epsilon = ?, purpose = ? WHERE collection = ? AND epsilon IS NULL",
        (str(charge.epsilon), charge.purpose, charge.collection),
    )


def _universal_day() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def _data_directory() -> Path:
    try:
        from platformdirs import user_data_path
    except ImportError as error:
        raise DeliveryError(
            "a ledger in the user's own data needs platformdirs: pip install 'sottovoce[http]'; or give its path"
        ) from error
    return user_data_path("sottovoce", appauthor=False)
